"""Declaration of a tool: a frozen value with its names, its models and its function."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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


class NoParams(StrictModel):
    """No params."""


@dataclass(frozen=True, slots=True)
class Example:
    """Example of a call, which a test runs: JSON arguments, and the params that a phase gives."""

    title: str
    arguments: Mapping[str, Any]
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tool(Generic[InputT, OutputT]):
    """Declaration of a tool, which may appear over MCP, on the command line, and in a phase (`uses`).

    Attributes:
        name: `family.verb`, the name that a phase `uses`.
        run: the function, `(input, context) -> output`; raises `Fault`. A tool with params reads `context.params`.
        mcp: its name over MCP, or None if it is not offered there.
        command: its command on the command line, or None.
        risk: `read` changes nothing, `write` adds to the memory, `high` may lose data.
        idempotent: two identical calls leave the same state as one.
        timeout: seconds after which the call answers `TIMEOUT`.
        params: the model of the `params` that a phase gives.
        writes_with: arguments without which a tool of risk `write` only reads, so that it may run when read-only.
        constraints: facts that its schemas cannot state, a sentence each: allowed paths, required preparation.
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
    aliases: tuple[str, ...] = ()
    mcp: str | None = None
    command: Command | None = None
    params: type[BaseModel] = NoParams
    constraints: tuple[str, ...] = ()
    writes_with: tuple[str, ...] = ()

    @property
    def stable_name(self) -> str:
        """Name in snake_case for the manifest: `mem_search` for `mem.search`."""
        return self.name.replace(".", "_")

    def is_read_only(self, arguments: Mapping[str, Any]) -> bool:
        """Return whether a call with these unchecked arguments changes nothing."""
        if self.writes_with:
            return all(arguments.get(name) is None for name in self.writes_with)
        return self.risk == "read"
