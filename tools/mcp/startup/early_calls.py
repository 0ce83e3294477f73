"""Calls of tools before the protocol's library is loaded, which adds nothing to their answers."""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic_core import to_json

from aurora.faults import Cancelled, CancelScope, Fault
from aurora.memory import has_memory
from aurora.startup import INITIALIZE, normalize_meta, strip_meta
from aurora.tools.core import DEFAULT_WORKFLOW
from aurora.tools.mcp.responses import build_error_result, build_result, leave_structure_out
from aurora.tools.runtime import call_tool, choose_exporter, new_request_id
from aurora.tools.workflows import refuse_step

from .preload import prepare_calls, wait_until_quiet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.startup import EarlySession, Line, Opening
    from aurora.tools.core import Project

_SEARCH, _STEP = "mem.search", "workflow.step"
_TOOLS = {"aurora_search": _SEARCH, "aurora_query": _STEP}
"""Tools of the first calls, all of them offered by default: they take little time and report no progress."""
_STEP_ARGUMENTS = frozenset({"phase", "query", "detail", "run", "step", "workflow", "complexity"})
"""Arguments of the steps of a simple question, with a run or, read-only, without one.

Any other call may have to ask the person, and only the server can.
"""
_PROTOCOL_PARTS = ("mcp_types", "mcp_types.methods")
"""Modules of the protocol's library that take most of its time."""
_VERSIONS = {"2024-11-05": False, "2025-03-26": False, "2025-06-18": False, "2025-11-25": False, "2026-07-28": True}
"""Version of the protocol -> True in the stateless era."""
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
_RESERVED = "io.modelcontextprotocol/"
_MAX_NUMBER = 2**53
_MAX_LEVELS = 8
"""Levels of a host's own metadata; what is deeper, the server judges."""


def run_early_calls(project: Project, session: EarlySession) -> None:
    """Run the first calls before the protocol's library is loaded, and load what the next ones will need.

    Most of the library is loaded here, too, in parts: while a call runs, and shortly after it, nothing is.

    Args:
        project: the open project.
        session: the session that answers until the server takes over.
    """

    def pause() -> bool:
        session.wait_for_calls()
        return not session.has_waiting and wait_until_quiet() and not session.has_waiting

    session.offer_calls(EarlyCallRunner(project))
    prepare_calls(project, pause)
    for name in _PROTOCOL_PARTS:
        if pause():
            importlib.import_module(name)
    session.wait_for_calls()


