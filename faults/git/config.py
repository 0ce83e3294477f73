"""Configuration of a repository: read as data, and the few settings of it that reach git."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.faults.paths.read import read_plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_CONFIG_BYTES = 256_000
"""Most bytes of a configuration file that are read."""

_HEADER = re.compile(r'[ \t]*\[[ \t]*([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\.)*)")?[ \t]*\]')
_NAME = re.compile(r"[ \t]*([A-Za-z][A-Za-z0-9-]*)[ \t]*(=?)")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", "\n": ""}

_BOOLEAN = "true|false|yes|no|on|off|1|0"
_ALLOWED = tuple(
    (re.compile(key), re.compile(value, re.IGNORECASE))
    for key, value in (
        (
            "core\\.(filemode|symlinks|ignorecase|precomposeunicode|trustctime|sparsecheckout|sparsecheckoutcone)",
            _BOOLEAN,
        ),
        ("core\\.repositoryformatversion", "0|1"),
        ("core\\.autocrlf", f"{_BOOLEAN}|input"),
        ("core\\.eol", "lf|crlf|native"),
        ("core\\.checkstat", "default|minimal"),
        ("extensions\\.objectformat", "sha1|sha256"),
        ("extensions\\.refstorage", "files|reftable"),
        ("branch\\..+\\.(merge|remote)", "[^\0-\x1f\x7f]{1,400}"),
        ("remote\\..+\\.fetch", "[^\0-\x1f\x7f]{1,400}"),
    )
)
"""The settings of a repository that reach git, by key and value. They say how its files and names are to be read, and
none names a program, a file or an address."""

Setting = tuple[str, str]
"""`section.subsection.name`, section and name in lower case, and the value; `true` for a name alone."""


def read_settings(path: Path) -> tuple[Setting, ...]:
    """Read a configuration file without its includes; a missing, linked or too large one is empty."""
    data = read_plain(path, MAX_CONFIG_BYTES + 1) or b""
    if len(data) > MAX_CONFIG_BYTES:
        return ()
    return tuple(parse_settings(data.decode("utf-8", "surrogateescape").replace("\r\n", "\n")))


def parse_settings(text: str) -> Iterator[Setting]:
    """Parse the text as git does; stop at the first line that git would reject."""
    section, position = "", 0
    while position < len(text):
        if text[position] in " \t\n\ufeff":
            position += 1
        elif text[position] in "#;":
            position = _find_line_end(text, position)
        elif header := _HEADER.match(text, position):
            name, inner = header[1].lower(), header[2]
            section = name if inner is None else f"{name}.{_ESCAPED.sub(lambda match: match[1], inner)}"
            position = header.end()
        elif (named := _NAME.match(text, position)) and section:
            value, position = (
                _parse_value(text, named.end()) if named[2] else ("true", _find_line_end(text, named.end()))
            )
            yield f"{section}.{named[1].lower()}", value
        else:
            return


def _find_line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _parse_value(text: str, position: int) -> tuple[str, int]:
    """Parse a value up to the end of its line; return it with the position after it."""
    parts: list[str] = []
    kept, quoted = 0, False
    while position < len(text):
        char = text[position]
        if char == "\n" or (char in "#;" and not quoted):
            break
        position += 1
        if char == '"':
            quoted = not quoted
        elif char == "\\" and position < len(text):
            parts.append(_ESCAPES.get(text[position], text[position]))
            position += 1
        else:
            parts.append(char)
        if quoted or not char.isspace():
            kept = len(parts)
    return "".join(parts[:kept]).lstrip(), _find_line_end(text, position)


def find_personal_excludes() -> Path:
    """Return the file with the ignore rules of the person for all repositories, which need not exist."""
    base = Path(os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"))  # noqa: PTH111 - never raises
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - never raises
    settings = dict([*read_settings(base / "git" / "config"), *read_settings(home / ".gitconfig")])
    named = settings.get("core.excludesfile")
    path = home / os.path.expanduser(named) if named else base / "git" / "ignore"  # noqa: PTH111 - never raises
    return Path(os.path.realpath(path))


def select_harmless(settings: Iterable[Setting]) -> Iterator[Setting]:
    """Select the settings that reach git."""
    for key, value in settings:
        if any(allowed.fullmatch(key) and values.fullmatch(value) for allowed, values in _ALLOWED):
            yield key, value


def format_settings(settings: Iterable[Setting]) -> str:
    """Format settings as a configuration file."""
    lines: list[str] = []
    for key, value in settings:
        section, _, rest = key.partition(".")
        inner, _, name = rest.rpartition(".")
        lines.append(f'[{section} "{_escape(inner)}"]' if inner else f"[{section}]")
        lines.append(f'\t{name} = "{_escape(value)}"')
    return "\n".join(lines) + "\n"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
