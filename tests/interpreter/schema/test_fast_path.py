"""What accepts a value at once never takes one that the library of JSON Schema would refuse."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from aurora.interpreter import Catalog
from aurora.interpreter.schema.fast_path import compile_schema
from aurora.interpreter.simulation.values.generate import generate_values

TYPES = ("null", "boolean", "string", "number", "integer", "array", "object")
PARTS: list[Any] = [
    *(True, False, {}, {"title": "t", "format": "uri", "default": 1}),
    *({"type": kind} for kind in TYPES),
    *({"type": [kind, "null"]} for kind in TYPES[1:]),
    *({key: limit} for key in ("minimum", "maximum", "minLength", "maxLength") for limit in (-1, 0, 1, 1.5, 2)),
    *({key: limit} for key in ("minItems", "maxItems") for limit in (0, 1, 2)),
    *({"enum": choices} for choices in (["a"], ["b", None], ["1", "ab"], [])),
    *({"pattern": pattern} for pattern in ("a", "^b?$", "^.$")),
    *({"required": names} for names in ([], ["a"], ["a", "b"])),
    {"type": "string", "enum": ["a", "ab"], "maxLength": 1},
    {"properties": {"a": {"type": "string"}}, "additionalProperties": False, "required": ["a"]},
    {"properties": {"a": {"type": "string"}, "b": False}, "additionalProperties": {"type": "null"}},
]
ATOMS: list[Any] = [None, True, False, 0, 1, 2, -1, 0.5, 1.0, 1.5, 1e300, float("nan"), "", "a", "b", "ab", "é", "1"]
FLAT: list[Any] = [
    *([], {}, ["a"], ["a", 1], ["a", "b", "b"], [None], [[]], [{}]),
    *({"a": "a"}, {"a": 1}, {"b": None}, {"a": "b", "b": 1}, {"a": "b", "c": None}, {"a": "b", "c": 1}),
]
VALUES = [
    *ATOMS,
    *FLAT,
    *([value] for value in ATOMS),
    *({"a": value} for value in ATOMS),
    *([value] for value in FLAT),
]


def _around(part: Any) -> list[dict[str, Any]]:
    return [
        part if isinstance(part, dict) else {"items": part},
        {"items": part},
        {"properties": {"a": part}},
        {"properties": {"b": {}}, "additionalProperties": part},
        {"items": {"$ref": "#/$defs/part"}, "$defs": {"part": part}},
        {"maxItems": 2, "minProperties": 1, "items": part},
    ]


@pytest.mark.parametrize("part", PARTS, ids=str)
def test_what_is_accepted_at_once_fits(part: Any) -> None:
    for schema in _around(part):
        accepts, library = compile_schema(schema), Draft202012Validator(schema)
        wrongly = [value for value in VALUES if accepts(value) and not library.is_valid(value)]
        assert wrongly == [], schema


@pytest.mark.parametrize("name", sorted(Catalog(None).list_names()))
def test_what_fits_a_shipped_schema_is_accepted_at_once(name: str) -> None:
    definition = Catalog(None).open(name)
    for schema in (*definition.outputs.values(), *definition.answers.values()):
        assert all(map(compile_schema(schema), generate_values(schema)))


def test_a_part_that_holds_itself_is_accepted_at_every_depth() -> None:
    node = {"required": ["size"], "properties": {"size": {"minimum": 1}, "under": {"items": {"$ref": "#/$defs/node"}}}}
    fits = compile_schema({"$ref": "#/$defs/node", "$defs": {"node": node}})
    assert fits({"size": 1, "under": [{"size": 2}, {"size": 3, "under": [{"size": 4}]}]})
    assert not fits({"size": 1, "under": [{"size": 2}, {"size": 3, "under": [{"size": 0}]}]})


@pytest.mark.parametrize(
    "schema", [{"not": {}}, {"type": ["string"]}, {"enum": [1]}, {"pattern": "("}, {"$ref": "#/$defs/a"}, {"$id": "x"}]
)
def test_what_only_the_library_knows_is_left_to_it(schema: dict[str, Any]) -> None:
    assert not compile_schema(schema)("x")
