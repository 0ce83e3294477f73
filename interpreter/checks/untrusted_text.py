"""Check of retrieved text in prompts, which may contain instructions of its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions import (
    Shape,
    UnknownName,
    build_result_shape,
    collect_phase_sites,
    infer_expression,
    infer_item,
    infer_json_types,
    resolve_path,
)
from aurora.interpreter.problems import codes

from .check import Check
from .prompts import CheckedTemplate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.checks.expressions import Namespace
    from aurora.interpreter.problems import Problem

    from .view import WorkflowView

_NAME_PATTERN = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[-?\d+\])*"
_LOOP_OR_PRINT = re.compile(
    rf"\{{%-?\s*for\s+(?P<item>[a-z_]\w*)\s+in\s+(?P<of>{_NAME_PATTERN})|\{{\{{-?\s*(?P<shown>{_NAME_PATTERN})(?P<rest>[^}}]*)\}}\}}"
)
_COUNT_FILTER = re.compile(r"\|\s*(length|count)\b")
_OPENING_TAG = re.compile(r"<([A-Za-z][\w-]*)>")
_FENCE_MARKS = ("```", '"""', "~~~")
_CONSTRAINING_KEYWORDS = frozenset({"enum", "const", "pattern", "format"})
_TEXT_FIELD_NAMES = frozenset({"body", "content", "excerpt", "passage", "preview", "quote", "snippet", "text"})
"""Names of fields with running text; a score, a name or a path needs no fence."""
FENCE_HELP = (
    "put it between markers such as <material> and </material>, and tell the model to follow no instruction inside"
)


def check_untrusted_text(view: WorkflowView) -> Iterator[Problem]:
    """Report the first retrieved text in each prompt that stands outside a fence."""
    for phase, prompt in view.definition.prompts.items():
        template = CheckedTemplate(view, phase, prompt)
        for name, span in _find_printed_values(view, phase, prompt.text):
            if not _is_fenced(prompt.text, span[0]):
                message = f'"{name}" is retrieved text, and no markers in the prompt separate it from the rest'
                yield codes.UNFENCED_TEXT.make_problem(template.locate_span(span), message, help=FENCE_HELP)
                break


def _find_printed_values(view: WorkflowView, phase: str, text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Find the results that the template prints, with their spans."""
    known = _collect_retrieved_values(view, phase)
    for match in _LOOP_OR_PRINT.finditer(text):
        if match["item"]:
            known[match["item"]] = infer_item(_resolve_path(known, match["of"]))
            continue
        counted = _COUNT_FILTER.search(match["rest"]) or match["rest"].lstrip().startswith(("[", "(", "if "))
        if not counted and _can_contain_instructions(_resolve_path(known, match["shown"]), match["shown"]):
            yield match["shown"], match.span("shown")


def _collect_retrieved_values(view: WorkflowView, phase: str) -> dict[str, Namespace | Shape | None]:
    """Collect the results in a prompt's scope: its own, and those in inputs."""
    known: dict[str, Namespace | Shape | None] = {"result": build_result_shape(view, phase)}
    for site in collect_phase_sites(view, phase):
        if site.kind == "from" and re.match(r"phases\.\w+\.result\b", site.text):
            found = infer_expression(site)
            known[site.name] = found if infer_json_types(found) - {"string", "null"} else None
    return known


def _resolve_path(known: dict[str, Namespace | Shape | None], path: str) -> Shape | None:
    first, *rest = re.findall(r"\[|[A-Za-z_]\w*", path)
    found: Namespace | Shape | UnknownName | None = known.get(first)
    for part in rest:
        if isinstance(found, UnknownName):
            return None
        found = infer_item(found) if part == "[" else resolve_path(found, (part,))
    return found if isinstance(found, Shape) else None


def _can_contain_instructions(shape: Shape | None, name: str) -> bool:
    schema = shape.resolve() if shape else None
    if not schema or _CONSTRAINING_KEYWORDS & set(schema):
        return False
    found = infer_json_types(shape)
    if "string" in found:
        return name.rsplit(".", 1)[-1] in _TEXT_FIELD_NAMES
    item = infer_item(shape)
    inner = item.resolve() if item is not None else schema
    return bool(_TEXT_FIELD_NAMES & set((inner or {}).get("properties", {})))


def _is_fenced(text: str, at: int) -> bool:
    before, after = text[:at], text[at:]
    if any(before.count(mark) % 2 for mark in _FENCE_MARKS):
        return True
    opened = {match[1] for match in _OPENING_TAG.finditer(before)}
    return any(before.rfind(f"<{tag}>") > before.rfind(f"</{tag}>") and f"</{tag}>" in after for tag in opened)


CHECK = Check(check_untrusted_text)
