r"""Compiled JSON Schemas of version 2020-12 and their patterns, cached; nothing remote is read.

Python's own engine backtracks: `^(\w+\s?)+$` against a sentence of fifty letters never finishes, and nothing else runs
meanwhile. The engine that pydantic uses tries all alternatives at once, and knows the same letters as Python does. Its
time is the product of the pattern's size and the text's, and so both are limited. Look-around and back-references need
an engine that backtracks: they are refused.
"""

from __future__ import annotations

import re
import threading
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Any

from pydantic_core import SchemaError, SchemaValidator, core_schema

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from jsonschema_rs import Resolver, Validator

OUTSIDE = {"$comment": "nothing outside of a schema is read"}
"""The resolver's answer for every address outside of the schema."""


MAX_COMPILED_BYTES = 2_000_000
"""Size of a compiled pattern of `patternProperties`."""


MAX_REFERENCE_WORK = 300_000_000
"""References of a schema times its characters: the library reads the target anew for each, in up to 2 s."""


_BASE = "aurora:///schema"


@lru_cache(maxsize=512)
def compile_schema(text: str) -> Validator:
    """Compile a schema, given as JSON text without half surrogates.

    Raises:
        ValueError: the text is not a usable schema.
    """
    references = text.count('Ref"') + text.count('"$ref"')
    if references * len(text) > MAX_REFERENCE_WORK:
        raise ValueError(f"has {references:,} references, too many for a schema of {len(text):,} characters")
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


MAX_LENGTH = 10_000
"""Characters of a pattern."""


MAX_WEIGHT = 10_000
"""Weight of a pattern (see `weigh_pattern`); it is compiled in at most 0.2 s."""


MAX_WORK = 20_000_000
"""Weight of a pattern times the characters of a text, 5 to 25 ns each; no other call is answered meanwhile."""


MAX_TOTAL_WORK = 100_000_000
"""The same of all texts of one value."""


_spent = threading.local()

_MAX_COUNT_DIGITS = 6

_CLASS_WEIGHT = 8
"""Weight of `\\w` and the like, whose letters of all languages are hundreds of states."""

_ANY_WEIGHT = 3

_TOKEN = re.compile(
    r"\\[pP]\{[^}]*\}|\\.|\[\^?\]?(?:[^\]\\]|\\.)*+\]|\((?:\?[a-zA-Z-]*+(?:[:<P=!]))?|\{(\d*),?(\d*)\}|.", re.DOTALL
)


class RefusedPatternError(ValueError):
    """A pattern that is not a regular expression, or that is not matched here; the text is the reason."""

    def __init__(self, reason: str, help_: str = "") -> None:
        super().__init__(reason)
        self.help = help_


@lru_cache(maxsize=1024)
def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """Return a function that reports whether the pattern occurs in a text.

    The function raises ValueError for a text that is too long for its pattern.

    Raises:
        RefusedPatternError: it is not a regular expression, it is too large, or it needs an engine that backtracks.
    """
    if len(pattern) > MAX_LENGTH:
        raise RefusedPatternError(f"has more than {MAX_LENGTH:,} characters", "use an enum, or several patterns")
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise RefusedPatternError(f"is not a regular expression: {error}") from None
    weight = weigh_pattern(pattern)
    if weight > MAX_WEIGHT:
        raise RefusedPatternError("repeats too much", "lower its counts, as in {1,100}, or use maxLength")
    try:
        matches = SchemaValidator(core_schema.str_schema(pattern=pattern, strict=True)).isinstance_python
    except SchemaError as error:
        if "size limit" in str(error):
            raise RefusedPatternError("repeats too much", "lower its counts, as in {1,100}") from None
        reason = "uses look-around, a back-reference or another construct that cannot be matched in linear time"
        raise RefusedPatternError(reason, "combine simple patterns with allOf, anyOf and not") from None
    return _limit_text(matches, weight)


