"""Generator of values that a JSON Schema accepts."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice, product
from math import ceil, floor
from typing import TYPE_CHECKING, Any

from aurora.interpreter.schema import find_faults, to_canonical_json

from .constants import NO_CONSTANTS
from .normalise import NOTHING_FITS, inline_references, merge_schemas
from .strings import PLAIN_TEXT, generate_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .constants import ComparedConstants
    from .normalise import Schema

MAX_GENERATED = 48
"""The most values that are generated for one schema."""
MAX_ITEMS = 1_000
"""The most items of a list; a schema that needs more gets no value."""
MAX_DEPTH = 10
"""The deepest nesting; deeper values are left out, or null."""

AnySchema = Mapping[str, Any] | bool
"""A JSON Schema, which may be true or false."""
_ALL_TYPES = ("object", "string", "boolean", "number", "array", "null")
OTHER_TEXT = "some other text"


class UnsatisfiableError(Exception):
    """No value was found; the text says what the last candidate breaks."""


def generate_values(schema: AnySchema, hints: ComparedConstants = NO_CONSTANTS) -> list[Any]:
    """Generate values that fit, the least first, then those that constants tell apart.

    Args:
        schema: a JSON Schema; its references point into itself.
        hints: the constants that the values will be compared with.

    Raises:
        UnsatisfiableError: no value was found; there may be none.
    """
    plain = inline_references(schema)
    wrong = ""
    fitting: list[Any] = []
    seen: set[str] = set()
    for value in _generate_candidates(plain, hints):
        key = to_canonical_json(value)
        if key in seen:
            continue
        seen.add(key)
        found = find_faults(value, plain)
        if not found:
            fitting.append(value)
        wrong = wrong or (f"{found[0]['path']} {found[0]['message']}" if found else "")
        if len(fitting) >= MAX_GENERATED:
            break
    if not fitting:
        raise UnsatisfiableError(wrong or "the schema accepts nothing")
    return fitting


def generate_least_value(schema: AnySchema) -> Any:
    """Generate the least value that fits.

    Raises:
        UnsatisfiableError: no value was found.
    """
    return generate_values(schema)[0]


def _generate_candidates(schema: Schema, hints: ComparedConstants) -> Iterator[Any]:
    """Generate candidates, as far as the numbers in the schema allow."""
    try:
        yield from islice(_generate_unchecked(schema, hints, 0), MAX_GENERATED * 4)
    except (OverflowError, TypeError, ValueError, ZeroDivisionError, RecursionError) as error:
        raise UnsatisfiableError(f"the schema is not supported ({error})") from None


def _generate_unchecked(schema: Any, hints: ComparedConstants, depth: int) -> Iterator[Any]:
    """Generate candidates; the caller checks each of them."""
    if not isinstance(schema, dict):
        schema = {}
    for one in _expand_branches(schema):
        if one.get("not") == {}:  # `NOTHING_FITS`, or a schema merged with it
            continue
        if "const" in one:
            yield one["const"]
        elif isinstance(one.get("enum"), list):
            yield from one["enum"]
        else:
            yield from (one[key] for key in ("default",) if key in one)
            yield from one.get("examples", ())[:1] if isinstance(one.get("examples"), list) else ()
            yield from _generate_by_type(one, hints, depth)


def _expand_branches(schema: Schema) -> Iterator[Schema]:
    """Merge `allOf` into the schema and yield it with each of its alternatives."""
    whole = {key: value for key, value in schema.items() if key != "allOf"}
    for part in schema.get("allOf", ()):
        whole = merge_schemas(whole, part)
    if "allOf" in whole:
        yield from _expand_branches(whole) if whole != schema else ()
        return
    for key in ("anyOf", "oneOf"):
        if isinstance(whole.get(key), list):
            rest = {name: value for name, value in whole.items() if name != key}
            for branch in whole[key]:
                both = merge_schemas(rest, branch)
                yield from _expand_branches(both) if isinstance(both, dict) else ()
            return
    if "if" in whole:
        rest = {name: value for name, value in whole.items() if name not in ("if", "then", "else")}
        for both in (
            merge_schemas(rest, whole.get("else", {})),
            merge_schemas(merge_schemas(rest, whole["if"]), whole.get("then", {})),
            rest,
        ):
            yield from _expand_branches(both) if isinstance(both, dict) else ()
        return
    yield whole


def _generate_by_type(schema: Schema, hints: ComparedConstants, depth: int) -> Iterator[Any]:
    makers = {
        "object": _generate_objects,
        "array": _generate_lists,
        "string": _generate_texts,
        "boolean": lambda *_: iter((False, True)),
        "integer": _generate_numbers,
        "number": _generate_numbers,
        "null": lambda *_: iter((None,)),
    }
    for kind in _list_types(schema):
        yield from makers[kind](schema, hints, depth) if kind in makers else ()


def _list_types(schema: Schema) -> tuple[str, ...]:
    said = schema.get("type")
    if isinstance(said, str):
        return (said,)
    if isinstance(said, list):
        return tuple(said)
    telling = (
        ("object", ("properties", "required", "additionalProperties", "minProperties", "patternProperties")),
        ("array", ("items", "minItems", "maxItems", "prefixItems", "contains", "uniqueItems")),
        ("string", ("minLength", "maxLength", "pattern", "format")),
        ("number", ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")),
    )
    first = [kind for kind, keys in telling if any(key in schema for key in keys)]
    return tuple(dict.fromkeys([*first, *_ALL_TYPES]))


def _generate_numbers(schema: Schema, hints: ComparedConstants, depth: int) -> Iterator[Any]:
    del depth
    whole = schema.get("type") == "integer" or (
        "integer" in _list_types(schema) and "number" not in _list_types(schema)
    )
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    points = [one for one in (low, high, above, below) if one is not None]
    start = low if low is not None else above + (1 if whole else 0.5) if above is not None else 0
    if high is not None and start > high:
        start = high
    step = schema.get("multipleOf")
    yield _round_to_step(start, step) if step else ceil(start) if whole else start
    for point in sorted({*points, *hints.numbers}):
        for near in (point, point - 1, point + 1, *(() if whole else (point - 0.25, point + 0.25))):
            yield _round_to_step(near, step) if step else floor(near) if whole else near
    if not points and not hints.numbers:
        yield 1


def _round_to_step(number: float, step: float) -> float:
    """Round up to a multiple of the step."""
    return ceil(number / step) * step


def _generate_texts(schema: Schema, hints: ComparedConstants, depth: int) -> Iterator[Any]:
    del depth
    yield generate_text(schema)
    yield from hints.texts
    yield from (f"{one:g}" for one in hints.numbers)
    yield from (OTHER_TEXT, "", PLAIN_TEXT)


def _generate_lists(schema: Schema, hints: ComparedConstants, depth: int) -> Iterator[Any]:
    """Generate a list with one item, then an empty one, others, and longer ones."""
    fewest = min(int(schema.get("minItems", 0)), MAX_ITEMS)
    most = int(schema.get("maxItems", MAX_GENERATED * 2))
    first = [_generate_first(one, hints, depth) for one in schema.get("prefixItems", ())]
    inner = schema.get("items", {})
    if isinstance(schema.get("contains"), dict):
        inner = merge_schemas(inner, schema["contains"])
    items: list[Any] = []
    if depth <= MAX_DEPTH and inner is not False:
        items = list(islice(_generate_unchecked(inner, hints, depth + 1), MAX_GENERATED // 2))
    unique = bool(schema.get("uniqueItems"))
    lengths = [*hints.list_lengths(), fewest + 1]
    if max(fewest, 1) <= most:
        yield _build_list(first, items, max(fewest, 1), unique=unique)
    yield _build_list(first, items, fewest, unique=unique)
    if fewest <= len(first) + 1 <= most:
        yield from ([*first, item] for item in items[1:])
    for length in lengths:
        if length <= most:
            yield _build_list(first, items, length, unique=unique)
            yield _build_list(first, items[1:], length, unique=unique)
    yield [*first, *items][:most]
    yield from (value for value in hints.wholes if isinstance(value, list))


def _generate_first(schema: Any, hints: ComparedConstants, depth: int) -> Any:
    return next(_generate_unchecked(schema, hints, depth + 1), None)


def _build_list(first: list[Any], items: list[Any], size: int, *, unique: bool) -> list[Any]:
    """Build a list of this length; its items are equal, or all different."""
    missing = max(size - len(first), 0)
    if not items:
        return list(first)
    return [*first, *(items[:missing] if unique and len(items) > 1 else _repeat_item(items[0], missing))]


def _repeat_item(item: Any, count: int) -> list[Any]:
    """Repeat the item; objects with an id get different ones."""
    if not isinstance(item, dict) or not isinstance(item.get("id"), str) or count <= 1:
        return [item] * count
    return [{**item, "id": f"{item['id']}{number}"} for number in range(1, count + 1)]


def _generate_objects(schema: Schema, hints: ComparedConstants, depth: int) -> Iterator[Any]:
    """Generate the required properties, then variations of those in constants."""
    properties = schema.get("properties", {})
    required = [name for name in schema.get("required", ()) if isinstance(name, str)]
    if depth > MAX_DEPTH:
        yield {}
        return
    base = {name: _generate_first(properties.get(name, {}), hints, depth) for name in required}
    while len(base) < int(schema.get("minProperties", 0)) and len(base) < MAX_GENERATED:
        spare = next((name for name in properties if name not in base), f"key{len(base) + 1}")
        base[spare] = _generate_first(properties.get(spare, schema.get("additionalProperties", {})), hints, depth)
    yield dict(base)
    named = [name for name in properties if name in hints.names]
    yield from _vary_properties(
        base, {name: _generate_property_values(properties, name, hints, depth) for name in named}, required
    )
    more = {name: inner for name, inner in properties.items() if name not in base and inner != NOTHING_FITS}
    yield {**base, **{name: _generate_first(inner, hints, depth) for name, inner in more.items()}}
    yield from (one for one in hints.wholes if isinstance(one, dict))


def _generate_property_values(properties: Schema, name: str, hints: ComparedConstants, depth: int) -> list[Any]:
    return list(islice(_generate_unchecked(properties[name], hints, depth + 1), MAX_GENERATED // 2))


def _vary_properties(base: dict[str, Any], offers: dict[str, list[Any]], required: Iterable[str]) -> Iterator[Any]:
    """Vary each property alone, then several at once while there is room."""
    for name, values in offers.items():
        yield from ({**base, name: value} for value in values)
        if name not in required and name in base:
            yield {key: value for key, value in base.items() if key != name}
    yield from ({**base, **dict(zip(offers, values, strict=True))} for values in product(*offers.values()))
