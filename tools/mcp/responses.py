"""Responses of `tools/call`: the text equals the structured content, byte for byte, for every host."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aurora.errors import MATERIAL_END, MATERIAL_NOTE, mark_material, show_hidden_values
from aurora.tools.text import hide_server_paths

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.errors import Fault

MAX_RESPONSE_CHARS = 19_000
"""Size limit of a response in characters; beyond it some hosts write a file or cut the middle."""
_TEXT_ONLY_CLIENTS = frozenset({"@cline/core"})
"""Hosts, by the name that they give themselves, that show both text and structure to their model, and ignore output
schemas. Cline CLI 3.0 cuts them at 8,000 characters together, in the middle; the text alone mostly fits."""
_MIN_TEXT_LENGTH = 200
_SHORTENED_LENGTH = _MIN_TEXT_LENGTH + len("…") + len(MATERIAL_END)
"""Length of the shortest text that a truncation leaves, at most."""
_PROTECTED_KEYS = frozenset({"next_action", "next_call", "phase", "run", "status"})
"""Fields that the host needs to continue; never truncated."""


def to_json_text(content: Any) -> str:
    """Return the compact JSON for the text of a response."""
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False)


def build_result(content: dict[str, Any]) -> dict[str, Any]:
    """Return the result for a tool's output; an envelope with the status `error` is an error, too.

    Foreign text is marked, and hidden characters are visible escapes.
    """
    shown = truncate_content(_normalize_floats(show_hidden_values(mark_material(content))))
    return {
        "content": [{"type": "text", "text": to_json_text(shown)}],
        "structuredContent": shown,
        "resultType": "complete",
        "isError": shown.get("status") == "error" and "error" in shown,
    }


def build_error_result(fault: Fault) -> dict[str, Any]:
    """Return the result for a fault."""
    return build_result({"status": "error", "error": fault.to_json()})


def hide_in_result(result: dict[str, Any], root: Path) -> dict[str, Any]:
    """Return a result that names no folder of this machine; its text still equals its structure.

    Args:
        result: of any request.
        root: the folder of the project.
    """
    hidden: dict[str, Any] = hide_server_paths(result, root)
    if "structuredContent" in hidden:
        hidden["content"] = [{"type": "text", "text": to_json_text(hidden["structuredContent"])}]
    return hidden


def has_material_note(result: dict[str, Any]) -> bool:
    """Return whether a result explains the marks of foreign text."""
    return "structuredContent" in result and MATERIAL_NOTE in result["content"][0]["text"]


def drop_material_note(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result without the note on the marks, which an earlier result of the session had."""
    if not has_material_note(result):
        return result
    structure = result["structuredContent"]
    shown = _drop_note(structure)
    if isinstance(inner := structure.get("result"), dict):
        shown["result"] = {**inner, "note": ""} | _drop_note(inner) if "note" in inner else inner  # its schema wants it
    return {**result, "content": [{"type": "text", "text": to_json_text(shown)}], "structuredContent": shown}


def _drop_note(content: dict[str, Any]) -> dict[str, Any]:
    """Return the content without the note on the marks; without any, if it had no other."""
    note = str(content.get("note", "")).removesuffix(MATERIAL_NOTE).rstrip()
    return {name: note if name == "note" else value for name, value in content.items() if name != "note" or note}


def leave_structure_out(result: dict[str, Any], client: str) -> dict[str, Any]:
    """Return the result without its structure for a host that would show it beside the equal text.

    Args:
        result: the result of a call; one that asks the person has no structure.
        client: the name that the host gives itself; empty when it gives none.
    """
    if client not in _TEXT_ONLY_CLIENTS:
        return result
    return {name: value for name, value in result.items() if name != "structuredContent"}


def truncate_content(content: dict[str, Any]) -> dict[str, Any]:
    """Truncate the content to `MAX_RESPONSE_CHARS`.

    This is a last resort, because tools page or trim their output.

    The longest text is cut first, then the longest list loses its tail; the field `truncated` reports it.
    """
    excess = len(to_json_text(content)) - MAX_RESPONSE_CHARS
    if excess <= 0:
        return content
    notice = "Values were truncated to fit one response; request less at a time."
    cut: dict[str, Any] = json.loads(to_json_text({**content, "truncated": notice}))
    while (excess := len(to_json_text(cut)) - MAX_RESPONSE_CHARS) > 0 and _truncate_largest(cut, excess):
        pass
    return cut


def _truncate_largest(content: dict[str, Any], excess: int) -> bool:
    """Truncate the largest value; return False if nothing is left to truncate."""
    texts: list[tuple[int, Any, Any]] = []
    lists: list[tuple[int, list[Any]]] = []
    # At the top a copy without the protected fields is searched; `owners` leads back to the content, where a text is
    # cut.
    waiting: list[Any] = [{key: value for key, value in content.items() if key not in _PROTECTED_KEYS}]
    owners: dict[int, Any] = {id(waiting[0]): content}
    while waiting:
        here = waiting.pop()
        if isinstance(here, list) and len(here) > 1:
            lists.append((len(to_json_text(here)), here))
        for key, value in here.items() if isinstance(here, dict) else enumerate(here):
            if isinstance(value, str) and len(value) > _SHORTENED_LENGTH:
                texts.append((len(value), owners.get(id(here), here), key))
            elif isinstance(value, dict | list):
                waiting.append(value)
    if texts:
        length, owner, key = max(texts, key=lambda one: one[0])
        owner[key] = _truncate_text(owner[key], length - excess)
        return True
    if lists:
        longest = max(lists, key=lambda one: one[0])[1]
        del longest[-max(1, len(longest) // 4) :]
        return True
    return False


def _truncate_text(text: str, length: int) -> str:
    """Truncate a text; a marked one stays between its marks."""
    end = MATERIAL_END if text.endswith(MATERIAL_END) else ""
    return f"{text[: max(_MIN_TEXT_LENGTH, length - 1 - len(end))]}…{end}"


def _normalize_floats(value: Any) -> Any:
    """Return the same JSON with whole floats as integers.

    A host written in JavaScript serializes `1.0` as `1`, and the text must equal its structured content.
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, dict):
        return {key: _normalize_floats(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_normalize_floats(inner) for inner in value]
    return value
