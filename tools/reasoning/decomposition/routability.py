"""Routability of a decomposition: the agents that it names exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .model import DecompositionFault, ScoreAndFaults

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .model import Subgoal


def score_routability(subgoals: Sequence[Subgoal], agents: Collection[str]) -> ScoreAndFaults:
    """Score the share of the named agents that exist; 1 when no agent is named."""
    named = [one for one in subgoals if one.agent]
    known = {name.casefold() for name in agents}
    lost = [one for one in named if (one.agent or "").casefold() not in known]
    choices = ", ".join(f'"{name}"' for name in sorted(agents)[:10]) or "none; leave agent null"
    faults = [
        DecompositionFault(
            code="unknown_agent",
            fatal=False,
            subgoal=one.id,
            message=f'subgoal "{one.id}" names the agent "{one.agent}", which does not exist (available: {choices})',
        )
        for one in lost
    ]
    return (1 - len(lost) / len(named) if named else 1.0), faults
