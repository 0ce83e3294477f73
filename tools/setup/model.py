"""What setting a project up is told and tells: hosts, changes, troubles, checks."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from aurora.tools.core import StrictModel

from .doctor_finding import GroupRow

_HOSTS_HELP = "The assistants, by name; those that are found in use without."


def split_names(value: Any) -> Any:
    """Several names may stand in one text, with commas between them."""
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list | tuple) or not all(isinstance(one, str) for one in listed):
        return value
    return tuple(name.strip() for one in listed for name in one.split(",") if name.strip())


class HostsChoice(StrictModel):
    """Which assistants."""

    hosts: Annotated[tuple[str, ...], BeforeValidator(split_names)] = Field(
        default=(), max_length=50, description=_HOSTS_HELP
    )


class InitInput(HostsChoice):
    """Which assistants, and what is done for them."""

    user: bool = Field(
        default=False, description="Write your own configuration files, and leave the project's as they are."
    )
    index: bool = Field(default=True, description="Read the project into its memory too.")


class PlanInput(HostsChoice):
    """As for the run that would follow."""

    user: bool = Field(default=False, description="As `init.run` takes it.")
    remove: bool = Field(default=False, description="Plan what `init.remove` would do.")


class RemoveInput(HostsChoice):
    """What is taken out."""

    with_memory: bool = Field(
        default=False, description="Delete the memory and all runs too; the project's own workflows stay."
    )


class DetectedHost(StrictModel):
    """An assistant, and what shows that it is in use."""

    name: str
    title: str
    found: tuple[str, ...]


class ChangeRow(StrictModel):
    """One file that changes."""

    path: str = Field(description="From the project's root, or ~/….")
    action: Literal["create", "edit", "delete"]
    why: tuple[str, ...]
    diff: str = Field(description="As `diff -u` shows it.")


class TroubleRow(StrictModel):
    """What could not be done or is not right, and the way out."""

    host: str
    where: str = Field(description="path, path:line:column, or empty.")
    message: str
    help: str


class IndexSummary(StrictModel):
    """What the memory holds now."""

    files: int
    chunks: int
    added: int
    seconds: float


class InitOutput(StrictModel):
    """What was done, or would be."""

    root: str
    planned: bool = Field(description="True when nothing was written.")
    removed: bool = Field(description="True when things were taken out.")
    hosts: tuple[DetectedHost, ...]
    changes: tuple[ChangeRow, ...]
    standing: tuple[str, ...] = Field(default=(), description="Files that are as they should be.")
    troubles: tuple[TroubleRow, ...] = ()
    checks: tuple[GroupRow, ...] = Field(
        default=(),
        description="What the doctor says afterwards; what fails is a warning, since the rest is done.",
    )
    indexed: IndexSummary | None = None
    advice: tuple[str, ...] = Field(default=(), description="What is left for the person to do.")
