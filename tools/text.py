"""Text utilities of the tools: words, stems, short names of places, pages and summaries."""

from __future__ import annotations

import json
import os
import re
import site
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aurora.errors import Code, Fault
from aurora.system.programs import SHIPPED_FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


_TOKEN = re.compile(
    r"""
      (?=[^ ]|[ ]-)                                               # no token begins with a blank but " - "
    (?:
      (?P<plain> [A-Za-z][a-z]*(?=[\s,;!?]|\Z) )                # the fast path for most words
    | (?P<name> `[^`\n]{1,200}`                                   # `quoted code`
        | \w+://\S+                                               # a URL
        | (?<!\w)(?:\.{0,2}/)[\w.-]+(?:/[\w.-]+)*                 # /a/path, ./a/path; no "502/503"
        | [\w-]+(?:/[\w.-]+)*/[\w-]+\.\w{1,8}                     # a/path.py
        | [A-Za-z]\w+(?:\.[A-Za-z_]\w+)+(?:\(\))?                 # dotted.name, file.py
        | [A-Za-z]\w*\(\)                                         # call()
        | [A-Za-z]*_\w+                                           # snake_case
        | [a-z]+[A-Z]\w* | [A-Z]+[a-z]+[A-Z]\w* )                 # camelCase, PascalCase
    | (?P<word> [^\W_]+(?:['\u2019][^\W_]+)? )
    | (?P<item> \n[ \t]*(?:[-*\u2022]|\d{1,2}[.)])(?=[ \t]) )     # a listed item
    | (?P<stop> [.!?]+(?=\s|$) | \n )
    | (?P<pause> [,;:()\u2013\u2014] | \s-+\s )
    | (?P<quote> ["\u201c\u201d] )
    )
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class TokenizedText:
    """Tokenized text.

    Attributes:
        words: every word and name in lower case, in order.
        is_name: for each, whether it is a name from code, whose letters have no meaning.
        clause: for each, the number of its clause.
        commas: pauses that are commas.
        items: listed lines.
        sentences: sentences with at least one word.
        quoted: indexes of the words between double quotes.
    """

    words: tuple[str, ...]
    is_name: tuple[bool, ...]
    clause: tuple[int, ...]
    commas: int
    items: int
    sentences: int
    quoted: frozenset[int]


def tokenize_text(text: str) -> TokenizedText:
    """Tokenize a text."""
    words: list[str] = []
    names: list[bool] = []
    clauses: list[int] = []
    quoted: list[int] = []
    clause = commas = items = sentences = last = 0
    opened: int | None = None
    for found in _TOKEN.finditer("\n" + text):
        kind = found.lastgroup
        if kind in {"plain", "name", "word"}:
            words.append(found[0].lower().replace("\u2019", "'"))
            names.append(kind == "name")
            clauses.append(clause)
            continue
        if kind == "quote":
            if opened is not None:
                quoted += range(opened, len(words))
            opened = len(words) if opened is None else None
            continue
        clause += 1
        commas += found[0] == ","
        if kind == "item":
            items += 1
        if kind in {"item", "stop"} and len(words) > last:
            sentences, last = sentences + 1, len(words)
    sentences += len(words) > last
    return TokenizedText(tuple(words), tuple(names), tuple(clauses), commas, items, sentences, frozenset(quoted))


_SUFFIXES = (
    "ations",
    "ation",
    "ings",
    "ing",
    "ions",
    "ion",
    "ors",
    "ers",
    "ies",
    "or",
    "er",
    "ed",
    "es",
    "ly",
    "s",
    "e",
    "y",
)
_MIN_STEM_LENGTH = 4
"""Minimum length of a stem; a suffix is not removed from a shorter one."""
_UNSPACED_SCRIPT = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Thai, Japanese, Chinese, Korean: scripts without spaces between words, compared by bigrams."""
QUOTED_NAME = re.compile(r"[\"\u201c]([^\"\u201d\n]{1,80})[\"\u201d]|`([^`\n]{1,80})`")
"""Quoted text or code in backticks, taken as one name."""
_QUOTATION_MARK = re.compile('["`\u201c\u201d\u201e\u00ab\u00bb]')


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms of a text: `words` maps stems to original words; `names` are from code or quotes."""

    words: dict[str, str]
    names: tuple[str, ...]


def extract_terms(text: str, ignore: frozenset[str] = frozenset()) -> Terms:
    """Extract the terms of a text.

    Args:
        text: any text.
        ignore: stop words in lower case.
    """
    quotes = [first or second for first, second in QUOTED_NAME.findall(text)]
    rest = QUOTED_NAME.sub(" ", text)
    cut = tokenize_text(rest)
    names = [*quotes, *(word for word, name in zip(cut.words, cut.is_name, strict=True) if name)]
    words: dict[str, str] = {}
    for word, name in zip(cut.words, cut.is_name, strict=True):
        if not name and word not in ignore:
            for part in _split_unspaced(word):
                words.setdefault(stem_word(part), part)
    return Terms(words, tuple(dict.fromkeys(normalize_name(name) for name in names)))


def list_terms(text: str, ignore: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """List the stems of the words and the names of a text in order; quotation marks are ignored.

    Args:
        text: any text.
        ignore: stop words in lower case.
    """
    cut = tokenize_text(_QUOTATION_MARK.sub(" ", text))
    terms: list[str] = []
    for word, name in zip(cut.words, cut.is_name, strict=True):
        if name:
            terms.append(normalize_name(word))
        elif word not in ignore:
            terms += (stem_word(part) for part in _split_unspaced(word))
    return tuple(terms)


def stem_words(text: str) -> frozenset[str]:
    """Return the stems of all words, also those within names (`SessionManager`: session, manager)."""
    apart = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text)
    plain = re.findall(r"[^\W_]+", f"{text} {apart}".lower())
    return frozenset(stem_word(part) for word in plain for part in _split_unspaced(word))


def normalize_name(name: str) -> str:
    """Normalize a name: `Store.close()` and "store.close" are the same."""
    return name.strip("`'\" ").removesuffix("()").lower()


@lru_cache(maxsize=8192)
def stem_word(word: str) -> str:
    """Stem a word: "parser", "parsing" and "parses" have one stem; a crude suffix stripper."""
    for ending in _SUFFIXES:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM_LENGTH and not word.endswith("ss"):
            return word.removesuffix(ending)
    return word


def intersect_stems(one: Iterable[str], other: frozenset[str]) -> frozenset[str]:
    """Return the common stems."""
    return frozenset(one) & other


def _split_unspaced(word: str) -> tuple[str, ...]:
    if _UNSPACED_SCRIPT.search(word):
        return tuple(word[at : at + 2] for at in range(max(1, len(word) - 1)))
    return (word,)


_SLASH = r"(?:[/\\]|&#x2f;)"
"""Separator of a path; a page has it as a reference."""
_MATERIAL = re.compile(r"(<material>.*?</material>)", re.DOTALL)
"""Text of the project, which stays as it is: a build file may name the folder in which the server has it."""
_COMMON = frozenset({"/usr", "/usr/local", "/bin", "/opt", "/", "/tmp", "/home"})  # noqa: S108 - never written to
"""Folders that tell nothing about a server, and that many texts name."""
_OWN_VARIABLES = frozenset({"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"})


def shorten_places(value: Any) -> Any:
    """Return a JSON value whose texts name shipped files as `soar.yaml:633`, without folder and column."""
    return _map_texts(value, _shorten)


def _shorten(text: str) -> str:
    return _compile_shipped().sub(r"\1", text)


@cache
def _compile_shipped() -> re.Pattern[str]:
    return re.compile(rf"{_to_pattern(SHIPPED_FOLDER)}{_SLASH}([\w./-]+(?::\d+)?)(?::\d+\b)?")


def hide_server_paths(value: Any, root: Path) -> Any:
    """Return a JSON value or a page whose texts name no folder of this machine.

    Paths in the project are relative to it, shipped files have their short names, and of every other path only what
    follows the folders of the account or of the installation is left. Marked texts of the project stay as they are.

    Args:
        value: what a client on another machine receives.
        root: the folder of the project.
    """
    known = _compile_known(str(root))

    def hide(text: str) -> str:
        if "/" not in text and "\\" not in text and "&#x2f;" not in text:
            return text
        parts = _MATERIAL.split(text)
        return "".join(part if at % 2 else _hide_part(part, known) for at, part in enumerate(parts))

    return _map_texts(value, hide)


def _hide_part(text: str, known: tuple[tuple[re.Pattern[str], str], ...]) -> str:
    text = _shorten(text)
    for pattern, shown in known:
        text = pattern.sub(shown, text)
    return text


@cache
def _compile_known(root: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Compile the folders to hide, the longest first, each with what is shown in its place."""
    found = dict.fromkeys(_list_own_folders(), "…") | {root: "."}
    ordered = sorted(((folder, shown) for folder, shown in found.items() if folder not in _COMMON), key=_by_length)
    patterns = []
    for folder, shown in ordered:
        inside = rf"{_to_pattern(Path(folder))}{_SLASH}(?=[\w.])"
        patterns.append((re.compile(inside), "" if shown == "." else "…/"))
        patterns.append((re.compile(rf"{_to_pattern(Path(folder))}(?![\w-])"), shown))
    return tuple(patterns)


def _by_length(folder: tuple[str, str]) -> int:
    return -len(folder[0])


def _list_own_folders() -> Iterable[str]:
    """List the folders of the account, of Python, and of the installation.

    Each as given, and with its links resolved.
    """
    folders = [SHIPPED_FOLDER.parent, Path(sys.executable).parent, *map(Path, site.getsitepackages())]
    folders += [Path(sys.prefix)] if sys.prefix != sys.base_prefix else []
    with suppress(RuntimeError):  # the account has no home folder
        folders.append(Path.home())
    folders += [
        Path(value) for name, value in os.environ.items() if name in _OWN_VARIABLES and Path(value).is_absolute()
    ]
    for folder in folders:
        yield str(folder)
        yield str(folder.resolve())


def _to_pattern(folder: Path) -> str:
    parts = [re.escape(part) for part in folder.parts if part not in {"/", "\\"}]
    return rf"(?<![\w.-]){_SLASH if folder.is_absolute() else ''}{_SLASH.join(parts)}"


def _map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a JSON value with each of its texts changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(name): _map_texts(inner, change) for name, inner in value.items()}
    return type(value)(_map_texts(inner, change) for inner in value) if isinstance(value, list | tuple) else value


