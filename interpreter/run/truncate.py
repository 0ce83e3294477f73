"""Size of responses: their truncation, for hosts that cut them at 19,000 characters, and tokens."""

from __future__ import annotations

import json
from typing import Any

from aurora.interpreter.language.tokens import count_tokens

MAX_RESPONSE_CHARACTERS = 18_300
"""Characters of the compact JSON; the smallest limit of the hosts is 19,000, and marks around 20 chunks take 600."""

ADDRESS_ARGUMENTS = frozenset({"phase", "workflow", "run", "step"})
"""Arguments that address a call; they are short, and always stay."""

_CLIP_LENGTHS = (4000, 1500, 600, 240, 120)


def to_compact_json(value: Any) -> str:
    """Serialize to the JSON text that is sent, byte for byte."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def fit_response(response: dict[str, Any], used: int, budget: int | None) -> tuple[dict[str, Any], int]:
    """Truncate a response, and count its tokens; past the budget of its run, its metadata says so.

    Args:
        response: a response to store.
        used: the tokens of the responses before it.
        budget: the tokens that the workflow allows; None without a budget.

    Returns:
        The response, and its tokens.
    """
    fitting = truncate_response(response)
    tokens = count_tokens(to_compact_json(fitting))
    if not is_over_budget(used + tokens, budget):
        return fitting, tokens
    for _ in range(3):  # the note counts too; its sum gets a digit more at most once
        fitting = truncate_response(add_budget(response, used + tokens, budget))
        tokens = count_tokens(to_compact_json(fitting))
    return fitting, tokens


def is_over_budget(used: int, budget: int | None) -> bool:
    """Return True if a run has used more tokens than its workflow allows."""
    return budget is not None and used > budget


def add_budget(response: dict[str, Any], used: int, budget: int | None) -> dict[str, Any]:
    """Add the budget of the run, and what it has used, to the metadata of a response."""
    return {**response, "metadata": {**response["metadata"], "budget": {"tokens": budget, "used": used}}}


def truncate_response(response: dict[str, Any], limit: int = MAX_RESPONSE_CHARACTERS) -> dict[str, Any]:
    """Cut the longest texts of the result; the journal keeps all of it.

    Each cut text says so. A result that is still too long is left out, and `metadata.omitted` explains it.
    """
    if len(to_compact_json(response)) <= limit:
        return response
    run = response.get("run")
    pointer = f"; `aur runs show {run}` has the whole" if run else ""
    for most in _CLIP_LENGTHS:
        shorter = {**response, "result": _clip_texts(response.get("result"), most, pointer)}
        if len(to_compact_json(shorter)) <= limit:
            return shorter
    metadata = {name: value for name, value in response["metadata"].items() if name != "decision"}
    if response.get("result") is not None:
        metadata["omitted"] = f"the result is too long to show{pointer}"
    return _drop_long_arguments({**response, "result": None, "metadata": metadata}, limit)


def _drop_long_arguments(response: dict[str, Any], limit: int) -> dict[str, Any]:
    """Move the longest values of a `next_call` without a run to its `needs`."""
    following = response.get("next_call")
    while following and len(to_compact_json(response)) > limit:
        values = {name: value for name, value in following["arguments"].items() if name not in ADDRESS_ARGUMENTS}
        if not values:
            break
        longest = max(values, key=lambda name: len(to_compact_json(values[name])))
        arguments = {name: value for name, value in following["arguments"].items() if name != longest}
        needs = {
            **following["needs"],
            longest: {"description": "Too long to repeat here: pass the value that you have."},
        }
        following = {**following, "arguments": arguments, "needs": needs}
        response = {**response, "next_call": following}
    return response


def _clip_texts(value: Any, most: int, pointer: str) -> Any:
    if isinstance(value, str) and len(value) > most:
        return f"{value[:most]}… [+{len(value) - most} characters{pointer}]"
    if isinstance(value, dict):
        return {key: _clip_texts(item, most, pointer) for key, item in value.items()}
    if isinstance(value, list):
        return [_clip_texts(item, most, pointer) for item in value]
    return value
