"""Prompts: templates that can be read, and that name only what they will be given."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions import scopes
from aurora.interpreter.checks.expressions.shapes import Missing, follow
from aurora.interpreter.language.build import find
from aurora.interpreter.language.prompts import PromptError, has
from aurora.interpreter.language.prompts import check as read
from aurora.interpreter.problems import codes
from aurora.interpreter.problems.problem import Place
from aurora.interpreter.problems.suggestions import did_you_mean, listed
from aurora.interpreter.yaml.display_path import beside, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.language.definition import Prompt
    from aurora.interpreter.problems.problem import Problem

    from .view import View

_TAG = re.compile(r"\{[{%].*?[%}]\}", re.DOTALL)
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'', re.DOTALL)
_READS_ANOTHER = re.compile(r"\{%-?\s*(include|extends|import|from)\b")
_USES = (
    ("filter", re.compile(r"\|\s*([A-Za-z_]\w*)")),
    ("test", re.compile(r"\bis\s+(?:not\s+)?(?!not\b)([A-Za-z_]\w*)")),
)


def problems(view: View) -> Iterator[Problem]:
    """Syntax errors in the template's own file, and what it names that is not there."""
    for name, prompt in view.definition.prompts.items():
        template = Template(view, name, prompt)
        try:
            variables = read(prompt.text, prompt.name)
        except PromptError as error:
            yield codes.TEMPLATE_SYNTAX.at(template.place(error.span), f"this template cannot be read: {error.detail}")
            continue
        yield from template.variables(variables)
        yield from template.borrowed()


class Template:
    """One phase's template under examination."""

    def __init__(self, view: View, phase: str, prompt: Prompt) -> None:
        self.view = view
        self.phase = phase
        self.prompt = prompt
        self.tags = only_tags(prompt.text)

    def variables(self, names: frozenset[str]) -> Iterator[Problem]:
        """Names that the prompt is not given."""
        scope = scopes.prompted(self.view, self.phase)
        for name in sorted(names):
            path = name.split(".")
            found = follow(scope, path)
            if not isinstance(found, Missing):
                continue
            word = path[found.index]
            span = self._find(path[: found.index + 1])
            if span and found.index and re.match(r"\s*\(", self.tags[span[1] :]):
                continue  # a method of the value, `result.items()`
            choices = f"; expected one of {listed(found.known)}" if found.known else ""
            message = f'the prompt of phase "{self.phase}" names "{name}": {found.sentence}{choices}'
            yield codes.TEMPLATE_VARIABLE.at(self.place(span), message, help=did_you_mean(word, found.known))

    def borrowed(self) -> Iterator[Problem]:
        """Other templates, which are never read, and filters and tests that there are not."""
        for match in _READS_ANOTHER.finditer(self.tags):
            message = f'"{match[1]}" reads another template, and a prompt stands alone'
            yield codes.TEMPLATE_SYNTAX.at(self.place(match.span(1)), message, help="write the text here")
        for kind, pattern in _USES:
            for match in pattern.finditer(self.tags):
                if not has(kind, match[1]):
                    yield codes.TEMPLATE_SYNTAX.at(self.place(match.span(1)), f'there is no {kind} "{match[1]}"')

    def _find(self, path: list[str]) -> tuple[int, int] | None:
        """The last name of the first occurrence of this dotted path."""
        parts = [re.escape(part) for part in path]
        before = "".join(rf"{part}\s*\.\s*" for part in parts[:-1])
        match = re.search(rf"(?<![\w.])(?:{before})({parts[-1]})(?!\w)", self.tags)
        return match.span(1) if match else None

    def place(self, span: tuple[int, int] | None) -> Place:
        """The place of a stretch of the template: in its own file, or in the workflow's."""
        node = find(self.view.definition.root, ("phases", self.phase, "prompt_template"))
        start, end = span or (0, 1)
        if not self.prompt.from_file:
            return node.part(start, end - start) if span else node.place
        text = self.prompt.text
        line = text.count("\n", 0, start) + 1
        column = start - (text.rfind("\n", 0, start) + 1) + 1
        return Place(shown(beside(node, self.prompt.name)), line, column, line, column + max(end - start, 1))


def only_tags(text: str) -> str:
    """The template with all but its tags blanked out, and the texts in quotes within them; as long as before."""
    kept = [" "] * len(text)
    for tag in _TAG.finditer(text):
        inside = _TEXT.sub(lambda match: " " * len(match[0]), tag[0])
        kept[tag.start() : tag.end()] = inside
    return "".join(kept)
