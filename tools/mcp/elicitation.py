"""Elicitation: ask the person at the host, where a run waits for them.

Before the stateless era the server sends `elicitation/create`; in it, the result requests the input, and the host
repeats its call with the reply.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import logging
import secrets
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types.version import is_version_at_least
from pydantic import ValidationError

from aurora.errors import Code, Fault, show_hidden_line
from aurora.interpreter.run.call import PersonReply
from aurora.tools import runs

from .access import get_caller
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
_VALID_SECONDS = 3600.0
_MAX_STATE_LENGTH = 2_000
_COMMON = ("type", "title", "description", "default")
_KEYWORDS: Mapping[str, tuple[str, ...]] = {
    "string": (*_COMMON, "minLength", "maxLength", "enum"),
    "number": (*_COMMON, "minimum", "maximum"),
    "integer": (*_COMMON, "minimum", "maximum"),
    "boolean": _COMMON,
}
"""Keywords of the protocol's primitive schemas by type; the engine checks the others when the reply arrives."""
_FORMATS = frozenset({"email", "uri", "date", "date-time"})


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
    # A host that names no kind shows forms: in earlier revisions of the protocol there was nothing else.
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


# ── the form, in the terms that the protocol allows ──


def build_message(question: PersonQuestion, refused: str = "") -> str:
    """Build the text that the person sees: the question, who asks, and what was wrong with the last reply."""
    wrong = f"The last reply did not fit: {refused[:500]}\n\n" if refused else ""
    return f"{wrong}{question.message}\n\n(workflow {question.workflow}, run {question.run})"


def build_requested_schema(form: Mapping[str, Any]) -> dict[str, Any]:
    """Build the schema of the form from the answer's, without keywords that the protocol does not have."""
    fields = {name: _select_keywords(field) for name, field in form.get("properties", {}).items()}
    return {"type": "object", "properties": fields, "required": list(form.get("required", ()))}


def _select_keywords(field: Mapping[str, Any]) -> dict[str, Any]:
    kind = str(field.get("type", "string"))
    selected = {name: field[name] for name in _KEYWORDS.get(kind, _COMMON) if name in field}
    if field.get("format") in _FORMATS and kind == "string":
        selected["format"] = field["format"]
    return {"type": kind, **selected}


# ── the state of a question in the stateless era: signed, so that a host cannot make one up ──


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """Question that this server has handed to a host.

    Attributes:
        run: the run that waits.
        step: the number of the step that the reply makes.
        digest: the hash of the message and the form.
        attempt: how often the person was asked, from 1.
        until: the time in seconds since 1970 at which it expires.
    """

    run: str
    step: int
    digest: str
    attempt: int
    until: float

    @classmethod
    def from_question(cls, question: PersonQuestion, attempt: int) -> AskedQuestion:
        """Create the record of a question that is handed out now."""
        return cls(question.run, question.step, question.digest, attempt, time.time() + _VALID_SECONDS)

    def is_about(self, question: PersonQuestion) -> bool:
        """Return True if it is this question, with the same message and form."""
        return (self.run, self.step, self.digest) == (question.run, question.step, question.digest)


class StateSigner:
    """Signer of states; a state that another key has signed is refused.

    Args:
        key: the key, which several processes of one server share; by default one of this process.
    """

    def __init__(self, key: bytes | None = None) -> None:
        self._key = key or secrets.token_bytes(32)

    def sign(self, asked: AskedQuestion) -> str:
        """Return the state for the host: JSON and its HMAC-SHA256."""
        body = json.dumps(asdict(asked), separators=(",", ":")).encode()
        return f"{_encode(body)}.{_encode(self._compute_mac(body))}"

    def verify(self, state: str) -> AskedQuestion:
        """Return the question of a state.

        Raises:
            Fault: INVALID_INPUT for a state that this server has not signed, or that has expired.
        """
        body, _, mac = state[:_MAX_STATE_LENGTH].partition(".")
        try:
            decoded, signature = _decode(body), _decode(mac)
        except (ValueError, binascii.Error):
            decoded, signature = b"", b""
        # Nothing of a state is read as JSON before its signature is known to be this server's.
        if not decoded or not hmac.compare_digest(signature, self._compute_mac(decoded)):
            raise _make_state_fault("is not from this server")
        asked = AskedQuestion(**json.loads(decoded))
        if asked.until < time.time():
            raise _make_state_fault("has expired")
        return asked

    def _compute_mac(self, body: bytes) -> bytes:
        return hmac.new(self._key, body, hashlib.sha256).digest()


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _decode(text: str) -> bytes:
    return base64.b64decode(text.encode() + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)


def _make_state_fault(reason: str) -> Fault:
    return Fault(
        Code.INVALID_INPUT, f"the request state {reason}", help="Call aurora_query again with phase='continue' and run."
    )
