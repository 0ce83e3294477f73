"""Building of the model from the tree; pydantic's errors become problems."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from aurora.interpreter.problems import codes, did_you_mean, find_nearest, list_names, suggest_fix

from .model import (
    LANGUAGE_VERSION,
    Branch,
    Budget,
    ForEach,
    Hints,
    InputSpec,
    OutputField,
    Person,
    Phase,
    Requirements,
    Rule,
    Workflow,
)
from .remedies import suggest_quotes, suggest_remedy, suggest_spelling

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pydantic import BaseModel

    from aurora.interpreter.problems import Problem
    from aurora.interpreter.yaml import Node

Loc = tuple[str | int, ...]

EXTENDS = "extends"
"""Key of a patch at the top: the workflow that it extends."""

MAX_STRUCTURAL_PROBLEMS = 1000
"""Wrong values that become problems, 0.1 ms each; a file of 1 MB can have 50,000."""


def to_model(root: Node, data: Any) -> tuple[Workflow | None, tuple[Problem, ...]]:
    """Convert the tree to a workflow, or to None and its structural problems.

    Args:
        root: the tree.
        data: its plain value.
    """
    if root.kind != "map":
        message = f"a workflow is a mapping, not a {'list' if root.kind == 'list' else 'single value'}"
        return None, (codes.BAD_VALUE.make_problem(root.place, message, help="a workflow begins with `aurora: 2`"),)
    # Before the model: all that a later version of the language added would be a mistake here.
    newer = root.get("aurora")
    if newer is not None and isinstance(newer.value, int) and newer.value > LANGUAGE_VERSION:
        message = f"this file uses version {newer.value} of the language; this program supports versions 1 and 2"
        help_ = f"write `aurora: {LANGUAGE_VERSION}`, or install a newer Aurora"
        return None, (codes.NEWER_LANGUAGE.make_problem(newer.place, message, help=help_),)
    try:
        return Workflow.model_validate(data), ()
    except ValidationError as error:
        return None, tuple(_convert_errors(root, error))


def locate_faults(root: Node, error: ValidationError) -> list[tuple[Loc, bool]]:
    """Locate the faults; each with True if it is only an unknown key unlike any other."""
    return [(loc, kind == "extra_forbidden" and suggest_key(loc) is None) for loc, kind in iterate_faults(root, error)]


def iterate_faults(root: Node, error: ValidationError) -> Iterator[tuple[Loc, str]]:
    """Yield the path of each fault, and pydantic's name of its kind."""
    for fault in error.errors(include_url=False):
        yield _strip_tags(root, fault["loc"]), fault["type"]


def suggest_key(loc: Loc) -> str | None:
    """Suggest the known key that an unknown one at this path means; None if there is none."""
    word, known = str(loc[-1]), _list_keys_at(loc[:-1])
    meant = next((key for key in _OTHER_WORDS.get(word.lower(), ()) if key in known), None)
    return meant or find_nearest(word, known)


_OTHER_WORDS = {
    "args": ("with",),
    "arguments": ("with",),
    "condition": ("when",),
    "depends_on": ("next_action",),
    "foreach": ("for_each",),
    "goto": ("then", "next_action"),
    "if": ("when",),
    "inherits": (EXTENDS,),
    "loop": ("for_each",),
    "next": ("then", "next_action"),
    "prompt": ("prompt_template",),
    "question": ("message",),
    "run": ("uses",),
    "schema": ("answer",),
    "steps": ("phases",),
    "switch": ("next_action",),
    "template": ("prompt_template",),
    "to": ("then",),
    "tool": ("uses",),
    "variables": ("vars",),
}
"""Words of other languages of workflows, and the keys that they mean here."""


def find_node(root: Node, loc: Sequence[str | int]) -> Node:
    """Find the node at this path, or the nearest one above it."""
    node = root
    for part in loc:
        inner = _step_into(node, part)
        if inner is None:
            return node
        node = inner
    return node


