"""Matching of agents to a task by the words of their names and descriptions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from aurora.hosts import Agent, AgentCatalog, discover_agents
from aurora.tools.text import extract_terms, stem_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.tools.core import Context


def find_agents(context: Context) -> AgentCatalog:
    """Return the agents of the user, and those of the project that the person trusts."""
    trust = context.project.trust
    return discover_agents(context.root if trust.is_trusted() else None, _find_home(), is_used=trust.is_unchanged)


def find_untrusted_agents(context: Context) -> AgentCatalog:
    """Return the agents of the project that the person does not trust, to report that they are not used."""
    is_unchanged = context.project.trust.is_unchanged
    return discover_agents(context.root, is_used=lambda path, content: not is_unchanged(path, content))


def rank_agents(
    agents: Sequence[Agent], text: str, ignore: frozenset[str]
) -> list[tuple[float, tuple[str, ...], Agent]]:
    """Rank the agents whose name or description shares words with a text, best first.

    Args:
        agents: the agents.
        text: a task or a question.
        ignore: words that carry no meaning.

    Returns:
        `(share, words, agent)`: the share (0..1) of the text's words that the agent has, and these words.
    """
    named = extract_terms(text, ignore)
    wanted = {**named.words, **{name: name for name in named.names}}
    if not wanted:
        return []
    ranked = []
    for agent in agents:
        known = stem_words(f"{agent.name} {agent.description}")
        common = tuple(word for key, word in wanted.items() if key in known)
        if common:
            ranked.append((len(common) / len(wanted), common, agent))
    return sorted(ranked, key=lambda one: (-one[0], one[2].name))


def _find_home() -> Path | None:
    try:
        return Path.home()
    except RuntimeError:  # a service account without a home
        return None
