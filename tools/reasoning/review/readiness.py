"""`readiness.check`: whether work is fit to be released: debt, tests, open questions, as the project shows them."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from aurora.memory.files import SourceFile, discover_files
from aurora.tools.core import Example, Tool
from aurora.tools.files import open_worktree

from .added_lines import read_added_lines
from .model import Gate, MarkedLine, Params, Readiness, ReadinessInput
from .untested import count_sources, find_untested

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aurora.tools.core import Context

    from .added_lines import AddedLine

_MAX_LINE_CHARS = 160
"""Characters of a marked line that are shown."""


def check_readiness(given: ReadinessInput, context: Context) -> Readiness:
    """Look at the work.

    Raises:
        Fault: NOT_FOUND when git knows no such base.
    """
    params: Params = context.params
    tree = open_worktree(context.root)
    changes = tree.list_changes(tree.resolve_base(given.base)) if tree else ()
    added = list(read_added_lines(tree, tree.resolve_base(given.base))) if tree else []
    there = [one.path for one in changes if one.status != "deleted"]
    files = islice((one.path for one in discover_files(context.root) if isinstance(one, SourceFile)), params.most_files)
    bare = find_untested(there, files, added, params.tests)
    debt = _find_marked_lines(added, params.debt.markers)
    asked = (
        *given.questions,
        *(f"{one.path}:{one.line}: {one.text}" for one in _find_marked_lines(added, params.questions.markers)),
    )
    share = 1 - len(bare) / (count_sources(there, params.tests) or 1)
    gates = (
        *([_check_change(len(changes))] if tree and params.must_change else []),
        _check_count("debt", len(debt), params.debt.most),
        _check_tests(share, params.tests.least_share),
        _check_count("questions", len(asked), params.questions.most),
        _check_count("checks", len(given.failing), 0),
    )
    told = {
        "debt": [f"{one.path}:{one.line}" for one in debt],
        "tests": bare,
        "questions": asked,
        "checks": given.failing,
    }
    return Readiness(
        verdict="READY" if all(gate.passed for gate in gates) else "NOT_READY",
        gates=gates,
        blockers=tuple(_describe_blocker(gate, told.get(gate.name, ())) for gate in gates if not gate.passed),
        changed=len(changes),
        debt=tuple(debt[: params.most_shown]),
        untested=bare[: params.most_shown],
        questions=asked[: params.most_shown],
        versioned=tree is not None,
    )


def _find_marked_lines(lines: Iterable[AddedLine], markers: Sequence[str]) -> list[MarkedLine]:
    """The lines with a marker: a whole word where it begins or ends with a letter, as written."""
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


def _check_tests(share: float, least: float) -> Gate:
    return Gate(name="tests", passed=share >= least, found=f"{share:.0%}", allowed=f"at least {least:.0%}")


_BLOCKER_TEXTS = {
    "change": "nothing differs from the base; if the work is committed, name the revision before it as `base`",
    "debt": "new lines put work off ({found}, {allowed}): do it now",
    "tests": "of the changed source files {found} have tests, {allowed} must: write tests for the others",
    "questions": "questions are open ({found}, {allowed}): ask the person, and write the answers down",
    "checks": "checks do not pass ({found}): mend the work and run them again",
}


def _describe_blocker(gate: Gate, names: Sequence[str]) -> str:
    said = _BLOCKER_TEXTS[gate.name].format(found=gate.found, allowed=gate.allowed)
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")  # noqa: PLR2004 - what one reads
    return f"{said}: {shown}" if shown else said


TOOL = Tool(
    name="readiness.check",
    title="Check readiness",
    description=(
        "Whether work is fit to be released, judged by the project itself: put-off work in changed lines, tests beside "
        "changed files, open questions, checks that fail. It reads git's records and changed lines, and runs nothing."
    ),
    input=ReadinessInput,
    output=Readiness,
    run=check_readiness,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=60,
    aliases=("check_deployment_readiness",),
    examples=(
        Example(
            "with a question still open",
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
