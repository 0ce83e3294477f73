"""Generator of strings: of a length, in a format, matching a pattern."""

from __future__ import annotations

from importlib import import_module
from typing import Any

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
