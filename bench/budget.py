"""Budgets of the code's size and division; `bench/structure.py` prints each with what there is.

A budget falls as the code shrinks and never rises without a reason: a change that needs more says what it removes.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ROOT = Path(__file__).resolve().parent.parent


class Budget(NamedTuple):
    """What a package may have."""

    lines: int
    files: int
    folders: int


PACKAGES = {
    "cli": Budget(8_060, 41, 6),
    "doctor": Budget(2_340, 11, 1),
    "early.py": Budget(390, 1, 1),
    "errors": Budget(575, 4, 1),
    "system": Budget(4_220, 26, 4),
    "hook.py": Budget(290, 1, 1),
    "hosts": Budget(4_320, 14, 1),
    "interpreter": Budget(30_780, 122, 13),
    "memory": Budget(30_050, 158, 18),
    "serve": Budget(2_630, 9, 1),
    "tools": Budget(28_480, 126, 19),
    "trust": Budget(1_170, 5, 1),
    "ui": Budget(2_810, 12, 1),
}
"""The aim for all together: 90,000 lines, 500 files and 65 folders."""
MAX_DEPTH = 3
"""Folders from a top package down."""
MAX_HEADER_SHARE = 0.12
"""Docstring and imports at the head of each module, and the faces of packages; the aim is 12 %."""
MIN_REASON_SHARE = 0.014
"""Comments that say why; the aim is 2 %."""
MAX_SINGLE_USE = 95
"""Modules that exactly one module of their folder imports; the aim is none but chapters of their own."""
MAX_FORWARD_SHARE = 0.12
"""Functions that only call another one."""
MAX_SOAR_LINES = 300
"""Lines of `workflows/soar.yaml`, the file that people edit."""
MAX_TEST_LINES = 70_200
"""The aim is 48,000."""
FILES_OF_A_CALL = {"assess": 80, "retrieve": 128, "search": 74, "validate": 42}
"""Files of Aurora that a warm call passes through; the aim is 45, and 60 for a validation."""

_PRAGMA = re.compile(r"#\s*(noqa|type:|ruff:|pragma|mypy:|fmt:|!|──|-\*-)")
_MIN_WORDS = 3
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Source(NamedTuple):
    """One parsed module: its path relative to the checkout, its text and its tree."""

    path: Path
    text: str
    tree: ast.Module


class Measured(NamedTuple):
    """A figure with its bound, and what misses it."""

    name: str
    value: str
    bound: str
    violations: list[str]


def measure_budgets(sources: Sequence[Source]) -> list[Measured]:
    """Measure everything that has a budget but for the files of a call, which a test traces."""
    return [
        *_measure_packages(sources),
        _measure_depth(sources),
        _measure_headers(sources),
        _measure_reasons(sources),
        _measure_single_use(sources),
        _measure_forwards(sources),
        _measure_lines("lines of workflows/soar.yaml", [ROOT / "workflows" / "soar.yaml"], MAX_SOAR_LINES),
        _measure_lines("lines of tests", (ROOT / "tests").rglob("*.py"), MAX_TEST_LINES),
    ]


def _measure_packages(sources: Iterable[Source]) -> Iterator[Measured]:
    lines: Counter[str] = Counter()
    files: Counter[str] = Counter()
    folders: defaultdict[str, set[Path]] = defaultdict(set)
    for source in sources:
        package = source.path.parts[0]
        lines[package] += source.text.count("\n")
        files[package] += 1
        folders[package].add(source.path.parent)
    for package in sorted(files):
        found = Budget(lines[package], files[package], len(folders[package]))
        budget = PACKAGES.get(package, found)
        over = [
            f"{found[place]:,} {name}, at most {budget[place]:,}"
            for place, name in enumerate(Budget._fields)
            if found[place] > budget[place]
        ]
        yield Measured(f"{package}/: lines, files, folders", _join(found), f"at most {_join(budget)}", over)
    total = Budget(lines.total(), files.total(), sum(map(len, folders.values())))
    allowed = Budget(*map(sum, zip(*PACKAGES.values(), strict=True)))
    yield Measured("all packages: lines, files, folders", _join(total), f"at most {_join(allowed)}", [])


def _join(budget: Budget) -> str:
    return " / ".join(f"{number:,}" for number in budget)


def _measure_depth(sources: Iterable[Source]) -> Measured:
    deepest = max(sources, key=lambda source: len(source.path.parent.parts)).path.parent
    depth = len(deepest.parts) - 1
    over = [str(deepest)] if depth > MAX_DEPTH else []
    return Measured("folders below a package, deepest", f"{depth} ({deepest})", f"at most {MAX_DEPTH}", over)


def _measure_headers(sources: Sequence[Source]) -> Measured:
    total = sum(source.text.count("\n") for source in sources)
    heads = sum(map(_count_header, sources))
    share = heads / total
    over = [f"{heads:,} of {total:,} lines"] if share > MAX_HEADER_SHARE else []
    return Measured("headers and faces, share of the lines", f"{share:.1%}", f"at most {MAX_HEADER_SHARE:.1%}", over)


def _count_header(source: Source) -> int:
    """Count the lines before the first statement that is no import; all lines of a face."""
    for number, node in enumerate(source.tree.body):
        is_docstring = number == 0 and isinstance(node, ast.Expr)
        if is_docstring or isinstance(node, (ast.Import, ast.ImportFrom)) or _is_type_checking(node):
            continue
        is_face = source.path.name == "__init__.py" and all(
            isinstance(one, ast.Assign) for one in source.tree.body[number:]
        )
        return source.text.count("\n") if is_face else node.lineno - 1
    return source.text.count("\n")


def _is_type_checking(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _measure_reasons(sources: Sequence[Source]) -> Measured:
    total = sum(source.text.count("\n") for source in sources)
    comments = sum(_count_comments(source.text) for source in sources)
    share = comments / total
    over = [f"{comments:,} in {total:,} lines"] if share < MIN_REASON_SHARE else []
    return Measured("comments that say why", f"{share:.2%}", f"at least {MIN_REASON_SHARE:.1%}", over)


def _count_comments(text: str) -> int:
    """Count the lines with a comment of words; pragmas and rules between sections do not count."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = (token.string for token in tokens if token.type == tokenize.COMMENT)
    return sum(not _PRAGMA.match(comment) and len(comment.split()) > _MIN_WORDS for comment in comments)


