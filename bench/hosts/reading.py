"""Reading of a tool result from the text that a host shows to its model."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_KEYS = frozenset({"next_call", "error", "hits"})
"""Keys of a response; an object without any of them is a part of something else."""
_REFUSED_BY_HOST = re.compile(r"params[ /]|Required parameter ")
"""Beginning of what Gemini CLI, Qwen Code and Continue CLI say of a call that does not fit the input schema."""
_CLIPPED = re.compile(r"… \[\+\d+ characters")
_MATERIAL = re.compile(r"<material>(.*?)</material>", re.DOTALL)
_EVIDENCE_KEYS = ("evidence", "chunks", "hits", "patterns")


@dataclass(frozen=True, slots=True)
class Observation:
    """One tool result, as the model sees it.

    Attributes:
        text: all that the host shows.
        body: the response in it; empty if the text has no whole response.
    """

    text: str
    body: dict[str, Any]

    @property
    def error(self) -> dict[str, Any]:
        """The error; empty without one."""
        return self.body.get("error") or {}

    @property
    def is_refused_by_host(self) -> bool:
        """True if the host refused the call by the tool's input schema, in words of its own."""
        return bool(_REFUSED_BY_HOST.match(self.text))

    @property
    def is_readable_error(self) -> bool:
        """True for an error that says what is wrong and what to do."""
        has_remedy = bool(self.error.get("help") or self.body.get("next_call"))
        return bool(self.error.get("code") and self.error.get("message")) and has_remedy

    @property
    def is_truncated(self) -> bool:
        """True if the host cut the text, or Aurora cut a value."""
        by_host = not self.body and '"status":' in self.text
        by_aurora = "truncated" in self.body or "omitted" in self.body.get("metadata", {})
        return by_host or by_aurora or bool(_CLIPPED.search(self.text))

    @property
    def prompts(self) -> list[str]:
        """The prompts to reason about, in order."""
        found = self.body.get("prompt_template")
        if isinstance(found, dict):
            return list(found.values())
        return found if isinstance(found, list) else [found] if found else []

    @property
    def evidence(self) -> int:
        """Characters of material: fenced text of the prompts, and chunks in the result."""
        result = self.body.get("result") or {}
        listed = (result.get(key) for key in _EVIDENCE_KEYS)
        fenced = sum(len(text) for prompt in self.prompts for text in _MATERIAL.findall(prompt))
        return fenced + sum(len(json.dumps(values, ensure_ascii=False)) for values in listed if values)


def read_result(text: str) -> Observation:
    """Read a result: the first JSON object in the text that is a response, or that contains one."""
    decoder = json.JSONDecoder()
    place = text.find("{")
    while place >= 0:
        try:
            document, end = decoder.raw_decode(text, place)
        except json.JSONDecodeError:
            document, end = None, place + 1
        if (body := _find_response(document)) is not None:
            return Observation(text, body)
        place = text.find("{", end)
    return Observation(text, {})


def _find_response(value: Any) -> dict[str, Any] | None:
    """Find a response in a document.

    Gemini CLI and Qwen Code show an error within the message of the protocol, Continue CLI and Cline CLI the blocks of
    content.
    """
    if isinstance(value, dict) and _is_response(value):
        return value
    if isinstance(value, str) and value.startswith("{"):
        return read_result(value).body or None
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((found for one in inner if (found := _find_response(one)) is not None), None)


def _is_response(value: dict[str, Any]) -> bool:
    """Return True for a response; an `error` of the protocol has no code."""
    error = value.get("error")
    return bool(_KEYS & set(value)) and (not isinstance(error, dict) or "code" in error)
