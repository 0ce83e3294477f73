"""Problems as SARIF 2.1.0, which code hosts and editors take in.

Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

from pathlib import Path, PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from aurora.interpreter.problems.explain import page, summary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.interpreter.problems.problem import Problem
    from aurora.interpreter.yaml.edit import Edit

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


NO_EDITS: Mapping[Problem, Edit] = MappingProxyType({})


def sarif(problems: Sequence[Problem], version: str, edits: Mapping[Problem, Edit] = NO_EDITS) -> dict[str, Any]:
    """A log with one run, as JSON values.

    Args:
        problems: what was found.
        version: the program's own.
        edits: by problem, what mends it.
    """
    kinds = {problem.code: problem for problem in problems}
    order = sorted(kinds)
    driver = {
        "name": "aurora",
        "version": version,
        "rules": [_rule(kinds[code]) for code in order],
    }
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {"SRCROOT": {"uri": f"{Path.cwd().as_uri().rstrip('/')}/"}},
                "results": [_result(problem, order.index(problem.code), edits.get(problem)) for problem in problems],
            }
        ],
    }


def _rule(problem: Problem) -> dict[str, Any]:
    text = page(problem.code)
    return {
        "id": problem.code,
        "name": "".join(word.title() for word in problem.name.split("-")),
        "shortDescription": {"text": summary(problem.code)},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": problem.severity},
    }


def _result(problem: Problem, index: int, edit: Edit | None) -> dict[str, Any]:
    said = [problem.message, *(f"{word}: {text}" for word, text in _more(problem))]
    result: dict[str, Any] = {
        "ruleId": problem.code,
        "ruleIndex": index,
        "level": problem.severity,
        "message": {"text": "\n".join(said)},
        "locations": [{"physicalLocation": {"artifactLocation": _artifact(problem.path), "region": _region(problem)}}],
    }
    return {**result, "fixes": [_fix(problem, edit)]} if edit is not None else result


def _fix(problem: Problem, edit: Edit) -> dict[str, Any]:
    said = f"write {edit.new} in place of {edit.old}" if edit.new.strip() else f"remove {edit.old.strip()}"
    region = {
        "startLine": edit.line,
        "startColumn": edit.column,
        "endLine": edit.line,
        "endColumn": edit.column + len(edit.old),
    }
    replacement = {"deletedRegion": region, "insertedContent": {"text": edit.new}}
    change = {"artifactLocation": _artifact(problem.path), "replacements": [replacement]}
    return {"description": {"text": said}, "artifactChanges": [change]}


def _more(problem: Problem) -> list[tuple[str, str]]:
    return [(word, text) for word, text in (("help", problem.help), ("note", problem.note)) if text]


def _region(problem: Problem) -> dict[str, int]:
    return {
        "startLine": problem.line,
        "startColumn": problem.column,
        "endLine": problem.line,
        "endColumn": problem.end_column,
    }


def _artifact(path: str) -> dict[str, str]:
    """A path below the current folder counts from it, any other is told in full."""
    if PurePath(path).is_absolute():
        return {"uri": PurePath(path).as_uri()}
    return {"uri": quote(PurePath(path).as_posix()), "uriBaseId": "SRCROOT"}
