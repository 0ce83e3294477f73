"""What a tool says, in the shape that every host can show: the text is the structured content, byte for byte."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aurora.faults import Fault

LIMIT = 19_000
"""Characters of a response; above it some hosts spill to a file or cut the middle."""
_SHORTEST = 200
_KEPT = frozenset({"next_action", "next_call", "phase", "run", "status"})
"""What the host needs to go on; never cut."""


def text_of(content: Any) -> str:
    """The compact JSON that is the text of a response."""
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False)


def answer(content: dict[str, Any]) -> dict[str, Any]:
    """The result of `tools/call` for a tool's output; an envelope whose `status` is `error` is an error here too."""
    shown = fitted(_plain(content))
    return {
        "content": [{"type": "text", "text": text_of(shown)}],
        "structuredContent": shown,
        "resultType": "complete",
        "isError": shown.get("status") == "error" and "error" in shown,
    }


def refusal(fault: Fault) -> dict[str, Any]:
    """The result of `tools/call` for a fault."""
    return answer({"status": "error", "error": fault.as_json()})


def fitted(content: dict[str, Any]) -> dict[str, Any]:
    """The content within `LIMIT`: a last resort, for tools page or trim their own output.

    The longest text is cut first, then the longest list loses its tail; `truncated` says so.
    """
    excess = len(text_of(content)) - LIMIT
    if excess <= 0:
        return content
    said = "Values were cut to fit one response; ask for less at a time."
    cut: dict[str, Any] = json.loads(text_of({**content, "truncated": said}))
    while (excess := len(text_of(cut)) - LIMIT) > 0 and _cut_once(cut, excess):
        pass
    return cut


def _cut_once(content: dict[str, Any], excess: int) -> bool:
    """Shorten the heaviest place; False when nothing is left to shorten."""
    texts: list[tuple[int, Any, Any]] = []
    lists: list[tuple[int, list[Any]]] = []
    waiting: list[Any] = [{key: value for key, value in content.items() if key not in _KEPT}]
    owners: dict[int, Any] = {id(waiting[0]): content}
    while waiting:
        here = waiting.pop()
        if isinstance(here, list) and len(here) > 1:
            lists.append((len(text_of(here)), here))
        for key, value in here.items() if isinstance(here, dict) else enumerate(here):
            if isinstance(value, str) and len(value) > _SHORTEST + 1:
                texts.append((len(value), owners.get(id(here), here), key))
            elif isinstance(value, dict | list):
                waiting.append(value)
    if texts:
        length, owner, key = max(texts, key=lambda one: one[0])
        owner[key] = owner[key][: max(_SHORTEST, length - excess - 1)] + "…"
        return True
    if lists:
        longest = max(lists, key=lambda one: one[0])[1]
        del longest[-max(1, len(longest) // 4) :]
        return True
    return False


def _plain(value: Any) -> Any:
    """The same JSON with whole floats as integers.

    `1.0` here is `1` to a host written in JavaScript, and the text must equal what it makes of the structured content.
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value
