"""The work of a phase: its tool, then its prompts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault
from aurora.interpreter.expressions.jmespath import ExpressionError, evaluate
from aurora.interpreter.language.prompts import PromptError, render
from aurora.interpreter.schema.validate import faults

from . import scope
from .ports import Toolbox, ToolCall

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import Phase

    from .call import Call


ROOM = 14_000
"""Characters that the prompts of one step may have together; a whole response must stay under 19,000."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The prompts of a step: one, or one per item; `left_out` items had no room under `max`."""

    prompts: tuple[str, ...]
    single: bool
    left_out: int = 0


def run_tool(
    tools: Toolbox, call: Call, definition: Definition, phase: str, inputs: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The checked result of the phase's tool; None when it has none.

    Raises:
        Fault: the tool's own, or INTERNAL_ERROR when arguments cannot be made or the result does not fit `output`.
    """
    spec = definition.workflow.phases[phase]
    if spec.uses is None:
        return None
    result = tools.call(
        ToolCall(spec.uses, arguments(spec, phase, inputs), spec.params, call.request_id, call.progress)
    )
    wrong = faults(result, definition.outputs.get(phase, {}))
    if wrong:
        raise Fault(
            Code.INTERNAL_ERROR,
            f'the result of "{spec.uses}" does not fit the output of phase "{phase}": '
            f"{wrong[0]['path']} {wrong[0]['message']}",
            help="mend the schema that `output` names, or the tool",
            details={"faults": wrong},
        )
    return result


def arguments(spec: Phase, phase: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """What the phase's tool is called with.

    Raises:
        Fault: INTERNAL_ERROR when an argument cannot be made.
    """
    if spec.with_ is None:
        return {name: value for name, value in inputs.items() if value is not None}
    view = {**inputs, "inputs": dict(inputs)}
    made: dict[str, Any] = {}
    for name, text in spec.with_.items():
        try:
            value = evaluate(text, view)
        except ExpressionError as error:
            message = f'argument "{name}" of phase "{phase}" cannot be made: {error}'
            raise Fault(Code.INTERNAL_ERROR, message, details={"expression": text}) from None
        if value is not None:
            made[name] = value
    return made


def ask(
    definition: Definition, phase: str, inputs: Mapping[str, Any], result: Any, recalled: Mapping[str, Any]
) -> Asked | None:
    """The phase's rendered prompts; None when it asks for nothing.

    Raises:
        Fault: INTERNAL_ERROR when the template or `for_each` fails.
    """
    template = definition.prompts.get(phase)
    spec = definition.workflow.phases[phase]
    if template is None:
        return None
    view = scope.prompt(inputs, result, recalled)
    try:
        if spec.for_each is None:
            return Asked(_roomy((render(template.text, view, template.name),), phase), single=True)
        items = _items(spec, phase, scope.decide(inputs, result, recalled))
        views = ({**view, spec.for_each.as_: item} for item in items[: spec.for_each.max])
        rendered = _roomy(tuple(render(template.text, each, template.name) for each in views), phase)
    except PromptError as error:
        message = f'the prompt of phase "{phase}" cannot be rendered: {error}'
        raise Fault(Code.INTERNAL_ERROR, message, details={"line": error.line}) from None
    return Asked(rendered, single=False, left_out=len(items) - len(rendered)) if rendered else None


def _roomy(prompts: tuple[str, ...], phase: str) -> tuple[str, ...]:
    """The first prompts that fit into one response; the host is asked for the rest when the phase comes again."""
    used = 0
    for index, text in enumerate(prompts):
        used += len(text)
        if used > ROOM and index == 0:
            message = f'the prompt of phase "{phase}" has {used:,} characters; {ROOM:,} fit into a response'
            raise Fault(Code.INTERNAL_ERROR, message, help="shorten the template, or what it repeats")
        if used > ROOM:
            return prompts[:index]
    return prompts


def _items(spec: Phase, phase: str, view: Mapping[str, Any]) -> list[Any]:
    text = spec.for_each.in_ if spec.for_each else ""
    try:
        items = evaluate(text, view)
    except ExpressionError as error:
        raise Fault(Code.INTERNAL_ERROR, f'for_each of phase "{phase}" cannot be evaluated: {error}') from None
    if not isinstance(items, list):
        message = f'for_each of phase "{phase}" needs a list; {text} gives none'
        raise Fault(Code.INTERNAL_ERROR, message, details={"expression": text})
    return items
