"""Unfinished runs of the question of a new session, which its first response names."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from aurora.faults import MATERIAL_NOTE, Fault, mark_text, show_hidden_line
from aurora.faults.secrets import mask_json
from aurora.interpreter.language import CONTINUE
from aurora.interpreter.run import find_question
from aurora.memory import has_memory
from aurora.tools.core import is_own_run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.memory import RunRow
    from aurora.tools.core import Project

_QUERY_TOOL = "aurora_query"
_MAX_LOOKED_AT = 20
"""Newest unfinished runs of the workflow among which one is looked for."""
_IN_FLIGHT = ("open", "waiting")
_RUN_ID = re.compile(r"[0-9a-z]{8}")
_PHASE = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""Forms of what is named without marks: the database may have any text there."""
_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))

_session_runs: WeakKeyDictionary[Project, set[str]] = WeakKeyDictionary()
"""The runs that each open project has begun, continued or named: a process serves one session of a host."""


def name_unfinished_run(project: Project, arguments: Mapping[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    """Name an unfinished run of an earlier session in the response to a call that names no run.

    Args:
        project: the open project.
        arguments: those of the call.
        response: the response; of a run of this session it is returned as it is.
    """
    known = _session_runs.setdefault(project, set())
    own = arguments.get("run") or response.get("run")
    if isinstance(own, str):
        known.add(own)
    if arguments.get("run") is not None or project.read_only or not has_memory(project.root):
        return response
    earlier = _find_earlier(project, arguments, response, known)
    if earlier is None:
        return response
    known.add(earlier.run)
    noted = {**response["metadata"], "unfinished": _describe(earlier)}
    sentence = (
        f"An earlier run of this question is unfinished: metadata.unfinished says where it waits. To go on with it "
        f"instead, call {_QUERY_TOOL} with the arguments of its next_call; the person closes it with "
        "`aur runs prune --state open`."
    )
    return {**response, "guidance": f"{response['guidance']} {sentence}", "metadata": noted}


def _find_earlier(
    project: Project, arguments: Mapping[str, Any], response: Mapping[str, Any], known: set[str]
) -> RunRow | None:
    """Find the newest unfinished run of a workflow and question, or else of the phase called."""
    workflow = str(response["metadata"].get("workflow", "")).partition("@")[0]
    question = _normalize(find_question(mask_json(_list_inputs(arguments))))
    try:
        rows = project.memory.journal.runs(_MAX_LOOKED_AT, 0, workflow, status=_IN_FLIGHT) if workflow else ()
    except Fault:
        return None  # the call itself reports it
    for row in rows:
        asked = _normalize(row.document.get("question"))
        is_same = asked == question if question else arguments.get("phase") == row.document.get("next")
        if is_same and row.run not in known and _RUN_ID.fullmatch(row.run) and is_own_run(row, project):
            return row
    return None


def _list_inputs(arguments: Mapping[str, Any]) -> dict[str, Any]:
    address = {"phase", "workflow", "run", "step", "answer", "detail"}
    return {name: value for name, value in arguments.items() if name not in address}


def _normalize(question: Any) -> str:
    """Return a question without case, punctuation at its ends and double blanks."""
    return " ".join(str(question or "").casefold().split()).strip(" .?!…")


def _describe(row: RunRow) -> dict[str, Any]:
    """Describe a run with what is checked, and its question as data."""
    found: dict[str, Any] = {"run": row.run, "status": row.document.get("status")}
    phase = row.document.get("phase")
    if isinstance(phase, str) and all(map(_PHASE.fullmatch, phase.split("/"))):
        found["phase"] = phase
    if age := _describe_age(row.updated_at):
        found["last_step"] = age
    if question := show_hidden_line(str(row.document.get("question") or ""))[:200]:
        found |= {"question": mark_text(question), "note": MATERIAL_NOTE}
    return {**found, "next_call": {"tool": _QUERY_TOOL, "arguments": {"phase": CONTINUE, "run": row.run}}}


def _describe_age(moment: str) -> str:
    """Describe how long ago a moment was, as `3 hours ago`; empty for what is no moment."""
    try:
        then = datetime.fromisoformat(moment)
    except ValueError:
        return ""
    seconds = time.time() - (then if then.tzinfo else then.replace(tzinfo=UTC)).timestamp()
    for size, unit in _UNITS:
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "less than a minute ago"
