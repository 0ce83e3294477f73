"""Page of the requirements: each with the tests that carry its mark, and the claims that no test supports.

`python tests/docs/specification_page.py` writes docs/development/specification.md from requirements.tsv and the marks.
"""

from __future__ import annotations

import ast
import csv
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    _Function = ast.FunctionDef | ast.AsyncFunctionDef

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "development" / "specification.md"
DATA = ROOT / "docs" / "development" / "requirements.tsv"
STATES = ("works", "different", "partly", "missing")
_SKIPPING = re.compile(r"\bmark\.(skip|skipif|xfail)\b")
_SKIPPING_CALLS = frozenset({"pytest.skip", "pytest.importorskip"})
_WITHOUT_TEST = re.compile(r"\bno test\b")
"""Words of a note that say that no test shows its row."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_HEAD = """\
# Specification

The requirements of the documents that Aurora comes from, each with the tests that show it. `make commands`
generates this page from [requirements.tsv](requirements.tsv) and from the marks in the tests,
`@pytest.mark.requirement("auditgraph-1")`. A test fails when a row that works has no test, when one that is different
has none and its note does not say so, when a mark names no row, and when a marked test asserts nothing. Whether it
asserts what the row claims, a reader decides.

A row is one claim that a test can show. Some rows join what several lines of a document repeat, and lines that only
explain have none, so that there are fewer rows than lines.

`works`: as the document says. `different`: the need is met in another way, which the note names. `partly` and
`missing`: the note says what is absent.
"""


class Requirement(NamedTuple):
    """Row of the data file; the id is the document's name and a number."""

    id: str
    document: str
    section: str
    text: str
    state: str
    note: str


def read_requirements() -> list[Requirement]:
    """Read the rows of the data file."""
    with DATA.open(encoding="utf-8", newline="") as file:
        return [Requirement(**row) for row in csv.DictReader(file, delimiter="\t")]


def collect_marks(root: Path = ROOT / "tests") -> dict[str, list[str]]:
    """Collect the tests of each requirement, as `tests/path.py::name`, without importing them."""
    found: dict[str, list[str]] = {}
    for path, tree in _iterate_modules(root):
        for function, ids in _iterate_marked(tree):
            for id_ in ids:
                found.setdefault(id_, []).append(_name_test(path, function))
    return found


def collect_skippable(root: Path = ROOT / "tests") -> set[str]:
    """Collect the marked tests that a skip or an expected failure may leave out."""
    found = set()
    for path, tree in _iterate_modules(root):
        module = [
            node.value for node in tree.body if isinstance(node, ast.Assign) and "pytestmark" in ast.unparse(node)
        ]
        functions = _index_functions(tree)
        for function, _ in _iterate_marked(tree):
            is_marked = any(_SKIPPING.search(ast.unparse(node)) for node in (*module, *function.decorator_list))
            if is_marked or any(_name_call(node) in _SKIPPING_CALLS for node in _walk_called(function, functions)):
                found.add(_name_test(path, function))
    return found


def find_weak_marks(root: Path = ROOT / "tests") -> list[str]:
    """Find the marks where no test function of a module has them, and the marked tests that assert nothing."""
    weak = []
    for path, tree in _iterate_modules(root):
        marked = list(_iterate_marked(tree))
        if sum(map(_is_mark, ast.walk(tree))) != len(marked):
            weak.append(f"{path.relative_to(ROOT).as_posix()} has a mark that is not on a test function of the module")
        functions = _index_functions(tree)
        for function, _ in marked:
            if not _has_assertion(function, functions):
                weak.append(f"{_name_test(path, function)} asserts nothing")
    return weak


def _iterate_modules(root: Path) -> Iterator[tuple[Path, ast.Module]]:
    """Yield each test module that has marks."""
    for path in sorted(root.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if "mark.requirement" in text:
            yield path, ast.parse(text)


def _iterate_marked(tree: ast.Module) -> Iterator[tuple[_Function, list[str]]]:
    """Yield each test function of a module with the ids of its marks."""
    for node in tree.body:
        if isinstance(node, _FUNCTIONS) and node.name.startswith("test_"):
            for decorator in node.decorator_list:
                if _is_mark(decorator):
                    yield node, [ast.literal_eval(argument) for argument in decorator.args]


def _name_test(path: Path, function: _Function) -> str:
    return f"{path.relative_to(ROOT).as_posix()}::{function.name}"


def _is_mark(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.requirement"


def _has_assertion(function: _Function, functions: Mapping[str, _Function]) -> bool:
    """Return whether a function, or a function of the same module that it names, asserts something."""
    return any(
        isinstance(node, ast.Assert) or "pytest.raises" in _name_call(node)
        for node in _walk_called(function, functions)
    )


def _index_functions(tree: ast.Module) -> dict[str, _Function]:
    return {node.name: node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)}


def _walk_called(function: _Function, functions: Mapping[str, _Function]) -> Iterator[ast.AST]:
    """Yield the nodes of a function, and of the functions and fixtures of the same module that it names."""
    names, waiting = {function.name}, [function]
    while waiting:
        nodes = list(ast.walk(waiting.pop()))
        yield from nodes
        named = {node.id for node in nodes if isinstance(node, ast.Name)}
        named |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        called = named & functions.keys() - names
        names |= called
        waiting += [functions[name] for name in called]


def _name_call(node: ast.AST) -> str:
    return ast.unparse(node.func) if isinstance(node, ast.Call) else ""


def find_wrong_claims(
    rows: Sequence[Requirement], marks: Mapping[str, Sequence[str]], skippable: Collection[str] = ()
) -> list[str]:
    """Find the rows that claim what no test shows, and the marks that name no row."""
    ids = [row.id for row in rows]
    wrong = [f"{id_} is in two rows" for id_ in sorted({id_ for id_ in ids if ids.count(id_) > 1})]
    for row in rows:
        if row.state not in STATES:
            wrong.append(f'{row.id} has the state "{row.state}"')
        elif row.state == "works" and row.id not in marks:
            wrong.append(f"{row.id} claims to work, and no test carries its mark")
        elif row.state == "works" and "`make " not in row.note and not set(marks[row.id]).difference(skippable):
            wrong.append(f"{row.id} claims to work, its tests may be skipped, and no note says how to run them")
        elif row.state != "works" and not row.note:
            wrong.append(f"{row.id} is {row.state}, and no note says how")
        elif row.state == "different" and row.id not in marks and not _WITHOUT_TEST.search(row.note):
            wrong.append(f"{row.id} is different, no test carries its mark, and no note says that there is no test")
    return wrong + [f"{tests[0]} names {id_}, which is no row" for id_, tests in marks.items() if id_ not in ids]


def format_page(rows: Sequence[Requirement], marks: Mapping[str, Sequence[str]]) -> str:
    """Format the page: the counts, then a table for each document."""
    counts = ", ".join(f"{sum(row.state == state for row in rows)} {state}" for state in STATES)
    parts = [_HEAD, f"{len(rows)} requirements: {counts}.\n"]
    for document in dict.fromkeys(row.document for row in rows):
        lines = [f"## {document}", "", "| id | section | requirement | state | shown by |", "|---|---|---|---|---|"]
        for row in rows:
            if row.document == document:
                shown = "<br>".join(f"`{test}`" for test in marks.get(row.id, ()))
                cells = (row.id, row.section, row.text, row.state, "<br>".join(filter(None, (shown, row.note))))
                lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(format_page(read_requirements(), collect_marks()), encoding="utf-8")
