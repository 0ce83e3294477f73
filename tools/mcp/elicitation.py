"""Elicitation: ask the person at the host, where a run waits for them.

Before the stateless era the server sends `elicitation/create`; in it, the result requests the input, and the host
repeats its call with the reply.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types.version import is_version_at_least
from pydantic import ValidationError

from aurora.faults import Code, Fault, show_hidden_line
from aurora.interpreter.run import PersonReply
from aurora.tools import runs

from .access import get_caller
from .question import AskedQuestion, StateSigner, build_message, build_requested_schema
from .responses import build_result
from .threads import run_in_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import mcp_types as types
    from mcp.server.context import ServerRequestContext

    from aurora.tools.core import Project
    from aurora.tools.runs import PersonQuestion

    Request = ServerRequestContext[Any, Any]

log = logging.getLogger("aurora.mcp")

STATELESS_SINCE = "2026-07-28"
"""First revision of the protocol whose results request input."""
WAIT_SECONDS = 600.0
"""Seconds that a person has to reply to `elicitation/create`; the run waits on after them."""
MAX_ATTEMPTS = 3
"""How often one call asks the same question, when what comes back does not fit the form."""
_MAX_OPEN = 16
_KEY = "person"


class PersonAsker:
    """Asker of the person at the host.

    Args:
        project: the open project.
        wait_seconds: how long to wait for a reply before the stateless era.
        signer: signs the states of questions; by default with a key of this process.
    """

    def __init__(self, project: Project, wait_seconds: float = WAIT_SECONDS, signer: StateSigner | None = None) -> None:
        self._project = project
        self._wait_seconds = wait_seconds
        self._signer = signer or StateSigner()
        self._open: set[tuple[str, int]] = set()

    @staticmethod
    def is_reply(context: Request, params: types.CallToolRequestParams) -> bool:
        """Return True if the call repeats an earlier one with the person's reply."""
        return params.request_state is not None and is_version_at_least(context.protocol_version, STATELESS_SINCE)

    async def finish_call(self, context: Request, response: Mapping[str, Any]) -> dict[str, Any]:
        """Return the MCP result for a response; ask the person first where the run waits and the host can ask.

        Raises:
            Fault: that of the step with the reply.
        """
        question = runs.PersonQuestion.from_response(response)
        if question is None or not _can_elicit(context):
            return build_result(dict(response))
        if is_version_at_least(context.protocol_version, STATELESS_SINCE):
            return self._request_input(question, 1)
        return build_result(await self._ask_in_session(context, question, response))

    # ── the stateless era ──

    def _request_input(self, question: PersonQuestion, attempt: int, refused: str = "") -> dict[str, Any]:
        """Return the result that requests the reply, with a signed state."""
        params = {
            "mode": "form",
            "message": build_message(question, refused),
            "requestedSchema": build_requested_schema(question.form),
        }
        return {
            "resultType": "input_required",
            "inputRequests": {_KEY: {"method": "elicitation/create", "params": params}},
            "requestState": self._signer.sign(AskedQuestion.from_question(question, attempt)),
        }

    async def take_reply(self, context: Request, params: types.CallToolRequestParams) -> dict[str, Any]:
        """Return the MCP result for a call that repeats another one with the reply.

        Raises:
            Fault: INVALID_INPUT for a state that this server has not signed, and that of the step.
        """
        asked = self._signer.verify(params.request_state or "")
        current = await _run(lambda: runs.repeat_response(self._project, asked.run))
        question = runs.PersonQuestion.from_response(current)
        if question is None or not asked.is_about(question):
            return build_result(current)  # the question was answered meanwhile, or the workflow was edited
        reply = (params.input_responses or {}).get(_KEY)
        action, content = getattr(reply, "action", "cancel"), getattr(reply, "content", None)
        response = await self._reply(context, question, action, content)
        if response is None:
            return build_result(current)
        refused = runs.find_wrong_content(response)
        if not refused:
            return await self.finish_call(context, response)
        if asked.attempt < MAX_ATTEMPTS:
            return self._request_input(question, asked.attempt + 1, refused)
        return build_result(current)

    # ── before it ──

    async def _ask_in_session(
        self, context: Request, question: PersonQuestion, waiting: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Ask until a reply fits, and again for the next question; return the response that stays."""
        attempt, refused = 1, ""
        while True:
            response = await self._ask_once(context, question, refused)
            if response is None:
                return dict(waiting)
            refused = runs.find_wrong_content(response)
            if refused:
                attempt += 1
                if attempt > MAX_ATTEMPTS:
                    return dict(waiting)
                continue
            following = runs.PersonQuestion.from_response(response)
            if following is None:
                return response
            question, waiting, attempt = following, response, 1

    async def _ask_once(self, context: Request, question: PersonQuestion, refused: str) -> dict[str, Any] | None:
        """Ask once; None when nobody replied, or the person dismissed the question."""
        place = (question.run, question.step)
        if place in self._open or len(self._open) >= _MAX_OPEN:
            return None  # the person sees this question already, or too many
        self._open.add(place)
        reply: types.ElicitResult | None = None
        try:
            with anyio.move_on_after(self._wait_seconds):
                reply = await context.session.elicit_form(
                    build_message(question, refused),
                    build_requested_schema(question.form),
                    related_request_id=context.request_id,
                )
        except (MCPError, ValidationError) as error:
            log.warning("the host could not ask the person: %s", type(error).__name__)
        finally:
            self._open.discard(place)
        return await self._reply(context, question, reply.action, reply.content) if reply is not None else None

    # ── the reply ──

    async def _reply(
        self, context: Request, question: PersonQuestion, action: str, content: Mapping[str, Any] | None
    ) -> dict[str, Any] | None:
        """Send a reply to the engine; None for one that decides nothing."""
        if action not in ("accept", "decline"):
            return None
        reply = PersonReply(action == "accept", "elicitation", _name_person(context))
        return await _run(lambda: runs.reply_to_question(self._project, question, reply, content, surface="mcp"))


def _can_elicit(context: Request) -> bool:
    """Return True if the host has declared that it shows forms; no argument of a call can say so."""
    capabilities = context.session.client_capabilities
    found = capabilities.elicitation if capabilities is not None else None
    return found is not None and (found.form is not None or found.url is None)


def _name_person(context: Request) -> str:
    """Name the caller that a server over HTTP knows, or the account of this process; and the host."""
    client = context.session.client_params
    host = show_hidden_line(client.client_info.name)[:60] if client is not None else ""
    name = get_caller(context.request).name or runs.name_user()
    return f"{name} at {host}" if host else name


async def _run(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Run the work in a thread; a fault passes the thread as a value.

    Raises:
        Fault: that of the work; INTERNAL_ERROR for a bug in Aurora.
    """

    def catch_faults() -> dict[str, Any] | Fault:
        try:
            return work()
        except Fault as fault:
            return fault
        except Exception as error:
            log.exception("the reply of the person could not be sent")
            return Fault(Code.INTERNAL_ERROR, f"a bug in Aurora stopped the reply ({type(error).__name__})")

    outcome = await run_in_thread(catch_faults, "person")
    if isinstance(outcome, Fault):
        raise outcome
    return outcome
