"""Declaration of a tool: a frozen value with its names, its models and its function."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, Self, TypeVar

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from aurora.interpreter.run.ports import PhaseUse

    from .aliases import Alias
    from .command import Command
    from .context import Context

Risk = Literal["read", "write", "high"]
Family = Literal["core", "graph", "knowledge", "workflow", "runs", "agents", "admin", "reasoning"]
"""Toolset of a tool (`toolsets.py`); the tools of `reasoning` are only for phases of workflows."""

InputT = TypeVar("InputT", bound=BaseModel)
OutputT = TypeVar("OutputT", bound=BaseModel)


class StrictModel(BaseModel):
    """Base of every tool's input, params and output: frozen, no unknown fields, no coercion of types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    @classmethod
    def from_value(cls, value: object, **more: Any) -> Self:
        """Return the model with the attributes of a value, nested ones included, and further fields."""
        if more:
            value = {name: getattr(value, name) for name in cls.model_fields if hasattr(value, name)} | more
        # Not strict: the values are Aurora's own, and have a mapping or a list where the model has a dict or tuple.
        return cls.model_validate(value, strict=False, from_attributes=True)


class NoParams(StrictModel):
    """No params."""


class Example(NamedTuple):
    """Example of a call, which a test runs: JSON arguments, and the params that a phase gives."""

    title: str
    arguments: Mapping[str, Any]
    params: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Tool(Generic[InputT, OutputT]):
    """Declaration of a tool, which may appear over MCP, on the command line, and in a phase (`uses`).

    Attributes:
        name: `family.verb`, the name that a phase `uses`.
        run: the function, `(input, context) -> output`; raises `Fault`. A tool with params reads `context.params`.
        mcp: its name over MCP, or None if it is not offered there.
        command: its command on the command line, or None.
        risk: `read` changes nothing that a person or a run has stored, `write` adds to it, `high` may lose some of it.
            A `read` tool may still refresh what is derived from files, count its use, and log the call.
        idempotent: two identical calls leave the same state as one.
        timeout: seconds after which the call answers `TIMEOUT`.
        params: the model of the `params` that a phase gives.
        writes_with: arguments without which a tool of risk `write` only reads, so that it may run when read-only.
        runs_read_only: a tool of risk `write` that also runs when read-only, where it stores nothing.
        phases: a phase of any workflow may use it, also one that a host steps. It must be of risk `read`, or write
            only records of the run, or do only what the person allowed in their own configuration; and no argument may
            make it read or write outside the project.
        jobs: a phase of a job may use it when a person starts the job in a terminal; implied by `phases`.
        constraints: facts that its schemas cannot state, a sentence each: allowed paths, required preparation.
        list_allowed: returns, for a project's folder, the values that the person allows on this machine, by argument; a
            check of workflows warns of others. Read at each check, since the person may edit them.
    """

    name: str
    title: str
    description: str
    input: type[InputT]
    output: type[OutputT]
    run: Callable[[InputT, Context], OutputT]
    family: Family
    risk: Risk
    idempotent: bool
    timeout: float
    examples: tuple[Example, ...]
    aliases: tuple[Alias, ...] = ()
    mcp: str | None = None
    command: Command | None = None
    params: type[BaseModel] = NoParams
    constraints: tuple[str, ...] = ()
    writes_with: tuple[str, ...] = ()
    runs_read_only: bool = False
    phases: bool = False
    jobs: bool = False
    list_allowed: Callable[[Path], Mapping[str, Sequence[str]]] | None = None

    @property
    def stable_name(self) -> str:
        """Name in snake_case for the manifest: `mem_search` for `mem.search`."""
        return self.name.replace(".", "_")

    @property
    def alias_names(self) -> tuple[str, ...]:
        """Names of the aliases, without their arguments."""
        return tuple(alias.name for alias in self.aliases)

    def find_alias(self, name: str) -> Alias | None:
        """Return the alias with this name, case-sensitive; None for any other name."""
        return next((alias for alias in self.aliases if alias.name == name), None)

    @property
    def phase_use(self) -> PhaseUse:
        """Phases that may use the tool."""
        return "phases" if self.phases else "jobs" if self.jobs else "none"

    @property
    def is_offered_read_only(self) -> bool:
        """True if every call of the tool is allowed in a read-only project."""
        return self.risk == "read" or self.runs_read_only

    def is_allowed_read_only(self, arguments: Mapping[str, Any]) -> bool:
        """Return whether a call with these unchecked arguments is allowed in a read-only project."""
        if self.writes_with:
            return all(arguments.get(name) is None for name in self.writes_with)
        return self.is_offered_read_only
