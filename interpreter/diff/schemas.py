"""What changed in a JSON Schema, told as what it means for a value."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.interpreter.schema.validate import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LOWER = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_UPPER = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})
_WORDS = frozenset({"title", "description", "examples", "$comment", "$schema", "$id", "default"})
_TOLD = frozenset({"type", "enum", "required", "properties", "items"})


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """One difference; `narrower` where a value that did fit may not any more."""

    text: str
    narrower: bool


def differences(before: Mapping[str, Any], after: Mapping[str, Any], path: str = "") -> Iterator[SchemaChange]:
    """The differences between two schemas, outermost first.

    Args:
        before: the earlier schema; an empty one lets everything through.
        after: the later one.
        path: of the value that they describe, dotted; empty for the whole.
    """
    if canonical(before) == canonical(after):
        return
    of = f'"{path}"' if path else "the value"
    yield from _types(before, after, of)
    yield from _members(before, after, of)
    yield from _properties(before, after, path)
    if isinstance(before.get("items"), dict) and isinstance(after.get("items"), dict):
        yield from differences(before["items"], after["items"], f"{path}[]")
    elif before.get("items") != after.get("items"):
        yield SchemaChange(f"the items of {of} are described differently", narrower="items" in after)
    for key in sorted((before.keys() | after.keys()) - _TOLD - _WORDS):
        if before.get(key) != after.get(key):
            yield _bound(key, before.get(key), after.get(key), of)


def _types(before: Mapping[str, Any], after: Mapping[str, Any], of: str) -> Iterator[SchemaChange]:
    was, is_ = _listed(before.get("type")), _listed(after.get("type"))
    if was == is_:
        return
    narrower = bool(is_) and not (was and was <= is_)
    yield SchemaChange(f"{of} is {_or(is_) or 'anything'}, and was {_or(was) or 'anything'}", narrower)


def _members(before: Mapping[str, Any], after: Mapping[str, Any], of: str) -> Iterator[SchemaChange]:
    was, is_ = before.get("enum"), after.get("enum")
    if isinstance(was, list) and isinstance(is_, list):
        for value in (one for one in was if one not in is_):
            yield SchemaChange(f"{of} may no longer be {_json(value)}", narrower=True)
        for value in (one for one in is_ if one not in was):
            yield SchemaChange(f"{of} may be {_json(value)} too", narrower=False)
    elif was != is_:
        said = f"{of} is one of {_json(is_)}" if is_ is not None else f"{of} is no longer bound to a list of values"
        yield SchemaChange(said, narrower=is_ is not None)


def _properties(before: Mapping[str, Any], after: Mapping[str, Any], path: str) -> Iterator[SchemaChange]:
    was, is_ = _mapping(before.get("properties")), _mapping(after.get("properties"))
    needed, needs = _listed(before.get("required")), _listed(after.get("required"))
    for name in sorted(was.keys() | is_.keys() | needed | needs):
        inner = f"{path}.{name}" if path else name
        if name in needs and name not in needed:
            yield SchemaChange(f'"{inner}" is required now', narrower=True)
        elif name in needed and name not in needs:
            yield SchemaChange(f'"{inner}" is no longer required', narrower=False)
        if name in was and name in is_:
            yield from differences(_mapping(was[name]), _mapping(is_[name]), inner)
        elif name in is_ and name not in needs:
            yield SchemaChange(f'"{inner}" may be there', narrower=False)
        elif name in was:
            yield SchemaChange(f'"{inner}" is gone', narrower=after.get("additionalProperties") is False)


def _bound(key: str, was: object, is_: object, of: str) -> SchemaChange:
    numbers = isinstance(was, int | float) and isinstance(is_, int | float)
    narrower = is_ is not None
    if numbers and key in _LOWER:
        narrower = bool(is_ > was)  # type: ignore[operator]
    if numbers and key in _UPPER:
        narrower = bool(is_ < was)  # type: ignore[operator]
    now = f"is {_json(is_)}" if is_ is not None else "is gone"
    then = f", and was {_json(was)}" if was is not None else ""
    return SchemaChange(f"`{key}` of {of} {now}{then}", narrower)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _listed(value: Any) -> frozenset[str]:
    if isinstance(value, str):
        return frozenset({value})
    return frozenset(str(one) for one in value) if isinstance(value, list) else frozenset()


def _or(names: frozenset[str]) -> str:
    return " or ".join(sorted(names))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
