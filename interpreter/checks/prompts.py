"""Check of prompt templates: syntax, variables, filters and tests."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions.scopes import build_prompt_scope, infer_inputs, infer_loop
from aurora.interpreter.checks.expressions.shapes import Shape, UnknownName, describe_types, resolve_path
from aurora.interpreter.checks.expressions.types import infer_json_types
from aurora.interpreter.language.build import find_node
from aurora.interpreter.language.model import RESERVED_INPUTS
from aurora.interpreter.problems import Place, codes, did_you_mean, list_names
from aurora.interpreter.schema.lint import is_plain_part
from aurora.interpreter.templates.engine import PromptError, find_argument_fault, has_filter_or_test
from aurora.interpreter.templates.render import check_template
from aurora.interpreter.templates.tags import list_tags
from aurora.interpreter.yaml import display_path, resolve_relative

from .structure import RESERVED_ITEMS
from .templates import read_template
from .view import Check

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.interpreter.checks.expressions.shapes import InferredType, Namespace
    from aurora.interpreter.language.definition import Prompt
    from aurora.interpreter.language.model import InputSpec
    from aurora.interpreter.problems import Problem
    from aurora.interpreter.templates.tags import Token

    from .view import WorkflowView

MAX_PROBLEMS = 100
"""Limit of unknown names in a template, and of problems of its tags."""

MAX_PLAIN_TEXT = 20_000
"""Characters of a template that is looked at without being parsed; a limit of templates is above."""
_PLAIN_TAG = re.compile(r"\{\{ ([a-z][a-z0-9_]{0,39}) \}\}")
_TEMPLATE_WORDS = frozenset(
    {"and", "else", "false", "if", "in", "is", "loop", "none", "not", "or", "recursive", "self", "super", "true"}
)
"""Names that mean something else in a template."""
_LOOPLESS = frozenset({"boolean", "number"})
_PYTHON_TYPES = {"array": list, "boolean": bool, "number": float, "object": dict, "string": str}
"""The types whose methods a template can call."""
_SINGLE_TYPES = ("boolean", "integer", "number", "string")

Span = tuple[int, int]
"""Range of characters of the template."""

_OTHER_TEMPLATE_TAGS = frozenset({"include", "extends", "import", "from"})


def check_prompts(view: WorkflowView) -> Iterator[Problem]:
    """Report syntax errors and unknown names, in the template's own file."""
    faultless: set[tuple[object, ...]] = set()
    for key, prompt in view.definition.prompts.items():
        template = CheckedTemplate(view, key, prompt)
        if template.is_plain():
            continue
        basis = template.find_basis()
        if basis is None or basis not in faultless:
            found = list(_check_prompt(template))
            yield from found
            if basis is not None and not found:
                faultless.add(basis)


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

    def is_plain(self) -> bool:
        """Return whether the template only prints single values of inputs: nothing is wrong then."""
        spec, text = self.view.phases[self.phase], self.prompt.text
        if self.key != self.phase or self.prompt.segments or spec.for_each is not None or len(text) > MAX_PLAIN_TEXT:
            return False
        tags = _PLAIN_TAG.findall(text)
        names = set(tags)
        if text.count("{{") != len(tags) or "{%" in text or "{#" in text:
            return False
        if not names <= spec.inputs.keys() - RESERVED_ITEMS - _TEMPLATE_WORDS:
            return False
        shapes = infer_inputs(self.view)[self.phase] if names else {}
        return all(not _may_be_null(spec.inputs[name]) and _is_single_value(shapes[name]) for name in names)

    def find_basis(self) -> tuple[object, ...] | None:
        """Find what the check depends on; None where that is more than the template and the inputs."""
        spec = self.view.phases[self.phase]
        if spec.has_result or spec.for_each is not None or spec.output is not None:
            return None
        shapes = infer_inputs(self.view)[self.phase]
        inputs = [(name, _write_shape(shapes[name]), _may_be_null(given)) for name, given in spec.inputs.items()]
        return self.prompt.text, *inputs

    def check_fields(self) -> Iterator[Problem]:
        """Report fields and methods that the values do not have, and loops over what is no list.

        A field below a name of the scope, with plain dots, is left to the check of variables.
        """
        for read in read_template(self.prompt.text, self.scope.members):
            token, kind, message, help_ = read.path.tokens[-1], codes.TEMPLATE_VARIABLE, "", ""
            found = read.found
            types = infer_json_types(found) - {"null"} if isinstance(found, Shape) else frozenset()
            if isinstance(found, UnknownName) and (read.is_own or not read.path.is_dotted):
                choices = f"; expected one of {list_names(found.known)}" if found.known else ""
                token, message = read.path.tokens[found.index], f'"{read.name}": {found.sentence}{choices}'
                help_ = did_you_mean(read.path.parts[found.index], found.known)
            elif isinstance(found, Shape) and types and read.path.is_called:
                message, help_ = _describe_method(token.text, found, types)
            elif isinstance(found, Shape) and read.is_looped and types and types <= _LOOPLESS:
                kind, help_ = codes.SCHEMA_MISFIT, "name the list itself"
                message = f"a loop needs a list, and {found.label} is {describe_types(types)}"
            if message:
                message = f'the prompt of phase "{self.phase}": {message}'
                yield kind.make_problem(self.locate_span(token.span), message, help=help_)

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
            for token, fault in _find_argument_faults(tag.tokens):
                message = f'the filter "{token.text}" has {fault} arguments'
                yield codes.TEMPLATE_SYNTAX.make_problem(self.locate_span(token.span), message)

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


