"""Finding ways through a workflow: every state that its rules can tell apart is gone on from once."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.interpreter.run import scope
from aurora.interpreter.schema.validate import canonical
from aurora.interpreter.simulation.values.generate import Unmakeable

from .branches import Option, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.run.journal import Edge

    from .coverage import Coverage
    from .plan import Plan
    from .sources import Source
    from .step import Moment, Walker


@dataclass(slots=True)
class Node:
    """A state of a run.

    Attributes:
        moment: a run that is in it.
        depth: how many steps that run has.
        came: the node before and the option that led here; None at the beginning.
        ways: the options that were taken from here, with the node that each leads to.
        final: whether nothing follows: the run ended, or its last call was refused.
    """

    moment: Moment
    depth: int
    came: tuple[Node, Option] | None = None
    ways: list[tuple[Option, Node]] = field(default_factory=list)
    final: bool = False

    def edge(self) -> Edge | None:
        """The edge that led here."""
        return self.moment.run.last.edge if self.moment.run and self.moment.run.last else None


@dataclass(slots=True)
class Explored:
    """What one exploration found.

    Attributes:
        nodes: all states, in the order in which they were found.
        focus: what of the values that later rules look at was varied.
        whole: whether every state was gone on from; else the bound on calls ended it.
        unmade: by phase, why nothing could be brought to it.
    """

    focus: frozenset[Source]
    nodes: list[Node] = field(default_factory=list)
    whole: bool = True
    unmade: dict[str, str] = field(default_factory=dict)


class Explorer:
    """Explores one workflow.

    Args:
        plan: the workflow.
        walker: takes the steps.
        coverage: is told of each.
        most_steps: how long a run may become.
    """

    def __init__(self, plan: Plan, walker: Walker, coverage: Coverage, most_steps: int) -> None:
        self._plan = plan
        self._walker = walker
        self._coverage = coverage
        self._most_steps = most_steps
        self._options: dict[tuple[str, frozenset[Source]], list[Option]] = {}

    def explore(self, focus: frozenset[Source], most_calls: int) -> Explored:
        """Go on from every state until there is no other, or the calls are used up; what is new comes first."""
        found = Explored(focus)
        root = Node(self._walker.start(), 0)
        found.nodes.append(root)
        known = {self.key(root.moment): root}
        waiting: list[tuple[int, int, int, Node]] = [(0, 0, 0, root)]
        limit = self._walker.steps + most_calls
        while waiting:
            node = heapq.heappop(waiting)[-1]
            if node.depth >= self._most_steps:
                found.whole = False
                continue
            for option in self._ways(node, found):
                if self._walker.steps >= limit:
                    found.whole = False
                    return found
                child, new = self._step(node, option, known, found)
                if child is not None:
                    heapq.heappush(waiting, (0 if new else 1, child.depth, len(found.nodes), child))
        return found

    def _ways(self, node: Node, found: Explored) -> Iterator[Option]:
        try:
            yield from self.options(node.moment, found.focus)
        except Unmakeable as reason:
            node.final = True
            found.unmade.setdefault(str(node.moment.coming), str(reason))

    def _step(self, node: Node, option: Option, known: dict[str, Node], found: Explored) -> tuple[Node | None, bool]:
        """The new node that the option leads to, and whether the step took something new; None for a known node."""
        moment = self._walker.take(node.moment, option.choice)
        child = Node(moment, node.depth + 1, (node, option))
        child.final = moment.refused or moment.coming is None
        new = self._coverage.note(moment.response)
        if not child.final:
            key = self.key(moment)
            if key in known:
                node.ways.append((option, known[key]))
                if new:
                    found.nodes.append(child)  # kept for the edge that led here; it is gone on from elsewhere
                    child.ways = known[key].ways
                return None, new
            known[key] = child
        node.ways.append((option, child))
        found.nodes.append(child)
        return (None if child.final else child), new

    def options(self, moment: Moment, focus: frozenset[Source]) -> list[Option]:
        """The ways on from a moment; the same for moments that no rule can tell apart.

        Raises:
            Unmakeable: nothing can be brought to it.
        """
        key = (self.key(moment), focus)
        if key not in self._options:
            self._options[key] = Turn(self._plan, moment).options(focus)
        return self._options[key]

    def key(self, moment: Moment) -> str:
        """What of a moment decides how it can go on."""
        run, coming = moment.run, moment.coming
        if run is None or coming is None or run.last is None:
            return canonical([coming, None])
        plan = self._plan
        target = plan.workflow.names()[coming]
        live = sorted(plan.live(target))
        phases = scope.last_visits(run, {one.phase for one in live})
        values = [one.of(phases) for one in live]
        counts = [
            run.taken(name, index)
            for name in sorted(plan.bounded & plan.from_here(target))
            for index, rule in enumerate(plan.workflow.phases[name].next_action)
            if rule.max is not None
        ]
        owed: list[Any] = [run.last.phase, run.last.asks] if run.last.awaits_answer else []
        length = len(run.steps) if plan.counts_steps else 0
        return canonical([target, owed, sorted(moment.needs), values, counts, length])
