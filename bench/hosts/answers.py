"""Answers of the scripted model: what the JSON Schema asks for, with words of the prompt."""

from __future__ import annotations

import re
from typing import Any

from aurora.interpreter.lab.generate import generate_least_value

_CHUNK = re.compile(r"\b(?:code|know|reas):[0-9A-Za-z_-]+")
_RANGE = re.compile(r"into (\d+) to (\d+) subgoals")
_QUERY = re.compile(r"^Query: (.+)$", re.MULTILINE)
_LINE = re.compile(r"^(?:code|know|reas):\S+ (\S+?):?[\d-]* (\S*)", re.MULTILINE)
_NAMED = re.compile(r"^(\S+) \[\w+\]", re.MULTILINE)
_PARTS = re.compile(r",?\s+and\s+|[,;?.]\s*")

Schema = dict[str, Any]


def write_answer(schema: Schema, prompts: list[str]) -> Any:
    """Write the answer to the prompts: one, one for each in a list, or some by name.

    Args:
        schema: what `next_call.needs` has for the answer.
        prompts: the prompts of the response that asked, in order.
    """
    if schema.get("minProperties") == 1:  # of the branches of a phase
        named = zip(schema["properties"].items(), prompts, strict=False)
        return {name: _write_one(inner, prompt) for (name, inner), prompt in named}
    if schema.get("type") == "array" and len(prompts) > 1:
        return [_write_one(schema["items"], prompt) for prompt in prompts]
    return _write_one(schema, prompts[0] if prompts else "")


def _write_one(schema: Schema, prompt: str) -> Any:
    if schema.get("type") == "array":  # a list of one prompt
        return [_write_one(schema["items"], prompt)]
    answer = generate_least_value(schema)
    if not isinstance(answer, dict):
        return answer
    properties = schema.get("properties", {})
    for name in properties:
        answer.update({name: value} if (value := _write_field(name, properties[name], prompt)) is not None else {})
    return answer


def _write_field(name: str, schema: Schema, prompt: str) -> Any:
    """Write the value of a field whose name says what is meant; None keeps the least value."""
    if name in {"output", "answer"}:
        return f"Seen: {' '.join(prompt.split())[:300]}" if schema.get("type") == "string" else None
    match name:
        case "subgoals":
            return _decompose(schema["items"], prompt)
        case "citations":
            return list(dict.fromkeys(_CHUNK.findall(prompt)))[:2]
        case "verdicts":
            return [{**generate_least_value(schema["items"]), "id": found} for found in _NAMED.findall(prompt)]
        case "findings":
            return [generate_least_value(schema["items"])]
    return 0.9 if name == "confidence" else None


def _decompose(item: Schema, prompt: str) -> list[dict[str, Any]]:
    """Break the query at its commas and conjunctions, and give each part places from the material."""
    asked, named = _RANGE.search(prompt), _QUERY.search(prompt)
    least, most = (int(asked[1]), int(asked[2])) if asked else (2, 4)
    query = named[1] if named else "the question"
    parts = [part for part in _PARTS.split(query) if part]
    parts = [parts[index] if index < len(parts) else query for index in range(max(least, min(most, len(parts))))]
    places = _LINE.findall(prompt)
    return [_make_subgoal(item, number, part, places[number :: len(parts)][:2]) for number, part in enumerate(parts)]


def _make_subgoal(item: Schema, number: int, part: str, places: list[tuple[str, str]]) -> dict[str, Any]:
    names = ", ".join(symbol or path for path, symbol in places)
    subgoal = {
        **generate_least_value(item),
        "id": f"s{number + 1}",
        "description": f"Find out: {part}. Look in {names or 'the project'}"[:500],
        "depends_on": ["s1"] if number else [],
    }
    optional = {"covers": [part], "where": [path for path, _ in places], "critical": number == 0}
    return {**subgoal, **{name: value for name, value in optional.items() if name in item.get("properties", {})}}
