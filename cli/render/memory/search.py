"""Search hits: where, what, and the lines that show why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal.ansi import Ink
from aurora.cli.terminal.console import flat, plain

if TYPE_CHECKING:
    from collections.abc import Mapping


def render(output: Mapping[str, Any]) -> None:
    """Show the hits, best first."""
    ink = Ink()
    for number, hit in enumerate(output["hits"]):
        if number:
            ink.line()
        _hit(hit, ink)
    if output.get("note"):
        ink.line((flat(output["note"]), "notice"))
    if output.get("next_offset") is not None:
        ink.line((f"more: --offset {output['next_offset']}", "quiet"))
    ink.show()


def _hit(hit: Mapping[str, Any], ink: Ink) -> None:
    where = f"{hit['path']}:{hit['lines'].partition('-')[0]}" if hit.get("path") else hit["type"]
    head = [(flat(where), "place")]
    if hit.get("symbol"):
        head.append((f"  {flat(hit['symbol'])}", "name"))
    head += [(f"  {hit['score']:.2f}", "good"), (f"  {hit['id']}", "quiet")]
    if hit.get("stale"):
        head.append(("  changed since it was indexed", "notice"))
    ink.line(*head)
    if hit.get("parts"):
        why = "  ".join(f"{flat(name)} {value:.2f}" for name, value in hit["parts"].items())
        ink.line((f"    {why}", "reason"), cut=True)
    for line in plain(hit.get("preview", "")).expandtabs().splitlines():
        ink.line((f"    {line}", "quiet"), cut=True)