@dataclass(frozen=True, slots=True)
class TextPage:
    """Page of a text; `next` is the offset of the next page, or None at the end."""

    text: str
    offset: int
    total: int
    next: int | None


def count_json_chars(text: str) -> int:
    """Return the length of a text in compact JSON, with its escapes."""
    return len(json.dumps(text, ensure_ascii=False))


def cut_page(text: str, offset: int, room: int) -> TextPage:
    """Return the page of `text` from `offset` with at most `room` characters of JSON.

    It ends at a line break if one is in its second half, else within a line.

    Raises:
        Fault: INVALID_INPUT for an offset past the end.
    """
    total = len(text)
    if offset and offset >= total:
        raise Fault(
            Code.INVALID_INPUT,
            f"offset {offset} is past the end: the text has {total} characters",
            help="Send the next_offset of the previous page, or omit it to start again.",
            details={"faults": [{"path": "$.offset", "expected": f"less than {total}"}], "total_chars": total},
        )
    rest = text[offset : offset + room]
    while rest and count_json_chars(rest) > room:  # escapes make it longer, so shrink it until it fits
        rest = rest[: max(1, len(rest) * room // count_json_chars(rest) - 1)] if len(rest) > 1 else ""
    if offset + len(rest) >= total:
        return TextPage(rest, offset, total, None)
    line = rest.rfind("\n") + 1
    if line > len(rest) // 2:
        rest = rest[:line]
    return TextPage(rest, offset, total, offset + len(rest))


_MAX_LINE_LENGTH = 120
"""Length limit of a value in the summary."""
_MAX_TEXT_LENGTH = 6000
_MAX_MEMBERS = 100
_NAME_KEYS = ("id", "name", "path", "status")
"""Keys for the name of a list member; the first that exists is used."""


def summarize_fields(values: Any) -> dict[str, Any]:
    """Return a short value for each field: numbers, truncated texts, and lists as length and names."""
    fields = values if isinstance(values, dict) else {"answers": values} if values is not None else {}
    return {name: _summarize_value(value) for name, value in fields.items() if value not in (None, "", [], {})}


def clip_value(value: Any) -> Any:
    """Return the value with long texts and lists truncated, and the omitted parts counted."""
    if isinstance(value, str) and len(value) > _MAX_TEXT_LENGTH:
        return f"{value[:_MAX_TEXT_LENGTH]}… ({len(value):,} characters)"
    if isinstance(value, dict):
        return {key: clip_value(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        shown = [clip_value(inner) for inner in value[:_MAX_MEMBERS]]
        return shown if len(value) <= _MAX_MEMBERS else [*shown, f"… ({len(value) - _MAX_MEMBERS} more)"]
    return value


def _summarize_value(value: Any) -> Any:
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return _clip_line(" ".join(value.split()))
    if isinstance(value, list):
        return _clip_line(f"{len(value)}: {', '.join(_name_member(member) for member in value)}")
    return _clip_line(json.dumps(value, ensure_ascii=False))


def _name_member(member: Any) -> str:
    if isinstance(member, dict):
        return next((str(member[key]) for key in _NAME_KEYS if isinstance(member.get(key), str)), "…")
    return member if isinstance(member, str) else json.dumps(member, ensure_ascii=False)


def _clip_line(text: str) -> str:
    return text if len(text) <= _MAX_LINE_LENGTH else f"{text[: _MAX_LINE_LENGTH - 1]}…"
