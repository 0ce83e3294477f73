"""Declaration of a tool: its models, its function, its command, and what may use it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, Self, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer

from aurora.errors import Code, Fault, quote_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from pydantic import GetJsonSchemaHandler
    from pydantic_core import CoreSchema

    from aurora.interpreter.run.ports import PhaseUse

    from .context import Context

Risk = Literal["read", "write", "high"]
Family = Literal["core", "graph", "knowledge", "workflow", "runs", "agents", "admin", "reasoning"]
"""Toolset of a tool (`registry.py`); the tools of `reasoning` are only for phases of workflows."""

InputT = TypeVar("InputT", bound=BaseModel)
OutputT = TypeVar("OutputT", bound=BaseModel)


class StrictModel(BaseModel):
    """Base of every tool's input, params and output: frozen, no unknown fields, no coercion of types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    @classmethod
    def from_value(cls, *values: object, **more: Any) -> Self:
        """Return the model with the attributes of values, nested ones included, and further fields.

        Args:
            values: an attribute is that of the first value that has it.
            more: fields that none of them has, or has in another form.
        """
        value = values[0]
        if more or len(values) > 1:
            found: dict[str, Any] = {}
            for one in reversed(values):
                found |= {name: getattr(one, name) for name in cls.model_fields if hasattr(one, name)}
            value = found | more
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


class Switch(NamedTuple):
    """An option that passes the same input to another tool.

    Attributes:
        tool: the name of that tool.
        help: the option's line of help.
    """

    tool: str
    help: str


class Command(NamedTuple):
    """A tool's command; its options, their types and their help come from the tool's input model.

    Attributes:
        words: what a person types after `aur`: `mem search`.
        help: one line for the list of commands.
        arguments: the fields of the input that are positional arguments; all others are options.
        joins_words: the one argument is a text of a person, who need not put it in quotes.
        files: the fields of the input that are file paths, relative to the shell's working directory.
        places: the fields of the input that may be a file, a line of one, or a node of the graph in one.
        opened_place: the field of ids that may be `PATH` or `PATH:LINES` instead, which fills `path` and `lines`.
        path_pattern: the field of a pattern of paths.
        locates_project: a path in `files` may belong to another project, and selects it.
        stdin_text: the field that receives standard input when one of the files is `-`.
        stdin_file: the field of `files` for which `-` means standard input of any size.
        stdout_file: the field of `files` for which `-` means standard output, as when it is omitted.
        switches: name of an option -> the tool that it selects.
        question: a question that a person answers before it runs, or answers in advance with `--yes`.
        question_field: the field without whose value nothing is asked; empty: it is always asked.
        argument_help: field -> its description for a person, where it means something else to an assistant.
        interrupted: what Ctrl-C leaves, and how to continue.
        is_listed: False leaves it out of the list of commands in the help.
        verbose: help of the option `-v`, with which the terminal view shows more; empty for a command without it.
    """

    words: str
    help: str
    arguments: tuple[str, ...] = ()
    joins_words: bool = False
    files: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    opened_place: str = ""
    path_pattern: str = ""
    locates_project: bool = False
    stdin_text: str = ""
    stdin_file: str = ""
    stdout_file: str = ""
    switches: Mapping[str, Switch] = MappingProxyType({})
    is_listed: bool = True
    verbose: str = ""
    question: str = ""
    question_field: str = ""
    argument_help: Mapping[str, str] = MappingProxyType({})
    interrupted: str = ""


class Alias(NamedTuple):
    """Name of a tool in another system; a call by this name may also use the names of arguments there.

    Attributes:
        name: the alias, case-sensitive.
        arguments: argument there -> the tool's argument. A list of texts there becomes one text, joined by blanks.
        values: the tool's argument -> word there -> word here.
        unused: argument there that changes nothing here -> the reason, a clause.
    """

    name: str
    arguments: Mapping[str, str] = MappingProxyType({})
    values: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    unused: Mapping[str, str] = MappingProxyType({})

    def describe(self) -> str:
        """Return the alias with its arguments: `find_callers(methodName)`."""
        names = ", ".join((*self.arguments, *self.unused))
        return f"{self.name}({names})" if names else self.name

    def translate_arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments under the tool's own names.

        Raises:
            Fault: INVALID_INPUT when an argument is given under both names.
        """
        translated: dict[str, Any] = {}
        for name, value in given.items():
            if name in self.unused:
                continue
            own = self.arguments.get(name, name)
            # Both names of one argument, and nothing tells which value is meant.
            if own in translated or (own != name and own in given):
                self._refuse_both_names(name, own)
            translated[own] = self._translate_value(own, value, is_foreign=own != name)
        return translated

    def _translate_value(self, own: str, value: Any, *, is_foreign: bool) -> Any:
        if is_foreign and isinstance(value, list):
            value = " ".join(map(str, value))
        words = self.values.get(own, {})
        return words.get(value, value) if isinstance(value, str) else value

    def _refuse_both_names(self, name: str, own: str) -> None:
        raise Fault(
            Code.INVALID_INPUT,
            f"{self.name}: {quote_names((name, own))} are the same argument, and both are given",
            help=f'Give only one of them; "{own}" is its name here.',
            details={"faults": [{"path": f"$.{name}", "expected": f"only one of {quote_names((name, own))}"}]},
        )


class CompactModel(StrictModel):
    """Base of an output that omits optional fields without a value: a model pays for each token.

    They are absent from the JSON when they are null or at their default.
    """

    @model_serializer(mode="wrap")
    def _omit_defaults(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        dumped: dict[str, Any] = handler(self)
        defaults = _map_defaults(type(self))
        return {
            name: value
            for name, value in dumped.items()
            if name not in defaults or (value is not None and getattr(self, name) != defaults[name])
        }

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the schema of the serialized output; a custom serializer alone would hide its fields."""
        bare: Any = {key: value for key, value in core_schema.items() if key != "serialization"}
        schema = handler.resolve_ref_schema(handler(bare))
        schema["required"] = [name for name, field in cls.model_fields.items() if field.is_required()]
        for name, field in cls.model_fields.items():
            if not field.is_required():
                schema["properties"][name] = _drop_null_branch(schema["properties"][name])
        return schema


@cache
def _map_defaults(model: type[CompactModel]) -> dict[str, Any]:
    """Map the optional fields to their defaults."""
    return {name: field.default for name, field in model.model_fields.items() if not field.is_required()}


def _drop_null_branch(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a field that is absent instead of null or at its default."""
    described = {key: value for key, value in schema.items() if key != "default"}
    branches = [branch for branch in described.pop("anyOf", ()) if branch != {"type": "null"}]
    if len(branches) == 1:
        return {**branches[0], **described}
    return {**described, "anyOf": branches} if branches else described


if TYPE_CHECKING:
    Json: TypeAlias = Any  # its schema lists the types; an empty one would allow everything
else:
    from typing_extensions import TypeAliasType  # pydantic needs it for a recursive type; part of Python since 3.12

    Json = TypeAliasType("Json", "bool | int | float | str | list[Json] | dict[str, Json] | None")

JSON_TYPES = ("array", "boolean", "null", "number", "object", "string")
"""The types of such a value, in JSON Schema's terms."""
