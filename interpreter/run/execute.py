"""Execution of a phase: its tool, then its prompts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.errors import Code, Fault
from aurora.interpreter.expressions.error import ExpressionError
from aurora.interpreter.expressions.jmespath import evaluate_expression
from aurora.interpreter.language.model import MAX_ITEMS
from aurora.interpreter.language.resources import name_part
from aurora.interpreter.schema.validate import find_faults
from aurora.interpreter.templates.engine import PromptError
from aurora.interpreter.templates.render import render_template

from .next_call import MAX_RESPONSE_CHARACTERS, to_compact_json
from .ports import Toolbox, ToolCall

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import Phase, Workflow

    from .call import Call

MAX_PROMPT_CHARACTERS = 14_000
"""Limit of characters of all prompts of one step; a complete response must stay under 19,000."""


MAX_ASKED_CHARACTERS = MAX_RESPONSE_CHARACTERS - 1_000
"""Limit of the JSON of the prompts and of the schema of their answer; the rest of a response takes up to 1,000."""


@dataclass(frozen=True, slots=True)
class RenderedPrompts:
    """The prompts of a step.

    Attributes:
        prompts: one prompt, or one for each item or branch.
        single: whether the answer is one value, and not a list.
        left_out: the number of items that later responses ask about, or none at all without a run.
        first: the number of items that earlier responses have asked about.
        branches: the names of the branches, in the order of the prompts.
    """

    prompts: tuple[str, ...]
    single: bool
    left_out: int = 0
    branches: tuple[str, ...] = ()
    first: int = 0

    def format_part(self) -> str:
        """Format which items of a list these are, as ` (7-12 of 25)`; empty for all of them."""
        if self.single or not (self.first or self.left_out):
            return ""
        last = self.first + len(self.prompts)
        numbers = f"{self.first + 1}-{last}" if len(self.prompts) > 1 else f"{last}"
        return f" ({numbers} of {last + self.left_out})"


def run_tool(
    tools: Toolbox, call: Call, definition: Definition, phase: str, arguments: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Run the phase's tool and validate its result; None without a tool.

    Raises:
        Fault: the tool's own, or WORKFLOW_ERROR when the result does not fit `output`.
    """
    spec = definition.workflow.phases[phase]
    if spec.uses is None:
        return None
    flow = definition.workflow.name
    use = ToolCall(
        spec.uses,
        arguments,
        spec.params,
        call.request_id,
        flow,
        call.progress,
        phase=phase,
        run=call.run or "",
        person=call.person if call.person is not None and call.person.accepts else None,
    )
    result = tools.call(use)
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


