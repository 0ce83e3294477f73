"""Views of the stages of an indexing: normalize, extract, link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import Column

from .view import Cell, Line, Table, View

if TYPE_CHECKING:
    from collections.abc import Mapping


def _describe_no_files(output: Mapping[str, Any]) -> str:
    """Return that there are no files; empty where the limit leaves the list empty."""
    return "" if output["files"] else "no files"


_LEFT_OUT = Line(
    lambda output: ", ".join(f"{count:,} {reason}" for reason, count in output["skipped"].items()),
    before="left out: ",
)

RENDERERS: Mapping[str, View] = {
    "mem.extract": View(
        Table(
            "parts",
            Cell(Column("file"), "{path}"),
            Cell(Column("language", drop_order=1), "{language}"),
            Cell(Column("chunks"), "{chunks:,}"),
            Cell(Column("definitions"), lambda part: f"{sum(part['definitions'].values()):,}"),
            Cell(Column("references"), "{references:,}"),
            empty=_describe_no_files,
        ),
        Line(
            "{files:count file}: {chunks:count chunk}, {references:count reference}",
            lambda output: "".join(f", {count:,} {kind}" for kind, count in output["definitions"].items()),
        ),
        Line("{unparsed:count file} did not parse as a whole", when="unparsed"),
        _LEFT_OUT,
    ),
    "mem.link": View(
        Table(
            "links",
            Cell(Column("file"), "{path}"),
            Cell(Column("references"), "{references:,}"),
            Cell(Column("resolved"), "{resolved:,}"),
            Cell(Column("unresolved"), "{unresolved:,}"),
            empty=_describe_no_files,
        ),
        Line(
            "{files:count file}: {total.references:count reference}, {total.resolved:,} resolved, ",
            "{total.unresolved:,} unresolved",
        ),
        Line(
            lambda output: ", ".join(
                f"{kind} {one['resolved']:,} of {one['references']:,}" for kind, one in output["kinds"].items()
            ),
            before="resolved: ",
        ),
    ),
    "mem.normalize": View(
        Table(
            "texts",
            Cell(Column("file"), "{path}"),
            Cell(Column("encoding"), "{encoding}"),
            Cell(Column("line ends", drop_order=1), "{line_ends}"),
            Cell(Column("lines"), "{lines:,}"),
            Cell(Column("characters", drop_order=2), "{characters:,}"),
            empty=_describe_no_files,
        ),
        Line(
            "{files:count file}: {bytes:bytes}, {characters:,} characters, {lines:count line}",
            lambda output: "".join(f", {count:,} {name}" for name, count in output["encodings"].items()),
        ),
        Line("left out: {left_out:count line} with a secret", when="left_out"),
        _LEFT_OUT,
    ),
}