def weigh_pattern(pattern: str) -> int:
    """Estimate the size of the compiled pattern: its characters and classes, times the counts around them."""
    groups = [0]  # the weight so far of each open group, the outermost first
    last = 0  # the weight of what a count would repeat
    for token in _TOKEN.finditer(pattern):
        text = token[0]
        if text.startswith("("):
            groups.append(1)
        elif text == ")" and len(groups) > 1:
            last = groups.pop()
            groups[-1] += last
        elif token.lastindex:
            count = max(_to_count(token[1]), _to_count(token[2]), 1)
            groups[-1] += last * (count - 1)
            last *= count
        elif text not in "*+?|^$":
            last = _weigh_atom(text)
            groups[-1] += last
        else:
            groups[-1] += 1
    return max(1, sum(groups)) * (2 if "(?i" in pattern else 1)


def _weigh_atom(text: str) -> int:
    if text == ".":
        return _ANY_WEIGHT
    wide = text[:2] in ("\\w", "\\W", "\\d", "\\D", "\\s", "\\S", "\\p", "\\P", "[^")
    return _CLASS_WEIGHT if wide or (text[0] == "[" and "\\" in text) else 1 + (not text.isascii())


def measure_pattern(pattern: str) -> tuple[int, float]:
    """Measure the shortest and the longest text that a pattern of the whole text, `^…$`, matches.

    A pattern with groups, alternatives or another construct is not measured: 0 and infinity.
    """
    unknown = (0, inf)
    if not (pattern.startswith("^") and pattern.endswith("$") and not pattern.endswith("\\$")):
        return unknown
    parts: list[tuple[int, float]] = []
    for token in _TOKEN.finditer(pattern, 1, len(pattern) - 1):
        text = token[0]
        if text[0] in "(|^$)" or text[:2] in _UNMEASURED or text.startswith("{,"):
            return unknown
        if token.lastindex or text in _COUNTS:
            shortest, longest = _read_counts(token)
            last = parts.pop() if parts else (0, inf)
            parts.append((last[0] * shortest, last[1] * longest if longest else 0))
        else:
            parts.append((1, 1))
    return sum(part[0] for part in parts), sum(part[1] for part in parts)


_COUNTS: dict[str, tuple[int, float]] = {"*": (0, inf), "+": (1, inf), "?": (0, 1)}

_UNMEASURED = frozenset({"\\A", "\\B", "\\P", "\\b", "\\p", "\\z", "\\x", "\\u", "\\U"})
"""Starts of what matches no character, or that is not read here as one."""


def _read_counts(token: re.Match[str]) -> tuple[int, float]:
    """Read the least and the most repetitions of a sign or of counts in braces."""
    if token[0] in _COUNTS:
        return _COUNTS[token[0]]
    least = _to_count(token[1])
    return least, _to_count(token[2]) if token[2] else inf if "," in token[0] else least


def _to_count(digits: str | None) -> int:
    if not digits:
        return 0
    return int(digits) if len(digits) <= _MAX_COUNT_DIGITS else 10**_MAX_COUNT_DIGITS


def limit_patterns() -> None:
    """Begin to count the work of the patterns for one value; the count belongs to the thread."""
    _spent.work = 0


def _limit_text(matches: Callable[[str], bool], weight: int) -> Callable[[str], bool]:
    most = MAX_WORK // weight

    def match_text(text: str) -> bool:
        if len(text) > most:
            raise ValueError(f"is too long for its pattern: more than {most:,} characters")
        _spent.work = getattr(_spent, "work", 0) + len(text) * weight
        if _spent.work > MAX_TOTAL_WORK:
            raise ValueError("is one text too many for its pattern: the value has too much text")
        return matches(text)

    return match_text


class PatternKeyword:
    r"""The keyword `pattern`, in whose patterns `\w` and `\d` match more than ASCII."""

    def __init__(self, parent_schema: dict[str, Any], value: Any, schema_path: list[str | int]) -> None:
        del parent_schema, schema_path
        self._pattern = value
        self._matches = compile_pattern(value)

    def validate(self, instance: Any) -> None:
        """Raise ValueError for a text in which the pattern does not occur."""
        if isinstance(instance, str) and not self._matches(instance):
            raise ValueError(f"does not match the pattern {self._pattern}")
