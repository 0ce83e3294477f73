"""`readiness.check`: readiness for release: debt, tests, open questions."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from aurora.memory.files import SourceFile, discover_files
from aurora.tools.core import Alias, Example, Tool
from aurora.tools.files import open_worktree

from .added_lines import read_added_lines
from .model import Gate, MarkedLine, Params, Readiness, ReadinessInput
from .untested import count_sources, find_untested

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aurora.tools.core import Context
    from aurora.tools.files import FileChange, Worktree

    from .added_lines import AddedLine

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
