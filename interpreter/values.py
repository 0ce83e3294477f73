"""JSON values against JSON Schemas: every fault at once, each with its JSON path; hostile values bounded."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .choices import did_you_mean, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_DEPTH = 100
MAX_CHARACTERS = 1_000_000
MOST_FAULTS = 20


def canonical(value: Any) -> str:
    """The value as JSON text that is the same whatever the order of its keys."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def too_much(value: Any, *, depth: int = MAX_DEPTH, characters: int = MAX_CHARACTERS) -> str | None:
    """Why the value is too deep or too big to be looked at, or None; never recurses."""
    total = 0
    todo: list[tuple[Any, int]] = [(value, 1)]
    while todo:
        current, level = todo.pop()
        if level > depth:
            return f"it is nested more than {depth} deep"
        if isinstance(current, str):
            total += len(current)
        elif isinstance(current, dict):
            total += sum(len(str(key)) for key in current)
            todo.extend((item, level + 1) for item in current.values())
        elif isinstance(current, list | tuple):
            todo.extend((item, level + 1) for item in current)
        total += 2
        if total > characters:
            return f"it has more than {characters:,} characters"
    return None


def faults(value: Any, schema: Mapping[str, Any], root: str = "$") -> list[dict[str, str]]:
    """What keeps the value from fitting the schema: `{path, message}` each, at most twenty, `$.a[0].b` paths."""
    if not schema:
        return []
    validator = _validator(canonical(schema))
    found: list[dict[str, str]] = []
    for error in _leaves(validator.iter_errors(value)):
        found.extend(_told(error, root))
        if len(found) >= MOST_FAULTS:
            break
    return sorted(found[:MOST_FAULTS], key=lambda fault: fault["path"])


@lru_cache(maxsize=512)
def _validator(text: str) -> Any:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - 60 ms that listing tools must not pay
    from referencing import Registry  # noqa: PLC0415 - with the above

    registry: Any = Registry()  # an empty one: nothing remote is ever read
    return Draft202012Validator(json.loads(text), registry=registry)


def schema_fault(schema: Any) -> tuple[str, str] | None:
    """Why this is no JSON Schema that may be used here, as `(JSON path, reason)`, or None."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - as above
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415 - as above

    if not isinstance(schema, dict | bool):
        return "$", "a schema is a mapping"
    deep = too_much(schema)
    if deep:
        return "$", deep
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return error.json_path, _short(error.message)
    return _reference_fault(schema)


def _reference_fault(schema: Any) -> tuple[str, str] | None:
    todo: list[tuple[Any, str]] = [(schema, "$")]
    while todo:
        current, path = todo.pop()
        if isinstance(current, dict):
            for key in ("$ref", "$dynamicRef"):
                target = current.get(key)
                if isinstance(target, str) and not target.startswith("#"):
                    return f"{path}.{key}", f'"{target}" is not in this schema; nothing remote is read'
                if isinstance(target, str) and key == "$ref" and not _resolves(schema, target):
                    return f"{path}.{key}", f'"{target}" leads nowhere'
            todo.extend((item, f"{path}.{key}") for key, item in current.items())
        elif isinstance(current, list):
            todo.extend((item, f"{path}[{index}]") for index, item in enumerate(current))
    return None


def _resolves(schema: Any, reference: str) -> bool:
    if not reference.startswith("#/"):
        return reference == "#"
    for part in reference[2:].split("/"):
        name = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(schema, dict) or name not in schema:
            return False
        schema = schema[name]
    return True


def _leaves(errors: Iterator[Any]) -> Iterator[Any]:
    """The errors that say what is wrong: under `anyOf` those of the branch that came nearest."""
    for error in errors:
        if error.context and error.validator in ("anyOf", "oneOf"):
            deepest = max(len(inner.path) for inner in error.context)
            nearest = [inner for inner in error.context if len(inner.path) == deepest and inner.path]
            yield from _leaves(iter(nearest or [error])) if nearest else [error]
        else:
            yield error


def _told(error: Any, root: str) -> Iterator[dict[str, str]]:
    path = root + error.json_path[1:]
    match error.validator:
        case "required":
            missing = [name for name in error.validator_value if name not in error.instance]
            for name in missing:
                yield {"path": f"{path}.{name}", "message": f'"{name}" is missing'}
        case "additionalProperties":
            known = error.schema.get("properties", {})
            for name in sorted(set(error.instance) - set(known)):
                hint = did_you_mean(name, known)
                choices = f"; expected one of {listed(known)}" if known else ""
                yield {
                    "path": f"{path}.{name}",
                    "message": f'unexpected key "{name}"{choices}' + (f" ({hint})" if hint else ""),
                }
        case "type":
            wanted = error.validator_value
            wanted = " or ".join(wanted) if isinstance(wanted, list) else wanted
            yield {"path": path, "message": f"must be {wanted}, not {_type_of(error.instance)}"}
        case "enum":
            choices = ", ".join(json.dumps(choice, ensure_ascii=False) for choice in error.validator_value)
            yield {"path": path, "message": _short(f"{_shown(error.instance)} is not one of {choices}")}
        case _:
            yield {"path": path, "message": _plain(error)}


def _plain(error: Any) -> str:
    limit = error.validator_value
    count = len(error.instance) if hasattr(error.instance, "__len__") else 0
    texts = {
        "minLength": f"must have at least {limit} characters, not {count}",
        "maxLength": f"must have at most {limit} characters, not {count}",
        "minItems": f"must have at least {limit} items, not {count}",
        "maxItems": f"must have at most {limit} items, not {count}",
        "minimum": f"must be at least {limit}, not {_shown(error.instance)}",
        "maximum": f"must be at most {limit}, not {_shown(error.instance)}",
        "pattern": f"{_shown(error.instance)} does not match the pattern {limit}",
        "uniqueItems": "has the same item twice",
    }
    return _short(texts.get(str(error.validator), error.message))


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "…"  # noqa: PLR2004 - what fits in a sentence


def _short(text: str) -> str:
    return text if len(text) <= 300 else text[:297] + "…"  # noqa: PLR2004 - what fits in a message


def _type_of(value: Any) -> str:
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "null" if value is None else type(value).__name__)
