"""Frozen models of the workflow language."""

from __future__ import annotations

import json
from functools import cached_property
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints
from pydantic_core import PydanticCustomError

LANGUAGE_VERSION = 2
"""The latest version of the language that this program supports (`aurora: 2`); it runs files of version 1, too."""

END = "end"
CONTINUE = "continue"
"""Name of a call that runs whatever comes next in the run."""
RESERVED_PHASES = frozenset({END, CONTINUE})
RESERVED_INPUTS = frozenset(
    {"phase", "workflow", "run", "step", "answer", "answers", "detail", "phases", "inputs", "result", "vars"}
)
"""Arguments of the call itself, and names in scopes."""
MAX_ITEMS = 10_000
"""Limit of the items of a `for_each`."""
MAX_BUDGET_TOKENS = 1_000_000_000
"""Limit of the tokens of a budget."""

Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
WorkflowName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,39}$")]
Expression = Annotated[str, StringConstraints(min_length=1, max_length=4000)]


def _write_literal(value: Any) -> Any:
    """Convert a plain number or boolean to the JMESPath literal of it."""
    return f"`{json.dumps(value)}`" if isinstance(value, bool | int | float) else value


Argument = Annotated[Expression, BeforeValidator(_write_literal, json_schema_input_type=str | int | float | bool)]
"""An expression, or a plain number or boolean."""


AnswerSchema = Annotated[
    str | dict[str, Any],
    BeforeValidator(lambda value: {} if value is True else value, json_schema_input_type=str | dict[str, Any]),
]
"""The schema of an answer, or the name of its file; `true` is the schema of anything."""


class _LanguageModel(BaseModel):
    """Base of the language's models: frozen, without unknown keys or coercion."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, populate_by_name=True)


class InputSpec(_LanguageModel):
    """One input of a phase: its source, and its JSON Schema (every other key)."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True, populate_by_name=True)

    from_: Expression | None = Field(default=None, alias="from", description="JMESPath over inputs, phases and run")
    default: Any = Field(default=None, description="the value when neither the caller nor `from` gives one")
    optional: bool = Field(default=False, description="the phase runs without it")
    override: bool = Field(default=False, description="a caller may replace the value that the run knows")

    @property
    def json_schema(self) -> dict[str, Any]:
        """The JSON Schema that the value must fit; empty accepts anything."""
        return dict(self.model_extra or {})

    @property
    def has_default(self) -> bool:
        """True when `default` is set, even to null."""
        return "default" in self.model_fields_set


class ForEach(_LanguageModel):
    """A prompt, or a walk of a workflow, for each item of a list."""

    in_: Expression = Field(alias="in", description="JMESPath over the result, inputs, phases and run: a list")
    as_: Identifier = Field(alias="as", description="the item's name in the prompt")
    max: int | None = Field(
        default=None, ge=1, le=100, description="the maximum number of prompts in one response; required with a prompt"
    )
    limit: int | None = Field(default=None, ge=1, le=MAX_ITEMS, description="the maximum number of items")
    else_: Identifier | None = Field(default=None, alias="else", description="the target for a longer list")


class Branch(_LanguageModel):
    """One of several prompts that a phase hands out at once."""

    prompt_template: str = Field(min_length=1, description="what the host is asked")
    answer: AnswerSchema = Field(description="the schema of the host's answer")


class Person(_LanguageModel):
    """A question that only the person can answer."""

    message: str = Field(min_length=1, max_length=4000, description="a template: what the person is asked")
    form: dict[Identifier, dict[str, Any]] = Field(
        default_factory=dict, max_length=20, description="the fields of the answer, a JSON Schema each"
    )
    on_decline: Identifier | None = Field(default=None, description="the target when the person declines")


class Hints(_LanguageModel):
    """Wishes to the host, which it may ignore."""

    context: Literal["fresh", "shared"] | None = Field(default=None, description="a context of its own, or the same")
    model: str | None = Field(default=None, min_length=1, max_length=100, description="the kind of model to use")
    tools: tuple[Annotated[str, StringConstraints(min_length=1, max_length=100)], ...] | None = Field(
        default=None, strict=False, max_length=50, description="the tools of the host that the phase needs"
    )


class Requirements(_LanguageModel):
    """Requirements of a workflow."""

    aurora: Annotated[str, StringConstraints(min_length=1, max_length=40)] | None = Field(
        default=None, description="the versions of Aurora, as >=1.2"
    )
    tools: tuple[str, ...] = Field(default=(), strict=False, max_length=50, description="the tools that must exist")


