"""`aur workflow backtest`: what a person reads, and what the exit code says."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Aur = Callable[..., Any]

SHOUT = """\
aurora: 1
name: shout
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


@pytest.fixture
def copy(aur: Aur, project: Path) -> Path:
    """An edited copy of a workflow of which two runs are recorded."""
    folder = project / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    (folder / "shout.yaml").write_text(SHOUT, encoding="utf-8")
    for word in ("ho", "hey"):
        first = json.loads(
            aur("workflow", "step", "hear", "--workflow", "shout", "--input", f"word={word}", "--json").stdout
        )
        done = aur("workflow", "step", "judge", "--run", first["run"], "--answer", "-", input='{"loud": true}')
        assert done.returncode == 0, done.stderr
    path = project / "copy.yaml"
    path.write_text(SHOUT.replace("when: inputs.loud", "when: inputs.loud == `false`"), encoding="utf-8")
    return path


def test_runs_that_go_as_they_went_exit_with_0(aur: Aur, copy: Path) -> None:  # noqa: ARG001 - it made the runs
    done = aur("workflow", "backtest", "shout")
    assert (done.returncode, done.stdout) == (0, "2 runs of shout through shout@1.0.0: 2 the same, 0 diverge\n")


def test_runs_that_part_are_grouped_and_exit_with_1(aur: Aur, copy: Path) -> None:
    done = aur("workflow", "backtest", copy.name)
    assert done.returncode == 1
    told = done.stdout.splitlines()
    assert told[:5] == [
        '2 runs: "judge" leads elsewhere (step 2)',
        "  was  end  by rule 1: inputs.loud",
        "  is   hear  by rule 2: without when",
        "       inputs.loud = true",
        "  at copy.yaml:17:9",
    ]
    assert told[-1] == "2 runs of shout through shout@1.0.0: 0 the same, 2 diverge"


def test_a_copy_is_found_from_where_the_person_stands(aur: Aur, copy: Path, project: Path) -> None:
    assert aur("workflow", "backtest", str(copy), cwd=project / "click").returncode == 1


def test_json_is_what_the_tool_gives(aur: Aur, copy: Path) -> None:
    told = json.loads(aur("workflow", "backtest", copy.name, "--runs", "1", "--json").stdout)
    assert (told["diverged"], len(told["tried"]), told["groups"][0]["divergence"]["kind"]) == (1, 1, "next_action")


def test_without_a_recorded_run_it_says_how_to_come_by_one(aur: Aur) -> None:
    done = aur("workflow", "backtest", "design")
    assert done.returncode == 0
    assert 'no run of "design" is recorded' in done.stdout
    assert "aur workflow step retrieve --workflow design" in done.stdout


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 2, "WORKFLOW"),
        (("sour",), 1, 'Did you mean "soar"'),
        (("nowhere.yaml",), 1, "nowhere.yaml"),
        (("soar", "--runs", "0"), 2, "runs"),
        (("soar", "--runs", "many"), 2, "runs"),
        (("/etc/hostname",), 1, "outside"),
    ],
)
def test_wrong_words_are_refused_in_words(aur: Aur, words: tuple[str, ...], code: int, said: str) -> None:
    done = aur("workflow", "backtest", *words)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)
    assert said in done.stderr
