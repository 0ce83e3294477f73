"""Check of prompt templates: syntax, variables, filters and tests."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions import UnknownName, build_prompt_scope, resolve_path
from aurora.interpreter.language import PromptError, check_template, find_node, has_filter_or_test
from aurora.interpreter.problems import Place, codes, did_you_mean, list_names
from aurora.interpreter.yaml import display_path, resolve_relative

from .check import Check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.language import Prompt
    from aurora.interpreter.problems import Problem

    from .view import WorkflowView

_TAG = re.compile(r"\{[{%].*?[%}]\}", re.DOTALL)
_QUOTED_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'', re.DOTALL)
_INCLUDE_TAG = re.compile(r"\{%-?\s*(include|extends|import|from)\b")
_NAMED_USES = (
    ("filter", re.compile(r"\|\s*([A-Za-z_]\w*)")),
    ("test", re.compile(r"\bis\s+(?:not\s+)?(?!not\b)([A-Za-z_]\w*)")),
)


def check_prompts(view: WorkflowView) -> Iterator[Problem]:
    """Report syntax errors and unknown names, in the template's own file."""
    for name, prompt in view.definition.prompts.items():
        template = CheckedTemplate(view, name, prompt)
        try:
            variables = check_template(prompt.text, prompt.name)
        except PromptError as error:
            yield codes.TEMPLATE_SYNTAX.make_problem(
                template.locate_span(error.span), f"this template cannot be parsed: {error.detail}"
            )
            continue
        yield from template.check_variables(variables)
        yield from template.check_tags()


class CheckedTemplate:
    """The template of one phase, as the check sees it."""

    def __init__(self, view: WorkflowView, phase: str, prompt: Prompt) -> None:
        self.view = view
        self.phase = phase
        self.prompt = prompt
        self.tags = mask_literal_text(prompt.text)

    def check_variables(self, names: frozenset[str]) -> Iterator[Problem]:
        """Report names that the prompt's scope lacks."""
        scope = build_prompt_scope(self.view, self.phase)
        for name in sorted(names):
            path = name.split(".")
            found = resolve_path(scope, path)
            if not isinstance(found, UnknownName):
                continue
            word = path[found.index]
            span = self._find_span(path[: found.index + 1])
            if span and found.index and re.match(r"\s*\(", self.tags[span[1] :]):
                continue  # a method of the value, `result.items()`
            choices = f"; expected one of {list_names(found.known)}" if found.known else ""
            message = f'the prompt of phase "{self.phase}" names "{name}": {found.sentence}{choices}'
            yield codes.TEMPLATE_VARIABLE.make_problem(
                self.locate_span(span), message, help=did_you_mean(word, found.known)
            )

    def check_tags(self) -> Iterator[Problem]:
        """Report references to other templates, and unknown filters and tests."""
        for match in _INCLUDE_TAG.finditer(self.tags):
            message = f'"{match[1]}" refers to another template, which a prompt cannot do'
            yield codes.TEMPLATE_SYNTAX.make_problem(
                self.locate_span(match.span(1)), message, help="include the text itself"
            )
        for kind, pattern in _NAMED_USES:
            for match in pattern.finditer(self.tags):
                if not has_filter_or_test(kind, match[1]):
                    yield codes.TEMPLATE_SYNTAX.make_problem(
                        self.locate_span(match.span(1)), f'there is no {kind} "{match[1]}"'
                    )

    def _find_span(self, path: list[str]) -> tuple[int, int] | None:
        """Find the last name of the first occurrence of a dotted path."""
        parts = [re.escape(part) for part in path]
        before = "".join(rf"{part}\s*\.\s*" for part in parts[:-1])
        match = re.search(rf"(?<![\w.])(?:{before})({parts[-1]})(?!\w)", self.tags)
        return match.span(1) if match else None

    def locate_span(self, span: tuple[int, int] | None) -> Place:
        """Locate a span of the template, in its own file or in the workflow's."""
        node = find_node(self.view.definition.root, ("phases", self.phase, "prompt_template"))
        start, end = span or (0, 1)
        if not self.prompt.from_file:
            return node.locate_text(start, end - start) if span else node.place
        text = self.prompt.text
        line = text.count("\n", 0, start) + 1
        column = start - (text.rfind("\n", 0, start) + 1) + 1
        return Place(
            display_path(resolve_relative(node, self.prompt.name)), line, column, line, column + max(end - start, 1)
        )


def mask_literal_text(text: str) -> str:
    """Blank out all but the tags, and quoted texts in them; keeps the length."""
    kept = [" "] * len(text)
    for tag in _TAG.finditer(text):
        inside = _QUOTED_TEXT.sub(lambda match: " " * len(match[0]), tag[0])
        kept[tag.start() : tag.end()] = inside
    return "".join(kept)


CHECK = Check(check_prompts, is_local=True)
