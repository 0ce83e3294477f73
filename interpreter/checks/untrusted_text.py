"""Check of retrieved text in prompts, which may contain instructions of its own."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import pairwise
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
from aurora.interpreter.templates import list_tags

from .check import Check
from .prompts import CheckedTemplate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.interpreter.checks.expressions import Namespace
    from aurora.interpreter.problems import Problem
    from aurora.interpreter.templates import Token

    from .view import WorkflowView

_COUNT_FILTERS = frozenset({"length", "count"})
_MARKUP = re.compile(r"<(/?)([A-Za-z][\w-]*+)>")
_FENCE_MARKS = ("```", '"""', "~~~")
_CONSTRAINING_KEYWORDS = frozenset({"enum", "const", "pattern", "format"})
_TEXT_FIELD_NAMES = frozenset(
    {"body", "content", "excerpt", "passage", "preview", "quote", "snippet", "stderr", "stdout", "text"}
)
"""Names of fields with running text; a score, a name or a path needs no fence."""
FENCE_HELP = (
    "put it between markers such as <material> and </material>, and tell the model to follow no instruction inside"
)


def check_untrusted_text(view: WorkflowView) -> Iterator[Problem]:
    """Report the first retrieved text in each prompt that stands outside a fence."""
    for key, prompt in view.definition.prompts.items():
        template = CheckedTemplate(view, key, prompt)
        phase = template.phase
        fences = _Fences(prompt.text)
        for name, span in _find_printed_values(view, phase, prompt.text):
            if not fences.contain(span[0]):
                message = f'"{name}" is retrieved text, and no markers in the prompt separate it from the rest'
                yield codes.UNFENCED_TEXT.make_problem(template.locate_span(span), message, help=FENCE_HELP)
                break


def _find_printed_values(view: WorkflowView, phase: str, text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Find the results that the template prints, with their spans."""
    known = _collect_retrieved_values(view, phase)
    for tag in list_tags(text):
        if tag.word == "for":
            _add_loop_item(known, tag.tokens)
        elif tag.is_closed and not tag.word and tag.tokens:
            path, rest = _read_path(tag.tokens)
            if path and not _is_counted(rest):
                start, end = path[0].start, path[-1].end
                if _can_contain_instructions(_resolve_path(known, path), path[-1].text):
                    yield text[start:end], (start, end)


def _add_loop_item(known: dict[str, Namespace | Shape | None], tokens: Sequence[Token]) -> None:
    """Add the item of `for ITEM in PATH` to the known names."""
    match [token.text for token in tokens[:3]]:
        case ["for", item, "in"]:
            known[item] = infer_item(_resolve_path(known, _read_path(tokens[3:])[0]))


def _read_path(tokens: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]]:
    """Split tokens into a leading path, `result.chunks[0].text`, and the rest."""
    at = 1 if tokens and tokens[0].kind == "name" else 0
    while at:
        following = [token.text if token.kind != "number" else "0" for token in tokens[at : at + 4]]
        if following[:1] == ["."] and len(following) > 1 and tokens[at + 1].kind == "name":
            at += 2
        elif following[:3] == ["[", "0", "]"]:
            at += 3
        elif following == ["[", "-", "0", "]"]:
            at += 4
        else:
            break
    return tokens[:at], tokens[at:]


def _is_counted(rest: Sequence[Token]) -> bool:
    """Recognize a print of a count, of a part, or under a condition."""
    words = [token.text for token in rest]
    filters = {after for before, after in pairwise(words) if before == "|"}
    return bool(filters & _COUNT_FILTERS) or words[:1] in (["["], ["("], ["if"])


def _collect_retrieved_values(view: WorkflowView, phase: str) -> dict[str, Namespace | Shape | None]:
    """Collect the results in a prompt's scope: its own, and those in inputs."""
    known: dict[str, Namespace | Shape | None] = {"result": build_result_shape(view, phase)}
    for site in collect_phase_sites(view, phase):
        if site.kind == "from" and re.match(r"phases\.\w+\.result\b", site.text):
            found = infer_expression(site)
            known[site.name] = found if infer_json_types(found) - {"string", "null"} else None
    return known


def _resolve_path(known: dict[str, Namespace | Shape | None], path: Sequence[Token]) -> Shape | None:
    parts = [token.text for token in path if token.text == "[" or token.kind == "name"]
    found: Namespace | Shape | UnknownName | None = known.get(parts[0]) if parts else None
    for part in parts[1:]:
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


class _Fences:
    """Fences of a prompt; places are looked up in their order, so that the text is read once."""

    def __init__(self, text: str) -> None:
        self._markup = [(match.start(), bool(match[1]), match[2]) for match in _MARKUP.finditer(text)]
        self._last_closing = {name: start for start, is_closing, name in self._markup if is_closing}
        self._marks = [[match.start() for match in re.finditer(re.escape(mark), text)] for mark in _FENCE_MARKS]
        self._read = 0
        self._open: set[str] = set()

    def contain(self, at: int) -> bool:
        """Check that a place is between two marks, or between `<name>` and `</name>`."""
        while self._read < len(self._markup) and self._markup[self._read][0] < at:
            start, is_closing, name = self._markup[self._read]
            self._read += 1
            self._open.discard(name)
            if not is_closing and self._last_closing.get(name, -1) > start:
                self._open.add(name)
        return bool(self._open) or any(bisect_left(starts, at) % 2 for starts in self._marks)


CHECK = Check(check_untrusted_text)
