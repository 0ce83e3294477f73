"""Workflows made at random that are right in every respect: nothing may be found in any of them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

COLOURS = ["amber", "black", "green", "white"]
LABELS = ["cold", "hot", "sweet"]
ORDER = {"type": "object", "additionalProperties": False}

FIELDS: dict[str, Callable[[Random], dict[str, Any]]] = {
    "colour": lambda random: {"enum": COLOURS[: random.randint(2, 4)]},
    "sure": lambda _: {"type": "boolean"},
    "count": lambda _: {"type": "integer", "minimum": 0, "maximum": 9},
    "labels": lambda _: {"type": "array", "maxItems": 5, "items": {"enum": LABELS}},
    "leaf": lambda _: {
        **ORDER,
        "required": ["whole", "grade"],
        "properties": {"whole": {"type": "boolean"}, "grade": {"enum": ["fine", "plain"]}},
    },
}
"""What an answer may hold, by name."""


@dataclass
class Made:
    """A workflow as plain values, and as the text of a file in the usual style."""

    document: dict[str, Any]
    text: str = field(init=False)

    def __post_init__(self) -> None:
        self.text = block(self.document)


def workflow(seed: int, most: int = 8) -> Made:
    """A workflow of two to so many phases, and mostly one for failures; the same seed makes the same."""
    random = Random(seed)  # noqa: S311 - nothing is kept secret with it
    size = random.randint(2, most)
    phases = [_phase(random, at) for at in range(size)]
    backs = 2
    for at in range(size):
        backs -= _rules(random, phases, at, allowed=backs)
    _ways_in(phases)
    named: dict[str, Any] = {}
    for at, phase in enumerate(phases):
        for note in ("tests", "fields"):
            phase.pop(note, None)
        named[f"p{at}"] = {key: phase[key] for key in KEYS if key in phase}
    if any("on_error" in phase for phase in phases):
        said = {"why": {"default": "nobody knows", "type": "string"}}
        ask = "Say that it did not work: {{ why }}.\n"
        named["sorry"] = {"inputs": said, "prompt_template": ask, "answer": {"type": "string"}, "next_action": "end"}
    head = {"aurora": 1, "name": "w", "version": "1.0.0", "title": "Made at random", "start": "p0"}
    return Made({**head, "phases": named})


KEYS = (
    "title", "aliases", "inputs", "uses", "with", "output", "for_each", "prompt_template", "answer", "next_action",
    "on_error",
)  # fmt: skip


def _phase(random: Random, at: int) -> dict[str, Any]:
    phase: dict[str, Any] = {"inputs": {}}
    if random.random() < 0.3:
        phase["title"] = f"Step {at}"
    if random.random() < 0.3:
        phase["aliases"] = [f"also_p{at}"]
    if at == 0:
        phase["inputs"]["task"] = {"type": "string", "minLength": 1}
    kind = "ask" if at < 2 else random.choice(["ask", "ask", "ask", "ask", "both", "both", "tool", "each"])
    if kind in {"tool", "both"}:
        phase["uses"] = "mem.search"
        phase["inputs"]["task"] = {"from": "inputs.task", "type": "string"}
        phase["with"] = {"query": "task", "limit": "`3`"}
        if random.random() < 0.6:
            phase["on_error"] = "sorry"
    if kind == "tool":
        return phase
    if kind == "each":
        phase["inputs"]["parts"] = {"type": "array", "maxItems": 3, "items": {"type": "string"}}
        phase["for_each"] = {"in": "inputs.parts", "as": "part", "max": 3}
        phase["answer"] = {**ORDER, "required": ["note"], "properties": {"note": {"type": "string"}}}
        return phase
    names = random.sample(sorted(FIELDS), random.randint(1, 4))
    if at == 0:
        names = sorted({*names, "colour", "sure", "count", "labels", "leaf"})
    made = {name: FIELDS[name](random) for name in names}
    phase["answer"] = {**ORDER, "required": names, "properties": {**made, "remark": {"type": "string"}}}
    phase["fields"] = made
    return phase


def _rules(random: Random, phases: list[dict[str, Any]], at: int, *, allowed: int) -> int:
    """Give a phase its rules; how many of them lead back."""
    phase = phases[at]
    onward = f"p{at + 1}" if at + 1 < len(phases) else "end"
    tests: list[str] = []
    if at and _dominates(phases, at - 1, at) and phases[at - 1].get("answer", {}).get("properties", {}):
        tests = _tests(random, phases, at)
    elif phase.get("uses") and random.random() < 0.7:
        tests = [
            random.choice(["length(hits) > `0`", "confidence < `0.5`", "hits[?score > `0.5`].id | length(@) > `0`"])
        ]
    rules: list[dict[str, Any]] = []
    back = 0
    # a way back to any other phase could go past the one whose answer a condition looks at
    behind = [0, at - 1] if at and _dominates(phases, at - 1, at) else [0]
    for test in tests:
        rule: dict[str, Any] = {"when": test}
        choice = random.random()
        if at and choice < 0.25 and back < allowed:
            back += 1
            rule |= {"then": _called(phases, random.choice(behind)), "max": random.randint(1, 2), "else": onward}
        elif choice < 0.6 and at + 2 < len(phases):
            rule |= {"then": _called(phases, random.randint(at + 1, len(phases) - 1))}
        else:
            rule |= {"then": "end"}
        rules.append(rule)
    rules.append({"then": onward if onward == "end" else _called(phases, at + 1)})
    phase["next_action"] = onward if len(rules) == 1 else rules
    phase["targets"] = [rule[key] for rule in rules for key in ("then", "else") if key in rule]
    return back


def _called(phases: list[dict[str, Any]], at: int) -> str:
    """The phase, by its alias where it has one."""
    return phases[at].get("aliases", [f"p{at}"])[0]


def _dominates(phases: list[dict[str, Any]], one: int, other: int) -> bool:
    """Whether every way to `other` leads through `one`; the phases before `other` have their rules."""
    seen = {0} - {one}
    todo = list(seen)
    while todo:
        for target in phases[todo.pop()].get("targets", ()):
            number = -1 if target == "end" else int(re.sub(r"\D", "", target))
            if number not in (-1, one) and number not in seen:
                seen.add(number)
                todo.append(number)
    return other not in seen


def _tests(random: Random, phases: list[dict[str, Any]], at: int) -> list[str]:
    """Conditions over what the phase before answered, none of which takes all that another leaves."""
    fields = phases[at - 1].get("fields", {})
    if not fields:
        return []
    name = random.choice(sorted(fields))
    phases[at]["tests"] = [name]
    it = f"inputs.{name}"
    if name == "colour":
        values = fields[name]["enum"]
        each = [f"{it} == '{value}'" for value in values[:-1]]
        return random.choice([each, [f"{it} != '{values[0]}'"], [" || ".join(each)]])
    if name == "count":
        return random.choice([[f"{it} < `3`", f"{it} < `7`"], [f"{it} >= `5`"], [f"`2` < {it} && {it} <= `6`"]])
    if name == "labels":
        return random.choice([[f"contains({it}, 'hot')", f"length({it}) > `2`"], [f"!(contains({it}, 'hot'))"]])
    if name == "leaf":
        return random.choice(
            [[f"{it}.whole"], [f"{it}.grade == 'fine' && {it}.whole", f"{it}.whole"], [f"!({it}.grade == 'plain')"]]
        )
    return random.choice([[it], [f"!({it})"], [f"{it} == `true`"]])


def _ways_in(phases: list[dict[str, Any]]) -> None:
    """Let each phase recall the answer of the one before, and say in its prompt all that it takes."""
    for at, phase in enumerate(phases):
        sure = at > 0 and _dominates(phases, at - 1, at)
        before = phases[at - 1].get("answer") if at else None
        if before is not None:
            _recall(phase, f"p{at - 1}", phases[at - 1], sure=sure)
        if "answer" not in phase:
            if before is not None:  # a tool alone has no prompt that says it: what it takes must be read some way
                phase["prompt_template"] = ""
                phase["answer"] = {"type": "string"}
            else:
                continue
        shown = [name for name in phase["inputs"] if name != "parts"]
        lines = ["Do your part."] + [f"{name}: {{{{ {name} }}}}" for name in shown]
        lines += ["Now {{ part }}."] if "for_each" in phase else []
        phase["prompt_template"] = "\n".join(lines) + "\n"
    for phase in phases:
        phase.pop("targets", None)


def _recall(phase: dict[str, Any], source: str, before: dict[str, Any], *, sure: bool) -> None:
    names = phase.get("tests") or []
    schema = before["answer"]
    if not names or not sure:
        kind = {"type": "array"} if "for_each" in before else {"type": schema.get("type", "string")}
        phase["inputs"]["before"] = {"from": f"phases.{source}.answer", **kind, **({} if sure else {"optional": True})}
    for name in names if sure else ():
        phase["inputs"][name] = {"from": f"phases.{source}.answer.{name}", **schema["properties"][name]}


def block(document: dict[str, Any]) -> str:
    """The text as a person would write it: an input, a field of a schema and a rule on a line each."""
    lines = [f"{key}: {_flow(value)}" for key, value in document.items() if key != "phases"]
    lines.append("phases:")
    for name, phase in document["phases"].items():
        lines.append(f"  {name}:")
        for key, value in phase.items():
            if key == "prompt_template":
                lines += ["    prompt_template: |", *(f"      {line}" for line in value.splitlines())]
            elif isinstance(value, list) and key == "next_action":
                lines += ["    next_action:", *(f"      - {_flow(rule)}" for rule in value)]
            elif key == "answer" and "properties" in value:
                lines += ["    answer:", *(f"      {k}: {_flow(v)}" for k, v in value.items() if k != "properties")]
                lines += ["      properties:", *(f"        {k}: {_flow(v)}" for k, v in value["properties"].items())]
            elif key in {"inputs", "with"} and value:
                lines += [f"    {key}:", *(f"      {k}: {_flow(v)}" for k, v in value.items())]
            else:
                lines.append(f"    {key}: {_flow(value)}")
    return "\n".join(lines) + "\n"


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key}: {_flow(inner)}" for key, inner in value.items()) + " }" if value else "{}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if isinstance(value, str) and re.fullmatch(r"[a-z_]\w*(\.\w+)*", value) and value not in {"true", "null", "false"}:
        return value
    return json.dumps(value)
