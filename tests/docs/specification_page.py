"""Page of the requirements: each with the tests that carry its mark, and the claims that no test supports.

`python tests/docs/specification_page.py` writes docs/development/specification.md from requirements.tsv and the marks.
"""

from __future__ import annotations

import ast
import csv
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "development" / "specification.md"
DATA = ROOT / "docs" / "development" / "requirements.tsv"
STATES = ("works", "different", "partly", "missing")
_HEAD = """\
# Specification

The requirements of the documents that Aurora comes from, each with the tests that show it. `make commands`
generates this page from [requirements.tsv](requirements.tsv) and from the marks in the tests,
`@pytest.mark.requirement("auditgraph-1")`. A test fails when a row claims what no test shows, or when a mark names no
row.

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
    for path in sorted(root.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if "mark.requirement" in text:
            for function, ids in _iterate_marked(ast.parse(text)):
                for id_ in ids:
                    found.setdefault(id_, []).append(f"{path.relative_to(ROOT).as_posix()}::{function}")
    return found


def _iterate_marked(tree: ast.Module) -> Iterator[tuple[str, list[str]]]:
    """Yield each test function of a module with the ids of its marks."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.requirement":
                    yield node.name, [ast.literal_eval(argument) for argument in decorator.args]


def find_wrong_claims(rows: Sequence[Requirement], marks: Mapping[str, Sequence[str]]) -> list[str]:
    """Find the rows that claim what no test shows, and the marks that name no row."""
    ids = [row.id for row in rows]
    wrong = [f"{id_} is in two rows" for id_ in sorted({id_ for id_ in ids if ids.count(id_) > 1})]
    for row in rows:
        if row.state not in STATES:
            wrong.append(f'{row.id} has the state "{row.state}"')
        elif row.state == "works" and row.id not in marks:
            wrong.append(f"{row.id} claims to work, and no test carries its mark")
        elif row.state != "works" and not row.note:
            wrong.append(f"{row.id} is {row.state}, and no note says how")
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