def _describe_method(method: str, value: Shape, types: frozenset[str]) -> tuple[str, str]:
    """Describe a call of a method that a value lacks, and how to write it; empty when it has it."""
    if any(hasattr(_PYTHON_TYPES[name], method) for name in types):
        return "", ""
    help_ = f"use the filter: `| {method}`" if has_filter_or_test("filter", method) else ""
    return f'"{method}" is not a method of {value.label}, which is {describe_types(types)}', help_


def _is_single_value(shape: InferredType) -> bool:
    """Return whether a value is surely a text, a number or a boolean."""
    if not isinstance(shape, Shape) or not is_plain_part(shape.schema):
        return False
    return "enum" in shape.schema or shape.schema.get("type") in _SINGLE_TYPES


def _may_be_null(spec: InputSpec) -> bool:
    return spec.optional and not spec.has_default


def _write_shape(shape: InferredType) -> str:
    """Write the schema of a value, and where its references point; empty where it is unknown."""
    if not isinstance(shape, Shape):
        return ""
    return repr(shape.schema if shape.schema is shape.root else [shape.schema, shape.root])


def _list_named_uses(tokens: Sequence[Token]) -> Iterator[tuple[str, Token]]:
    """Yield the filters and tests that a tag names."""
    before = ("", "")
    for token in tokens:
        if token.kind == "name" and before[1] == "|":
            yield "filter", token
        elif token.kind == "name" and token.text != "not" and (before[1] == "is" or before == ("is", "not")):
            yield "test", token
        before = (before[1], token.text)


def _find_argument_faults(tokens: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    """Find the filters with too few or too many arguments."""
    for at, (sign, name) in enumerate(pairwise(tokens)):
        if sign.text == "|" and name.kind == "name":
            fault = find_argument_fault(name.text, *_count_arguments(tokens[at + 2 :]))
            if fault in ("missing", "too many"):
                yield name, fault.replace("missing", "too few")


def _count_arguments(tokens: Sequence[Token]) -> tuple[int, tuple[str, ...]]:
    """Count the arguments between the brackets that follow, and list the names of those with a name."""
    starts: list[int] = []
    depth = 0
    for at, token in enumerate(tokens):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token.text, 0) if token.kind == "sign" else 0
        if depth == 0:
            break
        if depth == 1 and token.text in ("(", ",") and tokens[at + 1].text != ")":
            starts.append(at + 1)
    named = tuple(tokens[at].text for at in starts if tokens[at + 1 : at + 2] and tokens[at + 1].text == "=")
    return len(starts) - len(named), named


CHECK = Check(check_prompts, is_local=True)
