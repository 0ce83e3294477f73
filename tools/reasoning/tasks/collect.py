"""`tasks.collect`: collect results, and return the tasks that are due next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.errors import Code, Fault
from aurora.tools.core import Example, StrictModel, Tool
from aurora.tools.memory.hits import record_uses, search_fresh
from aurora.tools.reasoning.context.evidence import NO_EVIDENCE, EvidenceLimits, RankedChunk, build_evidence
from aurora.tools.reasoning.decomposition.places import resolve_places

from .model import Collection, DueTask, SubmittedResult, TaskResult
from .plan import Plan, Task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.memory import Chunk
    from aurora.tools.core import Context
    from aurora.tools.reasoning.context.evidence import Evidence
    from aurora.tools.reasoning.decomposition.places import Places


_STATUS_PHRASES = {"failed": "failed", "skipped": "was skipped"}


class Params(StrictModel):
    """All settings of `tasks.collect`; see the comments in the workflow."""

    batch: int = Field(ge=1, le=20)
    output_chars: int = Field(ge=50)
    outputs_chars: int = Field(ge=200)
    citations: int = Field(ge=0, le=50)
    evidence: EvidenceLimits = NO_EVIDENCE


class TaskProgress(StrictModel):
    """Plan, earlier results, and new results."""

    plan: Plan
    so_far: tuple[TaskResult, ...] = Field(default=(), max_length=20)
    results: tuple[SubmittedResult, ...] = Field(default=(), max_length=20)
    shown: tuple[str, ...] = Field(default=(), max_length=100)
    """Chunks that the run has shown whole: they are named again, and their text is not."""


def collect_results(given: TaskProgress, context: Context) -> Collection:
    """Add the results, and return the tasks that are due.

    A repeated result changes nothing: the first result of a task counts.

    Raises:
        Fault: INVALID_INPUT when a result names a task that the plan does not have, or one task twice.
    """
    params: Params = context.params
    tasks = given.plan.tasks
    known = {result.id: result for result in given.so_far}
    _refuse_unknown([*known, *(one.id for one in given.results if one.id)], tasks)
    for name, brought in _match_results(given.results, _select_due(tasks, known, params)).items():
        known.setdefault(name, _to_result(brought, name))
    _skip_blocked(tasks, known)
    due = _select_due(tasks, known, params)
    results = _truncate_outputs([_mark_critical(task, known[task.id]) for task in tasks if task.id in known], params)
    last = max((task.wave for task in tasks), default=0)
    return Collection(
        tasks=_prepare_tasks(due, given.shown, context),
        results=results,
        done=not due,
        wave=due[0].wave if due else last,
        waves=last,
        broken=tuple(result.id for result in results if result.critical and result.status != "done"),
    )


def _select_due(tasks: Sequence[Task], known: Mapping[str, TaskResult], params: Params) -> list[Task]:
    """Select the first tasks of the first open wave."""
    open_tasks = [task for task in tasks if task.id not in known]
    wave = min((task.wave for task in open_tasks), default=0)
    return [task for task in open_tasks if task.wave == wave][: params.batch]


def _refuse_unknown(names: Sequence[str], tasks: Sequence[Task]) -> None:
    planned = [task.id for task in tasks]
    unknown = sorted(set(names) - set(planned))
    if unknown:
        shown = ", ".join(f'"{name}"' for name in unknown)
        choices = ", ".join(f'"{name}"' for name in sorted(planned))
        raise Fault(
            Code.INVALID_INPUT,
            f"there are results for {shown}, which the plan does not contain",
            help=f"The plan's tasks are {choices}.",
            details={"unknown": unknown, "choices": sorted(planned)},
        )


def _match_results(results: Sequence[SubmittedResult], due: Sequence[Task]) -> dict[str, SubmittedResult]:
    """Match results with tasks; those without an id follow the order of the due tasks."""
    named: dict[str, SubmittedResult] = {}
    for index, result in enumerate(results):
        name = result.id or (due[index].id if index < len(due) else "")
        if not name:
            raise Fault(
                Code.INVALID_INPUT,
                f"result {index + 1} has no task id, and only {len(due)} tasks are due",
                help="Give each result the id of its task.",
                details={"faults": [{"path": f"$.results[{index}].id", "expected": "the id of a task"}]},
            )
        if name in named:
            raise Fault(
                Code.INVALID_INPUT,
                f'there are two results for the task "{name}"',
                help="Send one result for each task.",
                details={"task": name},
            )
        named[name] = result
    return named


def _skip_blocked(tasks: Sequence[Task], known: dict[str, TaskResult]) -> None:
    """Mark tasks that depend on a failure as skipped; by wave, so that one pass reaches all of them."""
    for task in sorted(tasks, key=lambda one: one.wave):
        unmet = [name for name in task.depends_on if name in known and known[name].status != "done"]
        if unmet and task.id not in known:
            reasons = ", ".join(f'"{name}", which {_STATUS_PHRASES[known[name].status]}' for name in unmet)
            known[task.id] = TaskResult(id=task.id, status="skipped", output=f"Not done: it needs {reasons}.")


def _to_result(brought: SubmittedResult, name: str) -> TaskResult:
    return TaskResult(id=name, status=brought.status, output=brought.output, citations=brought.citations)


def _mark_critical(task: Task, result: TaskResult) -> TaskResult:
    return result.model_copy(update={"critical": task.critical})


def _truncate_outputs(results: Sequence[TaskResult], params: Params) -> tuple[TaskResult, ...]:
    """Truncate the outputs so that all results fit into one response."""
    most = min(params.output_chars, max(50, params.outputs_chars // max(1, len(results))))
    return tuple(
        result.model_copy(
            update={"output": truncate_text(result.output, most), "citations": result.citations[: params.citations]}
        )
        for result in results
    )


def _prepare_tasks(due: Sequence[Task], shown: Sequence[str], context: Context) -> tuple[DueTask, ...]:
    """Give each due task the text of every place in its `where`, then what a search for it finds.

    What an earlier task or an earlier phase has shown whole is named by place, without its text.
    """
    params: Params = context.params
    places = [place for task in due for place in task.where]
    found = resolve_places(places, (), context, max(1, len(places)))
    room = params.evidence.chars // max(1, len(due))
    seen = set(shown)
    prepared = []
    for task in due:
        ranked = _rank_chunks(task, found, context, params.evidence)
        limits = params.evidence.model_copy(update={"chars": room, "chunks": len(ranked)})
        built = build_evidence([one for one in ranked if one.chunk.id not in seen], task.description, limits)
        record_uses((one.id for one in built), context)
        again = tuple(_to_place(one.chunk) for one in ranked if one.chunk.id in seen)
        seen.update(one.id for one in built if "\u2026" not in one.text)
        prepared.append(_to_due_task(task, found, again, built))
    return tuple(prepared)


def _to_due_task(task: Task, found: Places, again: tuple[str, ...], evidence: tuple[Evidence, ...]) -> DueTask:
    return DueTask(
        id=task.id,
        description=task.description,
        agent=task.agent,
        critical=task.critical,
        depends_on=task.depends_on,
        places=tuple(one for place in task.where if (one := found.resolve(place)) is not None),
        again=again,
        evidence=evidence,
    )


def _rank_chunks(task: Task, found: Places, context: Context, limits: EvidenceLimits) -> list[RankedChunk]:
    """Rank the chunks of a task: those of its places first, then those of a search."""
    memory = context.project.memory
    nodes = [node for place in task.where if (node := found.nodes.get(place)) is not None]
    ids = [id_ for node in nodes if node.symbol and (id_ := memory.graph.find_chunk(node)) is not None]
    named = [RankedChunk(chunk, 1.0) for chunk in memory.get(tuple(dict.fromkeys(ids)))]
    if not limits.chunks:
        return named
    query = " ".join((task.description, *(place for place in task.where if not place.startswith("new:"))))
    hits = search_fresh(query, context, limit=limits.chunks, types=("code", "know")).hits
    known = {one.chunk.id for one in named}
    others = [RankedChunk.from_hit(hit) for hit in hits if hit.chunk.id not in known]
    return [*named, *others[: max(0, limits.chunks - len(named))]]


def _to_place(chunk: Chunk) -> str:
    return f"{chunk.path}:{chunk.start_line}-{chunk.end_line} {chunk.symbol}"[:300] if chunk.path else chunk.id


def truncate_text(text: str, most: int) -> str:
    """Truncate a text, with a mark at its end."""
    return text if len(text) <= most else f"{text[: most - 6]} […]"


TOOL = Tool(
    name="tasks.collect",
    title="Collect results",
    description=(
        "Collect the results of tasks, mark tasks that depend on a failure as skipped, and return the tasks of the "
        "wave that is due, until none is left. A repeated result changes nothing."
    ),
    input=TaskProgress,
    output=Collection,
    run=collect_results,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=10,
    phases=True,
    examples=(
        Example(
            "no results yet",
            {
                "plan": {
                    "tasks": [
                        {
                            "id": "s1",
                            "description": "Find the parser",
                            "agent": None,
                            "reason": "no agents are defined",
                            "depends_on": [],
                            "critical": True,
                            "wave": 1,
                        }
                    ],
                    "waves": [["s1"]],
                }
            },
            {"batch": 6, "output_chars": 1200, "outputs_chars": 6000, "citations": 8},
        ),
    ),
    params=Params,
)
