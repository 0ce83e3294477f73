"""Checks of prompt templates: syntax, names, fields, and retrieved text without markers."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions.inference import infer_expression
from aurora.interpreter.checks.expressions.scopes import (
    build_prompt_scope,
    build_result_shape,
    collect_phase_sites,
    infer_loop,
)
from aurora.interpreter.checks.expressions.shapes import Namespace, Shape, UnknownName, resolve_path
from aurora.interpreter.checks.expressions.types import infer_item, infer_json_types
from aurora.interpreter.language.build import find_node
from aurora.interpreter.language.model import RESERVED_INPUTS
from aurora.interpreter.problems import Place, codes, did_you_mean, list_names
from aurora.interpreter.templates.engine import PromptError, has_filter_or_test
from aurora.interpreter.templates.render import check_template
from aurora.interpreter.templates.tags import list_tags
from aurora.interpreter.yaml import display_path, resolve_relative

from .templates import ITEM, read_template
from .view import Check

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.interpreter.language.definition import Prompt
    from aurora.interpreter.problems import Problem
    from aurora.interpreter.templates.tags import Token

    from .view import WorkflowView


MAX_PROBLEMS = 100
"""Limit of unknown names in a template, and of problems of its tags."""

Span = tuple[int, int]
"""Range of characters of the template."""

_OTHER_TEMPLATE_TAGS = frozenset({"include", "extends", "import", "from"})


def check_prompts(view: WorkflowView) -> Iterator[Problem]:
    """Report syntax errors and unknown names, in the template's own file."""
    for key, prompt in view.definition.prompts.items():
        yield from _check_prompt(CheckedTemplate(view, key, prompt))


def _check_prompt(template: CheckedTemplate) -> Iterator[Problem]:
    prompt = template.prompt
    try:
        variables = check_template(prompt.text, prompt.name)
    except PromptError as error:
        yield codes.TEMPLATE_SYNTAX.make_problem(
            template.locate_span(error.span), f"this template cannot be parsed: {error.detail}"
        )
        return
    yield from islice(template.check_variables(variables), MAX_PROBLEMS)
    yield from islice(template.check_fields(), MAX_PROBLEMS)
    yield from islice(template.check_tags(), MAX_PROBLEMS)


class CheckedTemplate:
    """One template, as the check sees it; `key` is its key among the definition's prompts."""

    def __init__(self, view: WorkflowView, key: str, prompt: Prompt) -> None:
        self.view = view
        self.key = key
        self.phase = key.partition(".")[0]
        self.prompt = prompt

    @cached_property
    def scope(self) -> Namespace:
        """The names that the template can read."""
        return build_prompt_scope(self.view, self.phase, infer_loop(self.view, self.phase))

    def check_fields(self) -> Iterator[Problem]:
        """Report fields that the values do not have.

        A field below a name of the scope, with plain dots, is left to the check of variables.
        """
        for read in read_template(self.prompt.text, self.scope.members):
            found, path = read.found, read.path
            if isinstance(found, UnknownName) and (read.is_own or not path.is_dotted):
                choices = f"; expected one of {list_names(found.known)}" if found.known else ""
                message = f'the prompt of phase "{self.phase}": "{read.name}": {found.sentence}{choices}'
                help_ = did_you_mean(path.parts[found.index], found.known)
                place = self.locate_span(path.tokens[found.index].span)
                yield codes.TEMPLATE_VARIABLE.make_problem(place, message, help=help_)

    def check_variables(self, names: frozenset[str]) -> Iterator[Problem]:
        """Report names that the prompt's scope lacks."""
        scope = self.scope
        for name in sorted(names):
            path = name.split(".")
            found = resolve_path(scope, path)
            if not isinstance(found, UnknownName):
                continue
            word = path[found.index]
            span, is_called = self._occurrences.get(tuple(path[: found.index + 1]), (None, False))
            if is_called and found.index:
                continue  # a method of the value, `result.items()`
            choices = f"; expected one of {list_names(found.known)}" if found.known else ""
            message = f'the prompt of phase "{self.phase}" names "{name}": {found.sentence}{choices}'
            help_ = self._suggest_source(path) or did_you_mean(word, found.known)
            yield codes.TEMPLATE_VARIABLE.make_problem(self.locate_span(span), message, help=help_)

    def _suggest_source(self, path: Sequence[str]) -> str:
        """Suggest the input or the constant with which a prompt reads a value; empty for an unknown one."""
        name, flow = path[0], self.view.definition.workflow
        if name == "phases":
            return f"recall it with an input: `from: {'.'.join(path)}`"
        if name in flow.phases_by_input and name not in RESERVED_INPUTS:
            return f"recall it with an input of this phase: `{name}: {{ from: inputs.{name} }}`"
        return f"write `vars.{'.'.join(path)}`" if name in flow.vars else ""

    def check_tags(self) -> Iterator[Problem]:
        """Report references to other templates, and unknown filters and tests."""
        for tag in list_tags(self.prompt.text):
            if tag.word in _OTHER_TEMPLATE_TAGS:
                message = f'"{tag.word}" refers to another template, which a prompt cannot do'
                help_ = "include the text itself"
                if tag.word == "include":
                    message, help_ = "an include names one file in quotes", 'as in `{% include "prompts/part.md" %}`'
                yield codes.TEMPLATE_SYNTAX.make_problem(self.locate_span(tag.tokens[0].span), message, help=help_)
            for kind, token in _list_named_uses(tag.tokens):
                if not has_filter_or_test(kind, token.text):
                    yield codes.TEMPLATE_SYNTAX.make_problem(
                        self.locate_span(token.span), f'there is no {kind} "{token.text}"'
                    )

    @cached_property
    def _occurrences(self) -> dict[tuple[str, ...], tuple[Span, bool]]:
        """Dotted paths where they occur first: the span of the last name, and whether it is called."""
        found: dict[tuple[str, ...], tuple[Span, bool]] = {}
        for read in read_template(self.prompt.text, self.scope.members):
            for length, token in enumerate(read.path.tokens if not read.is_own else (), start=1):
                is_called = read.path.is_called and length == len(read.path.parts)
                found.setdefault(read.path.parts[:length], (token.span, is_called))
        for tag in list_tags(self.prompt.text):
            path: tuple[str, ...] = ()
            before = ""
            for token, after in zip(tag.tokens, (*[each.text for each in tag.tokens[1:]], ""), strict=True):
                if token.kind == "name":
                    path = (*path, token.text) if before == "." and path else (token.text,)
                    found.setdefault(path, (token.span, after == "("))
                elif token.text != ".":
                    path = ()
                before = token.text
        return found

    def locate_span(self, span: Span | None) -> Place:
        """Locate a span of the template, in its own file or in the workflow's."""
        node = find_node(self.view.definition.root, self.view.find_prompt_path(self.key))
        start, end = span or (0, 1)
        source = self.prompt.find_source(start)
        at, text = source.offset, source.source
        if not source.name and not self.prompt.from_file:
            return node.locate_text(at, end - start) if span else node.place
        line = text.count("\n", 0, at) + 1
        column = at - (text.rfind("\n", 0, at) + 1) + 1
        path = display_path(resolve_relative(node, source.name or self.prompt.name))
        return Place(path, line, column, line, column + max(end - start, 1))


