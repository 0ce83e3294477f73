"""Small workflows made at random, right or wrong, whose schemas have few values."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from random import Random
from typing import Any

Schema = dict[str, Any]
Readable = tuple[str, Schema]
"""A path that a condition can read, and the schema of its value."""

NESTED: dict[str, Any] = {
    "aurora": 2,
    "name": "inner",
    "version": "1.0.0",
    "start": "q",
    "output": {"verdict": {"from": "phases.q.answer", "enum": ["x", "y"]}},
    "phases": {
        "q": {
            "prompt_template": "Judge it.",
            "answer": {"enum": ["x", "y"]},
            "next_action": [{"when": "answer == 'x'", "then": "end"}, {"then": "q", "max": 1, "else": "end"}],
        }
    },
}
"""The workflow that phases run."""


@dataclass(slots=True)
class _Maker:
    """The maker of one workflow."""

    random: Random
    size: int
    phases: dict[str, dict[str, Any]] = field(default_factory=dict)
    own: dict[str, list[Readable]] = field(default_factory=dict)
    """By phase, what its own rules read."""
    recalled: dict[str, list[Readable]] = field(default_factory=dict)
    """By phase, what later phases read of it."""

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def make(self) -> dict[str, Any]:
        for at in range(self.size):
            self._make_phase(f"p{at}", at)
        for at in range(self.size):
            self._make_rules(f"p{at}", at)
        fails = any("uses" in phase for phase in self.phases.values()) and self.chance(0.6)
        if fails:
            self.phases["sorry"] = {"prompt_template": "Tell it.", "answer": {"type": "string"}, "next_action": "end"}
            for phase in self.phases.values():
                if "uses" in phase:
                    phase["on_error"] = "sorry"
        head = {"aurora": 2, "name": "w", "version": "1.0.0", "start": "p0", "vars": {"parts": ["k", "l"], "most": 2}}
        pace = {"pace": "prompt"} if self.chance(0.2) else {}
        return {**head, **pace, "phases": self.phases}

    def _make_phase(self, name: str, at: int) -> None:
        phase: dict[str, Any] = {}
        own: list[Readable] = []
        recalled: list[Readable] = []
        kinds = ["ask"] * 6 + ["tool", "tool", "rules", "each", "branches", "person", "walk"]
        kind = "ask" if at == 0 and self.chance(0.6) else self.random.choice(kinds)
        inputs = self._make_inputs(at)
        if inputs:
            phase["inputs"] = inputs
        if kind == "ask":
            answer = self._make_answer()
            phase |= {"prompt_template": "Ask it.", "answer": answer}
            own += _list_paths("answer", answer)
            recalled += _list_paths(f"phases.{name}.answer", answer)
        elif kind == "tool":
            output = self._make_object()
            phase |= {"uses": "mem.stats", "with": {}, "output": output}
            own += [(path.removeprefix("r."), leaf) for path, leaf in _list_paths("r", output)]
            recalled += _list_paths(f"phases.{name}.result", output)
        elif kind == "each":
            leaf = self.random.choice([{"enum": ["x", "y"]}, {"type": "boolean"}])
            listed = "vars.parts" if "parts" not in inputs else "inputs.parts"
            phase |= {"for_each": {"in": listed, "as": "part", "max": self.random.choice([1, 2])}}
            phase |= {"prompt_template": "Ask {{ part }}.", "answer": leaf}
            own.append(("answers", {"type": "array", "items": leaf}))
        elif kind == "branches":
            made = {one: self._make_leaf() for one in ("l", "m")}
            phase["branches"] = {one: {"prompt_template": "Ask.", "answer": leaf} for one, leaf in made.items()}
            own += [(f"answer.{one}", leaf) for one, leaf in made.items()]
            recalled += [(f"phases.{name}.answer.{one}", leaf) for one, leaf in made.items()]
        elif kind == "person":
            phase["person"] = {"message": "Decide.", "form": {"ok": {"type": "boolean"}}}
            if self.chance(0.5):
                phase["person"]["on_decline"] = self._choose_forward(at)
            own.append(("answer.ok", {"type": "boolean"}))
            recalled.append((f"phases.{name}.answer.ok", {"type": "boolean"}))
        elif kind == "walk":
            phase |= {"workflow": "inner", "with": {}}
            own.append(("verdict", {"enum": ["x", "y"]}))
            recalled.append((f"phases.{name}.result.verdict", {"enum": ["x", "y"]}))
        own += [(f"inputs.{one}", spec["schema"]) for one, spec in self._pop_schemas(inputs)]
        recalled.append((f"phases.{name}.status", {"enum": ["complete", "skipped", None]}))
        self.phases[name], self.own[name], self.recalled[name] = phase, own, recalled

    @staticmethod
    def _pop_schemas(inputs: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        found = []
        for one, spec in inputs.items():
            schema = spec.pop("is", None)
            if schema is not None:
                found.append((one, {"schema": schema}))
        return found

    def _make_inputs(self, at: int) -> dict[str, Any]:
        inputs: dict[str, Any] = {}
        if at == 0 and self.chance(0.5):
            leaf = self._make_leaf(nullable=False)
            spec = dict(leaf)
            if self.chance(0.3):
                spec["optional"] = True
            elif self.chance(0.3):
                spec["default"] = _list_values(leaf)[0]
            inputs["a"] = {**spec, "is": leaf}
        if at == 0 and self.chance(0.2):
            inputs["parts"] = {"type": "array", "maxItems": 2, "items": {"const": "k"}}
        earlier = [one for phase in self.recalled.values() for one in phase]
        if at and earlier and self.chance(0.5):
            path, leaf = self.random.choice(earlier)
            spec: dict[str, Any] = {"from": path}
            if self.chance(0.4):
                spec["optional"] = True
            elif self.chance(0.2) and _list_values(leaf)[0] is not None:
                spec["default"] = _list_values(leaf)[0]
            inputs["b"] = {**spec, "is": leaf}
        return inputs

    def _choose_forward(self, at: int) -> str:
        return self.random.choice([*(f"p{one}" for one in range(at + 1, self.size)), "end"])

    def _make_leaf(self, *, nullable: bool = True) -> Schema:
        choices: list[Schema] = [
            {"enum": ["x", "y"]},
            {"enum": ["x", "y", "z"]},
            {"type": "boolean"},
            {"type": "boolean"},
            {"type": "integer", "minimum": 1, "maximum": self.random.choice([1, 2, 3])},
            {"const": self.random.choice(["x", 1, True])},
            {"anyOf": [{"const": "x"}, {"const": "y"}]},
            {"type": "string"},
            {"enum": [1, 2]},
        ]
        if nullable:
            choices += [{"type": ["boolean", "null"]}, {"enum": ["x", None]}]
        return self.random.choice(choices)

    def _make_object(self) -> Schema:
        fields = {name: self._make_leaf() for name in ("f", "g")[: self.random.choice([1, 1, 2])]}
        if self.chance(0.15):
            fields["h"] = {"type": "object", "required": ["i"], "properties": {"i": self._make_leaf()}}
        required = [name for name in fields if self.chance(0.8)]
        return {"type": "object", "required": required, "properties": fields, "additionalProperties": False}

    def _make_answer(self) -> Schema:
        return self._make_leaf() if self.chance(0.5) else self._make_object()

    def _make_rules(self, name: str, at: int) -> None:
        phase = self.phases[name]
        read = self.own[name]
        others = [one for other, paths in self.recalled.items() if other != name for one in paths]
        others.append((f"phases.{name}.visits", {"type": "integer", "minimum": 1, "maximum": 3}))
        covering = self._cover(read) if read and self.chance(0.25) else []
        count = self.random.choice([0, 1, 1, 2, 3])
        conditions = covering or [self._make_condition(read, others) for _ in range(count)]
        rules = [{"when": condition, **self._make_target(at)} for condition in conditions]
        if (not covering and (not rules or self.chance(0.8))) or self.chance(0.1):
            rules.append(self._make_target(at))
        if "person" not in phase and "workflow" not in phase and at and self.chance(0.1):
            phase["when"] = self._make_condition([], others)
            if "when" in rules[-1]:
                rules.append({"then": self._choose_forward(at)})
        phase["next_action"] = rules

    def _cover(self, read: list[Readable]) -> list[str]:
        """Make a rule for each value of one path."""
        path, leaf = self.random.choice(read)
        if leaf.get("type") in ("array", "string"):
            return []
        values = _list_values(leaf)
        left = values[:-1] if self.chance(0.2) and len(values) > 1 else values
        return [f"{path} == {_write(value)}" for value in left]

    def _make_target(self, at: int) -> dict[str, Any]:
        onward = f"p{at + 1}" if at + 1 < self.size else "end"
        if self.chance(0.25):
            back = f"p{self.random.randint(0, at)}"
            if self.chance(0.08):
                return {"then": back}
            return {"then": back, "max": self.random.choice([1, 1, 2]), "else": self._choose_forward(at)}
        return {"then": onward if self.chance(0.6) else self._choose_forward(at)}

    def _make_condition(self, read: list[Readable], others: list[Readable]) -> str:
        atoms = []
        for _ in range(self.random.choice([1, 1, 1, 2, 2, 3])):
            near = read and self.chance(0.75)
            atoms.append(self._make_atom(*self.random.choice(read if near else others)))
        if len(atoms) == 1:
            return atoms[0]
        first, *rest = (f"({one})" if "&&" in one else one for one in atoms)
        join = self.random.choice([" && ", " || "])
        return join.join([first, *rest])

    def _make_atom(self, path: str, leaf: Schema) -> str:
        random = self.random
        if leaf.get("type") == "array":
            value = _write(_list_values(leaf["items"])[0])
            return random.choice(
                [f"contains({path}, {value})", f"length({path}) == `0`", f"length({path}[?@ == {value}]) > `1`"]
            )
        values = _list_values(leaf)
        value = _write(random.choice(values))
        atoms = [f"{path} == {value}", f"{path} != {value}"]
        if len(values) > 1 and None not in values:
            some = ", ".join(_write(one) for one in random.sample(values, len(values) - 1))
            atoms.append(f"contains([{some}], {path})")
        if leaf.get("type") == "boolean":
            atoms += [path, f"!({path})"] * 2
        if leaf.get("type") == "integer":
            atoms += [f"{path} >= {value}", f"{path} < {value}"]
        if None in values or random.random() < 0.1:
            atoms += [f"{path} != null", f"{path} == null"]
        return random.choice(atoms)


def _list_paths(root: str, schema: Schema) -> list[Readable]:
    if schema.get("type") != "object":
        return [(root, schema)]
    return [one for name, inner in schema["properties"].items() for one in _list_paths(f"{root}.{name}", inner)]


def _list_values(leaf: Schema) -> list[Any]:
    if "const" in leaf:
        return [leaf["const"]]
    if "enum" in leaf:
        return list(leaf["enum"])
    if "anyOf" in leaf:
        return [one["const"] for one in leaf["anyOf"]]
    if leaf["type"] == "integer":
        return list(range(leaf["minimum"], leaf["maximum"] + 1))
    return {"boolean": [True, False], "string": ["x"]}.get(str(leaf["type"]), [True, False, None])


def _write(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) else f"`{json.dumps(value)}`"


def make_files(seed: int) -> dict[str, str]:
    """Make a workflow `w`, its parts, by the names of their files; the same seed makes the same."""
    random = Random(seed)  # noqa: S311 - nothing is kept secret with it
    document = _Maker(random, random.choice([1, 2, 2, 3, 3, 4])).make()
    files = {"inner.yaml": json.dumps(NESTED)}
    if random.random() < 0.1:
        patched = random.choice(sorted(document["phases"]))
        patch = {"phases": {patched: {"next_action": document["phases"][patched]["next_action"]}}}
        document["phases"][patched] = {**document["phases"][patched], "next_action": "end"}
        head = {"name": "w", "version": "1.0.1", "extends": "base"}
        return {**files, "base.yaml": _dump({**document, "name": "base"}), "w.yaml": _dump({**head, **patch})}
    return {**files, "w.yaml": _dump(document)}


def _dump(document: dict[str, Any]) -> str:
    """Write a rule and a key of a phase on a line each."""
    lines = [f"{key}: {json.dumps(value)}" for key, value in document.items() if key != "phases"] + ["phases:"]
    for name, phase in document["phases"].items():
        lines.append(f"  {name}:")
        for key, value in phase.items():
            if key == "next_action" and isinstance(value, list):
                lines += ["    next_action:", *(f"      - {json.dumps(rule)}" for rule in value)]
            else:
                lines.append(f"    {key}: {json.dumps(value)}")
    return "\n".join(lines) + "\n"
