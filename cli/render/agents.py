"""Views of agents: the list, the search hits, one agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .view import Blank, Each, Joined, Line, Part, Passage, View

if TYPE_CHECKING:
    from collections.abc import Mapping

_HEADING = (Part("{name}", "bold cyan"), Part("  {host}, {scope}"), Part("  {path}", "dim"))
_AGENT = (Part("{agent.name}", "bold cyan"), Part("  {agent.host}, {agent.scope}"), Part("  {agent.path}", "dim"))

RENDERERS: Mapping[str, View] = {
    "agents.list": View(
        Each(
            "agents",
            Line(*_HEADING),
            Line("    {description}"),
            empty="no agents yet: a file such as .claude/agents/reviewer.md defines one",
        ),
        Each("problems", Line(("warning: {path}: {message}", "yellow")), Line("  help: {help}")),
        Line(("{notice}", "yellow")),
    ),
    "agents.search": View(
        Each(
            "hits",
            Line(*_AGENT, ("  {score:.2f}", "green")),
            Line(("    {matched:join}", "dim")),
            empty="no agent fits this task; run `aur agents list` to see all of them",
        ),
        Line(("{notice}", "yellow")),
    ),
    "agents.show": View(
        Line(*_AGENT),
        Line("    {agent.description}"),
        Line(Joined("; ", "model {agent.model}", "tools {agent.tools:join}"), style="dim", before="    "),
        Blank(when="instructions"),
        Passage("instructions"),
        Line(("… the whole text is in {agent.path}", "dim"), when="truncated"),
    ),
}