def _list_named_uses(tokens: Sequence[Token]) -> Iterator[tuple[str, Token]]:
    """Yield the filters and tests that a tag names."""
    before = ("", "")
    for token in tokens:
        if token.kind == "name" and before[1] == "|":
            yield "filter", token
        elif token.kind == "name" and token.text != "not" and (before[1] == "is" or before == ("is", "not")):
            yield "test", token
        before = (before[1], token.text)


PROMPTS = Check(check_prompts, is_local=True)


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
            # A mark that is never closed would make a fence of all the rest of the prompt.
            if not is_closing and self._last_closing.get(name, -1) > start:
                self._open.add(name)
        return bool(self._open) or any(bisect_left(starts, at) % 2 for starts in self._marks)


UNTRUSTED_TEXT = Check(check_untrusted_text, can_refuse=False)


_SENTENCE = r"(?:\A|\n[ \t]*(?:[-*][ \t]|\d+\.[ \t])?|[.:;!?][ \t])[ \t]{0,8}"
_READS = r"(?:git (?:diff|log|show|status|blame|grep)|grep|rg|ls|cat|find)\b"
_ASKED = {
    "run": re.compile(rf"{_SENTENCE}(Run `(?!{_READS})[^`\n]+`)"),
    "edit": re.compile(_SENTENCE + r"((?:Edit|Change|Fix|Update|Delete|Create|Rename) (?:the file )?`[\w./-]+\.\w+`)"),
}
"""What a sentence that begins so certainly asks the host to do."""
_HOST_TOOLS = {
    "run": {"bash", "shell", "run_shell_command", "execute_command", "terminal"},
    "edit": {"edit", "multiedit", "write", "write_file", "replace", "apply_patch", "notebookedit", "str_replace"},
}
"""Tools of assistants, in lower case, that do only this."""


def check_allowed(view: WorkflowView) -> Iterator[Problem]:
    """Report prompts and hints that ask for what `allows` of their phase forbids, where that is certain."""
    for key, prompt in view.definition.prompts.items():
        template = CheckedTemplate(view, key, prompt)
        phase = view.phases.get(template.phase)
        if phase is None or phase.allows is None:
            continue
        for kind in _ASKED.keys() - phase.allows.keys():
            if found := _ASKED[kind].search(prompt.text):
                yield _report_forbidden(template.locate_span(found.span(1)), template.phase, kind, "the prompt")
    for name, phase in view.phases.items():
        tools = {tool.lower() for tool in (phase.hints.tools or ())} if phase.hints and phase.allows is not None else ()
        for kind in _HOST_TOOLS.keys() - (phase.allows or {}).keys():
            if _HOST_TOOLS[kind].intersection(tools):
                yield _report_forbidden(view.locate_value("phases", name, "hints", "tools"), name, kind, '"hints"')


def _report_forbidden(place: Place, phase: str, kind: str, what: str) -> Problem:
    doing = "run a command" if kind == "run" else "edit a file"
    message = f'{what} of phase "{phase}" asks the host to {doing}, which its `allows` forbids'
    help_ = f"add `{kind}` to `allows`, or ask for it in a phase that allows it"
    return codes.ASKS_FORBIDDEN.make_problem(place, message, help=help_)


ALLOWED = Check(check_allowed, can_refuse=False)
