"""What a tool is: one frozen declaration and one function."""

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
"""A toolset that a host may ask for (`toolsets.py`); those of `reasoning` are for phases alone."""

InputT = TypeVar("InputT", bound=BaseModel)
OutputT = TypeVar("OutputT", bound=BaseModel)


class StrictModel(BaseModel):
    """The base of every tool's input, params and output: frozen, nothing unknown, no coercion of types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class NoParams(StrictModel):
    """A tool without settings."""


@dataclass(frozen=True, slots=True)
class Example:
    """A call that works, run by a test: `arguments` as JSON, and the settings a phase would give."""

    title: str
    arguments: Mapping[str, Any]
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tool(Generic[InputT, OutputT]):
    """A typed function, declared once; it may appear in MCP, on the command line, and as what a phase `uses`.

    Attributes:
        name: `family.verb`, the name that a phase `uses`.
        run: the function, `(input, context) -> output`; raises `Fault`. A tool with settings reads `context.params`.
        mcp: its name in MCP, or None when it is not offered there.
        command: its command on the command line, or None.
        risk: `read` changes nothing, `write` adds to memory, `high` may lose something.
        idempotent: the same call twice leaves the same state.
        timeout: seconds after which the call answers `TIMEOUT`.
        params: the model of the settings that a phase gives in its `params`.
        writes_with: arguments without which a tool of risk `write` only reads, and may be called when read-only.
        constraints: what its schemas cannot say, a sentence each: where its paths may lie, what it needs beforehand.
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
        """The snake_case name that the manifest shows: `mem.search` is `mem_search`."""
        return self.name.replace(".", "_")

    def is_read_only(self, arguments: Mapping[str, Any]) -> bool:
        """Whether a call with these arguments, not yet checked, changes nothing."""
        if self.writes_with:
            return all(arguments.get(name) is None for name in self.writes_with)
        return self.risk == "read"
