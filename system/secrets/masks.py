"""Masks in place of secrets: in a text, in its lines, and in the strings of a JSON value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .scan import find_marks, find_secrets, may_have_secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .values import Secret

_MARKER = "[line left out: "


def mask_secrets(text: str) -> str:
    """Replace each secret by `[secret: KIND]`; the number of lines stays."""
    return mask_found(text, find_secrets(text))


def mask_found(text: str, found: Iterable[Secret]) -> str:
    """Replace these secrets by masks, with as many lines as before."""
    parts: list[str] = []
    at = 0
    for one in found:
        parts += [text[at : one.start], f"[secret: {one.kind}]", "\n" * text.count("\n", one.start, one.end)]
        at = one.end
    return "".join([*parts, text[at:]]) if parts else text


class MaskedText(NamedTuple):
    """Text without the values of its secrets, with as many lines as before.

    Attributes:
        text: the text with a mask in place of each value, so that its syntax stays.
        left_out: the kind of the secret by line, counted from 1.
    """

    text: str
    left_out: Mapping[int, str]


def mask_text(text: str) -> MaskedText:
    """Mask the secrets of a text, and number their lines."""
    found = find_secrets(text)
    left_out: dict[int, str] = {}
    at = line = 0
    for one in found:
        line += text.count("\n", at, one.start)
        last = line + text.count("\n", one.start, one.end)
        for row in range(line, last + 1):
            left_out.setdefault(row + 1, one.kind)
        at, line = one.end, last
    return MaskedText(mask_found(text, found), left_out)


def leave_out_lines(lines: Sequence[str], start: int, left_out: Mapping[int, str]) -> list[str]:
    """Replace the lines of secrets by `[line left out: KIND]`.

    Args:
        lines: lines of a file.
        start: number of the first, from 1.
        left_out: kinds by line number.
    """
    return [f"{_MARKER}{left_out[number]}]" if number in left_out else line for number, line in enumerate(lines, start)]


def count_left_out(text: str) -> int:
    """Count the lines of a text that were left out."""
    return sum(line.startswith(_MARKER) and line.endswith("]") for line in text.split("\n")) if _MARKER in text else 0


def mask_json(value: Any) -> Any:
    """Mask the secrets in the strings of a JSON value; return the same value where there is none.

    A key and its value are also checked together, like `password: "…"` in a file. Keys stay as they are.
    """
    text = "\n".join(dict.fromkeys(_list_lines(value)))  # a step has many values twice
    marks = find_marks(text)
    return _mask_value(value, marks) if may_have_secret(text, marks) else value


def _list_lines(value: Any) -> list[str]:
    """List the strings as they are searched for secrets: with their keys, if they have any."""
    lines: list[str] = []
    waiting = [value]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict):
            lines += [_write_member(key, inner) for key, inner in here.items() if isinstance(inner, str)]
            waiting += [inner for inner in here.values() if isinstance(inner, dict | list | tuple)]
        elif isinstance(here, list | tuple):
            waiting += here
        elif isinstance(here, str):
            lines.append(here)
    return lines


def _write_member(key: str, value: str) -> str:
    return f'{key} = "{value}"'


def _mask_value(value: Any, marks: frozenset[str]) -> Any:
    if isinstance(value, str):
        return mask_found(value, find_secrets(value, marks))
    if isinstance(value, list | tuple):
        masked = [_mask_value(inner, marks) for inner in value]
        return value if all(new is old for new, old in zip(masked, value, strict=True)) else masked
    if isinstance(value, dict):
        pairs = {key: _mask_member(key, inner, marks) for key, inner in value.items()}
        return value if all(pairs[key] is value[key] for key in value) else pairs
    return value


def _mask_member(key: str, value: Any, marks: frozenset[str]) -> Any:
    if not isinstance(value, str):
        return _mask_value(value, marks)
    start = len(key) + 4
    found = [one for one in find_secrets(_write_member(key, value), marks) if one.end > start]
    if not found:
        return value
    masked = mask_found(value, find_secrets(value, marks))
    # Known only by its key, so nothing says which part of the value is the secret.
    return masked if masked != value else f"[secret: {found[0].kind}]"