class EarlyCallRunner:
    """Runner of plain calls, whose answers equal those of the server, byte for byte.

    Args:
        project: the open project.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self._exports_spans = choose_exporter() is not None  # the protocol's library has a span of its own for a call

    def prepare(self, line: Line, opening: Opening) -> EarlyToolCall | None:
        """Return the call in a request; None for one that only the server answers."""
        params = line.params or {}
        try:
            form = _ResultForm.from_request(params, opening)
            is_plain = form is not None and _is_plain_call(params)
            json.dumps(params, ensure_ascii=False, allow_nan=False).encode()  # a lone surrogate is an error
        except (ValueError, TypeError, LookupError, RecursionError):
            return None
        if form is None or not is_plain or self._exports_spans:
            return None
        return EarlyToolCall(self._project, _TOOLS[params["name"]], params.get("arguments") or {}, form)


class EarlyToolCall:
    """Call of a tool before the server is ready.

    Args:
        project: the open project.
        tool: the tool's name.
        arguments: its arguments.
        form: the form of the result.
    """

    def __init__(self, project: Project, tool: str, arguments: Mapping[str, Any], form: _ResultForm) -> None:
        self._project = project
        self._tool = tool
        self._arguments = arguments
        self._form = form
        self._scope = CancelScope()

    def run(self) -> str | None:
        """Return the JSON of the result; None where the workflow may ask the person."""
        if self._tool == _STEP and not _has_plain_workflow(self._project, self._arguments.get("run")):
            return None
        try:
            with self._scope.activate():
                content = call_tool(
                    self._project,
                    self._tool,
                    self._arguments,
                    request_id=new_request_id(),
                    progress=self._check_cancelled,
                    surface="mcp",
                )
        except Fault as fault:
            if self._tool != _STEP:
                return self._form.format_result(build_error_result(fault))
            content = refuse_step(self._project.engine, self._arguments, fault)
        return self._form.format_result(build_result(content))

    def cancel(self) -> None:
        """Cancel the call without waiting for it."""
        self._scope.cancel_nowait()

    def withdraw(self) -> bool:
        """Cancel the call; return True if it has changed nothing, so that it may run again."""
        with self._scope.lock:
            if self._scope.changes:
                return False
            self._scope.cancel()
            return True

    def _check_cancelled(self, _done: float, _total: float | None, _message: str) -> None:
        """Ignore a report of progress; end the work after cancellation."""
        if self._scope.is_cancelled:
            raise Cancelled


class _ResultForm(NamedTuple):
    """Form of the results of a dialogue.

    Attributes:
        client: the name that the host gives itself.
        meta: the metadata of each result in the stateless era, in which it also has its type.
    """

    client: str
    meta: dict[str, Any] | None

    @classmethod
    def from_request(cls, params: Mapping[str, Any], opening: Opening) -> _ResultForm | None:
        """Return the form of the result of a request; None where only the server knows it.

        Raises:
            ValueError, TypeError, LookupError: the request or the opening has another form.
        """
        result = json.loads(opening.text)
        is_handshake = opening.method == INITIALIZE
        version = result["protocolVersion"] if is_handshake else opening.params["_meta"][_VERSION_KEY]
        if _VERSIONS.get(version) is not (not is_handshake):
            return None
        given = params.get("_meta", {})
        if is_handshake:
            added = strip_meta(given)
            is_usual = _is_shallow(added) and not any(key.startswith(_RESERVED) for key in added)
            client = opening.params["clientInfo"]["name"]
        else:
            is_usual = normalize_meta(given) == normalize_meta(opening.params["_meta"])
            client = given.get(_CLIENT_KEY, {}).get("name", "")
        return cls(client, None if is_handshake else result["_meta"]) if is_usual else None

    def format_result(self, result: dict[str, Any]) -> str:
        """Return the JSON of a result, with the fields and the order that the protocol's library writes."""
        shown = leave_structure_out(result, self.client)
        ((part,),) = (shown["content"],)
        fields = {"content": [{"text": part["text"], "type": part["type"]}], "isError": shown["isError"]}
        if self.meta is not None:
            fields["resultType"] = shown["resultType"]
        if "structuredContent" in shown:
            fields["structuredContent"] = shown["structuredContent"]
        if self.meta is not None:
            fields["_meta"] = self.meta
        return to_json(fields).decode()


def _is_plain_call(params: Mapping[str, Any]) -> bool:
    """Return True for a first call with simple arguments and without options of the protocol."""
    arguments = params.get("arguments", {})
    if params.get("name") not in _TOOLS or not {"name", "arguments", "_meta"}.issuperset(params):
        return False
    if not isinstance(arguments, dict) or not all(map(_is_simple, arguments.values())):
        return False
    if _TOOLS[params["name"]] != _STEP:
        return True
    is_default = arguments.get("workflow", DEFAULT_WORKFLOW) == DEFAULT_WORKFLOW
    return is_default and _STEP_ARGUMENTS.issuperset(arguments)


def _is_simple(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and abs(value) <= _MAX_NUMBER)


def _is_shallow(value: Any, levels: int = _MAX_LEVELS) -> bool:
    """Return True for a value with at most so many levels of arrays and objects."""
    if not isinstance(value, list | dict):
        return True
    parts = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_is_shallow(part, levels - 1) for part in parts)


def _has_plain_workflow(project: Project, run: Any) -> bool:
    """Return True if the run, or a new one, is of the shipped default workflow, and asks no person."""
    try:
        found = project.workflows.load(DEFAULT_WORKFLOW)
        is_default = run is None or _is_of_default_workflow(project, run)
    except Fault:
        return False
    phases = found.workflow.phases.values()
    return (
        is_default
        and project.workflows.is_shipped(found.path)
        and all(phase.person is None and phase.workflow is None for phase in phases)
    )


def _is_of_default_workflow(project: Project, run: Any) -> bool:
    """Return True for a run in the journal of the default workflow.

    Raises:
        Fault: the memory cannot be read.
    """
    row = project.memory.journal.head(run) if isinstance(run, str) and has_memory(project.root) else None
    return row is not None and row.workflow == DEFAULT_WORKFLOW
