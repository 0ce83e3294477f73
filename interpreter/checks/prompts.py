"""Prompts: templates that can be read, and that name only what they will be given."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .. import codes
from ..choices import did_you_mean, listed
from ..naming import shown
from ..problems import Place
from ..prompts import PromptError
from ..prompts import check as read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..definition import Prompt
    from ..problems import Problem
    from .view import View


def problems(view: View) -> Iterator[Problem]:
    """Syntax errors in the template's own file, and unknown variables."""
    for name, prompt in view.definition.prompts.items():
        try:
            variables = read(prompt.text, prompt.name)
        except PromptError as error:
            message = str(error).split(": ", 1)[-1]
            yield codes.TEMPLATE_SYNTAX.at(_place(view, name, prompt, error.line, error.span), message)
            continue
        known = _known(view, name)
        for variable in sorted(variables):
            root = variable.split(".", 1)[0]
            if root not in known:
                offset = max(prompt.text.find(root), 0)
                line = prompt.text.count("\n", 0, offset) + 1
                place = _place(view, name, prompt, line, (offset, offset + len(root)))
                message = f'the prompt of phase "{name}" names "{root}"; it is given {listed(known)}'
                yield codes.TEMPLATE_VARIABLE.at(place, message, help=did_you_mean(root, known))


def _known(view: View, name: str) -> set[str]:
    phase = view.phases[name]
    known = {*phase.inputs, "inputs", "run"}
    if phase.uses is not None:
        known.add("result")
    if phase.for_each is not None:
        known.add(phase.for_each.as_)
    return known


def _place(view: View, phase: str, prompt: Prompt, line: int | None, span: tuple[int, int] | None) -> Place:
    value = view.value("phases", phase, "prompt_template")
    if not prompt.from_file:
        return value
    path = shown((Path(value.path).resolve().parent / prompt.name).resolve())
    line = line or 1
    start = span[0] if span else 0
    column = start - (prompt.text.rfind("\n", 0, start) + 1) + 1 if span else 1
    width = (span[1] - span[0]) if span else 1
    return Place(path, line, column, line, column + max(width, 1))
