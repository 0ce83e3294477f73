"""Any tool is called by any of its names with JSON, as a program does that was given an adapter's bundle."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Aur = Any


@pytest.mark.parametrize("name", ["mem_get", "mem.get", "aurora_get", "aur mem get"])
def test_a_tool_is_called_by_any_of_its_names(aur: Aur, name: str) -> None:
    done = aur("tools", "call", name, '{"path": "README.md"}')
    assert done.returncode == 0
    assert json.loads(done.stdout)["chunks"][0]["path"] == "README.md"


def test_arguments_are_read_from_standard_input_too(aur: Aur) -> None:
    done = aur("tools", "call", "get_type_members", "-", "--json", input='{"name": "README.md"}')
    assert json.loads(done.stdout)["error"]["code"] == "NOT_FOUND", "an alias is found, and the memory is empty"


def test_a_tool_for_phases_is_tried_with_its_settings(aur: Aur) -> None:
    arguments = {
        "criteria": [{"name": "simple", "weight": 1}],
        "options": [{"name": "a", "scores": {"simple": 5}}, {"name": "b", "scores": {"simple": 1}}],
    }
    done = aur("tools", "call", "options.weigh", json.dumps(arguments), "--params", '{"close_within": 0.3}')
    assert json.loads(done.stdout)["best"] == "a"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["nope", "{}"], 1, 'there is no tool "nope"'),
        (["mem.serch", "{}"], 1, 'did you mean "mem.search"?'),
        (["mem_search", "{"], 2, "the arguments cannot be read as JSON"),
        (["mem_search", "[]"], 2, "the arguments must be a JSON object"),
        (["mem_search", "{}", "--params", "7"], 2, "--params must be a JSON object"),
        (["mem_search", '{"query": "x", "limt": 1}'], 1, 'did you mean "limit"'),
        (["complexity_assess", '{"query": "x"}'], 1, "Settings go into `--params JSON`. It takes"),
    ],
)
def test_an_invalid_call_is_reported_in_a_sentence(aur: Aur, words: list[str], code: int, message: str) -> None:
    done = aur("tools", "call", *words)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_tool_that_writes_is_forbidden_when_read_only(aur: Aur, project: Path) -> None:
    done = aur("tools", "call", "mem_add", '{"text": "It rained."}', "--read-only", "--json")
    assert json.loads(done.stdout)["error"]["code"] == "FORBIDDEN"
    assert not (project / ".aurora").exists()


def test_a_call_of_a_tool_that_is_not_there_has_its_line_in_the_log_too(aur: Aur, project: Path) -> None:
    (project / ".aurora").mkdir()
    aur("tools", "call", "nope", '{"secret": 1}')
    line = json.loads((project / ".aurora" / "logs" / "calls.jsonl").read_text(encoding="utf-8"))
    assert (line["tool"], line["surface"], line["code"]) == ("nope", "cli", "NOT_FOUND")
    assert [path.name for path in (project / ".aurora").iterdir()] == ["logs"]
