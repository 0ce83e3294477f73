"""What the memory holds, in a few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import format_bytes, format_count, format_timestamp, strip_controls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

_CHUNK_NOUNS = {
    "code": ("code", "code"),
    "know": ("document or fact", "documents and facts"),
    "reas": ("pattern", "patterns"),
}
_MAX_LANGUAGES = 12


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show the figures."""
    from rich.table import Table  # noqa: PLC0415 - only a person's eyes need it
    from rich.text import Text  # noqa: PLC0415 - as above

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim")
    grid.add_column(overflow="fold")
    chunks = ", ".join(f"{count:,} {_CHUNK_NOUNS[kind][count != 1]}" for kind, count in output["chunks"].items())
    languages = sorted(output["languages"].items(), key=lambda one: (-one[1], one[0]))
    rows = {
        "database": f"{output['path']} ({format_bytes(output['size_bytes'])}, version {output['schema_version']})",
        "project": output["root"] or "not indexed yet: `aur mem index`",
        "indexed": _format_indexed(output),
        "files": f"{output['files']:,}",
        "chunks": chunks,
        "languages": ", ".join(f"{name} {count:,}" for name, count in languages[:_MAX_LANGUAGES]) or "none",
        "vectors": f"{output['vectors']:,}",
        "runs": f"{output['runs']:,}",
        "used": f"{format_count(output['used'], 'chunk')}, {format_count(output['accesses'], 'time')}",
        "size": ", ".join(f"{part} {format_bytes(size)}" for part, size in output["sizes"].items() if size)
        or "nothing",
    }
    for name, value in rows.items():
        grid.add_row(name, Text(strip_controls(value)))
    console.print(grid)


def _format_indexed(output: Mapping[str, Any]) -> str:
    """When, whether to the end, and what happened to the files since."""
    if output["indexed_at"] is None:
        return "never"
    since = ", ".join(f"{output[what]:,} {what}" for what in ("changed", "new", "gone") if output[what])
    parts = [f"{format_timestamp(output['indexed_at'])} UTC", "" if output["state"] == "complete" else "not to the end"]
    if output["changed"] is not None:
        parts.append(f"since then {since} (`aur mem index`)" if since else "up to date")
    return ", ".join(part for part in parts if part)
