"""What an indexing run did: files, chunks, and what was left out; secrets by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import format_bytes, format_count, strip_controls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

_NAMED_REASONS = frozenset({"secret", "unreadable", "outside"})
"""Reasons whose files are named: a person may want to act on them."""
_MAX_NAMED = 20


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show the summary."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    parts = [f"{output[key]:,} {key}" for key in ("added", "changed", "removed", "unchanged") if output[key]]
    console.print(
        f"{format_count(output['files'], 'file')} ({format_bytes(output['bytes'])}) in {output['seconds']:.1f} s: "
        f"{', '.join(parts) or 'nothing to read'}",
        soft_wrap=True,
    )
    took = f" ({output['embedding_seconds']:.1f} s)" if output["embedded"] else ""
    console.print(f"{format_count(output['chunks'], 'chunk')} in memory, {output['embedded']:,} newly embedded{took}")
    if output["unparsed"]:
        console.print(
            f"{format_count(output['unparsed'], 'file')} did not parse as a whole; what was understood has its symbols"
        )
    if output["skipped"]:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in output["skipped"].items())
        console.print(f"left out: {reasons}", soft_wrap=True)
    named = [one for one in output["skipped_files"] if one["reason"] in _NAMED_REASONS]
    for one in named[:_MAX_NAMED]:
        line = Text(f"  {strip_controls(one['path'])}", style="yellow")
        line.append(f"  {one['reason']}" + (f": {strip_controls(one['detail'])}" if one["detail"] else ""), style="dim")
        console.print(line, soft_wrap=True)
    if len(named) > _MAX_NAMED:
        console.print(f"  and {len(named) - _MAX_NAMED:,} more; --json lists them", style="dim")
