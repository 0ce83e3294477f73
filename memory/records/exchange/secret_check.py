"""Whether a record holds a secret, in whatever field, so that it neither enters by hand nor leaves by an export."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault
from aurora.memory.files import find_secret

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.memory.files import SecretLocation


def find_secret_in_record(value: Any) -> SecretLocation | None:
    """The first secret among the strings of JSON values, whatever they lie in.

    A key and its value are looked at together too, as `password: "…"` would be in a file.
    """
    return find_secret("\n".join(_iter_texts(value)))


def _iter_texts(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:  # a stack of our own: what is read may be nested deep
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, list):
            waiting.extend(one)
        elif isinstance(one, dict):
            for key, inner in one.items():
                yield f'{key} = "{inner}"' if isinstance(inner, str) else str(key)
            waiting.extend(one.values())


def reject_secret(value: Any) -> None:
    """Make sure that something that is to be remembered holds no secret.

    Raises:
        Fault: FORBIDDEN, with the rule that saw it and never the value.
    """
    found = find_secret_in_record(value)
    if found:
        raise Fault(
            Code.FORBIDDEN,
            f"this holds {found.rule}, and the memory keeps no secrets",
            help="leave it out, or say where it is kept instead of what it is",
            details={"rule": found.rule},
        )
