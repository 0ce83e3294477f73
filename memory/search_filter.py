"""Which chunks a search may look at: their language, and the shape of their path."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .store_rows import ask

if TYPE_CHECKING:
    import apsw


_RULES = re.compile(
    r"(?P<any>\*\*/)|(?P<all>\*\*)|(?P<some>\*)|(?P<one>\?)|(?P<set>\[[!^]?[^\]/\\\[]+\])|(?P<plain>.)", re.DOTALL
)
_MEANS = {"any": r"(?:.*/)?", "all": r".*", "some": r"[^/]*", "one": r"[^/]"}


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on the table `chunks`, as SQL that begins with AND, and its bindings; empty when all may be seen."""

    sql: str = ""
    bindings: tuple[str, ...] = ()


def filter_for(db: apsw.Connection, path_glob: str | None, language: str | None) -> Filter:
    """The filter for these wishes; None of one means any."""
    sql, bindings = "", []
    if language:
        sql += " AND chunks.language = ?"
        bindings.append(language.lower())
    if path_glob:
        shape = glob_regex(path_glob)
        paths = [path for (path,) in ask(db, "SELECT path FROM files") if shape.fullmatch(path)]
        sql += " AND chunks.path IN (SELECT value FROM json_each(?))"
        bindings.append(json.dumps(paths))
    return Filter(sql, tuple(bindings))


def glob_regex(glob: str) -> re.Pattern[str]:
    """The paths that a glob means, as .gitignore reads it.

    `*` and `?` stop at a slash, `**` does not; without a slash it is a name at any depth; what names a folder means
    all in it.
    """
    body = glob.removeprefix("./").rstrip("/")
    anywhere = "" if "/" in body or glob.startswith("/") else r"(?:.*/)?"
    return re.compile(anywhere + _translated(body.lstrip("/")) + r"(?:/.*)?", re.DOTALL)


def _translated(glob: str) -> str:
    out = ""
    for found in _RULES.finditer(glob):
        kind = found.lastgroup or "plain"
        if kind == "set":
            inner = found[0][1:-1]
            out += f"[^{inner[1:]}]" if inner[0] in "!^" else f"[{inner}]"
        else:
            out += _MEANS.get(kind, re.escape(found[0]))
    return out
