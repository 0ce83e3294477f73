"""Faults: errors with a code, a message and a remedy, and suggestions for misspelt names."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SENTENCE_ENDS = (".", "!", "?", ":")
MIN_SIMILARITY = 0.65
"""Similarity, from 0 to 1, from which a known name is suggested for an unknown one."""
FIX_SIMILARITY = 0.75
"""Similarity from which a wrong name is fixed without asking."""
_MAX_LENGTH = 80
"""Characters of the word that are compared: its length is not limited otherwise."""


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


def find_nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the most similar known name, or None; ignore case."""
    by_folded = _map_casefolded(known)
    folded = word[:_MAX_LENGTH].casefold()
    found = [folded] if folded in by_folded else _find_similar(folded, list(by_folded), n=1, cutoff=MIN_SIMILARITY)
    return by_folded[found[0]] if found else None


def find_unambiguous(word: str, known: Iterable[str]) -> str | None:
    """Return the known name that is very similar, if no other one is similar; else None."""
    by_folded = _map_casefolded(known)
    folded = word[:_MAX_LENGTH].casefold()
    if folded in by_folded:
        return by_folded[folded]
    near = _find_similar(folded, list(by_folded), n=2, cutoff=MIN_SIMILARITY)
    sure = _find_similar(folded, list(by_folded), n=1, cutoff=FIX_SIMILARITY)
    return by_folded[sure[0]] if sure and len(near) == 1 else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `did you mean "x"?`, or an empty string without a similar name."""
    near = find_nearest(word, known)
    return f'did you mean "{near}"?' if near else ""


def quote_names(names: Iterable[str]) -> str:
    """Return all names, sorted and quoted: `"a", "b"`."""
    return ", ".join(f'"{name}"' for name in sorted(names))


def list_names(names: Iterable[str], most: int = 20) -> str:
    """Return the names sorted and quoted; cut a long list with `and 3 more`."""
    ordered = sorted(names)
    shown = quote_names(ordered[:most])
    return shown if len(ordered) <= most else f"{shown} and {len(ordered) - most} more"


def _map_casefolded(known: Iterable[str]) -> dict[str, str]:
    """Map folded names to names; of those that differ only by case, keep the first."""
    return {name.casefold(): name for name in reversed(list(known))}


def _find_similar(word: str, known: list[str], n: int, cutoff: float) -> list[str]:
    """Return at most `n` known words with at least this similarity, the most similar first."""
    from difflib import get_close_matches  # noqa: PLC0415 - loaded only for a wrong name

    return get_close_matches(word, known, n=n, cutoff=cutoff)
