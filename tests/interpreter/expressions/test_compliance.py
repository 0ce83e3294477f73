"""Expressions follow JMESPath: the official cases, and cases of ours without network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import jmespath
import pytest
from ruamel.yaml import YAML

from aurora.interpreter.expressions.jmespath import ExpressionError, compile_expression, evaluate_expression

HERE = Path(__file__).resolve().parent
CACHE = HERE.parents[1] / "build" / "compliance"
RELEASE = "jmespath@0.15.0"
"""A JavaScript release that contains the official cases."""
PARTS = {
    "basic", "boolean", "current", "escape", "filters", "functions", "identifiers", "indices", "literal",
    "multiselect", "pipe", "slice", "syntax", "unicode", "wildcard",
}  # fmt: skip

DIFFERENCES: dict[str, str] = {}
"""By expression, the reason for a result that differs from the official case; there is none."""

OWN = [
    pytest.param(group["given"], case, id=f"{path.stem}: {case['expression']}")
    for path in sorted(HERE.glob("*.yaml"))
    for group in YAML(typ="safe", pure=True).load(path)
    for case in group["cases"]
]


@pytest.fixture(scope="module")
def official() -> dict[str, list[dict[str, Any]]]:
    """Fetch the official cases by file, once; skip if the package registry is out of reach."""
    kept = CACHE / "cases.json"
    if not kept.exists():
        _fetch(kept)
    cases: dict[str, list[dict[str, Any]]] = json.loads(kept.read_text(encoding="utf-8"))
    return cases


def _fetch(kept: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"npm is not there to fetch {RELEASE}, which carries the official cases")
    with tempfile.TemporaryDirectory() as folder:
        try:
            command = [npm, "pack", RELEASE, "--pack-destination", folder]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
        except subprocess.TimeoutExpired:
            pytest.skip(f"fetching {RELEASE}, which carries the official cases, took too long")
        packed = next(Path(folder).glob("*.tgz"), None)
        if done.returncode or packed is None:
            pytest.skip(f"{RELEASE}, which carries the official cases, cannot be fetched here")
        cases = {}
        with tarfile.open(packed) as archive:
            for member in archive.getmembers():
                if "/compliance/" in member.name and member.name.endswith(".json"):
                    content = archive.extractfile(member)
                    assert content is not None
                    cases[Path(member.name).stem] = json.load(content)
    kept.parent.mkdir(parents=True, exist_ok=True)
    new = kept.with_suffix(f".{os.getpid()}")
    new.write_text(json.dumps(cases), encoding="utf-8")
    new.replace(kept)


def find_difference(given: Any, case: dict[str, Any]) -> str:
    """Return what is wrong with the result of the case, or an empty text."""
    wanted = "an error" if "error" in case else json.dumps(case.get("result"), sort_keys=True)
    try:
        got = json.dumps(evaluate_expression(case["expression"], given), sort_keys=True)
    except ExpressionError as error:
        return "" if "error" in case else f"{case['expression']} is refused ({error}), and not {wanted}"
    return "" if got == wanted or _is_same(got, case) else f"{case['expression']} is {got}, and not {wanted}"


def _is_same(got: str, case: dict[str, Any]) -> bool:
    """Compare as JSON: 1 equals 1.0, and true equals neither."""
    if "error" in case:
        return False
    return _normalize(json.loads(got)) == _normalize(case.get("result"))


def _normalize(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _normalize(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_normalize(inner) for inner in value]
    return ("boolean", value) if isinstance(value, bool) else value


@pytest.mark.parametrize("part", sorted(PARTS))
def test_the_official_cases_pass(official: dict[str, list[dict[str, Any]]], part: str) -> None:
    told = [
        found
        for group in official[part]
        for case in group["cases"]
        if "bench" not in case
        and case["expression"] not in DIFFERENCES
        and (found := find_difference(group["given"], case))
    ]
    assert told == []


def test_no_file_and_no_case_of_the_official_suite_is_missing(official: dict[str, list[dict[str, Any]]]) -> None:
    assert official.keys() >= PARTS
    assert sum(len(group["cases"]) for part in PARTS for group in official[part]) > 800


@pytest.mark.parametrize(("given", "case"), OWN)
def test_a_case_of_ours_passes(given: Any, case: dict[str, Any]) -> None:
    assert find_difference(given, case) == ""


@pytest.mark.parametrize("text", ["a", "a.b", "a.b.c", "A1._b.c_2", "null", "phases.p1.answer.note"])
def test_a_path_of_names_has_the_tree_of_the_library(text: str) -> None:
    assert compile_expression(text).parsed == jmespath.compile(text).parsed


@pytest.mark.parametrize("text", ["a.", ".a", "a..b", "1a", "a.1", "a b", "a-b", "é", ""])
def test_what_is_no_path_of_names_is_left_to_the_library(text: str) -> None:
    with pytest.raises(ExpressionError):
        compile_expression(text)


def test_every_built_in_function_has_a_case_of_ours() -> None:
    from jmespath.functions import Functions  # noqa: PLC0415 - only here

    texts = " ".join(param.values[1]["expression"] for param in OWN)
    assert [name for name in Functions.FUNCTION_TABLE if f"{name}(" not in texts] == []


def test_a_wrong_result_is_noticed() -> None:
    assert find_difference({"a": 1}, {"expression": "a", "result": 2})
    assert find_difference({"a": True}, {"expression": "a", "result": 1})
    assert find_difference({"a": 1}, {"expression": "a", "error": "syntax"})
    assert find_difference({"a": 1}, {"expression": "a b", "result": 1})
