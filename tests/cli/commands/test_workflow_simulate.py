"""`aur workflow simulate`: what a person reads, and what the exit code says."""

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
    answer: { type: object, required: [loud, size], properties: { loud: { type: boolean }, size: { type: integer } } }
    next_action: judge
  judge:
    inputs: { heard: { from: phases.hear.answer, type: object, required: [loud, size] } }
    prompt_template: "{{ heard.loud }}"
    answer: { type: string }
    next_action:
      - { when: "inputs.heard.loud == `true`", then: end }
      - { then: hear, max: 1, else: end }
"""


@pytest.fixture
def file(project: Path) -> Path:
    """A workflow of two phases with a way back."""
    path = project / "echo.yaml"
    path.write_text(ECHO, encoding="utf-8")
    return path


def test_a_walk_along_every_path_is_shown_with_its_rules_and_coverage(aur: Aur, file: Path) -> None:
    done = aur("workflow", "simulate", file.name, "--all-paths")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "echo  3 paths, the longest of 4 calls"
    assert sorted(lines[1:4]) == [
        "  hear[1] → judge[1] → end",
        "  hear[1] → judge[2] → hear[1] → judge[1] → end",
        "  hear[1] → judge[2] → hear[1] → judge[2 else] → end",
    ]
    assert lines[4] == "  phases 2/2, rules taken 3/3, rules false 1/1, bounds used up 1/1"
    assert lines[5] == "  every phase and every rule was taken, and every path that was tried ends"


def test_a_rule_that_no_path_took_is_a_note_with_its_place_and_no_failure(aur: Aur, file: Path) -> None:
    never = "length(to_string(inputs.heard.size)) > `900`"
    file.write_text(ECHO.replace("inputs.heard.loud == `true`", never), encoding="utf-8")
    done = aur("workflow", "simulate", file.name)
    assert done.returncode == 0
    assert 'echo.yaml:16:9: rule 1 of "judge" was never taken: ' in done.stdout
    assert done.stdout.endswith("  no path is stuck; 1 suspect\n")


def test_a_path_that_a_run_cannot_end_exits_with_1(aur: Aur, file: Path) -> None:
    early = ECHO.replace("next_action: judge", "next_action: [{ when: answer.loud, then: end }, { then: judge }]")
    output = "output: { last: { from: phases.judge.answer, type: string } }\nphases:\n"
    file.write_text(early.replace("phases:\n", output, 1), encoding="utf-8")
    done = aur("workflow", "simulate", file.name)
    assert done.returncode == 1
    assert "→ stuck" in done.stdout


def test_a_skipped_phase_and_a_value_that_nothing_wrote_are_told(aur: Aur, file: Path) -> None:
    phases = """  sum:
    when: phases.hear.answer.loud
    prompt_template: Sum it up.
    answer: { type: string }
    next_action: say
  say:
    inputs: { text: { from: phases.sum.answer } }
    prompt_template: "Say <text>{{ text }}</text>."
    answer: { type: string }
    next_action: end
