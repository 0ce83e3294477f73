"""Execution of a phase: its tool, then its prompts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault
from aurora.interpreter.expressions import ExpressionError, evaluate_expression
from aurora.interpreter.schema import find_faults
from aurora.interpreter.templates import PromptError, render_template

from . import scope
from .ports import Toolbox, ToolCall

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.language import Definition, Phase

    from .call import Call


MAX_PROMPT_CHARACTERS = 14_000
"""Limit of characters of all prompts of one step; a complete response must stay under 19,000."""


@dataclass(frozen=True, slots=True)
class RenderedPrompts:
    """The prompts of a step: one, or one per item; `left_out` items exceed the limit."""

    prompts: tuple[str, ...]
    single: bool
    left_out: int = 0


def run_tool(
    tools: Toolbox, call: Call, definition: Definition, phase: str, inputs: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Run the phase's tool and validate its result; None without a tool.

    Raises:
        Fault: the tool's own, or WORKFLOW_ERROR when an argument fails or the result does not fit `output`.
    """
    spec = definition.workflow.phases[phase]
    if spec.uses is None:
        return None
    result = tools.call(
        ToolCall(
            spec.uses,
            build_arguments(spec, phase, inputs),
            spec.params,
            call.request_id,
            definition.workflow.name,
            call.progress,
        )
    )
    wrong = find_faults(result, definition.outputs.get(phase, {}))
    if wrong:
        raise Fault(
            Code.WORKFLOW_ERROR,
            f'the result of "{spec.uses}" does not fit the output of phase "{phase}": '
            f"{wrong[0]['path']} {wrong[0]['message']}",
            help="correct the schema that `output` names, or the tool",
            details={"faults": wrong},
        )
    return result


def build_arguments(spec: Phase, phase: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Build the arguments of the phase's tool.

    Raises:
        Fault: WORKFLOW_ERROR when an argument fails.
    """
    if spec.with_ is None:
        return {name: value for name, value in inputs.items() if value is not None}
    view = {**inputs, "inputs": dict(inputs)}
    made: dict[str, Any] = {}
    for name, text in spec.with_.items():
        try:
            value = evaluate_expression(text, view)
        except ExpressionError as error:
            message = f'argument "{name}" of phase "{phase}" cannot be evaluated: {error}'
            raise Fault(Code.WORKFLOW_ERROR, message, details={"expression": text}) from None
        if value is not None:
            made[name] = value
    return made


def render_prompts(
    definition: Definition, phase: str, inputs: Mapping[str, Any], result: Any, recalled: Mapping[str, Any]
) -> RenderedPrompts | None:
    """Render the phase's prompts; None without a template.

    Raises:
        Fault: WORKFLOW_ERROR when the template or `for_each` fails.
    """
    template = definition.prompts.get(phase)
    spec = definition.workflow.phases[phase]
    if template is None:
        return None
    view = scope.build_prompt_scope(inputs, result, recalled)
    try:
        if spec.for_each is None:
            return RenderedPrompts(
                _limit_prompts((render_template(template.text, view, template.name),), phase), single=True
            )
        items = _evaluate_items(spec, phase, scope.build_decision_scope(inputs, result, recalled))
        views = ({**view, spec.for_each.as_: item} for item in items[: spec.for_each.max])
        rendered = _limit_prompts(tuple(render_template(template.text, each, template.name) for each in views), phase)
    except PromptError as error:
        message = f'the prompt of phase "{phase}" cannot be rendered: {error}'
        raise Fault(Code.WORKFLOW_ERROR, message, details={"line": error.line}) from None
    return RenderedPrompts(rendered, single=False, left_out=len(items) - len(rendered)) if rendered else None


def _limit_prompts(prompts: tuple[str, ...], phase: str) -> tuple[str, ...]:
    """Return the first prompts that fit into one response."""
    used = 0
    for index, text in enumerate(prompts):
        used += len(text)
        if used > MAX_PROMPT_CHARACTERS and index == 0:
            message = (
                f'the prompt of phase "{phase}" has {used:,} characters; {MAX_PROMPT_CHARACTERS:,} fit into a response'
            )
            raise Fault(Code.WORKFLOW_ERROR, message, help="shorten the template, or what it repeats")
        if used > MAX_PROMPT_CHARACTERS:
            return prompts[:index]
    return prompts


def _evaluate_items(spec: Phase, phase: str, view: Mapping[str, Any]) -> list[Any]:
    text = spec.for_each.in_ if spec.for_each else ""
    try:
        items = evaluate_expression(text, view)
    except ExpressionError as error:
        raise Fault(Code.WORKFLOW_ERROR, f'for_each of phase "{phase}" cannot be evaluated: {error}') from None
    if not isinstance(items, list):
        message = f'for_each of phase "{phase}" needs a list; {text} gives none'
        raise Fault(Code.WORKFLOW_ERROR, message, details={"expression": text})
    return items
