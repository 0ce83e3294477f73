"""`tasks.collect`: takes the results that have come in, and gives the tasks that are due next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.faults import Code, Fault
from aurora.tools.core import Example, StrictModel, Tool

from .model import Collection, DueTask, SubmittedResult, TaskResult
from .plan import Plan, Task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.tools.core import Context


_STATUS_PHRASES = {"failed": "failed", "skipped": "was skipped"}


class Params(StrictModel):
    """All settings of `tasks.collect`; see the comments in the workflow."""

    batch: int = Field(ge=1, le=20)
    output_chars: int = Field(ge=50)
    outputs_chars: int = Field(ge=200)
    citations: int = Field(ge=0, le=50)


class TaskProgress(StrictModel):
    """The plan, what was collected before, and what has come in since."""

    plan: Plan
    so_far: tuple[TaskResult, ...] = Field(default=(), max_length=20)
    results: tuple[SubmittedResult, ...] = Field(default=(), max_length=20)


def collect_results(given: TaskProgress, context: Context) -> Collection:
    """Take the results and give what is due.

    The same results twice change nothing: the first result of a task is the one that counts.

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
        tasks=tuple(map(_to_due_task, due)),
        results=results,
        done=not due,
        wave=due[0].wave if due else last,
        waves=last,
        broken=tuple(result.id for result in results if result.critical and result.status != "done"),
    )


def _select_due(tasks: Sequence[Task], known: Mapping[str, TaskResult], params: Params) -> list[Task]:
    """The first tasks of the first wave that is not done."""
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
            f"results came for {shown}, which the plan does not have",
            help=f"The plan's tasks are {choices}.",
            details={"unknown": unknown, "choices": sorted(planned)},
        )


def _match_results(results: Sequence[SubmittedResult], due: Sequence[Task]) -> dict[str, SubmittedResult]:
    """The results by task; those without an id stand in the order of the tasks that are due."""
    named: dict[str, SubmittedResult] = {}
    for at, result in enumerate(results):
        name = result.id or (due[at].id if at < len(due) else "")
        if not name:
            raise Fault(
                Code.INVALID_INPUT,
                f"result {at + 1} names no task, and only {len(due)} are due",
                help="Give each result the id of its task.",
                details={"faults": [{"path": f"$.results[{at}].id", "expected": "the id of a task"}]},
            )
        if name in named:
            raise Fault(
                Code.INVALID_INPUT,
                f'two results came for the task "{name}"',
                help="Bring one result for each task.",
                details={"task": name},
            )
        named[name] = result
    return named


def _skip_blocked(tasks: Sequence[Task], known: dict[str, TaskResult]) -> None:
    """Mark what can no longer be done; the plan's order lets one pass reach everything that hangs on a failure."""
    for task in sorted(tasks, key=lambda one: one.wave):
        lost = [name for name in task.depends_on if name in known and known[name].status != "done"]
        if lost and task.id not in known:
            why = ", ".join(f'"{name}", which {_STATUS_PHRASES[known[name].status]}' for name in lost)
            known[task.id] = TaskResult(id=task.id, status="skipped", output=f"Not done: it needs {why}.")


def _to_result(brought: SubmittedResult, name: str) -> TaskResult:
    return TaskResult(id=name, status=brought.status, output=brought.output, citations=brought.citations)


def _mark_critical(task: Task, result: TaskResult) -> TaskResult:
    return result.model_copy(update={"critical": task.critical})


def _truncate_outputs(results: Sequence[TaskResult], params: Params) -> tuple[TaskResult, ...]:
    """The results, their outputs cut so that together they fit into a response."""
    most = min(params.output_chars, max(50, params.outputs_chars // max(1, len(results))))
    return tuple(
        result.model_copy(
            update={"output": truncate_text(result.output, most), "citations": result.citations[: params.citations]}
        )
        for result in results
    )


def _to_due_task(task: Task) -> DueTask:
    return DueTask(
        id=task.id,
        description=task.description,
        agent=task.agent,
        critical=task.critical,
        depends_on=task.depends_on,
    )


def truncate_text(text: str, most: int) -> str:
    """The text, or its beginning and a mark that says so."""
    return text if len(text) <= most else f"{text[: most - 6]} […]"


TOOL = Tool(
    name="tasks.collect",
    title="Collect results",
    description=(
        "Takes the results of tasks, marks what depended on a failure as skipped, and gives the tasks of the wave "
        "that is due, until nothing is left. The same result twice changes nothing."
    ),
    input=TaskProgress,
    output=Collection,
    run=collect_results,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=10,
    examples=(
        Example(
            "nothing has come in yet",
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
