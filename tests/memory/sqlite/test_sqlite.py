"""SQL stays in one package: another database is another package."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import aurora

if TYPE_CHECKING:
    from collections.abc import Iterator

_PACKAGE = Path(aurora.__file__).parent
_ROOMS = ("cli", "doctor", "errors", "system", "hosts", "interpreter", "memory", "tools")
_DRIVERS = frozenset({"apsw", "psycopg", "psycopg_pool"})
_SQL = re.compile(r"\b(SELECT|FROM|WHERE|INSERT|DELETE|UPDATE|PRAGMA|CREATE TABLE|BEGIN IMMEDIATE|COMMIT|ROLLBACK)\b")


def test_only_the_packages_of_a_database_contain_sql_and_import_its_driver() -> None:
    found = {path: list(_spoken(path)) for path in _files(outside=True)}
    assert {path.name: said for path, said in found.items() if said} == {}
    assert any(list(_spoken(path)) for path in _files(outside=False))


def _files(*, outside: bool) -> Iterator[Path]:
    homes = {_PACKAGE / "memory" / name for name in ("storage", "sqlite", "postgres")}
    for room in _ROOMS:
        yield from (path for path in (_PACKAGE / room).rglob("*.py") if homes.isdisjoint(path.parents) is outside)


def _spoken(path: Path) -> Iterator[str]:
    """Yield the SQL keywords and the imports of a driver in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    shown = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in shown:
            yield from _SQL.findall(node.value)[:1]
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in _DRIVERS)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in _DRIVERS:
            yield node.module
