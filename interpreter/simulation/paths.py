"""Paths: whole runs from beginning to end, chosen so that they show all that was found, or simply all of them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from aurora.interpreter.simulation.values.generate import Unmakeable

from .coverage import Coverage, taken

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.interpreter.run.journal import Edge, Run, Step

    from .branches import Option
    from .explore import Explored, Explorer, Node
    from .plan import Plan
    from .sources import Source
    from .step import Choice, Moment, Walker

Status = Literal["ended", "stuck", "cut"]


@dataclass(frozen=True, slots=True)
class Path:
    """One walk.

    Attributes:
        steps: the steps that were taken.
        status: `ended` at an end; `stuck` where a call was refused; `cut` at the bound on steps.
        reason: why it is stuck; the refusal's code and message.
    """

    steps: tuple[Step, ...]
    status: Status
    reason: str = ""

    @property
    def signature(self) -> tuple[Any, ...]:
        """What makes it a path of its own: the phases and the rules taken."""
        return (*(_mark(step.phase, step.edge) for step in self.steps), self.status)


def _mark(phase: str, edge: Edge | None) -> tuple[Any, ...]:
    return (phase, edge.rule, edge.spent) if edge else (phase, None, False)


def path_of(moment: Moment) -> Path:
    """The path that ends with this moment."""
    steps = moment.run.steps if moment.run else ()
    if moment.refused:
        error = moment.response["error"]
        return Path(steps, "stuck", f"{error['code']}: {error['message']}")
    return Path(steps, "ended" if moment.coming is None else "cut")


class Pathfinder:
    """Makes whole paths of what was explored.

    Args:
        plan: the workflow.
        walker: takes the steps.
        explorer: knows the options of a moment.
        most_steps: how long a path may become.
    """

    def __init__(self, plan: Plan, walker: Walker, explorer: Explorer, most_steps: int) -> None:
        self._plan = plan
        self._walker = walker
        self._explorer = explorer
        self._most_steps = most_steps

    def showing(self, graphs: Sequence[Explored], most: int) -> list[Path]:
        """Few paths that together take all that was found, the longest ways to something new first."""
        shown = Coverage(self._plan.workflow)
        found: list[Path] = []
        for graph in graphs:
            homeward = _homeward(graph)
            for node in sorted(graph.nodes, key=lambda node: -node.depth):
                if len(found) >= most:
                    return found
                new = any(one not in shown.counts for one in taken(self._plan.workflow, node.moment.response))
                if not new and not node.moment.refused:
                    continue
                path = path_of(self._completed(node, homeward, graph.focus))
                if path.signature not in {one.signature for one in found}:
                    found.append(path)
                for step in path.steps:
                    shown.note(step.response)
        return found

    def _completed(self, node: Node, homeward: dict[int, tuple[Option, Node]], focus: frozenset[Source]) -> Moment:
        """The node's run, gone on with along the shortest way to an end."""
        moment, here = node.moment, node
        while moment.coming is not None and not moment.refused and len(_steps(moment.run)) < self._most_steps:
            step = homeward.get(id(here))
            if step is None:
                break
            option, here = step
            moment = self._walker.take(moment, self._fitting(moment, option, focus))
        return moment

    def _fitting(self, moment: Moment, option: Option, focus: frozenset[Source]) -> Choice:
        """The option as this moment has it: the state is the same, what is owed may differ in what no rule sees."""
        try:
            own = self._explorer.options(moment, focus)
        except Unmakeable:
            return option.choice
        return next((one.choice for one in own if (one.rule, one.marks) == (option.rule, option.marks)), option.choice)

    def every(self, focus: frozenset[Source], most: int, most_calls: int) -> Iterator[Path]:
        """Every path of rules, depth first, each once; error routes left out, of which each is shown elsewhere."""
        limit = self._walker.steps + most_calls
        seen: set[tuple[Any, ...]] = set()
        waiting = [self._walker.start()]
        while waiting and len(seen) < most and self._walker.steps < limit:
            moment = waiting.pop()
            if moment.coming is None or moment.refused or len(_steps(moment.run)) >= self._most_steps:
                path = path_of(moment)
                if path.signature not in seen:
                    seen.add(path.signature)
                    yield path
                continue
            waiting.extend(reversed(self._onward(moment, focus)))

    def _onward(self, moment: Moment, focus: frozenset[Source]) -> list[Moment]:
        """The moments that can come next, one for each edge and state."""
        found: dict[tuple[Any, ...], Moment] = {}
        try:
            options = self._explorer.options(moment, focus)
        except Unmakeable:
            return []
        for option in options:
            if option.choice.fault is not None:
                continue
            after = self._walker.take(moment, option.choice)
            last = after.run.last if after.run else None
            edge = None if after.refused or last is None else _mark(last.phase, last.edge)
            found.setdefault((edge, self._explorer.key(after)), after)
        return list(found.values())


def _steps(run: Run | None) -> tuple[Step, ...]:
    return run.steps if run else ()


def _homeward(graph: Explored) -> dict[int, tuple[Option, Node]]:
    """By node, the first step of the shortest way to an end.

    A way on which a tool fails is taken only where there is no other, and one to a refusal only after that.
    """
    back: dict[int, list[tuple[Node, Option, Node]]] = {}
    for node in graph.nodes:
        for option, child in node.ways:
            back.setdefault(id(child), []).append((node, option, child))
    found: dict[int, tuple[Option, Node]] = {}
    for refused, failing in ((False, False), (False, True), (True, True)):
        home = [node for node in graph.nodes if (node.final and node.moment.refused is refused) or id(node) in found]
        todo = deque(home)
        while todo:
            for before, option, child in back.get(id(todo.popleft()), ()):
                if id(before) not in found and not before.final and (failing or option.choice.fault is None):
                    found[id(before)] = (option, child)
                    todo.append(before)
    return found