def find_rule_node(root: Node, phase: str, index: int) -> Node:
    """Find the rule of a phase with this index, in a list or by itself."""
    node = find_node(root, ("phases", phase, "next_action"))
    return node.children[index] if node.kind == "list" and index < len(node.children) else node


def find_key(root: Node, loc: Sequence[str | int]) -> Node:
    """Find the node of the last key of this path, or of the nearest key above it."""
    for length in range(len(loc), 0, -1):
        part = loc[length - 1]
        parent = find_node(root, loc[: length - 1])
        if isinstance(part, str) and parent.kind == "map" and (key := parent.get_key(part)) is not None:
            return key
    return root


def describe_path(loc: Sequence[str | int]) -> str:
    """Describe the path in words, as ` in rule 2 of phase "assess"`."""
    match list(loc):
        case ["phases", str(phase), "next_action", int(index), *_]:
            return f' in rule {index + 1} of phase "{phase}"'
        case ["phases", str(phase), ("inputs" | "with" | "params") as group, str(name), *_]:
            return f' in {_GROUP_WORDS[group]} "{name}" of phase "{phase}"'
        case ["phases", str(phase), "for_each", *_]:
            return f' in "for_each" of phase "{phase}"'
        case ["phases", str(phase), *_]:
            return f' in phase "{phase}"'
        case _:
            return ""


_GROUP_WORDS = {"inputs": "input", "with": "argument", "params": "setting"}


def _describe_subject(loc: Loc) -> str:
    """Describe the value at the path, as `"max" in rule 2 of phase "assess"`."""
    match list(loc):
        case ["phases", _, "next_action", int()] | ["phases", _, "inputs" | "with", str()] | ["phases", _]:
            return describe_path(loc).removeprefix(" in ")
        case [*_, str(group), int(index)]:
            return f'item {index + 1} of "{group}"{describe_path(loc[:-2])}'
        case [*_, str(name)]:
            return f'"{name}"{describe_path(loc[:-1])}'
        case _:
            return "the value"


def _step_into(node: Node, part: str | int) -> Node | None:
    if isinstance(part, int):
        return node.children[part] if node.kind == "list" and part < len(node.children) else None
    return node.get(part) if node.kind == "map" else None


def _convert_errors(root: Node, error: ValidationError) -> Iterator[Problem]:
    found = error.errors(include_url=False)
    rest = len(found) - MAX_STRUCTURAL_PROBLEMS
    if rest > 0:
        message = f"{rest:,} more values of the file are wrong; they are not reported one by one"
        yield codes.TOO_BIG.make_problem(root.place, message, help="fix the others first")
    errors = [(_strip_tags(root, fault["loc"]), dict(fault)) for fault in found[:MAX_STRUCTURAL_PROBLEMS]]
    # A misspelt key is missing under its right name, too: that is one mistake, and told once.
    misspelt = {(*loc[:-1], suggest_key(loc)) for loc, fault in errors if fault["type"] == "extra_forbidden"}
    seen: set[tuple[str | int, ...]] = set()
    for loc, fault in errors:
        # pydantic reports each branch of a union.
        repeated = fault["type"] in _UNION_ERRORS and loc in seen
        if not repeated and not (fault["type"] == "missing" and loc in misspelt):
            yield _convert_error(root, loc, fault)
        seen.add(loc)


_UNION_ERRORS = frozenset({"string_type", "dict_type"})


def _strip_tags(root: Node, loc: Loc) -> Loc:
    """Remove pydantic's names of union branches and wrappers from a path."""
    kept: list[str | int] = []
    node: Node | None = root
    for part in loc:
        if part == "[key]":
            break
        inner = _step_into(node, part) if node is not None else None
        if inner is None and isinstance(part, str) and (part in ("str", "dict[str,any]") or "(" in part):
            continue
        kept.append(part)
        node = inner
    return tuple(kept)


