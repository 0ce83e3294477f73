"""Secret detection in the fields of a record, on entry and on export."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault
from aurora.faults.secrets import find_secrets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.faults.secrets import Secret


def find_secret_in_record(value: Any) -> Secret | None:
    """Find the first secret among the strings of JSON values.

    A key and its value are also checked together, like `password: "…"` in a file.
    """
    return next(iter(find_secrets("\n".join(_iter_texts(value)))), None)


def _iter_texts(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:  # an explicit stack: the input may be nested deeply
        current = waiting.pop()
        if isinstance(current, str):
            yield current
        elif isinstance(current, list):
            waiting.extend(current)
        elif isinstance(current, dict):
            for key, inner in current.items():
                yield f'{key} = "{inner}"' if isinstance(inner, str) else str(key)
            waiting.extend(current.values())


def reject_secret(value: Any) -> None:
    """Raise a fault for a value that contains a secret.

    Raises:
        Fault: FORBIDDEN, with the rule that matched, never the value.
    """
    found = find_secret_in_record(value)
    if found:
        raise Fault(
            Code.FORBIDDEN,
            f"this contains {found.kind}, and the memory stores no secrets",
            help="leave it out, or write where it is stored",
            details={"rule": found.kind},
        )
