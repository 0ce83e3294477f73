"""Why two definitions are connected: the way from one to the other, link by link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import strip_controls

from .links import print_link

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show the way."""
    console.print(strip_controls(output["start"]["id"]), style="bold cyan", soft_wrap=True)
    for link in output.get("links", ()):
        print_link(link, console)
    if not output["connected"]:
        console.print(strip_controls(output["end"]["id"]), style="bold cyan", soft_wrap=True)
    if output.get("note"):
        console.print(strip_controls(output["note"]), style="yellow", soft_wrap=True)
