"""Fault: an error with a code, a message and a remedy, the same on every surface."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


_SENTENCE_ENDS = (".", "!", "?", ":")


class Code(StrEnum):
    """Error codes; the same failure has the same code on every surface."""

    INVALID_INPUT = "INVALID_INPUT"
    NOT_FOUND = "NOT_FOUND"
    CONFLICT = "CONFLICT"
    UNAUTHORIZED = "UNAUTHORIZED"
    FORBIDDEN = "FORBIDDEN"
    TIMEOUT = "TIMEOUT"
    RATE_LIMITED = "RATE_LIMITED"
    UPSTREAM_ERROR = "UPSTREAM_ERROR"
    WORKFLOW_ERROR = "WORKFLOW_ERROR"
    INTERNAL_ERROR = "INTERNAL_ERROR"


class Fault(Exception):  # noqa: N818 - the field's word is "fault"; "error" is the wire's key for it
    """Failure that a person or an assistant can read and act upon.

    Args:
        code: one of the codes.
        message: one sentence: what is wrong, with names quoted.
        help: one sentence: what was expected, or the command that fixes it; may be empty. A capital and a full stop are
            added.
        details: JSON values for programs: the paths of wrong fields, the allowed choices.
    """

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        help: str = "",  # noqa: A002 - the wire's key is `help`, and nothing here prints Python's help
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.help = _to_sentence(help)
        self.details = dict(details or {})

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object: `code`, `message`, `details`, `help`."""
        return {"code": self.code.value, "message": self.message, "details": self.details, "help": self.help}


class EnvironmentFault(Fault):
    """Fault of an environment variable whose value has no meaning."""


class ArgumentFault(Fault):
    """Fault of a command line whose arguments have no meaning for its tool."""


def _to_sentence(text: str) -> str:
    """Return the text with a capital first and a full stop last."""
    text = text.strip()
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(_SENTENCE_ENDS) else '.'}" if text else ""
