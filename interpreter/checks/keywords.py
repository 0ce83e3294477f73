"""JSON Schema keywords that an input may contain."""

from __future__ import annotations

SETTING = "x-setting"
"""Keyword of a field in a tool's output that is null unless the phase turns this setting on."""

INCREASING = "x-increasing"
"""Keyword of settings of a tool: the names of those whose numbers must increase in this order."""

KEYWORDS = frozenset(
    {
        "$anchor",
        "$comment",
        "$defs",
        "$dynamicAnchor",
        "$dynamicRef",
        "$id",
        "$ref",
        "$schema",
        "$vocabulary",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "contains",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "default",
        "definitions",
        "dependentRequired",
        "dependentSchemas",
        "deprecated",
        "description",
        "else",
        "enum",
        "examples",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "if",
        "items",
        "markdownDescription",
        "maxContains",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minContains",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "not",
        "oneOf",
        "pattern",
        "patternProperties",
        "prefixItems",
        "properties",
        "propertyNames",
        "readOnly",
        "required",
        "then",
        "title",
        "type",
        "unevaluatedItems",
        "unevaluatedProperties",
        "uniqueItems",
        "writeOnly",
    }
)
"""https://json-schema.org/draft/2020-12/schema, and `markdownDescription`, which editors know."""

OTHER_WORDS = {
    "choices": "write `enum`, and the list of values",
    "fields": "write `properties`",
    "len": "write `minLength` or `maxLength`, or `minItems` or `maxItems` for a list",
    "length": "write `minLength` or `maxLength`, or `minItems` or `maxItems` for a list",
    "mandatory": "list the names of the required fields under `required`, next to `properties`",
    "max": "write `maximum`, or `maxLength` for a text, or `maxItems` for a list",
    "min": "write `minimum`, or `minLength` for a text, or `minItems` for a list",
    "nullable": 'write `type: [string, "null"]`, with your type',
    "options": "write `enum`, and the list of values",
    "optional": "every field is optional unless its name is listed under `required`, next to `properties`",
    "oneof": "write `oneOf`",
    "range": "write `minimum` and `maximum`",
    "regex": "write `pattern`",
    "regexp": "write `pattern`",
    "size": "write `minItems` or `maxItems`, or `minLength` or `maxLength` for a text",
    "unique": "write `uniqueItems: true`",
    "values": "write `enum`, and the list of values",
}
"""Words of other schema languages that JSON Schema ignores, and what to write."""
