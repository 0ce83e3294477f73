"""`aur workflow test`: what a person reads, what the exit code says, and what `--update` writes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Aur = Callable[..., Any]

ECHO = """\
aurora: 1
name: echo
version: 1.0.0
start: hear
phases:
  hear:
    inputs: { word: { type: string } }
    prompt_template: Hear {{ word }}.
    answer: { type: object, required: [loud], properties: { loud: { type: boolean } } }
    next_action: judge
  judge:
    inputs: { loud: { from: phases.hear.answer.loud, type: boolean } }
    prompt_template: "{{ loud }}"
    answer: { type: string }
    next_action:
      - { when: inputs.loud, then: end }
      - { then: hear, max: 1, else: end }
"""
CASES = """\
inputs: { word: hey }
cases:
  - name: a loud word ends at once
    answers: { hear: { loud: true } }
    expect: { path: [hear, judge] }
  - name: a low one is heard twice
    answers: { hear: { loud: false } }
    expect: { path: [hear, judge, hear, judge], steps: { hear: { prompt: hey } } }
"""


@pytest.fixture
def cases(project: Path) -> Path:
    """The file of cases beside a project's own workflow."""
    folder = project / ".aurora" / "workflows" / "tests"
    folder.mkdir(parents=True)
    (folder.parent / "echo.yaml").write_text(ECHO, encoding="utf-8")
    path = folder / "echo.yaml"
    path.write_text(CASES, encoding="utf-8")
    return path


def test_cases_that_pass_exit_with_0(aur: Aur, cases: Path) -> None:  # noqa: ARG001 - it wrote them
    done = aur("workflow", "test")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        ".aurora/workflows/tests/echo.yaml",
        "  ok      a loud word ends at once",
        "  ok      a low one is heard twice",
        "2 cases: 2 passed",
    ]


def test_a_case_that_fails_shows_both_sides_and_exits_with_1(aur: Aur, cases: Path) -> None:
    cases.write_text(CASES.replace("[hear, judge] }", "[hear, hear] }"), encoding="utf-8")
    done = aur("workflow", "test", "echo")
    assert done.returncode == 1
    assert done.stdout.splitlines()[1:6] == [
        "  FAILED  a loud word ends at once",
        "    .aurora/workflows/tests/echo.yaml:5:28: path[1]",
        "      expected  hear",
        "      actual    judge",
        '    the path was ["hear", "judge"]',
    ]
    assert done.stdout.endswith("2 cases: 1 passed, 1 failed\n")


def test_an_update_writes_what_came_and_the_next_run_passes(aur: Aur, cases: Path) -> None:
    cases.write_text(CASES.replace("[hear, judge] }", "[hear, hear] }"), encoding="utf-8")
    done = aur("workflow", "test", "--update")
    assert (done.returncode, "  updated a loud word ends at once" in done.stdout) == (0, True)
    assert cases.read_text(encoding="utf-8") == CASES
    assert aur("workflow", "test").returncode == 0


def test_coverage_names_what_no_case_takes(aur: Aur, cases: Path) -> None:
    one, _, _ = CASES.partition("  - name: a low one")
    cases.write_text(one, encoding="utf-8")
    done = aur("workflow", "test", "--coverage")
    assert done.returncode == 0
    assert "  phases 2/2, rules taken 2/3, rules false 0/1, bounds used up 0/1" in done.stdout.splitlines()
    assert '  rule 2 of "judge" (without when) was never true or spent' in done.stdout.splitlines()


def test_a_case_that_cannot_be_played_is_broken_and_exits_with_1(aur: Aur, cases: Path) -> None:
    cases.write_text(CASES + "  - { name: lost, workflow: nowhere }\n", encoding="utf-8")
    done = aur("workflow", "test")
    assert done.returncode == 1
    assert "  BROKEN  lost" in done.stdout
    assert 'there is no workflow "nowhere"' in done.stdout


def test_json_is_what_the_tool_gives(aur: Aur, cases: Path) -> None:  # noqa: ARG001 - as above
    told = json.loads(aur("workflow", "test", "--json").stdout)
    assert (told["ok"], told["passed"], told["cases"][0]["path"]) == (True, 2, ["hear", "judge"])


def test_a_read_only_project_writes_no_update(aur: Aur, cases: Path) -> None:
    before = CASES.replace("[hear, judge] }", "[hear, hear] }")
    cases.write_text(before, encoding="utf-8")
    assert aur("workflow", "test", "--update", env={"READ_ONLY": "1"}).returncode == 1
    assert cases.read_text(encoding="utf-8") == before


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("nowhere",), 1, "nowhere"),
        (("nowhere.yaml",), 1, "nowhere.yaml"),
        (("README.md",), 1, "README.md"),
        (("click",), 1, "there are no cases to run"),
        (("--update=yes",), 2, "--update"),
        (("--every",), 2, "--every"),
    ],
)
def test_wrong_words_are_refused_in_words(
    aur: Aur,
    cases: Path,  # noqa: ARG001 - as above
    words: tuple[str, ...],
    code: int,
    said: str,
) -> None:
    done = aur("workflow", "test", *words)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)
    assert said in done.stderr
