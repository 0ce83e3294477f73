"""Search hits: where, what, and the lines that show why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import StyledOutput
from aurora.faults import show_hidden, show_hidden_line, show_hidden_name
from aurora.memory import search

if TYPE_CHECKING:
    from collections.abc import Mapping


def print_hits(output: Mapping[str, Any], query: str = "", *, verbose: bool = False) -> None:
    """Show the hits, best first.

    Args:
        output: the output of `mem.search`.
        query: the query, whose matches are highlighted on a terminal with colours.
        verbose: show the parts of each score as well.
    """
    ink = StyledOutput()
    for number, hit in enumerate(output["hits"]):
        if number:
            ink.add_line()
        _add_hit(hit, ink, query, verbose=verbose)
    if output.get("note"):
        ink.add_line((show_hidden_line(output["note"]), "notice"))
    if output.get("index") is not None:
        ink.add_line((describe_index(output["index"]), "quiet"))
    if output.get("next_offset") is not None:
        ink.add_line((f"more: --offset {output['next_offset']}", "quiet"))
    ink.write()


def describe_index(index: Mapping[str, Any]) -> str:
    """Describe the commit of the index, and how many files the index is behind."""
    at = f"indexed at {show_hidden_line(index['commit'])}" if index.get("commit") else "indexed"
    behind = index.get("behind")
    if behind is None:
        return f"{at}; how many files it is behind is not known"
    if not behind:
        return f"{at}, up to date"
    return f"{at}, {behind} file{'' if behind == 1 else 's'} behind: run `aur mem index`"


_SIGNS = {
    "stale": ("  changed since it was indexed", "notice"),
    "confirmed": ("  confirmed", "good"),
    "adopted": ("  from elsewhere: another account wrote it", "notice"),
    "doubtful": ("  doubtful: what it says cannot be checked, or has changed", "notice"),
}
"""Field of a hit -> what the line says when it is true."""


def _add_hit(hit: Mapping[str, Any], ink: StyledOutput, query: str, *, verbose: bool) -> None:
    where = f"{show_hidden_name(hit['path'])}:{hit['lines'].partition('-')[0]}" if hit.get("path") else hit["type"]
    head = [(show_hidden_line(where), "place")]
    if hit.get("symbol"):
        head.append((f"  {show_hidden_line(hit['symbol'])}", "name"))
    head += [(f"  {hit['score']:.2f}", "good"), (f"  {hit['id']}", "quiet")]
    head += [sign for name, sign in _SIGNS.items() if hit.get(name)]
    ink.add_line(*head)
    if verbose and hit.get("parts"):
        why = "  ".join(f"{show_hidden_line(name)} {value:.2f}" for name, value in hit["parts"].items())
        ink.add_line((f"    {why}", "reason"), cut=True)
    for line in show_hidden(hit.get("preview", "")).expandtabs().splitlines():
        ink.add_line(("    ", ""), *_highlight(line, query if ink.has_color else ""), cut=True)


def _highlight(line: str, query: str) -> list[tuple[str, str]]:
    """Return the line in parts, those that match the query in a style of their own."""
    parts: list[tuple[str, str]] = []
    done = 0
    for start, end in search.find_matches(line, query) if query else ():
        parts += [(line[done:start], "quiet"), (line[start:end], "match")]
        done = end
    return [part for part in (*parts, (line[done:], "quiet")) if part[0]]
