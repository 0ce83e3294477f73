"""Frozen models of the workflow language."""

from __future__ import annotations

from functools import cached_property
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

LANGUAGE_VERSION = 1
"""The version of the language that this program supports (`aurora: 1`)."""

END = "end"
RESERVED_PHASES = frozenset({END})
RESERVED_INPUTS = frozenset({"phase", "workflow", "run", "step", "answer", "phases", "inputs", "result"})
"""Arguments of the call itself, and names in scopes."""

Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Expression = Annotated[str, StringConstraints(min_length=1, max_length=4000)]


class _LanguageModel(BaseModel):
    """Base of the language's models: frozen, without unknown keys or coercion."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, populate_by_name=True)


class InputSpec(_LanguageModel):
    """One input of a phase: its source, and its JSON Schema (every other key)."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True, populate_by_name=True)

    from_: Expression | None = Field(default=None, alias="from", description="JMESPath over inputs, phases and run")
    default: Any = Field(default=None, description="the value when neither the caller nor `from` gives one")
    optional: bool = Field(default=False, description="the phase runs without it")

    @property
    def json_schema(self) -> dict[str, Any]:
        """The JSON Schema that the value must fit; empty accepts anything."""
        return dict(self.model_extra or {})

    @property
    def has_default(self) -> bool:
        """True when `default` is set, even to null."""
        return "default" in self.model_fields_set


class ForEach(_LanguageModel):
    """A prompt for each item of a list, and an answer for each."""

    in_: Expression = Field(alias="in", description="JMESPath over the result, inputs, phases and run: a list")
    as_: Identifier = Field(alias="as", description="the item's name in the prompt")
    max: int = Field(ge=1, le=100, description="the maximum number of items in one step")


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


class Phase(_LanguageModel):
    """One named stage of a workflow."""

    title: str = Field(default="", max_length=200)
    description: str = Field(default="", max_length=2000)
    aliases: tuple[Identifier, ...] = Field(default=(), strict=False)
    inputs: dict[Identifier, InputSpec] = Field(default_factory=dict)
    uses: str | None = Field(default=None, min_length=1, description="the tool that the phase runs")
    params: dict[str, Any] = Field(default_factory=dict, description="the tool's settings")
    with_: dict[str, Expression] | None = Field(
        default=None, alias="with", description="tool argument <- JMESPath over this phase's inputs"
    )
    output: str | dict[str, Any] | None = Field(default=None, description="the schema of the tool's result")
    prompt_template: str | None = Field(default=None, min_length=1, description="what the host is asked")
    answer: str | dict[str, Any] | None = Field(default=None, description="the schema of the host's answer")
    for_each: ForEach | None = None
    next_action: Annotated[
        tuple[Rule, ...], BeforeValidator(_normalize_rules), Field(strict=False, min_length=1, max_length=100)
    ]
    on_error: Identifier | None = Field(default=None, description="the target of a failure of this phase")


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
    on_error: Identifier | None = Field(
        default=None, description="the target of a failing phase without its own `on_error`"
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

    @property
    def is_job(self) -> bool:
        """True if no phase has a prompt, so that the workflow runs to its end without a host."""
        return all(phase.prompt_template is None for phase in self.phases.values())

    def find_error_target(self, phase: str) -> str | None:
        """Return the target of a failure of `phase`; None if there is none but itself."""
        target = self.phases[phase].on_error or self.on_error
        target = self.map_phase_names().get(target, target) if target else None
        return None if target == phase else target
