"""Generator of values that a JSON Schema accepts."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from itertools import islice, product
from math import ceil, floor
from typing import TYPE_CHECKING, Any

from aurora.interpreter.expressions.meter import charge_work
from aurora.interpreter.schema.json_values import to_canonical_json
from aurora.interpreter.schema.validate import find_faults

from .values import NO_CONSTANTS, NOTHING_FITS, inline_references, merge_schemas

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .values import ComparedConstants, Schema

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


_GENERATION_WORK = 15
"""Work of the first candidate of a schema without those inside it, in steps of an evaluation."""


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
    # A candidate only probably fits; the validator decides, so that no keyword must be understood here.
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


_CHOICES = frozenset(("anyOf", "oneOf", "allOf", "if"))


def generate_least_value(schema: AnySchema) -> Any:
    """Generate the least value that fits.

    Raises:
        UnsatisfiableError: no value was found.
    """
    return generate_values(schema)[0]


def fit_alternative(schema: AnySchema, value: Any, assigned: Iterable[tuple[Sequence[str], Any]]) -> Any:
    """Return a value with the assigned values at their paths that fits one of the schema's alternatives.

    Args:
        schema: a schema; one without alternatives leaves the value as it is.
        value: a value with the assigned ones, of any alternative.
        assigned: paths, and their values.
    """
    if (
        not isinstance(schema, dict)
        or not _CHOICES & schema.keys()
        or not find_faults(value, inline_references(schema))
    ):
        return value
    wanted: Any = inline_references(schema)
    for path, one in assigned:
        nested: Schema = {"const": one}
        for name in reversed(path):
            nested = {"type": "object", "required": [name], "properties": {name: nested}}
        wanted = merge_schemas(wanted, nested)
    try:
        return generate_least_value(wanted)
    except UnsatisfiableError:
        return value


def _generate_candidates(schema: Schema, hints: ComparedConstants) -> Iterator[Any]:
    """Generate candidates, as far as the numbers in the schema allow."""
    try:
        yield from islice(_generate_unchecked(schema, hints, 0), MAX_GENERATED * 4)
    except (OverflowError, TypeError, ValueError, ZeroDivisionError, RecursionError) as error:
        raise UnsatisfiableError(f"the schema is not supported ({error})") from None


def _generate_unchecked(schema: Any, hints: ComparedConstants, depth: int) -> Iterator[Any]:
    """Generate candidates; the caller checks each of them."""
    charge_work(_GENERATION_WORK)
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
    merged = _drop_keys(schema, "allOf")
    for part in schema.get("allOf", ()):
        merged = merge_schemas(merged, part)
    if "allOf" in merged:
        yield from _expand_branches(merged) if merged != schema else ()
        return
    alternatives = _list_alternatives(merged)
    if alternatives is None:
        yield merged
        return
    for alternative in alternatives:
        yield from _expand_branches(alternative) if isinstance(alternative, dict) else ()


def _list_alternatives(schema: Schema) -> Iterable[Any] | None:
    """Merge the schema with each branch of its first choice; None when it has no choice."""
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            rest = _drop_keys(schema, key)
            return (merge_schemas(rest, branch) for branch in schema[key])
    return _list_conditional_branches(schema) if "if" in schema else None


def _list_conditional_branches(schema: Schema) -> Iterator[Any]:
    """Yield the schema with `else`, with `if` and `then`, and without a condition."""
    rest = _drop_keys(schema, "if", "then", "else")
    yield merge_schemas(rest, schema.get("else", {}))
    yield merge_schemas(merge_schemas(rest, schema["if"]), schema.get("then", {}))
    yield rest


def _drop_keys(schema: Schema, *keys: str) -> Schema:
    return {key: value for key, value in schema.items() if key not in keys}


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
    implied = [kind for kind, keywords in _TYPE_KEYWORDS.items() if not keywords.isdisjoint(schema)]
    return tuple(dict.fromkeys([*implied, *_ALL_TYPES]))


_TYPE_KEYWORDS = {
    "object": frozenset(("properties", "required", "additionalProperties", "minProperties", "patternProperties")),
    "array": frozenset(("items", "minItems", "maxItems", "prefixItems", "contains", "uniqueItems")),
    "string": frozenset(("minLength", "maxLength", "pattern", "format")),
    "number": frozenset(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")),
}
"""The keywords that constrain one type."""


def _generate_numbers(schema: Schema, hints: ComparedConstants, depth: int) -> Iterator[Any]:
    """Generate the least number, then those at and next to the bounds and constants."""
    del depth
    types = _list_types(schema)
    is_whole = "integer" in types and "number" not in types
    step = schema.get("multipleOf")
    start = _find_least_number(schema, is_whole=is_whole)
    yield _round_to_step(start, step) if step else ceil(start) if is_whole else start
    bounds = [schema[key] for key in _NUMBER_BOUNDS if schema.get(key) is not None]
    offsets = (-1, 1) if is_whole else (-1, 1, -0.25, 0.25)
    for number in _list_nearby_numbers({*bounds, *hints.numbers}, offsets):
        yield _round_to_step(number, step) if step else floor(number) if is_whole else number
    if not bounds and not hints.numbers:
        yield 1


_NUMBER_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")


def _find_least_number(schema: Schema, *, is_whole: bool) -> Any:
    """Return the lower bound, or 0 without one, but no more than the maximum."""
    least: Any = 0
    if schema.get("minimum") is not None:
        least = schema["minimum"]
    elif schema.get("exclusiveMinimum") is not None:
        least = schema["exclusiveMinimum"] + (1 if is_whole else 0.5)
    most = schema.get("maximum")
    return least if most is None else min(least, most)


def _list_nearby_numbers(points: Iterable[float], offsets: Iterable[float]) -> Iterator[float]:
    for point in sorted(points):
        yield point
        yield from (point + offset for offset in offsets)


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
    least = {name: _generate_first(properties.get(name, {}), hints, depth) for name in required}
    _add_missing_properties(least, schema, hints, depth)
    yield dict(least)
    named = [name for name in properties if name in hints.names]
    yield from _vary_properties(
        least, {name: _generate_property_values(properties, name, hints, depth) for name in named}, required
    )
    whole = dict(least)
    for name, inner in properties.items():
        if name not in least and inner != NOTHING_FITS:
            whole[name] = _generate_first(inner, hints, depth)
    yield whole
    yield from (value for value in hints.wholes if isinstance(value, dict))


def _add_missing_properties(value: dict[str, Any], schema: Schema, hints: ComparedConstants, depth: int) -> None:
    """Add properties until the object has as many as `minProperties` demands."""
    properties = schema.get("properties", {})
    while len(value) < min(int(schema.get("minProperties", 0)), MAX_GENERATED):
        name = next((name for name in properties if name not in value), f"key{len(value) + 1}")
        value[name] = _generate_first(properties.get(name, schema.get("additionalProperties", {})), hints, depth)


def _generate_property_values(properties: Schema, name: str, hints: ComparedConstants, depth: int) -> list[Any]:
    return list(islice(_generate_unchecked(properties[name], hints, depth + 1), MAX_GENERATED // 2))


def _vary_properties(base: dict[str, Any], offers: dict[str, list[Any]], required: Iterable[str]) -> Iterator[Any]:
    """Vary each property alone, then several at once while there is room."""
    for name, values in offers.items():
        yield from ({**base, name: value} for value in values)
        if name not in required and name in base:
            yield {key: value for key, value in base.items() if key != name}
    yield from ({**base, **dict(zip(offers, values, strict=True))} for values in product(*offers.values()))


FORMAT_EXAMPLES = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "email": "ada@example.org",
    "hostname": "example.org",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "time": "12:00:00Z",
    "uri": "https://example.org/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
"""A text in each format; none of them refers to a real host (RFC 2606, RFC 5737)."""


PLAIN_TEXT = "text"


MAX_LENGTH = 100_000
"""The longest text that is generated."""


_LETTERS = "aA0 _-.:/@"


def generate_text(schema: dict[str, Any]) -> str:
    """Generate a likely text; the caller checks whether it fits."""
    if isinstance(schema.get("pattern"), str):
        made = _pad_text(_generate_from_pattern(schema["pattern"]), schema)
    elif schema.get("format") in FORMAT_EXAMPLES:
        # Not cut to `maxLength`, because a part of it has no longer the format.
        return FORMAT_EXAMPLES[schema["format"]]
    else:
        made = _pad_text(PLAIN_TEXT, schema)
    most = schema.get("maxLength")
    return made[:most] if isinstance(most, int) else made


def _pad_text(word: str, schema: dict[str, Any]) -> str:
    """Repeat the last letter until the text has its minimum length."""
    missing = min(int(schema.get("minLength", 0)), MAX_LENGTH) - len(word)
    return word + (word[-1:] or "x") * missing


def _generate_from_pattern(pattern: str) -> str:
    """Generate a text for a pattern, parsed by the standard library's parser."""
    reader: Any = import_module("re._parser")  # there is no public access to the parts of a pattern
    try:
        return _generate_parts(reader.parse(pattern), {})
    except Exception:  # noqa: BLE001 - the parser of another dialect fails in any way; callers check the text
        return PLAIN_TEXT


