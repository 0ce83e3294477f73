"""Views of the assistants: the list, and the status of each connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import Column

from .view import Cell, Each, Line, Table, View, choose_style

if TYPE_CHECKING:
    from collections.abc import Mapping

_STATUS_STYLES = {"configured": "green", "absent": "dim"}


def _explain_connection(output: Mapping[str, Any]) -> str:
    """Say how to learn whether the servers are connected, unless the hosts were asked."""
    rows = output["files"]
    if any(one["said"] for one in rows) or not any(one["connected"] for one in rows):
        return ""
    can_ask = any(one["ask"] for one in rows)
    ask = "; `aur hosts status --ask` asks the assistants" if can_ask else ""
    return f"Whether they are connected is not in any file{ask}."


RENDERERS: Mapping[str, View] = {
    "hosts.list": View(
        Table(
            "hosts",
            Cell(Column("name"), "{name}", lambda host: "bold" if host["found"] else "dim"),
            Cell(Column("assistant", drop_order=2), "{title}"),
            Cell(
                Column("file", drop_order=1, wraps=True), lambda host: host["project_file"] or host["user_file"] or ""
            ),
            Cell(Column("found"), lambda host: host["found"][0] if host["found"] else "not found", "dim"),
            titled=False,
        ),
    ),
    "hosts.status": View(
        Table(
            "files",
            Cell(Column("assistant"), "{title}", "bold"),
            Cell(Column("status"), "{status}", choose_style("status", _STATUS_STYLES, "yellow")),
            Cell(Column("trusted"), lambda one: f"trusted: {one['trusted']}" if one["trusted"] else "", "dim"),
            Cell(Column("connected"), lambda one: f"connected: {one['connected']}" if one["connected"] else "", "dim"),
            Cell(Column("file", drop_order=1, wraps=True), "{file}"),
            Cell(Column("hooks", drop_order=4), lambda one: f"hooks: {one['hooks']}" if one["hooks"] else "", "dim"),
            Cell(Column("command", drop_order=2), lambda one: one["url"] or " ".join(one["command"]), "dim"),
            titled=False,
            empty="No assistant found; run `aur hosts list` to see the supported ones.",
        ),
        Each(
            "files",
            Line(("warning: {message}", "yellow"), when="message"),
            Line("  help: {help}", when="message"),
        ),
        Each("files", Line("{title}: {said}", when="said", overflow="wrap")),
        Line(_explain_connection, overflow="wrap"),
        Line(
            "Run `aur init` to connect the others.",
            when=lambda output: any(one["status"] == "absent" for one in output["files"]),
            overflow="wrap",
        ),
    ),
}