"""
    file.write_text(ECHO.partition("  judge:")[0].replace("judge", "sum") + phases, encoding="utf-8")
    done = aur("workflow", "simulate", file.name)
    assert done.returncode == 0, done.stderr
    assert "  hear[1] → sum[skipped] → say[1] → end" in done.stdout.splitlines()
    assert '  input "text" of "say" was made up: on some path nothing had written it' in done.stdout.splitlines()
    assert "phases skipped 1/1" in done.stdout


def test_several_workflows_are_walked_each_under_its_name(aur: Aur, file: Path) -> None:
    done = aur("workflow", "simulate", file.name, "design", "--json")
    assert done.returncode == 0
    assert [one["workflow"] for one in json.loads(done.stdout)["workflows"]] == ["echo", "design"]


def test_the_walk_of_a_file_of_answers_is_the_only_one(aur: Aur, file: Path, project: Path) -> None:
    (project / "said.yaml").write_text(
        "inputs: { word: hey }\nanswers: { hear: [{ loud: false, size: 1 }, { loud: true, size: 2 }] }\n",
        encoding="utf-8",
    )
    done = aur("workflow", "simulate", file.name, "--answers", "said.yaml")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "echo  1 path, the longest of 4 calls",
        "  hear[1] → judge[2] → hear[1] → judge[1] → end",
        "  the walk reached its end",
    ]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("answers: { hear: { loud: perhaps, size: 1 } }", "must be boolean"),
        ("answers: { hear: [{ loud: false, size: 1 }] }", "needs another answer"),
    ],
)
def test_answers_that_do_not_lead_to_an_end_exit_with_1_and_say_why(
    aur: Aur, file: Path, project: Path, said: str, told: str
) -> None:
    (project / "said.yaml").write_text(said, encoding="utf-8")
    done = aur("workflow", "simulate", file.name, "--answers", "said.yaml")
    assert done.returncode == 1
    assert told in done.stdout
    assert "the walk did not reach an end" in done.stdout


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("answers: { heer: 1 }", 'Did you mean "hear"?'),
        ("inputs: { wrod: x }", 'has no input "wrod"'),
        ("answer: { hear: 1 }", 'said.yaml:1:1: unexpected key "answer"'),
        ("answers: [", "said.yaml:1"),
        ("", "said.yaml"),
        ("tools: real", "runs no tool"),
        ("inputs: { word: { from: '[' } }", "cannot be evaluated"),
    ],
)
def test_a_file_of_answers_with_faults_is_refused_in_words(
    aur: Aur, file: Path, project: Path, said: str, told: str
) -> None:
    (project / "said.yaml").write_text(said, encoding="utf-8")
    done = aur("workflow", "simulate", file.name, "--answers", "said.yaml")
    assert (done.returncode, done.stdout, "Traceback" in done.stderr) == (1, "", False)
    assert told in done.stderr


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("sour",), 1, 'Did you mean "soar"'),
        (("nowhere.yaml",), 1, "nowhere.yaml"),
        (("design", "--max-paths", "0"), 2, "max-paths"),
        (("design", "--max-steps", "many"), 2, "max-steps"),
        (("design", "--answers", "nowhere.yaml"), 1, "nowhere.yaml"),
        (("design", "soar", "--answers", "README.md"), 1, "not for 2"),
        (("README.md",), 1, "README.md"),
        (("design", "--every"), 2, "--every"),
    ],
)
def test_wrong_words_are_refused_in_words(aur: Aur, words: tuple[str, ...], code: int, said: str) -> None:
    done = aur("workflow", "simulate", *words)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)
    assert said in done.stderr


def test_a_path_beyond_the_bound_is_cut_and_marked(aur: Aur, file: Path) -> None:
    done = aur("workflow", "simulate", file.name, "--max-steps", "1")
    assert done.returncode == 0
    assert "→ cut" in done.stdout
    assert "1 path without an end" in done.stdout.splitlines()[-1]


OUTER = """\
aurora: 2
name: outer
version: 1.0.0
start: part
phases:
  part:
    inputs: { word: { type: string } }
    workflow: WORKFLOW
    with: { word: word }
    next_action: end
"""


def test_a_workflow_that_runs_as_a_phase_is_named_with_its_outputs(aur: Aur, project: Path) -> None:
    folder = project / ".aurora" / "workflows"
    folder.mkdir(parents=True, exist_ok=True)
    echo = ECHO.replace("phases:\n", "output: { loud: { from: phases.hear.answer.loud, type: boolean } }\nphases:\n", 1)
    (folder / "echo.yaml").write_text(echo, encoding="utf-8")
    broken = echo.replace("name: echo", "name: broken").replace("{ then: hear,", "{ then: her,")
    (folder / "broken.yaml").write_text(broken, encoding="utf-8")
    (folder / "outer.yaml").write_text(OUTER.replace("WORKFLOW", "echo"), encoding="utf-8")
    done = aur("workflow", "simulate", str(folder / "outer.yaml"))
    assert done.returncode == 0, done.stderr
    walked = '  phase "part": the workflow echo is simulated on its own, and gives 2 outputs that runs of it end with'
    assert walked in done.stdout.splitlines()
    (folder / "outer.yaml").write_text(OUTER.replace("WORKFLOW", "broken"), encoding="utf-8")
    done = aur("workflow", "simulate", str(folder / "outer.yaml"))
    assert done.returncode == 1
    assert 'runs "broken", which has an error' in done.stderr
