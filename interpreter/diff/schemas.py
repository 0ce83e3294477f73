"""Comparison of two JSON Schemas, described by their effect on a value."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.interpreter.schema.json_values import to_canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LOWER_BOUNDS = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_UPPER_BOUNDS = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})
_ANNOTATIONS = frozenset({"title", "description", "examples", "$comment", "$schema", "$id", "default"})
_COMPARED_KEYWORDS = frozenset({"type", "enum", "required", "properties", "items"})


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """A difference; `narrower` when a value that fitted may not fit now."""

    text: str
    narrower: bool


def compare_schemas(before: Mapping[str, Any], after: Mapping[str, Any], path: str = "") -> Iterator[SchemaChange]:
    """Yield the differences between two schemas, outermost first.

    Args:
        before: the earlier schema; an empty one accepts everything.
        after: the later schema.
        path: the dotted path of the value that they describe; empty for the whole.
    """
    if to_canonical_json(before) == to_canonical_json(after):
        return
    of = f'"{path}"' if path else "the value"
    yield from _compare_types(before, after, of)
    yield from _compare_enums(before, after, of)
    yield from _compare_properties(before, after, path)
    if isinstance(before.get("items"), dict) and isinstance(after.get("items"), dict):
        yield from compare_schemas(before["items"], after["items"], f"{path}[]")
    elif before.get("items") != after.get("items"):
        yield SchemaChange(f"the items of {of} have another schema", narrower="items" in after)
    for key in sorted((before.keys() | after.keys()) - _COMPARED_KEYWORDS - _ANNOTATIONS):
        if before.get(key) != after.get(key):
            yield _compare_bound(key, before.get(key), after.get(key), of)


def _compare_types(before: Mapping[str, Any], after: Mapping[str, Any], of: str) -> Iterator[SchemaChange]:
    was, is_ = _to_names(before.get("type")), _to_names(after.get("type"))
    if was == is_:
        return
    narrower = bool(is_) and not (was and was <= is_)
    yield SchemaChange(f"{of} is {_join_types(is_) or 'anything'}, and was {_join_types(was) or 'anything'}", narrower)


def _compare_enums(before: Mapping[str, Any], after: Mapping[str, Any], of: str) -> Iterator[SchemaChange]:
    was, is_ = before.get("enum"), after.get("enum")
    if isinstance(was, list) and isinstance(is_, list):
        for value in (one for one in was if one not in is_):
            yield SchemaChange(f"{of} may no longer be {_to_json(value)}", narrower=True)
        for value in (one for one in is_ if one not in was):
            yield SchemaChange(f"{of} may be {_to_json(value)} too", narrower=False)
    elif was != is_:
        said = (
            f"{of} is one of {_to_json(is_)}" if is_ is not None else f"{of} is no longer limited to a list of values"
        )
        yield SchemaChange(said, narrower=is_ is not None)


def _compare_properties(before: Mapping[str, Any], after: Mapping[str, Any], path: str) -> Iterator[SchemaChange]:
    was, is_ = _to_mapping(before.get("properties")), _to_mapping(after.get("properties"))
    needed, needs = _to_names(before.get("required")), _to_names(after.get("required"))
    for name in sorted(was.keys() | is_.keys() | needed | needs):
        inner = f"{path}.{name}" if path else name
        if name in needs and name not in needed:
            yield SchemaChange(f'"{inner}" is required now', narrower=True)
        elif name in needed and name not in needs:
            yield SchemaChange(f'"{inner}" is no longer required', narrower=False)
        if name in was and name in is_:
            yield from compare_schemas(_to_mapping(was[name]), _to_mapping(is_[name]), inner)
        elif name in is_ and name not in needs:
            yield SchemaChange(f'"{inner}" is allowed', narrower=False)
        elif name in was:
            yield SchemaChange(f'"{inner}" is removed', narrower=after.get("additionalProperties") is False)


def _compare_bound(key: str, was: object, is_: object, of: str) -> SchemaChange:
    narrower = is_ is not None
    if isinstance(was, int | float) and isinstance(is_, int | float):
        if key in _LOWER_BOUNDS:
            narrower = is_ > was
        elif key in _UPPER_BOUNDS:
            narrower = is_ < was
    now = f"is {_to_json(is_)}" if is_ is not None else "is removed"
    then = f", and was {_to_json(was)}" if was is not None else ""
    return SchemaChange(f"`{key}` of {of} {now}{then}", narrower)


def _to_mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _to_names(value: Any) -> frozenset[str]:
    if isinstance(value, str):
        return frozenset({value})
    return frozenset(str(one) for one in value) if isinstance(value, list) else frozenset()


def _join_types(names: frozenset[str]) -> str:
    return " or ".join(sorted(names))


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
