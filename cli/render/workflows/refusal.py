"""Faults of a refused call in the words of the command: `--input query`, not `$.query`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_PATH = re.compile(r"\$\.(?P<name>[\w-]+)(?P<rest>.*)", re.DOTALL)
_MISSING = "is missing"


def has_value_faults(output: Mapping[str, Any]) -> bool:
    """Return True if the error lists faults of inputs or of the answer, which a person can correct."""
    details = (output.get("error") or {}).get("details") or {}
    return bool(details.get("faults")) and "arguments" in details


def format_message(output: Mapping[str, Any]) -> str:
    """Return the message without the first fault, since all of them follow."""
    message = str(output["error"]["message"])
    before, refused, _ = message.partition(" refuses this call")
    return f"{before} cannot run with these values" if refused else message


def list_option_faults(output: Mapping[str, Any]) -> list[str]:
    """List the faults, each with the option of `aur workflow step` that takes the value."""
    return [_describe_fault(one, "--answer", " 'JSON'", "--input ", "='…'") for one in _read_faults(output)]


def list_value_faults(output: Mapping[str, Any]) -> list[str]:
    """List the faults, each with the name of the value, where a person types values and no options."""
    return [_describe_fault(one, "the answer", "", "input ", "") for one in _read_faults(output)]


def _read_faults(output: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    faults: list[Mapping[str, Any]] = output["error"]["details"]["faults"]
    return faults


def _describe_fault(fault: Mapping[str, Any], answer: str, answer_value: str, given: str, given_value: str) -> str:
    """Describe a fault with the words for an answer and for an input, and what a missing one looks like."""
    path, message = str(fault["path"]), str(fault["message"])
    found = _PATH.fullmatch(path)
    if found is None:
        return f"{path}: {message}"
    is_answer = found["name"] == "answer"
    title, value = (answer, answer_value) if is_answer else (f"{given}{found['name']}", given_value)
    if found["rest"]:
        return f"{title}, at ${found['rest']}: {message}"
    return f"{title}{value} {message}" if message.startswith(_MISSING) else f"{title}: {message}"