def _convert_error(root: Node, loc: Loc, fault: dict[str, Any]) -> Problem:
    kind = fault["type"]
    if kind == "extra_forbidden":
        return report_unexpected_key(root, loc)
    if kind == "missing":
        parent = root if len(loc) == 1 else find_node(root, loc[:-1]) if _is_item(loc) else find_key(root, loc[:-1])
        message = f'key "{loc[-1]}" is missing{describe_path(loc[:-1]) or " at the top"}'
        return codes.MISSING_KEY.make_problem(parent.place, message, help=_MISSING_HELP.get(str(loc[-1]), ""))
    if fault["loc"] and fault["loc"][-1] == "[key]":
        name = str(loc[-1])
        return codes.BAD_ID.make_problem(
            find_key(root, loc).place, f'"{name}"{describe_path(loc[:-1])} {_NAME_RULE}', help=_suggest_name(name)
        )
    return _report_bad_value(root, loc, fault)


_MISSING_HELP = {
    "aurora": "begin the file with `aurora: 2`",
    "then": "add the target of the rule: `then: PHASE`, or `then: end`",
    "next_action": "add what follows: `next_action: PHASE`, or `next_action: end`",
    "start": "add the first phase: `start: PHASE`",
    "version": "for example `version: 1.0.0`",
}


def _is_item(loc: Loc) -> bool:
    return isinstance(loc[-2], int)


def report_unexpected_key(root: Node, loc: Loc) -> Problem:
    """Report an unknown key, with the known one that it most likely means."""
    name = str(loc[-1])
    known = _list_keys_at(loc[:-1])
    elsewhere = [label for label, model in _MODELS_BY_LABEL.items() if name in _list_keys(model)]
    meant = suggest_key(loc)
    help_ = f'"{name}" is valid in {" and ".join(elsewhere)}' if elsewhere else ""
    if meant is not None:
        help_ = did_you_mean(name, known) or f'did you mean "{meant}"?'
    if name in _LAST_RULE_WORDS and "next_action" in loc:
        help_ = f"write the last rule without a `when`: `- {{ then: {find_node(root, loc).value} }}`"
    # For YAML, `-then: brew` is a key that begins with a minus, and no item of a list.
    if re.match(r"-\S", name):
        help_ = 'put a space after the "-"'
    if not help_ and len(loc) == 1 and is_similar_to_phase(find_node(root, loc)):
        help_ = "indent it below `phases`, if it is a phase"
    message = f'unexpected key "{name}"{describe_path(loc[:-1])}; expected one of {list_names(known)}'
    return codes.UNEXPECTED_KEY.make_problem(
        find_key(root, loc).place, message, help=help_, fix=suggest_fix(name, known)
    )


def is_similar_to_phase(node: Node) -> bool:
    """Return whether a value has a key that only phases have."""
    return node.kind == "map" and any(node.get(key) is not None for key in _PHASE_KEYS)


_PHASE_KEYS = ("next_action", "uses", "prompt_template", "workflow")
"""Keys that only phases have."""

_LAST_RULE_WORDS = frozenset({"default", "otherwise"})
"""Words of other languages for the rule that wins when no other does."""

_MODELS_BY_LABEL: dict[str, type[BaseModel]] = {
    "a workflow": Workflow,
    "a phase": Phase,
    "a rule": Rule,
    "an input": InputSpec,
    "for_each": ForEach,
    "a branch": Branch,
    "person": Person,
}


def _find_model(loc: Loc) -> type[BaseModel]:
    found = (model for path, model in _MODELS.items() if len(path) == len(loc) and _fits_path(loc, path))
    return next(found, Workflow)


def _fits_path(loc: Loc, path: Loc) -> bool:
    return all(wanted in ("*", part) for part, wanted in zip(loc, path, strict=True))


