"""The model of a test case: a script for one run, and its expectations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .script import FAILURE_KEY, REAL_TOOL, Script

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from aurora.interpreter.yaml import Node

_VALUES_SCHEMA: dict[str, Any] = {"type": "object"}
_TEXT_SCHEMA: dict[str, Any] = {"type": "string", "minLength": 1}
_STEP_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "status": {"enum": ["complete", "waiting", "skipped", "declined", "error"]},
        "result": {},
        "next_action": _TEXT_SCHEMA,
        "prompt": {"anyOf": [_TEXT_SCHEMA, {"type": "array", "items": _TEXT_SCHEMA}]},
        "error": {"type": "string"},
    },
}
_EXPECT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "path": {"type": "array", "items": {"anyOf": [_TEXT_SCHEMA, {"type": "object", "maxProperties": 1}]}},
        "status": {"enum": ["ended", "refused", "cut"]},
        "next_action": _TEXT_SCHEMA,
        "result": {},
        "steps": {
            "type": "object",
            "additionalProperties": {"anyOf": [_STEP_SCHEMA, {"type": "array", "items": _STEP_SCHEMA}]},
        },
        "snapshot": {"type": "boolean"},
    },
}
_SHARED_KEYS: dict[str, Any] = {
    "workflow": {"type": "string", "pattern": "^[a-z][a-z0-9_-]{0,39}$"},
    "project": _TEXT_SCHEMA,
    "files": {"type": "object", "additionalProperties": {"type": "string"}},
    "read_only": {"type": "boolean"},
    "inputs": _VALUES_SCHEMA,
    "tools": {"anyOf": [{"enum": [REAL_TOOL, "made"]}, _VALUES_SCHEMA]},
    "others": {"enum": [REAL_TOOL, "made"]},
    "answers": _VALUES_SCHEMA,
}
_CASE_KEYS = {**_SHARED_KEYS, "name": _TEXT_SCHEMA, "description": _TEXT_SCHEMA, "expect": _EXPECT_SCHEMA}

FILE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        **_CASE_KEYS,
        "cases": {
            "type": "array",
            "minItems": 1,
            "items": {"type": "object", "additionalProperties": False, "required": ["name"], "properties": _CASE_KEYS},
        },
    },
}
"""The schema of a file of cases: one case, or `cases` with shared keys above them."""

SCRIPT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {key: _SHARED_KEYS[key] for key in ("inputs", "tools", "others", "answers")},
}
"""The schema of a script in a file of its own."""

PROJECT_HERE = "here"
MERGED_KEYS = ("inputs", "tools", "answers", "files")
"""Keys that a case merges with the shared ones by name; it replaces any other."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """The expectations of a case; only `status` is compared without being written.

    Attributes:
        path: the phases in order, a refused call as `{phase: CODE}`; None when there is no expectation.
        status: how the run ends.
        next_action, result: those of the last step.
        steps: by phase, the expectations, one for each visit.
        snapshot: whether all steps are compared with the recorded ones.
    """

    path: tuple[Any, ...] | None = None
    status: str = "ended"
    next_action: str | None = None
    result: Any = None
    steps: Mapping[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)
    snapshot: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """A test case.

    Attributes:
        name: its name, unique in its file.
        path: its file.
        workflow: the name of the workflow.
        project: `here`, a folder next to the file that is copied, or None for an empty project.
        files: further files of the project, by path.
        read_only: whether the project is opened read-only, so that no run is kept.
    """

    name: str
    path: Path
    node: Node
    workflow: str
    script: Script
    expect: Expectation
    project: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    read_only: bool = False


def build_script(document: Mapping[str, Any]) -> Script:
    """Build the script of a case, or of a file of its own."""
    tools = document.get("tools", {})
    whole = isinstance(tools, str)
    return Script(
        inputs=document.get("inputs", {}),
        tools={} if whole else tools,
        answers=document.get("answers", {}),
        others=tools if whole else document.get("others", "made"),
    )


def build_case(document: Mapping[str, Any], path: Path, node: Node) -> Case:
    """Build a case from its validated document."""
    expect = dict(document.get("expect", {}))
    steps = {
        phase: tuple(value) if isinstance(value, list) else (value,) for phase, value in expect.get("steps", {}).items()
    }
    expected = tuple(expect["path"]) if "path" in expect else None
    return Case(
        name=document.get("name", path.stem),
        path=path,
        node=node,
        workflow=document.get("workflow", path.stem),
        script=build_script(document),
        expect=Expectation(**{**expect, "path": expected, "steps": steps}),
        project=document.get("project"),
        files=document.get("files", {}),
        read_only=document.get("read_only", False),
    )


__all__ = [
    "FAILURE_KEY",
    "FILE_SCHEMA",
    "MERGED_KEYS",
    "PROJECT_HERE",
    "SCRIPT_SCHEMA",
    "Case",
    "Expectation",
    "build_case",
    "build_script",
]