class Budget(_LanguageModel):
    """Tokens that one run may cost; a run past it goes on, and its responses say so."""

    tokens: int = Field(
        ge=1, le=MAX_BUDGET_TOKENS, description="of all responses of a run: characters of their compact JSON / 4"
    )


class OutputField(_LanguageModel):
    """One field of a workflow's output: its source, and its JSON Schema (every other key)."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True, populate_by_name=True)

    from_: Expression = Field(alias="from", description="JMESPath over inputs, phases, run and vars")

    @property
    def json_schema(self) -> dict[str, Any]:
        """The JSON Schema that the value must fit; empty accepts anything."""
        return dict(self.model_extra or {})


class Rule(_LanguageModel):
    """One line of `next_action`; the first whose `when` is true wins."""

    when: Expression | None = Field(default=None, description="boolean JMESPath; absent: always")
    then: Identifier = Field(description="a phase, an alias, or end")
    max: int | None = Field(
        default=None, ge=1, le=1000, description="the maximum number of times that a run takes this edge"
    )
    else_: Identifier | None = Field(default=None, alias="else", description="the target after that many times")
    say: str | None = Field(default=None, max_length=1000, description="a sentence for the host")
    early_exit: bool = Field(default=False, description="tells the host that the rest is not needed")


def _normalize_rules(value: Any) -> Any:
    """Expand the short forms `next_action: x` and `next_action: { then: x }`."""
    if isinstance(value, str):
        return [{"then": value}]
    return [value] if isinstance(value, dict) else value


ALLOWED_KINDS = ("read", "edit", "run")
MAX_PATTERNS = 20
MAX_PATTERN_CHARS = 200


def _normalize_allows(value: Any) -> Any:
    """Convert the list of `allows` to a mapping of each kind to its patterns; none allow all of the kind."""
    allowed: dict[str, tuple[str, ...]] = {}
    for one in value if isinstance(value, list | tuple) else [value]:
        for kind, patterns in one.items() if isinstance(one, dict) else [(one, ())]:
            listed = (patterns,) if isinstance(patterns, str) else patterns
            if kind not in ALLOWED_KINDS or kind in allowed or not _are_patterns(listed):
                message = "must be a list of read, edit and run, each once, as [read, edit: tests/**]"
                raise PydanticCustomError("allows", message)
            allowed[str(kind)] = tuple(listed)
    return allowed


def _are_patterns(value: Any) -> bool:
    return (
        isinstance(value, list | tuple)
        and len(value) <= MAX_PATTERNS
        and all(isinstance(one, str) and 0 < len(one) <= MAX_PATTERN_CHARS for one in value)
    )


class Phase(_LanguageModel):
    """One named stage of a workflow."""

    title: str = Field(default="", max_length=200)
    description: str = Field(default="", max_length=2000)
    aliases: tuple[Identifier, ...] = Field(default=(), strict=False, max_length=20)
    inputs: dict[Identifier, InputSpec] = Field(default_factory=dict)
    when: Expression | None = Field(default=None, description="boolean JMESPath; false skips the phase")
    uses: str | None = Field(default=None, min_length=1, description="the tool that the phase runs")
    workflow: WorkflowName | None = Field(default=None, description="the workflow that runs as this phase")
    params: dict[str, Any] = Field(default_factory=dict, description="the tool's settings, or their YAML file")
    with_: dict[str, Argument] | None = Field(
        default=None, alias="with", description="argument of the tool or workflow <- JMESPath over this phase's inputs"
    )
    output: str | dict[str, Any] | None = Field(default=None, description="the schema of the tool's result")
    returns: tuple[Annotated[str, StringConstraints(min_length=1, max_length=100)], ...] | None = Field(
        default=None, strict=False, max_length=100, description="the fields of the result that a response contains"
    )
    prompt_template: str | None = Field(default=None, min_length=1, description="what the host is asked")
    answer: AnswerSchema | None = Field(default=None, description="the schema of the host's answer")
    for_each: ForEach | None = None
    branches: dict[Identifier, Branch] | None = Field(
        default=None, min_length=1, max_length=20, description="several prompts at once, by name"
    )
    person: Person | None = Field(default=None, description="a question that only the person can answer")
    hints: Hints | None = Field(default=None, description="wishes to the host")
    allows: (
        Annotated[dict[Literal["read", "edit", "run"], tuple[str, ...]], BeforeValidator(_normalize_allows)] | None
    ) = Field(default=None, description="what the host may do while the run waits at this phase; absent: everything")
    next_action: Annotated[
        tuple[Rule, ...], BeforeValidator(_normalize_rules), Field(strict=False, min_length=1, max_length=100)
    ]
    on_error: Identifier | None = Field(default=None, description="the target of a failure of this phase")

    @property
    def asks(self) -> bool:
        """True if someone must answer: the host a prompt, or the person a question."""
        return self.prompt_template is not None or self.branches is not None or self.person is not None

    def list_allowed(self) -> list[str | dict[str, list[str]]] | None:
        """List what `allows` has, as it is written; None without it."""
        if self.allows is None:
            return None
        return [{kind: list(patterns)} if patterns else kind for kind, patterns in self.allows.items()]

    def describe_allowed(self) -> tuple[str, ...] | None:
        """Describe what `allows` has, for a person; None without it."""
        if self.allows is None:
            return None
        return tuple(f"{kind} {', '.join(patterns)}".rstrip() for kind, patterns in self.allows.items())

    @property
    def has_result(self) -> bool:
        """True if a tool or a workflow gives it a result."""
        return self.uses is not None or self.workflow is not None

    @property
    def only_decides(self) -> bool:
        """True for a phase of rules only."""
        return not self.has_result and not self.asks


class Workflow(_LanguageModel):
    """A complete workflow."""

    aurora: Annotated[int, Field(ge=1, description="the version of the language")]
    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,39}$")]
    version: Annotated[str, StringConstraints(min_length=1, max_length=40)]
    title: str = Field(default="", max_length=200)
    description: str = Field(default="", max_length=4000)
    suits: tuple[Annotated[str, StringConstraints(min_length=1, max_length=200)], ...] = Field(
        default=(), strict=False, max_length=20, description="what people ask for when they need it, in their words"
    )
    start: Identifier
    pace: Literal["phase", "prompt"] = Field(
        default="phase", description="what one call runs: one phase, or all up to the next prompt"
    )
    on_error: Identifier | None = Field(
        default=None, description="the target of a failing phase without its own `on_error`"
    )
    requires: Requirements | None = Field(default=None, description="what the workflow needs to run")
    budget: Budget | None = Field(default=None, description="what one run may cost; past it, responses say so")
    vars: dict[Identifier, Any] = Field(default_factory=dict, max_length=200, description="constants")
    output: dict[Identifier, OutputField] | None = Field(
        default=None, min_length=1, max_length=50, description="the result of a run"
    )
    phases: dict[Identifier, Phase] = Field(min_length=1, max_length=2000)

    def map_phase_names(self) -> MappingProxyType[str, str]:
        """Map every name of a phase, id or alias, to its phase id."""
        return self.phase_by_name

    @cached_property
    def phase_by_name(self) -> MappingProxyType[str, str]:
        """The map of names, cached."""
        known = {phase: phase for phase in self.phases}
        for phase, spec in self.phases.items():
            for alias in spec.aliases:
                known.setdefault(alias, phase)
        return MappingProxyType(known)

    @cached_property
    def phases_by_input(self) -> MappingProxyType[str, tuple[str, ...]]:
        """The phases by the name of each input that only their caller gives."""
        found: dict[str, list[str]] = {}
        for phase, spec in self.phases.items():
            for name in (name for name, given in spec.inputs.items() if given.from_ is None):
                found.setdefault(name, []).append(phase)
        return MappingProxyType({name: tuple(phases) for name, phases in found.items()})

    @cached_property
    def inner_workflows(self) -> tuple[str, ...]:
        """The names of the workflows that run as its phases, sorted."""
        return tuple(sorted({phase.workflow for phase in self.phases.values() if phase.workflow is not None}))

    @property
    def is_job(self) -> bool:
        """True if no phase asks, so that the workflow runs to its end without a host."""
        return not any(phase.asks or phase.workflow is not None for phase in self.phases.values())

    def find_error_target(self, phase: str) -> str | None:
        """Return the target of a failure of `phase`; None if there is none but itself."""
        target = self.phases[phase].on_error or self.on_error
        target = self.map_phase_names().get(target, target) if target else None
        return None if target == phase else target

    def find_decline_target(self, phase: str) -> str | None:
        """Return the target when the person declines the question of `phase`; None if it asks none."""
        person = self.phases[phase].person
        return None if person is None else person.on_decline or self.find_error_target(phase) or END
