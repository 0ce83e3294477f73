"""Check that a statement names only rows of one project, and its expansion."""

from __future__ import annotations

import re
from functools import cache

from aurora.faults import Code, Fault

from .schema import TABLES

_NAMES = "|".join(TABLES)
_READ = re.compile(rf"@({_NAMES})(?::(\w+))?\b")
"""A table that is read: `@chunks`, or `@chunks:c` with an alias."""
_INSERT = re.compile(rf"\bINSERT INTO ({_NAMES}) \(project, [\w, ]+\)\s+(?:VALUES \(|SELECT (?:DISTINCT )?)\$1, ")
_LIMITED = (
    re.compile(rf"\bUPDATE ({_NAMES}) SET (?P<set>[^;]*?)\bWHERE \1\.project = \$1(?!\d)"),
    re.compile(rf"\bDELETE FROM ({_NAMES}) WHERE \1\.project = \$1(?!\d)"),
)
"""The forms of a write: each names the project of the rows that it writes."""
_CONFLICT = re.compile(r"\bON CONFLICT \(project, [\w, ]+\)")
_NAMED = re.compile(
    rf'(?i)(?:\b(?:FROM|JOIN|INTO|UPDATE|TABLE|USING|ONLY|TRUNCATE)\s+|,\s*)(?:"?\w+"?\.)?"?({_NAMES})\b(?!\s*\.)'
)
"""A table at a place where its name reads or writes all of its rows."""
_PROJECT_ONLY = re.compile(r"\bproject\b(?! = \$1(?!\d))")


@cache
def scope_statement(sql: str) -> str:
    """Expand each `@table` to the rows of the project `$1`, and check the rest.

    Args:
        sql: a statement in which every table is read as `@table` or written in one of three forms.

    Raises:
        Fault: INTERNAL_ERROR for a statement that could reach another project's rows.
    """
    left = _CONFLICT.sub(" ", _READ.sub(" ", sql))
    has_or = any(_has_alternative(left[found.end() :]) for write in _LIMITED for found in write.finditer(left))
    for write in (_INSERT, *_LIMITED):
        left = write.sub(lambda found: found.groupdict().get("set") or " ", left)
    if has_or or _PROJECT_ONLY.search(left) or _NAMED.search(left):
        raise Fault(
            Code.INTERNAL_ERROR,
            "a statement does not name its project",
            help="this is a bug in Aurora: please report it",
            details={"statement": " ".join(sql.split())},
        )
    return _READ.sub(_expand_table, sql)


def _has_alternative(condition: str) -> bool:
    """Return True for an OR next to `project = $1`, which selects other projects' rows."""
    depth, top = 0, ""
    for character in condition:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            break
        top += character if depth == 0 else " "
    return re.search(r"(?i)\bOR\b", top) is not None


def _expand_table(found: re.Match[str]) -> str:
    table, alias = found.groups()
    return f"(SELECT * FROM {table} WHERE project = $1) AS {alias or table}"
