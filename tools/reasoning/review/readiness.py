"""`readiness.check`: readiness for release: debt, tests, open questions."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.memory.files import SourceFile, discover_files
from aurora.tools.core import Alias, Example, StrictModel, Tool
from aurora.tools.files import open_worktree

from .changes import PathPatterns
from .hunks import decode_text, parse_diff

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.tools.core import Context
    from aurora.tools.files import FileChange, Worktree

_MAX_NAMES = 5
"""Names listed in a blocker."""

_MAX_LINE_CHARS = 160
"""Characters of a marked line that are returned."""


def check_readiness(given: ReadinessInput, context: Context) -> Readiness:
    """Check the work in the project for readiness.

    Raises:
        Fault: NOT_FOUND when git knows no such base.
    """
    params: Params = context.params
    tree = open_worktree(context.root)
    changes, added = _read_changes(tree, given.base)
    existing = [change.path for change in changes if change.status != "deleted"]
    files = (file.path for file in discover_files(context.root) if isinstance(file, SourceFile))
    untested = find_untested(existing, islice(files, params.most_files), added, params.tests)
    debt = _find_marked_lines(added, params.debt.markers)
    questions = (*given.questions, *_find_marked_questions(added, params.questions.markers))
    sources = count_sources(existing, params.tests)
    gates = (
        *([_check_change(len(changes))] if tree and params.must_change else []),
        _check_count("debt", len(debt), params.debt.most),
        _check_tests(sources, len(untested), params.tests.least_share),
        _check_count("questions", len(questions), params.questions.most),
        _check_count("checks", len(given.failing), 0),
    )
    names_by_gate: dict[str, Sequence[str]] = {
        "debt": [f"{mark.path}:{mark.line}" for mark in debt],
        "tests": untested,
        "questions": questions,
        "checks": given.failing,
    }
    failed = [gate for gate in gates if not gate.passed]
    return Readiness(
        verdict="NOT_READY" if failed else "READY",
        gates=gates,
        blockers=tuple(_describe_blocker(gate, names_by_gate.get(gate.name, ())) for gate in failed),
        changed=len(changes),
        debt=tuple(debt[: params.most_shown]),
        untested=untested[: params.most_shown],
        questions=questions[: params.most_shown],
        versioned=tree is not None,
    )


def _read_changes(tree: Worktree | None, base: str) -> tuple[Sequence[FileChange], list[AddedLine]]:
    """Read the changed files and the added lines; none without git.

    Without a base it is the whole branch: what is released is all of it.
    """
    if tree is None:
        return (), []
    revision = tree.resolve_base(base) if base else tree.find_fork()
    return tree.list_changes(revision), list(read_added_lines(tree, revision))


def _find_marked_questions(lines: Iterable[AddedLine], markers: Sequence[str]) -> list[str]:
    return [f"{mark.path}:{mark.line}: {mark.text}" for mark in _find_marked_lines(lines, markers)]


def _find_marked_lines(lines: Iterable[AddedLine], markers: Sequence[str]) -> list[MarkedLine]:
    """Find the lines with a marker, case-sensitive and as a whole word."""
    if not markers:
        return []
    one = re.compile("|".join(rf"(?<!\w){re.escape(word)}(?!\w)" for word in markers))
    return [
        MarkedLine(path=path, line=number, text=_shorten_line(text)) for path, number, text in lines if one.search(text)
    ]


def _shorten_line(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MAX_LINE_CHARS else f"{text[: _MAX_LINE_CHARS - 1]}…"


def _check_change(count: int) -> Gate:
    return Gate(name="change", passed=count > 0, found=f"{count} files", allowed="at least 1")


def _check_count(name: str, count: int, most: int) -> Gate:
    return Gate.model_validate(
        {"name": name, "passed": count <= most, "found": str(count), "allowed": f"at most {most}"}
    )


def _check_tests(sources: int, untested: int, least: float) -> Gate:
    share = 1 - untested / (sources or 1)
    found = f"{share:.0%}" if sources else "no source file is known to have changed"
    return Gate(name="tests", passed=share >= least, found=found, allowed=f"at least {least:.0%}")


_BLOCKER_TEXTS = {
    "change": "no file differs from the base; if the work is committed, pass the revision before it as `base`",
    "debt": "new lines postpone work ({found}, {allowed}): do it now",
    "tests": "{found} of the changed source files have tests, {allowed} must: write tests for the others",
    "questions": "questions are open ({found}, {allowed}): ask the person, and write the answers down",
    "checks": "checks fail ({found}): fix the work and run them again",
}


def _describe_blocker(gate: Gate, names: Sequence[str]) -> str:
    message = _BLOCKER_TEXTS[gate.name].format(found=gate.found, allowed=gate.allowed)
    listed = ", ".join(names[:_MAX_NAMES])
    if len(names) > _MAX_NAMES:
        listed += f" and {len(names) - _MAX_NAMES} more"
    return f"{message}: {listed}" if listed else message


_GENERIC_STEMS = frozenset({"__init__", "__main__", "index", "main", "mod", "lib"})
"""Stems of files that are known by their folder's name."""


