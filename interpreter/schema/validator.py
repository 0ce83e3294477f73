"""Compiled JSON Schemas of version 2020-12, cached; nothing remote is read."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .regex import PatternKeyword

if TYPE_CHECKING:
    from types import ModuleType

    from jsonschema_rs import Resolver, Validator

OUTSIDE = {"$comment": "nothing outside of a schema is read"}
"""The resolver's answer for every address outside of the schema."""

MAX_COMPILED_BYTES = 2_000_000
"""Size of a compiled pattern of `patternProperties`."""

_BASE = "aurora:///schema"


@lru_cache(maxsize=512)
def compile_schema(text: str) -> Validator:
    """Compile a schema, given as JSON text without half surrogates.

    Raises:
        ValueError: the text is not a usable schema.
    """
    library = _load_library()
    # the linear engine for the names of `patternProperties`, too
    options = library.RegexOptions(size_limit=MAX_COMPILED_BYTES)
    validator: Validator = library.Draft202012Validator(
        text, validate_formats=False, offline=True, keywords={"pattern": PatternKeyword}, pattern_options=options
    )
    return validator


def create_resolver(schema: Any) -> Resolver:
    """Create the resolver of a schema's references.

    Raises:
        ValueError: an address in the schema is not a URI.
    """
    own = schema.get("$id") if isinstance(schema, dict) else None
    base = own if isinstance(own, str) else _BASE
    resolver: Resolver = _load_library().Registry([(base, schema)], retriever=_retrieve).resolver(base)
    return resolver


def find_target(resolver: Resolver, reference: str) -> Any:
    """Find the target of a reference; `OUTSIDE` if it is not in this schema."""
    try:
        return resolver.lookup(reference).contents
    except _load_library().ReferencingError:
        return OUTSIDE


def to_unicode(text: str) -> str:
    """Replace half surrogates by question marks; no other program can read them."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _retrieve(_address: str) -> Any:
    return OUTSIDE


def _load_library() -> ModuleType:
    import jsonschema_rs  # noqa: PLC0415 - 50 ms that a list of tools must not pay

    return jsonschema_rs
