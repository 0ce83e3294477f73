"""Inputs of a phase: the caller's, also as JSON text, else the run's, else the default."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from aurora.errors import Code, Fault
from aurora.interpreter.expressions.error import ExpressionError
from aurora.interpreter.expressions.jmespath import evaluate_expression, find_field_names
from aurora.interpreter.problems import did_you_mean, list_names
from aurora.interpreter.schema.json_values import find_excess, to_canonical_json
from aurora.interpreter.schema.validate import find_faults

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import InputSpec

    from .step import Step


@dataclass(slots=True)
class InputFaults:
    """The faults of a call, collected to report all of them at once.

    Attributes:
        faults: all of them.
        names: the arguments with a fault.
        fixed: the arguments that the caller must leave out, because the run knows them.
        recalled: the inputs whose value in the run does not fit, with their first fault.
        gates: the phases that ask the person; only the person gives an input that comes from one.
        misplaced: the fields of the answer that the caller sent beside it.
    """

    faults: list[dict[str, str]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    fixed: set[str] = field(default_factory=set)
    recalled: dict[str, dict[str, str]] = field(default_factory=dict)
    gates: frozenset[str] = frozenset()
    misplaced: frozenset[str] = frozenset()

    def add(self, name: str, found: list[dict[str, str]]) -> None:
        """Add these faults of the argument `name`."""
        if found:
            self.faults.extend(found)
            self.names.add(name)

    def blame_answer(self, phase: str, name: str) -> None:
        """Turn the faults of a recalled input into one of the answer that it comes from."""
        found = self.recalled[name]
        own = (f"$.{name}", f"$.{name}.", f"$.{name}[")
        self.faults = [one for one in self.faults if one["path"] != own[0] and not one["path"].startswith(own[1:])]
        self.names.discard(name)
        misfit = f"{found['path']} {found['message']}"
        message = f'does not fit input "{name}" of phase "{phase}", which it leads to: {misfit}'
        self.add("answer", [{"path": "$.answer", "message": message}])

    def to_fault(self, phase: str) -> Fault:
        """Combine the faults into one INVALID_INPUT."""
        first = self.faults[0]
        left_out = {"leave_out": sorted(self.fixed)} if self.fixed else {}
        more = f" (and {len(self.faults) - 1} more)" if len(self.faults) > 1 else ""
        return Fault(
            Code.INVALID_INPUT,
            f'phase "{phase}" refuses this call: {first["path"]} {first["message"]}{more}',
            help="correct these values and call again",
            details={"faults": self.faults, "arguments": sorted(self.names), **left_out},
        )


class ResolvedInputs(NamedTuple):
    """The inputs of a phase.

    Attributes:
        values: each input by name; an absent optional one is None.
        defaults: the names of those that have their default.
    """

    values: dict[str, Any]
    defaults: tuple[str, ...]


def resolve_answer(
    answer: tuple[Any, ...],
    definition: Definition,
    before: Step | None,
    refusal: InputFaults,
    beside: Collection[str] = (),
) -> tuple[Any, ...]:
    """Validate the answer to the previous step; return it as a tuple of 0 or 1.

    Args:
        answer: what the caller sent, as a tuple of 0 or 1.
        definition: the workflow of the step.
        before: the previous step.
        refusal: collects what is wrong.
        beside: the other values of the call, among which fields of the answer may be by mistake.
    """
    has_answer = bool(answer) and answer[0] is not None
    if before is None or not before.awaits_answer:
        if has_answer:
            asker = f'phase "{before.phase}" has' if before else "there is"
            refusal.add("answer", [{"path": "$.answer", "message": f"was not asked for: {asker} no prompt to answer"}])
        return ()
    schema = build_answer_schema(definition, before)
    value, faults = validate_value(answer[0], schema, "$.answer") if answer else (None, [])
    # A host that fills every property sends null for no answer.
    is_missing = not answer or (not has_answer and not accepts_null(schema))
    if is_missing:
        message = f'is missing: phase "{before.phase}" waits for the answer to its prompt'
        faults = [{"path": "$.answer", "message": message}]
    refusal.add("answer", _blame_misplaced(faults, schema, refusal, beside) if faults else [])
    return () if is_missing else (value,)


def _blame_misplaced(
    faults: list[dict[str, str]], schema: Mapping[str, Any], refusal: InputFaults, beside: Collection[str]
) -> list[dict[str, str]]:
    """Say once which fields of a faulty answer were sent beside it, instead of what is wrong without them."""
    refusal.misplaced = frozenset(beside) & frozenset(schema.get("properties", ()))
    if not refusal.misplaced:
        return faults
    settled = {f"$.answer.{name}" for name in refusal.misplaced}
    others = [one for one in faults if one["path"] not in settled and not one["message"].startswith(_MISSING)]
    message = f"must contain {list_names(refusal.misplaced)}, which this call has beside it"
    return [{"path": "$.answer", "message": message}, *others]


_TYPE_KEYWORDS = frozenset({"type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"})
"""A schema without any of these accepts null only because it accepts anything."""


def accepts_null(schema: Mapping[str, Any]) -> bool:
    """Return True if null is an answer: some hosts send it for no answer, where a schema accepts anything."""
    return bool(_TYPE_KEYWORDS & set(schema)) and not find_faults(None, schema)


def build_answer_schema(definition: Definition, step: Step) -> dict[str, Any]:
    """Build the schema of the answer, or the list of answers, to this step."""
    declared = definition.answers.get(step.phase, {})
    schema = _drop_labels(declared)
    if step.branches:
        # Some branches may be answered now and others later, by other
        # agents: each is optional, and one is needed.
        properties = {name: _drop_base(schema["properties"][name]) for name in step.branches}
        return {"type": "object", "properties": properties, "additionalProperties": False, "minProperties": 1}
    if not step.asks:
        return schema
    return {"type": "array", "minItems": step.asks, "maxItems": step.asks, "items": schema}


def _drop_labels(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Drop what says nothing about the value."""
    return {key: value for key, value in schema.items() if key not in ("$schema", "$id", "title")}