def _measure_single_use(sources: Sequence[Source]) -> Measured:
    known = {".".join(("aurora", *source.path.with_suffix("").parts)) for source in sources}
    users: defaultdict[str, set[str]] = defaultdict(set)
    for source in sources:
        user = ".".join(("aurora", *source.path.with_suffix("").parts))
        for target in _list_imported(source, user):
            if target in known and not user.endswith("__init__"):
                users[target].add(user)
    found = [
        f"{target} is imported by {user} only"
        for target, (user, *others) in ((target, sorted(some)) for target, some in users.items())
        if not others and user.rpartition(".")[0] == target.rpartition(".")[0]
    ]
    over = found if len(found) > MAX_SINGLE_USE else []
    return Measured("modules that one sibling imports", str(len(found)), f"at most {MAX_SINGLE_USE}", over)


def _list_imported(source: Source, user: str) -> Iterator[str]:
    """Yield the modules that an import may mean: what it names, and each name below it."""
    for node in (node for node in ast.walk(source.tree) if isinstance(node, ast.ImportFrom)):
        parts = user.split(".")[: -node.level] if node.level else []
        base = ".".join([*parts, *([node.module] if node.module else [])])
        yield base
        yield from (f"{base}.{alias.name}" for alias in node.names)


def _measure_forwards(sources: Iterable[Source]) -> Measured:
    functions = [node for source in sources for node in ast.walk(source.tree) if isinstance(node, _FUNCTIONS)]
    forwards = sum(map(_is_forward, functions))
    share = forwards / max(1, len(functions))
    over = [f"{forwards:,} of {len(functions):,} functions"] if share > MAX_FORWARD_SHARE else []
    return Measured("functions that only forward", f"{share:.1%}", f"at most {MAX_FORWARD_SHARE:.0%}", over)


def _is_forward(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    if len(body) != 1 or not isinstance(body[0], (ast.Return, ast.Expr)):
        return False
    value = body[0].value.value if isinstance(body[0].value, ast.Await) else body[0].value
    return isinstance(value, ast.Call)


def _measure_lines(name: str, paths: Iterable[Path], most: int) -> Measured:
    lines = sum(path.read_text(encoding="utf-8").count("\n") for path in paths)
    return Measured(name, f"{lines:,}", f"at most {most:,}", [f"{lines:,}"] if lines > most else [])
