"""Tree to model: what pydantic finds wrong, in words, at its place."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from aurora.interpreter.problems import codes
from aurora.interpreter.problems.problem import Fix
from aurora.interpreter.problems.suggestions import did_you_mean, listed, nearest, respelt
from aurora.interpreter.yaml.scalars import key_text

from .model import LANGUAGE, ForEach, InputSpec, Phase, Rule, Workflow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pydantic import BaseModel

    from aurora.interpreter.problems.problem import Problem
    from aurora.interpreter.yaml.node import Node

Loc = tuple[str | int, ...]


def to_model(root: Node) -> tuple[Workflow | None, tuple[Problem, ...]]:
    """The workflow that the tree says, or None and every structural problem of it."""
    if root.kind != "map":
        message = f"a workflow is a mapping, not a {'list' if root.kind == 'list' else 'single value'}"
        return None, (codes.BAD_VALUE.at(root.place, message, help="a workflow begins with `aurora: 1`"),)
    newer = root.get("aurora")
    if newer is not None and isinstance(newer.value, int) and newer.value > LANGUAGE:
        message = f"this file speaks version {newer.value} of the language; this program speaks {LANGUAGE}"
        return None, (codes.NEWER_LANGUAGE.at(newer.place, message, help="install a newer Aurora"),)
    try:
        return Workflow.model_validate(root.data()), ()
    except ValidationError as error:
        return None, tuple(_problems(root, error))


def fault_locs(root: Node, error: ValidationError) -> list[tuple[Loc, bool]]:
    """Where the faults are, and whether each is but a key too many, which no other key was meant by."""
    found = []
    for fault in error.errors(include_url=False):
        loc = _without_tags(root, fault["loc"])
        extra = fault["type"] == "extra_forbidden"
        found.append((loc, extra and nearest(str(loc[-1]), _keys(_model_at(loc[:-1]))) is None))
    return found


def find(root: Node, loc: Sequence[str | int]) -> Node:
    """The node at this path, or the nearest one above it that there is."""
    node = root
    for part in loc:
        inner = _step(node, part)
        if inner is None:
            return node
        node = inner
    return node


def rule_node(root: Node, phase: str, index: int) -> Node:
    """The rule of a phase with this index, in a list or by itself."""
    node = find(root, ("phases", phase, "next_action"))
    return node.children[index] if node.kind == "list" and index < len(node.children) else node


def find_key(root: Node, loc: Sequence[str | int]) -> Node:
    """The node of the last key of this path, or of the nearest key above it."""
    for length in range(len(loc), 0, -1):
        part = loc[length - 1]
        parent = find(root, loc[: length - 1])
        if isinstance(part, str) and parent.kind == "map" and (key := parent.key(part)) is not None:
            return key
    return root


def where(loc: Sequence[str | int]) -> str:
    """The path in words: ` in rule 2 of phase "assess"`."""
    match list(loc):
        case ["phases", str(phase), "next_action", int(index), *_]:
            return f' in rule {index + 1} of phase "{phase}"'
        case ["phases", str(phase), ("inputs" | "with" | "params") as group, str(name), *_]:
            return f' in {_GROUPS[group]} "{name}" of phase "{phase}"'
        case ["phases", str(phase), "for_each", *_]:
            return f' in "for_each" of phase "{phase}"'
        case ["phases", str(phase), *_]:
            return f' in phase "{phase}"'
        case _:
            return ""


_GROUPS = {"inputs": "input", "with": "argument", "params": "setting"}


def _subject(loc: Loc) -> str:
    """What stands at the path, in words: `rule 2 of phase "assess"`, `"max" in rule 2 of phase "assess"`."""
    match list(loc):
        case ["phases", _, "next_action", int()] | ["phases", _, "inputs" | "with", str()] | ["phases", _]:
            return where(loc).removeprefix(" in ")
        case [*_, str(group), int(index)]:
            return f'item {index + 1} of "{group}"{where(loc[:-2])}'
        case [*_, str(name)]:
            return f'"{name}"{where(loc[:-1])}'
        case _:
            return "the value"


def _step(node: Node, part: str | int) -> Node | None:
    if isinstance(part, int):
        return node.children[part] if node.kind == "list" and part < len(node.children) else None
    return node.get(part) if node.kind == "map" else None


def _problems(root: Node, error: ValidationError) -> Iterator[Problem]:
    told = [(_without_tags(root, fault["loc"]), dict(fault)) for fault in error.errors(include_url=False)]
    misspelt = {
        (*loc[:-1], nearest(str(loc[-1]), _keys(_model_at(loc[:-1]))))
        for loc, fault in told
        if fault["type"] == "extra_forbidden"
    }
    seen: set[tuple[str | int, ...]] = set()
    for loc, fault in told:
        repeated = fault["type"] in _OF_UNIONS and loc in seen
        if not repeated and not (fault["type"] == "missing" and loc in misspelt):
            yield _problem(root, loc, fault)
        seen.add(loc)


_OF_UNIONS = frozenset({"string_type", "dict_type"})


def _without_tags(root: Node, loc: Loc) -> Loc:
    """Pydantic names the branch of a union (`str`, `dict[str,any]`) and its own wrappers in a path; the file none."""
    kept: list[str | int] = []
    node: Node | None = root
    for part in loc:
        if part == "[key]":
            break
        inner = _step(node, part) if node is not None else None
        if inner is None and isinstance(part, str) and (part in ("str", "dict[str,any]") or "(" in part):
            continue
        kept.append(part)
        node = inner
    return tuple(kept)


def _problem(root: Node, loc: Loc, fault: dict[str, Any]) -> Problem:
    kind = fault["type"]
    if kind == "extra_forbidden":
        return _unexpected(root, loc)
    if kind == "missing":
        parent = find_key(root, loc[:-1]) if len(loc) > 1 else root
        message = f'key "{loc[-1]}" is missing{where(loc[:-1]) or " at the top"}'
        return codes.MISSING_KEY.at(parent.place, message, help=_MISSING.get(str(loc[-1]), ""))
    if fault["loc"] and fault["loc"][-1] == "[key]":
        name = str(loc[-1])
        return codes.BAD_ID.at(find_key(root, loc).place, f'"{name}"{where(loc[:-1])} {_NAMES}', help=_as_name(name))
    return _bad_value(root, loc, fault)


_MISSING = {
    "aurora": "begin the file with `aurora: 1`",
    "then": "a rule says where it leads: `then: PHASE`, or `then: end`",
    "next_action": "say what follows: `next_action: PHASE`, or `next_action: end`",
    "start": "say where a run begins: `start: PHASE`",
    "version": "for example `version: 1.0.0`",
}


def _unexpected(root: Node, loc: Loc) -> Problem:
    name = str(loc[-1])
    known = _keys(_model_at(loc[:-1]))
    elsewhere = [label for label, model in _LEVELS.items() if name in _keys(model)]
    help_ = did_you_mean(name, known) or (f'"{name}" is valid in {" and ".join(elsewhere)}' if elsewhere else "")
    if re.match(r"-\S", name):
        help_ = 'put a space behind the "-"'
    message = f'unexpected key "{name}"{where(loc[:-1])}; expected one of {listed(known)}'
    return codes.UNEXPECTED_KEY.at(find_key(root, loc).place, message, help=help_, fix=respelt(name, known))


_LEVELS: dict[str, type[BaseModel]] = {
    "a workflow": Workflow,
    "a phase": Phase,
    "a rule": Rule,
    "an input": InputSpec,
    "for_each": ForEach,
}


def _model_at(loc: Loc) -> type[BaseModel]:
    match list(loc):
        case ["phases", str(), "next_action", int()]:
            return Rule
        case ["phases", str(), "for_each"]:
            return ForEach
        case ["phases", str(), "inputs", str()]:
            return InputSpec
        case ["phases", str()]:
            return Phase
        case _:
            return Workflow


def _keys(model: type[BaseModel]) -> list[str]:
    return [spec.alias or name for name, spec in model.model_fields.items()]


def _bad_value(root: Node, loc: Loc, fault: dict[str, Any]) -> Problem:
    node = find(root, loc)
    if fault["type"] == "string_pattern_mismatch":
        names = _NAMES.replace('digits and "_"', 'digits, "-" and "_"') if loc == ("name",) else _NAMES
        message = f'{_subject(loc)} is "{node.value}", which {names}'
        return codes.BAD_ID.at(node.place, message, help=_as_name(str(node.value)))
    schema = fault["type"] in _OF_UNIONS and loc[0] == "phases" and loc[2:] in (("output",), ("answer",))
    text = "must be a JSON Schema, or the name of a file with one" if schema else _WORDS.get(fault["type"])
    told = text.format(**fault.get("ctx", {})) if text else str(fault["msg"]).lower()
    if fault.get("ctx", {}).get("min_length") == 1:
        told = "must not be empty"
    fix = _quoted(node) if fault["type"] == "string_type" and not schema else spelt(node, fault["type"])
    help_ = "for example `{ type: object }`, or `{}` for anything" if schema else _remedy(node, loc, fault["type"])
    help_ = f"write {fix.new}" if fix and not help_ else help_
    return codes.BAD_VALUE.at(node.place, f"{_subject(loc)} {told}", help=help_, fix=fix)


def spelt(node: Node, kind: str) -> Fix | None:
    """What was meant by `yes`, which was true to older YAML, or by a number in quotes; None where that is in doubt.

    Args:
        node: what is written.
        kind: pydantic's word for what it is not, `bool_type` or `int_type`.
    """
    if node.kind != "scalar" or not isinstance(node.value, str) or node.style in ("|", ">", "*"):
        return None
    said = f"{node.style}{node.value}{node.style}"
    if kind == "bool_type" and (meant := _TRUTH.get(node.value.lower())):
        return Fix(said, meant)
    if kind == "int_type" and node.style and re.fullmatch(r"[1-9][0-9]{0,8}", node.value):
        return Fix(said, node.value)
    return None


_TRUTH = {"yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false"}
"""What is true or false to older YAML, or without its quotes."""


def _quoted(node: Node) -> Fix | None:
    """The value as a text; where it is written in another way than it is read, as in `1.10`, nobody can tell."""
    if node.kind != "scalar" or node.value is None or node.style:
        return None
    text = key_text(node.value)
    return Fix(text, f'"{text}"') if node.place.end_column - node.place.column == len(text) else None


def _remedy(node: Node, loc: Loc, kind: str) -> str:
    if node.kind == "scalar" and node.value is None and kind in _COLLECTIONS:
        return "indent what belongs to it, below it"
    if node.kind != "scalar" or node.value is None:
        return ""
    if kind == "string_type":
        # `1.10` is read as 1.1: what is not written as it is read is not said again in another way
        return f'put it in quotes: "{key_text(node.value)}"' if _quoted(node) else "put it in quotes, as it stands"
    if kind == "tuple_type":
        return f"write [{node.value}]"
    if kind in ("dict_type", "model_type", "model_attributes_type"):
        shapes = {"inputs": "{ type: string }", "next_action": f"{{ then: {node.value} }}"}
        shape = shapes.get(str(loc[2])) if len(loc) > 3 else None  # noqa: PLR2004 - phases, PHASE, inputs, NAME
        return f"for example `{shape}`" if shape else ""
    return ""


_COLLECTIONS = ("dict_type", "model_type", "model_attributes_type", "tuple_type")

_NAMES = 'is not a name: names are lower-case letters, digits and "_", a letter first, at most 40'


def _as_name(text: str) -> str:
    """The name that the text was most likely meant to be."""
    visible = "".join(char for char in text if char.isprintable()).casefold()
    plain = "".join(char for char in unicodedata.normalize("NFKD", visible) if not unicodedata.combining(char))
    name = "_".join(re.findall(r"[a-z0-9]+", plain))[:40]
    return f'for example "{name}"' if name[:1].isalpha() else ""


_WORDS = {
    "string_type": "must be a text",
    "int_type": "must be a whole number",
    "bool_type": "must be true or false",
    "dict_type": "must be a mapping",
    "model_type": "must be a mapping",
    "tuple_type": "must be a list",
    "too_short": "must have at least {min_length} of them",
    "too_long": "must have at most {max_length} of them",
    "string_too_short": "must not be empty",
    "string_too_long": "must have at most {max_length} characters",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
}