_MODELS: dict[Loc, type[BaseModel]] = {
    ("phases", "*"): Phase,
    ("phases", "*", "next_action", "*"): Rule,
    ("phases", "*", "for_each"): ForEach,
    ("phases", "*", "inputs", "*"): InputSpec,
    ("phases", "*", "branches", "*"): Branch,
    ("phases", "*", "person"): Person,
    ("phases", "*", "hints"): Hints,
    ("requires",): Requirements,
    ("budget",): Budget,
    ("output", "*"): OutputField,
}
"""The models by path; `*` is a name or a number."""


def _list_keys_at(loc: Loc) -> tuple[str, ...]:
    """List the keys of the mapping at this path; at the top of a file, `extends` too."""
    keys = _list_keys(_find_model(loc))
    return keys if loc else (*keys, EXTENDS)


@cache
def _list_keys(model: type[BaseModel]) -> tuple[str, ...]:
    return tuple(spec.alias or name for name, spec in model.model_fields.items())


def _report_bad_value(root: Node, loc: Loc, fault: dict[str, Any]) -> Problem:
    node = find_node(root, loc)
    if fault["type"] == "string_pattern_mismatch":
        names = _NAME_RULE.replace('digits and "_"', 'digits, "-" and "_"') if loc == ("name",) else _NAME_RULE
        message = f'{_describe_subject(loc)} is "{node.value}", which {names}'
        return codes.BAD_ID.make_problem(node.place, message, help=_suggest_name(str(node.value)))
    schema = fault["type"] in _UNION_ERRORS and loc[0] == "phases" and loc[2:] in (("output",), ("answer",))
    text = "must be a JSON Schema, or the name of a file with one" if schema else _find_error_words(loc, fault["type"])
    message = text.format(**fault.get("ctx", {})) if text else str(fault["msg"]).lower()
    if fault.get("ctx", {}).get("min_length") == 1:
        message = "must not be empty"
    fix = (
        suggest_quotes(node) if fault["type"] == "string_type" and not schema else suggest_spelling(node, fault["type"])
    )
    help_ = (
        "for example `{ type: object }`, or `{}` for anything" if schema else suggest_remedy(node, loc, fault["type"])
    )
    help_ = f"write {fix.new}" if fix and not help_ else help_
    if fault["type"] == "int_type" and not help_ and node.kind == "scalar" and isinstance(node.value, str):
        help_ = _suggest_number(root, node.value)
    return codes.BAD_VALUE.make_problem(node.place, f"{_describe_subject(loc)} {message}", help=help_, fix=fix)


def _suggest_number(root: Node, text: str) -> str:
    """Suggest the number in place of an expression, which a bound cannot be: it is checked before any run."""
    constant = find_node(root, text.split(".")) if text.startswith("vars.") else None
    known = constant.value if constant is not None and constant.kind == "scalar" else None
    if re.match(r"\W*(?:vars|inputs|phases|answer|run)\b", text) is None:
        return ""
    number = f"{known}" if isinstance(known, int) else "for example 3"
    return f"write the number itself, {number}: neither `vars` nor an expression can be used here"


_NAME_RULE = 'is not a name: names are lower-case letters, digits and "_", a letter first, at most 40'


def _suggest_name(text: str) -> str:
    name = suggest_name(text)
    return f'for example "{name}"' if name else ""


def suggest_name(text: str) -> str:
    """Suggest a valid name that is similar to the text; empty when there is none."""
    visible = "".join(char for char in text if char.isprintable()).casefold()
    plain = "".join(char for char in unicodedata.normalize("NFKD", visible) if not unicodedata.combining(char))
    name = "_".join(re.findall(r"[a-z0-9]+", plain))[:40]
    return name if name[:1].isalpha() else ""


def _find_error_words(loc: Loc, kind: str) -> str | None:
    if kind == "dict_type" and loc[2:] == ("params",):
        return "must be a mapping, or the name of a file with one, as `settings.yaml`"
    return _ERROR_WORDS.get(kind)


_ERROR_WORDS = {
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
    "literal_error": "must be {expected}",
}