def _generate_parts(parts: Any, groups: dict[int, str]) -> str:
    return "".join(_generate_part(str(kind), value, groups) for kind, value in parts)


def _generate_part(kind: str, value: Any, groups: dict[int, str]) -> str:
    text = ""  # an anchor or a look-around matches no character
    match kind:
        case "LITERAL":
            text = chr(value)
        case "ANY":
            text = "a"
        case "NOT_LITERAL":
            text = _pick_other_letter([("LITERAL", value)])
        case "IN":
            text = _pick_letter(value)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, most, inner = value
            text = _generate_parts(inner, groups) * (least or min(int(most), 1))
        case "BRANCH":
            text = _generate_parts(value[1][0], groups)
        case "SUBPATTERN":
            text = groups[value[0] or 0] = _generate_parts(value[-1], groups)
        case "ATOMIC_GROUP":
            text = _generate_parts(value, groups)
        case "GROUPREF":
            text = groups.get(value, "")
    return text


def _pick_letter(members: Any) -> str:
    """Pick a letter of a character class."""
    (first, value), *_ = members
    if str(first) == "NEGATE":
        return _pick_other_letter(members[1:])
    if str(first) == "RANGE":
        return chr(value[0])
    return (
        chr(value) if str(first) == "LITERAL" else next((one for one in _LETTERS if _is_member(one, members[0])), "a")
    )


def _pick_other_letter(members: Any) -> str:
    """Pick a letter that is in none of the members."""
    for letter in _LETTERS:
        if not any(_is_member(letter, member) for member in members):
            return letter
    return "a"


def _is_member(letter: str, member: Any) -> bool:
    kind, value = str(member[0]), member[1]
    if kind == "LITERAL":
        return bool(ord(letter) == value)
    if kind == "RANGE":
        return bool(value[0] <= ord(letter) <= value[1])
    word, digit, space = letter.isalnum() or letter == "_", letter.isdigit(), letter.isspace()
    classes: dict[str, bool] = {"WORD": word, "DIGIT": digit, "SPACE": space}
    name = str(value).removeprefix("CATEGORY_")
    return not classes[name[4:]] if name.startswith("NOT_") else classes[name]