def _drop_base(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Drop the base of the references of a branch where it has none."""
    return schema if "$ref" in to_canonical_json(schema) else _drop_labels(schema)


def resolve_inputs(
    given: Mapping[str, Any],
    definition: Definition,
    phase: str,
    recalled: Mapping[str, Any],
    refusal: InputFaults,
) -> ResolvedInputs:
    """Resolve the phase's inputs by name; absent optional ones are None.

    A caller cannot change what a stored run knows.

    Args:
        given: the inputs that the caller sent.
        definition: the workflow.
        phase: the phase.
        recalled: the scope of `from`.
        refusal: collects what is wrong.
    """
    specs = definition.workflow.phases[phase].inputs
    for name in given:
        # A field of the answer that was sent beside it is told with
        # the answer, and not as an unknown input, too.
        if name not in specs and name not in refusal.misplaced:
            hint = did_you_mean(name[:80], specs) or f"it takes {list_names(specs) or 'none'}"
            message = f'is not an input of phase "{phase}"; {hint}'
            refusal.add(name[:80], [{"path": f"$.{name[:80]}", "message": message}])
    source = _InputSource(given, recalled, refusal)
    values = {name: source.resolve(name, spec) for name, spec in specs.items()}
    return ResolvedInputs(values, tuple(source.defaults))


def refuse_inputs(given: Mapping[str, Any], phase: str) -> Fault:
    """Refuse inputs of a call that only brings the answer to a phase."""
    refusal = InputFaults()
    for name in given:
        message = f'is no argument of this call, which brings the answer to phase "{phase}"'
        refusal.add(name[:80], [{"path": f"$.{name[:80]}", "message": message}])
    return refusal.to_fault(phase)


def make_misfit_fault(phase: str, name: str, spec: InputSpec, found: Mapping[str, str]) -> Fault:
    """Make the fault of a recalled input that no caller can correct."""
    is_missing = found["message"] == _MISSING
    wrong = "has no value" if is_missing else f"does not fit: {found['path']} {found['message']}"
    remedy = "give the input a `default`, or `optional: true`," if is_missing else "correct one of the two schemas"
    return Fault(
        Code.WORKFLOW_ERROR,
        f'input "{name}" of phase "{phase}" {wrong}' + (f"; it is read from {spec.from_}" if spec.from_ else ""),
        help=f"{remedy} in the workflow, or go back to an earlier phase for another value",
        details={"faults": [dict(found)], "input": name},
    )


_MISSING = "is missing"


@dataclass(slots=True)
class _InputSource:
    """Sources of the inputs of one phase."""

    given: Mapping[str, Any]
    recalled: Mapping[str, Any]
    refusal: InputFaults
    defaults: list[str] = field(default_factory=list)

    def resolve(self, name: str, spec: InputSpec) -> Any:
        """Resolve one input; what is wrong goes to the refusal."""
        if name in self.given:
            return self._check_given(name, spec)
        if "answer" in self.refusal.names:
            return None  # report a wrong answer once, and not again for each input from it
        value = recall_input(name, spec, self.recalled)
        if value is not None:
            found = find_faults(value, spec.json_schema, f"$.{name}")
            self.refusal.add(name, found)
            if found:
                self.refusal.recalled[name] = found[0]
            return value
        if spec.has_default:
            self.defaults.append(name)
            return spec.default
        if not spec.optional:
            self._report_missing(name, spec)
        return None

    def _report_missing(self, name: str, spec: InputSpec) -> None:
        source = f"; the run does not know it from {spec.from_}" if spec.from_ else ""
        fault = {"path": f"$.{name}", "message": f"{_MISSING}{source}"}
        self.refusal.add(name, [fault])
        if reads_gate(spec, self.refusal.gates):
            self.refusal.recalled[name] = {**fault, "message": _MISSING}

    def _check_given(self, name: str, spec: InputSpec) -> Any:
        value = self.given[name]
        if big := find_excess(value):
            self.refusal.add(name, [{"path": f"$.{name}", "message": big}])
            return value
        value, found = validate_value(value, spec.json_schema, f"$.{name}")
        # Several clients send null for what they leave out.
        if found and value is None and spec.optional:
            return None
        self.refusal.add(name, found or self._find_change(name, spec, value))
        return value

    def _find_change(self, name: str, spec: InputSpec, value: Any) -> list[dict[str, str]]:
        """Find a value that the caller may not change, because the run knows it."""
        # Without a stored run nothing is known but what the caller sends.
        if not self.recalled["run"]["id"] or spec.from_ is None or spec.override:
            return []
        known = recall_input(name, spec, self.recalled)
        if known is None and reads_gate(spec, self.refusal.gates):
            self.refusal.fixed.add(name)
            message = f"comes only from the person, by {spec.from_}; leave it out"
            return [{"path": f"$.{name}", "message": message}]
        if known is None or to_canonical_json(known) == to_canonical_json(value):
            return []
        self.refusal.fixed.add(name)
        message = f"cannot be changed: the run knows it from {spec.from_}; leave it out"
        return [{"path": f"$.{name}", "message": message}]


def reads_gate(spec: InputSpec, gates: frozenset[str]) -> bool:
    """Return True if `from` reads what the person gave in one of these phases."""
    if spec.from_ is None or not gates:
        return False
    names = find_field_names(spec.from_)
    return not names.isdisjoint(_GIVEN_NAMES) and not names.isdisjoint(gates | {"*"})


_GIVEN_NAMES = frozenset({"answer", "answers", "result", "results"})


def recall_input(name: str, spec: InputSpec, recalled: Mapping[str, Any]) -> Any:
    """Evaluate `from`; None if it fails, which is reported where the value is missing.

    A required input without `from` has the value that a caller gave the run under that name before.
    """
    if spec.from_ is None:
        required = not spec.optional and not spec.has_default
        return recalled["inputs"].get(name) if required else None
    try:
        return evaluate_expression(spec.from_, recalled)
    except ExpressionError:
        return None


_FENCED = re.compile(r"\s*```\w*[ \t]*\n(.*)\n\s*```\s*", re.DOTALL)


def validate_value(value: Any, schema: Mapping[str, Any], path: str) -> tuple[Any, list[dict[str, str]]]:
    """Validate a value; a text that the schema refuses is replaced by the JSON value that it contains.

    Args:
        value: what the host sent.
        schema: the JSON Schema of the value.
        path: the value's path, for the faults.

    Returns:
        The value to use, and what is wrong with it.
    """
    faults = find_faults(value, schema, path)
    if not faults or not isinstance(value, str):
        return value, faults
    fenced = _FENCED.fullmatch(value)
    text = (fenced[1] if fenced else value).strip()
    try:
        parsed = json.loads(text)
    except RecursionError:
        return value, faults
    except ValueError as error:
        is_json = text.startswith(("{", "["))
        return value, [{"path": path, "message": f"is not valid JSON: {error}"}] if is_json else faults
    # Claude models send untyped parameters as JSON text. The
    # faults of its value help more than "must be an object".
    if not (found := find_faults(parsed, schema, path)) or isinstance(parsed, dict | list):
        return parsed, found
    return value, faults
