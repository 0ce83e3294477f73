"""Retrieved text in prompts: it may carry instructions of its own, so it stands between marks that say so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions import inference, scopes
from aurora.interpreter.checks.expressions.shapes import Missing, Shape, follow
from aurora.interpreter.checks.expressions.sites import sites_of
from aurora.interpreter.checks.expressions.types import elements, kinds
from aurora.interpreter.problems import codes

from .prompts import Template

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.checks.expressions.shapes import Group
    from aurora.interpreter.problems.problem import Problem

    from .view import View

_NAME = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[-?\d+\])*"
_LOOP_OR_PRINT = re.compile(
    rf"\{{%-?\s*for\s+(?P<item>[a-z_]\w*)\s+in\s+(?P<of>{_NAME})|\{{\{{-?\s*(?P<shown>{_NAME})(?P<rest>[^}}]*)\}}\}}"
)
_COUNTS = re.compile(r"\|\s*(length|count)\b")
_OPENS = re.compile(r"<([A-Za-z][\w-]*)>")
_MARKS = ("```", '"""', "~~~")
_CONSTRAINED = frozenset({"enum", "const", "pattern", "format"})
_PASSAGES = frozenset({"body", "content", "excerpt", "passage", "preview", "quote", "snippet", "text"})
"""What fields with running text of others are called; a score, a name or a path is left in the open."""
HELP = (
    "put it between marks, such as <material> and </material>, and say that no instruction in there is to be followed"
)


def problems(view: View) -> Iterator[Problem]:
    """The first place in each prompt where text that a tool found stands in the open."""
    for phase, prompt in view.definition.prompts.items():
        template = Template(view, phase, prompt)
        for name, span in _printed(view, phase, prompt.text):
            if not _fenced(prompt.text, span[0]):
                message = f'"{name}" is text that was retrieved, and nothing in the prompt sets it apart from the rest'
                yield codes.UNFENCED.at(template.place(span), message, help=HELP)
                break


def _printed(view: View, phase: str, text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """What the template prints of results, with where."""
    known = _retrieved(view, phase)
    for match in _LOOP_OR_PRINT.finditer(text):
        if match["item"]:
            known[match["item"]] = elements(_at(known, match["of"]))
            continue
        counted = _COUNTS.search(match["rest"]) or match["rest"].lstrip().startswith(("[", "(", "if "))
        if not counted and _may_instruct(_at(known, match["shown"]), match["shown"]):
            yield match["shown"], match.span("shown")


def _retrieved(view: View, phase: str) -> dict[str, Group | Shape | None]:
    """What a prompt sees of results: that of its own phase, and the inputs that come from those of others."""
    known: dict[str, Group | Shape | None] = {"result": scopes.kept(view, phase)}
    for site in sites_of(view, phase):
        if site.kind == "from" and re.match(r"phases\.\w+\.result\b", site.text):
            found = inference.given(site)
            known[site.name] = found if kinds(found) - {"string", "null"} else None
    return known


def _at(known: dict[str, Group | Shape | None], path: str) -> Shape | None:
    first, *rest = re.findall(r"\[|[A-Za-z_]\w*", path)
    found: Group | Shape | Missing | None = known.get(first)
    for part in rest:
        if isinstance(found, Missing):
            return None
        found = elements(found) if part == "[" else follow(found, (part,))
    return found if isinstance(found, Shape) else None


def _may_instruct(shape: Shape | None, name: str) -> bool:
    schema = shape.resolved() if shape else None
    if not schema or _CONSTRAINED & set(schema):
        return False
    found = kinds(shape)
    if "string" in found:
        return name.rsplit(".", 1)[-1] in _PASSAGES
    item = elements(shape)
    inner = item.resolved() if item is not None else schema
    return bool(_PASSAGES & set((inner or {}).get("properties", {})))


def _fenced(text: str, at: int) -> bool:
    before, after = text[:at], text[at:]
    if any(before.count(mark) % 2 for mark in _MARKS):
        return True
    opened = {match[1] for match in _OPENS.finditer(before)}
    return any(before.rfind(f"<{tag}>") > before.rfind(f"</{tag}>") and f"</{tag}>" in after for tag in opened)