def find_untested(
    paths: Iterable[str], everything: Iterable[str], added: Sequence[AddedLine], params: TestParams
) -> tuple[str, ...]:
    """Find the changed source files that have no test.

    Args:
        paths: changed files that exist.
        everything: all files of the project.
        added: lines that the change has added.
        params: patterns of source and test files.
    """
    tests = PathPatterns(params.tests)
    test_names = [_normalize_name(PurePosixPath(path).name) for path in everything if tests.match_file(path)]
    test_words: set[str] = set()
    for path, _, text in added:
        if tests.match_file(path):
            test_words.update(word.lower() for word in re.findall(r"\w+", text))
    return tuple(
        path
        for path in _select_sources(paths, params)
        if not _has_test(_find_source_name(path), test_names, test_words)
    )


def count_sources(paths: Iterable[str], params: TestParams) -> int:
    """Count the source files that should have a test."""
    return len(_select_sources(paths, params))


def _select_sources(paths: Iterable[str], params: TestParams) -> list[str]:
    sources = PathPatterns(params.source)
    tests, exempt = PathPatterns(params.tests), PathPatterns(params.exempt)

    def is_selected(path: str) -> bool:
        return sources.match_file(path) and not tests.match_file(path) and not exempt.match_file(path)

    return list(filter(is_selected, paths))


def _has_test(name: str, names: Iterable[str], words: set[str]) -> bool:
    return name.lower() in words or any(_normalize_name(name) in test for test in names)


def _find_source_name(path: str) -> str:
    pure = PurePosixPath(path)
    stem = pure.name.split(".", 1)[0] or pure.name
    return pure.parent.name or stem if stem in _GENERIC_STEMS else stem


