"""What an indexing run did: files, chunks, and what was left out; secrets by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal.console import plain
from aurora.cli.terminal.units import counted, in_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

_NAMED = frozenset({"secret", "unreadable", "outside"})
"""Reasons whose files are named: a person may want to act on them."""
_MOST_NAMED = 20


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show the summary."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    parts = [f"{output[key]:,} {key}" for key in ("added", "changed", "removed", "unchanged") if output[key]]
    console.print(
        f"{counted(output['files'], 'file')} ({in_bytes(output['bytes'])}) in {output['seconds']:.1f} s: "
        f"{', '.join(parts) or 'nothing to read'}",
        soft_wrap=True,
    )
    took = f" ({output['embedding_seconds']:.1f} s)" if output["embedded"] else ""
    console.print(f"{counted(output['chunks'], 'chunk')} in memory, {output['embedded']:,} newly embedded{took}")
    if output["unparsed"]:
        console.print(
            f"{counted(output['unparsed'], 'file')} did not parse as a whole; what was understood has its symbols"
        )
    if output["skipped"]:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in output["skipped"].items())
        console.print(f"left out: {reasons}", soft_wrap=True)
    named = [one for one in output["skipped_files"] if one["reason"] in _NAMED]
    for one in named[:_MOST_NAMED]:
        line = Text(f"  {plain(one['path'])}", style="yellow")
        line.append(f"  {one['reason']}" + (f": {plain(one['detail'])}" if one["detail"] else ""), style="dim")
        console.print(line, soft_wrap=True)
    if len(named) > _MOST_NAMED:
        console.print(f"  and {len(named) - _MOST_NAMED:,} more; --json lists them", style="dim")