def build_arguments(
    spec: Phase, phase: str, inputs: Mapping[str, Any], further: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Build the arguments of the phase's tool, or of its workflow.

    Args:
        spec: the phase.
        phase: its name.
        inputs: its inputs.
        further: other names that the expressions can read.

    Raises:
        Fault: WORKFLOW_ERROR when an argument fails.
    """
    if spec.with_ is None:
        return {name: value for name, value in inputs.items() if value is not None}
    view = {**inputs, **(further or {}), "inputs": dict(inputs)}
    made: dict[str, Any] = {}
    for name, text in spec.with_.items():
        try:
            value = evaluate_expression(text, view)
        except ExpressionError as error:
            message = f'argument "{name}" of phase "{phase}" cannot be evaluated: {error}'
            raise Fault(Code.WORKFLOW_ERROR, message, details={"expression": text}) from None
        # Null means "left out" in a workflow, to a tool as well.
        if value is not None:
            made[name] = value
    return made


def evaluate_items(spec: Phase, phase: str, view: Mapping[str, Any]) -> list[Any]:
    """Evaluate the list of a `for_each`.

    Raises:
        Fault: WORKFLOW_ERROR when it fails, is not a list, or has more than `MAX_ITEMS` items.
    """
    text = spec.for_each.in_ if spec.for_each else ""
    try:
        items = evaluate_expression(text, view)
    except ExpressionError as error:
        raise Fault(Code.WORKFLOW_ERROR, f'for_each of phase "{phase}" cannot be evaluated: {error}') from None
    if not isinstance(items, list):
        message = f'for_each of phase "{phase}" needs a list; {text} gives none'
        raise Fault(Code.WORKFLOW_ERROR, message, details={"expression": text})
    if len(items) > MAX_ITEMS:
        message = f'for_each of phase "{phase}" has {len(items):,} items; at most {MAX_ITEMS:,} are possible'
        raise Fault(Code.WORKFLOW_ERROR, message, help="filter the list, or set `limit` and `else`")
    return items


def evaluate_output(flow: Workflow, recalled: Mapping[str, Any]) -> dict[str, Any]:
    """Evaluate the output of a workflow at its end, and validate it.

    Raises:
        Fault: WORKFLOW_ERROR when a field fails or does not fit.
    """
    values: dict[str, Any] = {}
    for name, spec in (flow.output or {}).items():
        try:
            value = evaluate_expression(spec.from_, recalled)
        except ExpressionError as error:
            message = f'output "{name}" of workflow "{flow.name}" cannot be evaluated: {error}'
            raise Fault(Code.WORKFLOW_ERROR, message, details={"output": name, "expression": spec.from_}) from None
        schema = spec.json_schema
        values[name] = value = schema.get("default") if value is None else value
        if wrong := find_faults(value, schema, f"$.{name}"):
            message = f"the output of the workflow does not fit: {wrong[0]['path']} {wrong[0]['message']}"
            help_ = "correct `output` in the workflow, or the schema of the answer that it comes from"
            raise Fault(Code.WORKFLOW_ERROR, message, help=help_, details={"output": name, "faults": wrong})
    return values


def spread_outputs(result: Mapping[str, Any], count: int) -> dict[str, Any]:
    """Return the result of walks for so many items, whose outputs are those of `result`, in turn."""
    outputs = result.get("results")
    if not isinstance(outputs, list) or not outputs:
        return dict(result)
    return {"results": [outputs[index % len(outputs)] for index in range(count)]}


def render_prompt(definition: Definition, phase: str, view: Mapping[str, Any]) -> RenderedPrompts:
    """Render the one prompt of a phase.

    Raises:
        Fault: WORKFLOW_ERROR when the template fails, or is too long for a response.
    """
    prompt = _render(definition, phase, phase, view)
    return RenderedPrompts(_limit_prompts((prompt,), definition, phase), single=True)


def render_items(
    definition: Definition, phase: str, view: Mapping[str, Any], items: Sequence[Any], first: int
) -> RenderedPrompts:
    """Render the prompts for as many items as fit into one response, from the one with the index `first`.

    Raises:
        Fault: WORKFLOW_ERROR when the template fails, or one prompt is too long for a response.
    """
    loop = definition.workflow.phases[phase].for_each
    most, name = (loop.max or 1, loop.as_) if loop else (1, "item")
    chosen = items[first : first + most]
    rendered = _limit_prompts(
        tuple(
            _render(definition, phase, phase, {**view, name: item, "loop": {"index": number, "length": len(items)}})
            for number, item in enumerate(chosen, first + 1)
        ),
        definition,
        phase,
    )
    return RenderedPrompts(rendered, single=False, left_out=len(items) - first - len(rendered), first=first)


def render_branches(
    definition: Definition, phase: str, view: Mapping[str, Any], names: Sequence[str]
) -> RenderedPrompts:
    """Render the prompts of these branches, as many as fit into one response.

    Raises:
        Fault: WORKFLOW_ERROR when a template fails, or one prompt is too long for a response.
    """
    rendered = tuple(_render(definition, phase, name_part(phase, name), view) for name in names)
    fitting = _limit_prompts(rendered, definition, phase)
    left = len(rendered) - len(fitting)
    return RenderedPrompts(fitting, single=True, left_out=left, branches=tuple(names[: len(fitting)]))


def render_message(definition: Definition, phase: str, view: Mapping[str, Any]) -> str:
    """Render the question to the person.

    Raises:
        Fault: WORKFLOW_ERROR when the template fails, or is too long for a response.
    """
    return _limit_prompts((_render(definition, phase, name_part(phase, "person"), view),), definition, phase)[0]


def _render(definition: Definition, phase: str, key: str, view: Mapping[str, Any]) -> str:
    template = definition.prompts[key]
    try:
        return render_template(template.text, view, template.name)
    except PromptError as error:
        message = f'the prompt of phase "{phase}" cannot be rendered: {error}'
        raise Fault(Code.WORKFLOW_ERROR, message, details={"line": error.line}) from None


def _limit_prompts(prompts: tuple[str, ...], definition: Definition, phase: str) -> tuple[str, ...]:
    """Return the first prompts that fit into a response with their schema."""
    schema = definition.remember("schema_size", phase, lambda: _measure_schema(definition, phase))
    used, size = 0, int(schema)
    for index, text in enumerate(prompts):
        used, size = used + len(text), size + len(to_compact_json(text))
        if used <= MAX_PROMPT_CHARACTERS and size <= MAX_ASKED_CHARACTERS:
            continue
        # The others come with the next response; the first one has no later place.
        if index == 0:
            raise _make_long_prompt_fault(phase, used, int(schema))
        return prompts[:index]
    return prompts


def _measure_schema(definition: Definition, phase: str) -> str:
    """Count the characters of the schema of a phase's answer, as its response has it."""
    return str(len(to_compact_json(definition.answers.get(phase, {}))))


def _make_long_prompt_fault(phase: str, characters: int, schema: int) -> Fault:
    """Make the fault of a prompt that is too long for a response."""
    message = f'the prompt of phase "{phase}" has {characters:,} characters'
    if characters > MAX_PROMPT_CHARACTERS:
        message = f"{message}; {MAX_PROMPT_CHARACTERS:,} fit into a response"
        help_ = "shorten the template in the workflow, or what it repeats"
        return Fault(Code.WORKFLOW_ERROR, message, help=help_, details={"excess": characters - MAX_PROMPT_CHARACTERS})
    message = f"{message}, and the schema of its answer {schema:,}; together they do not fit into a response"
    return Fault(Code.WORKFLOW_ERROR, message, help="shorten the schema, the template, or what it repeats")