def _normalize_name(name: str) -> str:
    """Normalize a name: `test_cart_items.py` and `CartItemsTest.java` both contain `cartitems`."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


AddedLine = tuple[str, int, str]
"""Path, number from 1, text."""


def read_added_lines(tree: Worktree, base: str) -> Iterator[AddedLine]:
    """Read all lines that the base does not have, also of untracked text files."""
    for hunk in parse_diff(tree.diff_lines(base)):
        yield from ((hunk.path, number, text) for number, mark, text in hunk.list_numbered() if mark == "+")
    for path in tree.list_untracked():
        for number, text in enumerate(decode_text(tree.read_untracked(path)).splitlines(), 1):
            yield path, number, text


_DEBT_MARKERS = ("TODO", "FIXME", "HACK", "XXX")

_SOURCES = (
    *("*.py", "*.js", "*.jsx", "*.ts", "*.tsx", "*.go", "*.rs", "*.rb", "*.java", "*.kt", "*.cs", "*.php", "*.c"),
    *("*.cc", "*.cpp", "*.swift"),
)

_TESTS = (
    *("test_*", "*_test.*", "*.test.*", "*.spec.*", "*_spec.*", "*Test.*", "*Tests.*", "*IT.java"),
    *("tests/", "test/", "spec/", "__tests__/"),
)

_EXEMPT = ("conftest.py", "setup.py", "*.config.*", "*.d.ts", "migrations/", "examples/", "docs/")


class DebtParams(StrictModel):
    """Markers of postponed work, and the allowed number of new ones."""

    markers: tuple[str, ...] = Field(default=_DEBT_MARKERS, min_length=1, max_length=20)
    most: int = Field(default=0, ge=0)


class TestParams(StrictModel):
    """Patterns of source and test files, and the least share of tested ones."""

    source: tuple[str, ...] = _SOURCES
    tests: tuple[str, ...] = _TESTS
    exempt: tuple[str, ...] = _EXEMPT
    least_share: float = Field(default=1.0, ge=0, le=1)


class QuestionParams(StrictModel):
    """Markers of open questions in changed lines, and their allowed number."""

    markers: tuple[str, ...] = Field(default=("???",), max_length=20)
    most: int = Field(default=0, ge=0)


class Params(StrictModel):
    """All settings of `readiness.check`; the comments are in the workflow `feature`."""

    debt: DebtParams = DebtParams()
    tests: TestParams = TestParams()
    questions: QuestionParams = QuestionParams()
    must_change: bool = True
    most_files: int = Field(default=20_000, ge=1, le=100_000)
    most_shown: int = Field(default=20, ge=1, le=100)


class ReadinessInput(StrictModel):
    """Facts about the work that the project does not show."""

    base: str = Field(
        default="",
        max_length=200,
        description="Compare with this revision; by default with the commit at which the branch left the main branch, "
        "and with the last commit where no main branch is known.",
    )
    questions: tuple[str, ...] = Field(default=(), max_length=50, description="Open questions.")
    failing: tuple[str, ...] = Field(default=(), max_length=50, description="Checks that were run and fail.")


class MarkedLine(StrictModel):
    """Changed line with a marker."""

    path: str
    line: int
    text: str


class Gate(StrictModel):
    """Gate with its finding and its bound."""

    name: Literal["change", "debt", "tests", "questions", "checks"]
    passed: bool
    found: str
    allowed: str


class Readiness(StrictModel):
    """Verdict with its gates and findings.

    Attributes:
        gates: all gates; blockers: for each failed gate, a sentence with the fix.
        changed: number of files that differ from the base.
        debt: changed lines with a marker of debt; untested: changed source files without a test.
        questions: the given questions, and those found in changed lines.
        versioned: True when the project is in git; without git only the input counts.
    """

    verdict: Literal["READY", "NOT_READY"]
    gates: tuple[Gate, ...]
    blockers: tuple[str, ...]
    changed: int
    debt: tuple[MarkedLine, ...]
    untested: tuple[str, ...]
    questions: tuple[str, ...]
    versioned: bool


TOOL = Tool(
    name="readiness.check",
    title="Check readiness",
    description=(
        "Check whether work is ready for release: postponed work in changed lines, tests for changed files, open "
        "questions, failing checks. It reads git's records and changed lines, and runs nothing."
    ),
    input=ReadinessInput,
    output=Readiness,
    run=check_readiness,
    family="workflow",
    risk="read",
    idempotent=True,
    timeout=60,
    phases=True,
    aliases=(Alias("check_deployment_readiness"),),
    mcp="aurora_readiness_check",
    examples=(
        Example("without parameters", {}),
        Example(
            "with an open question",
            {"questions": ["Who may cancel an order?"]},
            {
                "debt": {"markers": ["FIXME"], "most": 0},
                "tests": {"source": ["*.py"], "tests": ["test_*"], "exempt": [], "least_share": 1.0},
                "questions": {"markers": [], "most": 0},
                "must_change": False,
                "most_files": 1000,
                "most_shown": 20,
            },
        ),
    ),
    params=Params,
)
