"""Tools that list, check, edit, test and step through workflows."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .files import build_not_found_fault
    from .query import QUERY_SCHEMA, list_host_workflows, refuse_step, step_workflow
    from .step import run_logged_step
    from .suggest import rank_for_task
    from .unattended import find_first_inputs, find_jobs, list_inputs, load_job

__all__ = [
    "QUERY_SCHEMA",
    "build_not_found_fault",
    "find_first_inputs",
    "find_jobs",
    "list_host_workflows",
    "list_inputs",
    "load_job",
    "rank_for_task",
    "refuse_step",
    "run_logged_step",
    "step_workflow",
]

__getattr__ = export_lazily(
    __name__,
    {
        "files": ["build_not_found_fault"],
        "query": ["QUERY_SCHEMA", "list_host_workflows", "refuse_step", "step_workflow"],
        "step": ["run_logged_step"],
        "suggest": ["rank_for_task"],
        "unattended": ["find_first_inputs", "find_jobs", "list_inputs", "load_job"],
    },
)
