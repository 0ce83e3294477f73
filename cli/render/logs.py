"""View of the logged calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.cli.terminal import Column

from .view import Cell, Line, Table, View

if TYPE_CHECKING:
    from collections.abc import Mapping

RENDERERS: Mapping[str, View] = {
    "logs.list": View(
        Table(
            "calls",
            Cell(Column("time (UTC)"), "{time:time}"),
            Cell(Column("tool", wraps=True), "{tool}", "bold"),
            Cell(Column("from", drop_order=2), "{surface}"),
            Cell(
                Column("outcome", drop_order=1),
                lambda call: call.get("code") or call["status"],
                lambda call: "red" if call.get("code") else "green",
            ),
            Cell(Column("request", drop_order=4), "{request_id}", "dim"),
            Cell(Column("ms", drop_order=3, justify="right"), "{duration_ms:,.1f}"),
        ),
        Line(("{note}", "dim")),
    ),
}
