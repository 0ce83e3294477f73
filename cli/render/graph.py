"""Views of the code graph: links, definitions, paths, differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import format_count

from .view import MORE, NOTE, Each, Joined, Line, Part, Report, View, choose_style

if TYPE_CHECKING:
    from collections.abc import Mapping

_CERTAIN = 0.995
_STYLES = {"added": "green", "removed": "red", "moved": "cyan"}
_SIGNS = {"added": "+", "removed": "-", "moved": "~"}


def _format_counts(output: Mapping[str, Any]) -> str:
    """Return the revision and the changes by kind: `against HEAD~1: 2 nodes added`."""
    counts = [(*name.split("_"), count) for name, count in output["counts"].items()]
    changes = ", ".join(f"{format_count(count, what[:-1])} {change}" for what, change, count in counts)
    return f"against {output['against']}: {changes}" if changes else f"against {output['against']}"


def _format_change(change: Mapping[str, Any]) -> str:
    sign = _SIGNS[change["change"]]
    if not change.get("target"):
        return f"{sign} {change['kind']} {change['id']}"
    return f"{sign} {change['id']} {'→' if sign == '~' else change['kind']} {change['target']}"


def _format_degrees(field: str) -> Any:
    def format_degrees(node: Mapping[str, Any]) -> str:
        return ", ".join(f"{kind} {count:,}" for kind, count in node[field].items()) or "nothing"

    return format_degrees


def _format_evidence(link: Mapping[str, Any]) -> str:
    """Return how the link was found, how certain it is, and how far away."""
    confidence = "" if link["confidence"] >= _CERTAIN else f" {link['confidence']:.2f}"
    distance = f"  {link['steps']} steps away" if link.get("steps", 1) > 1 else ""
    return f"  ({link['how']}{confidence}){distance}"


def _build_link(*further: Part) -> tuple[Line, Line]:
    return (
        Line(
            lambda link: f"{'→' if link['direction'] == 'out' else '←'} {link['kind']} ",
            ("{id}", "bold cyan"),
            *further,
            (_format_evidence, "dim"),
        ),
        Line("    {at}", "  {code}"),
    )


_TO_DEFINITION = Part(" → {to}", "cyan", when="to")


def _build_links_view(nothing: str, *further: Part) -> View:
    """Build the view of a list of links; `nothing` says what an empty one means."""
    heading = Line(("{id}: {links:size} of {total} links", "dim"), when="total")
    return View(heading, Line(f"{{id}}: {nothing}", when="!total"), Each("links", *_build_link(*further)), MORE, NOTE)


RENDERERS: Mapping[str, View] = {
    "graph.callers": _build_links_view("nothing in the project calls it", _TO_DEFINITION),
    "graph.implementations": _build_links_view(
        "nothing in the project inherits from it or implements it", _TO_DEFINITION
    ),
    "graph.neighbors": _build_links_view("no link leads to it or from it"),
    "graph.diff": View(
        Line(_format_counts, style="dim"),
        Each("changes", Line(_format_change, style=choose_style("change", _STYLES))),
        MORE,
        NOTE,
    ),
    "graph.members": View(
        Line(("{id}: {members:size} of {total} members", "dim")), Each("members", Line("  {kind} {id}  {lines}")), MORE
    ),
    "graph.node": View(
        Line(("{id}", "bold cyan")),
        Report(
            {
                "kind": Joined(" ", "{kind}", "{language}"),
                "place": "{path}:{lines}",
                "in": lambda node: node.get("parent") or "the project",
                "chunk": lambda node: node.get("chunk") or "none",
                "leads to": _format_degrees("out"),
                "led to by": _format_degrees("into"),
            }
        ),
    ),
    "graph.path": View(
        Line(("{start.id}", "bold cyan")),
        Each("links", *_build_link()),
        Line(("{end.id}", "bold cyan"), when="!connected"),
        NOTE,
    ),
}
