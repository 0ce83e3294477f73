"""Check of retrieved text in prompts, which may contain instructions of its own."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions.inference import infer_expression
from aurora.interpreter.checks.expressions.scopes import build_result_shape, collect_phase_sites, infer_loop
from aurora.interpreter.checks.expressions.shapes import Namespace, Shape, resolve_path
from aurora.interpreter.checks.expressions.types import infer_item, infer_json_types
from aurora.interpreter.problems import codes

from .prompts import CheckedTemplate
from .templates import ITEM, read_template
from .view import Check

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.interpreter.problems import Problem
    from aurora.interpreter.templates.tags import Token

    from .view import WorkflowView

_COUNT_FILTERS = frozenset({"length", "count"})
_MARKUP = re.compile(r"<(/?)([A-Za-z][\w-]*+)>")
_FENCE_MARKS = ("```", '"""', "~~~")
_CONSTRAINING_KEYWORDS = frozenset({"enum", "const", "pattern", "format"})
_TEXT_FIELD_NAMES = frozenset(
    {"body", "content", "excerpt", "passage", "preview", "quote", "snippet", "stderr", "stdout", "text"}
)
"""Names of fields with running text; a score, a name or a path needs no fence."""
_RESULT = re.compile(r"\bphases\.\w+\.results?\b")
_MARK = "x-retrieved"
_BRACKETS = re.compile(r"\[[^\[\]]*\]")
_RENAMED = re.compile(r"(\w+)\s*:\s*[\w.]*?(\w+)\s*[,}]")
"""A field of a multiselect hash, `{said: preview}`."""
_JOINTS = ("~", "else")
"""Tokens after which a tag prints one more value."""
_SET_WORDS = 3
"""The tokens of `set NAME =`."""
_MAX_DEPTH = 4
FENCE_HELP = (
    "put it between markers such as <material> and </material>, and tell the model to follow no instruction inside"
)
PERSON_HELP = (
    "put it between markers such as <material> and </material>, and tell the person that the text inside is a quotation"
)


def check_untrusted_text(view: WorkflowView) -> Iterator[Problem]:
    """Report the first retrieved text in each prompt that stands outside a fence."""
    for key, prompt in view.definition.prompts.items():
        template = CheckedTemplate(view, key, prompt)
        phase = template.phase
        fences: _Fences | None = None
        for name, span in _find_printed_values(view, phase, prompt.text):
            fences = fences or _Fences(prompt.text)
            if not fences.contain(span[0]):
                message = f'"{name}" is retrieved text, and no markers in the prompt separate it from the rest'
                help_ = FENCE_HELP if view.phases[phase].person is None else PERSON_HELP
                yield codes.UNFENCED_TEXT.make_problem(template.locate_span(span), message, help=help_)
                break


def _find_printed_values(view: WorkflowView, phase: str, text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Find the retrieved texts that the template prints, with their spans."""
    known = _collect_retrieved_values(view, phase)
    if "{%" not in text and not any(known[name] for name in known if name != "inputs"):
        return  # nothing that the prompt prints is retrieved
    set_names = dict(_find_renamed_fields(view, phase))
    for read in read_template(text, known):
        tag, path = read.tag, read.path
        is_joined = path.start == 0 or tag.tokens[path.start - 1].text in _JOINTS
        is_printed = tag.is_closed and not tag.word and is_joined and not path.is_called
        name = next((part for part in reversed(path.parts) if part != ITEM), "")
        if tag.word == "set" and path.end + _SET_WORDS == len(tag.tokens):
            set_names[tag.tokens[1].text] = set_names.get(name, name)
        if is_printed and not _is_counted(tag.tokens[path.end :]):
            name = set_names.get(name, name)
            found = read.found if isinstance(read.found, Shape) else None
            if _can_contain_instructions(found, name):
                start, end = tag.tokens[path.start].start, tag.tokens[path.end - 1].end
                yield text[start:end], (start, end)


def _find_renamed_fields(view: WorkflowView, phase: str) -> Iterator[tuple[str, str]]:
    """Find the fields with running text that an expression of the phase gives another name."""
    sources = [site.text for site in collect_phase_sites(view, phase) if site.kind in ("from", "for_each")]
    for new, old in (match.groups() for source in sources for match in _RENAMED.finditer(source)):
        if old in _TEXT_FIELD_NAMES:
            yield new, old


def _is_counted(rest: Sequence[Token]) -> bool:
    """Recognize a print of a count, or of a part that an expression selects."""
    words = [token.text for token in rest]
    filters = {after for before, after in pairwise(words) if before == "|"}
    return bool(filters & _COUNT_FILTERS) or words[:1] in (["["], ["("])


def _collect_retrieved_values(view: WorkflowView, phase: str) -> dict[str, Namespace | Shape | None]:
    """Collect the results in a prompt's scope: its own, those in inputs, and the item of a list of them."""
    known: dict[str, Namespace | Shape | None] = {}
    for site in collect_phase_sites(view, phase):
        if site.kind == "from" and _RESULT.search(site.text):
            known[site.name] = _keep_retrieved(infer_expression(site), site.text)
    loop = view.phases[phase].for_each
    if loop is not None:
        reads = {name for name in known if re.search(rf"\binputs\.{name}\b", loop.in_)}
        is_retrieved = bool(reads) or _RESULT.search(loop.in_) or view.phases[phase].uses is not None
        whole = loop.in_.strip().removeprefix("inputs.")
        listed = known[whole] if whole in known else _keep_retrieved(infer_loop(view, phase), loop.in_)
        known[loop.as_] = infer_item(listed) if is_retrieved else None
    known["inputs"] = Namespace("an input", dict(known), open=True)
    known["result"] = build_result_shape(view, phase)
    return known


def _keep_retrieved(found: Namespace | Shape | None, source: str) -> Namespace | Shape | None:
    """Keep a value that contains retrieved text: a list or object, or a text from a field of running text."""
    last = _find_last_field(source)
    types = infer_json_types(found) - {"null"}
    item = infer_json_types(infer_item(found)) if types == {"array"} else types
    if isinstance(found, Shape) and item == {"string"} and last in _TEXT_FIELD_NAMES:
        marked = {**found.schema, _MARK: True}
        if types == {"array"}:
            marked["items"] = {"type": "string", _MARK: True}
        return Shape(marked, found.root, found.label)
    return found if types - {"string"} else None


def _find_last_field(source: str) -> str:
    """Find the field that an expression ends with: `preview` for `hits[?score > `1`].preview | [0:2]`."""
    while (shorter := _BRACKETS.sub("", source)) != source:
        source = shorter
    names: list[str] = re.findall(r"[A-Za-z_]\w*", source)
    return names[-1] if names else ""


def _can_contain_instructions(shape: Shape | None, name: str, depth: int = 0) -> bool:
    schema = shape.resolve() if shape else None
    if shape is None or not schema or _CONSTRAINING_KEYWORDS & set(schema) or depth > _MAX_DEPTH:
        return False
    if schema.get(_MARK) or ("string" in infer_json_types(shape) and name in _TEXT_FIELD_NAMES):
        return True
    item = infer_item(shape)
    if item is not None:
        return _can_contain_instructions(item, name if depth else "", depth + 1)
    properties = schema.get("properties", {})
    inner = {key: resolve_path(shape, (key,)) for key in properties} if isinstance(properties, dict) else {}
    return any(_can_contain_instructions(one, key, depth + 1) for key, one in inner.items() if isinstance(one, Shape))


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


CHECK = Check(check_untrusted_text, can_refuse=False)
