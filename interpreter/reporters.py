"""Reports of problems for other programs."""

from __future__ import annotations

from pathlib import Path, PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from .problems import read_page, summarize_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .problems import Problem
    from .yaml import Edit


def format_github(problems: Iterable[Problem]) -> str:
    """Format one line per problem, without a newline at the end.

    Source: https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
    """
    return "\n".join(_format_annotation(problem) for problem in problems)


def _format_annotation(problem: Problem) -> str:
    properties = {
        "file": problem.path,
        "line": problem.line,
        "col": problem.column,
        "endLine": problem.line,
        "endColumn": problem.end_column,
        "title": f"{problem.code} {problem.name}",
    }
    parameters = ",".join(f"{name}={_escape_property(str(value))}" for name, value in properties.items())
    parts = (problem.message, *(f"{word}: {text}" for word, text in _list_remarks(problem)))
    return f"::{problem.severity} {parameters}::{_escape_data(chr(10).join(parts))}"


def _list_remarks(problem: Problem) -> Iterable[tuple[str, str]]:
    return [(word, text) for word, text in (("help", problem.help), ("note", problem.note)) if text]


def _escape_data(text: str) -> str:
    """Escape like `escapeData` of GitHub's toolkit, in packages/core/src/command.ts."""
    # The percent sign is first: later, it would escape the escapes of the others again.
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    """Escape like `escapeProperty` of the same file."""
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")


SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


NO_EDITS: Mapping[Problem, Edit] = MappingProxyType({})


def build_sarif(problems: Sequence[Problem], version: str, edits: Mapping[Problem, Edit] = NO_EDITS) -> dict[str, Any]:
    """Build a log with one run, as JSON values.

    Args:
        problems: the problems.
        version: the program's own.
        edits: by problem, the edit that fixes it.
    """
    kinds = {problem.code: problem for problem in problems}
    order = sorted(kinds)
    driver = {
        "name": "aurora",
        "version": version,
        "rules": [_build_rule(kinds[code]) for code in order],
    }
    return {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                # A column of a problem counts characters; a reader may else
                # count units of UTF-16, and mark the wrong place after an emoji.
                "columnKind": "unicodeCodePoints",
                # SARIF wants a slash at the end of a base; the root folder has one already.
                "originalUriBaseIds": {"SRCROOT": {"uri": f"{Path.cwd().as_uri().rstrip('/')}/"}},
                "results": [
                    _build_result(problem, order.index(problem.code), edits.get(problem)) for problem in problems
                ],
            }
        ],
    }


def _build_rule(problem: Problem) -> dict[str, Any]:
    text = read_page(problem.code)
    return {
        "id": problem.code,
        "name": "".join(word.title() for word in problem.name.split("-")),
        "shortDescription": {"text": summarize_page(problem.code)},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": problem.severity},
    }


def _build_result(problem: Problem, index: int, edit: Edit | None) -> dict[str, Any]:
    parts = [problem.message, *(f"{word}: {text}" for word, text in _list_remarks(problem))]
    result: dict[str, Any] = {
        "ruleId": problem.code,
        "ruleIndex": index,
        "level": problem.severity,
        "message": {"text": "\n".join(parts)},
        "locations": [
            {"physicalLocation": {"artifactLocation": _locate_artifact(problem.path), "region": _build_region(problem)}}
        ],
    }
    return {**result, "fixes": [_build_fix(problem, edit)]} if edit is not None else result


def _build_fix(problem: Problem, edit: Edit) -> dict[str, Any]:
    description = f"write {edit.new} in place of {edit.old}" if edit.new.strip() else f"remove {edit.old.strip()}"
    region = {
        "startLine": edit.line,
        "startColumn": edit.column,
        "endLine": edit.line,
        "endColumn": edit.column + len(edit.old),
    }
    replacement = {"deletedRegion": region, "insertedContent": {"text": edit.new}}
    change = {"artifactLocation": _locate_artifact(problem.path), "replacements": [replacement]}
    return {"description": {"text": description}, "artifactChanges": [change]}


def _build_region(problem: Problem) -> dict[str, int]:
    return {
        "startLine": problem.line,
        "startColumn": problem.column,
        "endLine": problem.line,
        "endColumn": problem.end_column,
    }


def _locate_artifact(path: str) -> dict[str, str]:
    """Return the location of a file, relative if it is inside the current folder."""
    if PurePath(path).is_absolute():
        return {"uri": PurePath(path).as_uri()}
    return {"uri": quote(PurePath(path).as_posix()), "uriBaseId": "SRCROOT"}
