"""A caller's request, and the key that identifies a repeated one."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.interpreter.schema.json_values import to_canonical_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aurora.interpreter.language.definition import Definition

    from .journal import Run


@dataclass(frozen=True, slots=True)
class PersonReply:
    """Reply of a person to the question of a phase; no host can make one.

    Attributes:
        accepts: False when the person declined.
        how: the way in which the person replied, as `elicitation` or `terminal`.
        who: the person, as the surface knows them; may be empty.
    """

    accepts: bool
    how: str
    who: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """One `aurora_query` call.

    Attributes:
        phase: a phase or an alias of one, or `continue`; empty begins a run, or continues one.
        workflow: the workflow's name; None is the run's own, or the engine's default.
        run: the run that the call continues; None starts one.
        step: the number of this call's step, for a phase that the run visits twice; None uses the run's next one.
        answer: the host's answer to the previous prompt, as a one-element tuple; empty without an answer. Null is an
            answer if the prompt's schema allows it explicitly; otherwise some hosts send it for no answer.
        inputs: the phase's inputs by name.
        person: the reply of a person, whose form is the answer.
        is_detailed: whether the response contains the whole result, and the trace of the decision.
    """

    phase: str
    workflow: str | None = None
    run: str | None = None
    step: int | None = None
    answer: tuple[Any, ...] = ()
    inputs: Mapping[str, Any] = field(default_factory=dict)
    person: PersonReply | None = None
    request_id: str = ""
    is_detailed: bool = False
    progress: Callable[[float, float | None, str], None] | None = None

    @property
    def has_answer(self) -> bool:
        """True when the call has an answer other than null."""
        return bool(self.answer) and self.answer[0] is not None

    def idempotency_key(self, phase: str) -> str:
        """Hash the phase id, the inputs and the answer, without the run and the step."""
        # Canonical, since a host that repeats a call may write its keys in another order.
        text = to_canonical_json([phase, dict(self.inputs), list(self.answer) if self.has_answer else []])
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


@dataclass(slots=True)
class CallState:
    """State of one call, from which a refusal tells how to continue.

    Attributes:
        call: the call.
        definition: the workflow, as soon as it is known; the same for what follows.
        run: the run before the call.
        phase: the phase of the call, or `continue`.
        waiting: the run, if it waits for a person.
        step: the number of the step that the call makes, in the run that it names; None as long as it is not located.
    """

    call: Call
    definition: Definition | None = None
    run: Run | None = None
    phase: str | None = None
    waiting: Run | None = None
    step: int | None = None
