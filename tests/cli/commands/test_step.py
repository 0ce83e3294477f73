"""`aur workflow step`: a person is the host, one phase at a time."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Aur = Callable[..., Any]

TEA = """\
aurora: 1
name: tea
version: 1.0.0
title: Make tea
start: choose
phases:
  choose:
    inputs:
      guests: { type: integer, minimum: 1 }
      mood: { type: string, default: calm }
    prompt_template: Which tea suits {{ guests }} {{ mood }} guests?
    answer:
      type: object
      required: [tea]
      additionalProperties: false
      properties: { tea: { type: string, minLength: 1 } }
    next_action: end
  serve:
    inputs:
      tea: { from: phases.choose.answer.tea, type: string }
    prompt_template: Serve {{ tea }}.
    answer: { type: object }
    next_action: end
"""


@pytest.fixture
def tea(project: Path) -> Path:
    """A project with a workflow of its own."""
    folder = project / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    (folder / "tea.yaml").write_text(TEA.replace("next_action: end", "next_action: serve", 1), encoding="utf-8")
    return project


def step(aur: Aur, *words: str, **more: Any) -> tuple[int, dict[str, Any]]:
    done = aur("workflow", "step", *words, "--json", **more)
    return done.returncode, json.loads(done.stdout)


def test_a_simple_question_is_walked_to_its_end(aur: Aur) -> None:
    aur("mem", "index")

    code, first = step(aur, "assess", "--input", "query=Where is FloatRange defined?")
    last_code, last = step(aur, first["next_action"], "--run", first["run"])

    assert (code, first["result"]["complexity"], first["early_exit"]) == (0, "SIMPLE", True)
    assert (last_code, last["next_action"], last["next_call"]) == (0, "end", None)
    assert last["result"]["evidence"][0]["symbol"] == "FloatRange"


def test_the_state_of_the_index_is_a_sentence_and_an_empty_note_is_not_shown(aur: Aur, project: Path) -> None:
    aur("mem", "index")
    (project / "new.py").write_text("def zanzibar():\n    return 1\n", encoding="utf-8")

    shown = aur("workflow", "step", "retrieve", "--input", "query=Where is FloatRange defined?").stdout

    assert "\n  index: indexed, 1 file behind: run `aur mem index`\n" in shown
    assert "note" not in shown


def test_all_of_a_result_and_the_decision_are_returned_on_request(aur: Aur) -> None:
    query = ("--input", "query=Where is FloatRange defined?")
    _, brief = step(aur, "retrieve", *query)
    code, full = step(aur, "retrieve", *query, "--detail", "full")

    assert (code, full["result"].keys() > brief["result"].keys()) == (0, True)
    assert "decision" in full["metadata"]
    assert "decision" not in brief["metadata"]
    assert step(aur, "retrieve", *query, "--detail", "brief")[1]["result"] == brief["result"]
    assert aur("workflow", "step", "assess", *query, "--detail", "most").returncode == 2


def test_an_input_is_json_where_it_can_be_and_text_otherwise(aur: Aur, tea: Path) -> None:
    code, response = step(
        aur, "choose", "--workflow", "tea", "--input", "guests=4", "--input", "mood=two = too many", cwd=tea
    )

    assert code == 0
    assert response["prompt_template"] == "Which tea suits 4 two = too many guests?"


def test_inputs_come_from_a_file_and_single_ones_stand_over_them(aur: Aur, tea: Path) -> None:
    (tea / "inputs.json").write_text('{"guests": 2, "mood": "tired"}', encoding="utf-8")

    _, response = step(aur, "choose", "--workflow", "tea", "--inputs", "inputs.json", "--input", "guests=3", cwd=tea)

    assert response["prompt_template"] == "Which tea suits 3 tired guests?"


@pytest.mark.parametrize("source", ["-", "answer.json"])
def test_an_answer_comes_from_a_file_or_from_standard_input(aur: Aur, tea: Path, source: str) -> None:
    (tea / "answer.json").write_text('{"tea": "mint"}', encoding="utf-8")
    _, first = step(aur, "choose", "--workflow", "tea", "--input", "guests=2")

    code, response = step(aur, "serve", "--run", first["run"], "--answer", source, input='{"tea": "mint"}')

    assert (code, response["prompt_template"]) == (0, "Serve mint.")


def test_an_answer_is_also_given_in_the_line_and_last_is_the_newest_run(aur: Aur, tea: Path) -> None:
    del tea
    _, first = step(aur, "choose", "--workflow", "tea", "--input", "guests=2")

    code, response = step(aur, "serve", "--run", "last", "--answer", '{"tea": "mint"}')

    assert (code, response["run"]) == (0, first["run"])
    for text, said in (("{", "the answer is not JSON"), ("none.json", 'there is no file "none.json"')):
        code, refused = step(aur, "serve", "--run", "last", "--answer", text)
        assert (code, said in refused["error"]["message"]) == (1, True)


def test_an_answer_that_does_not_fit_is_a_problem_and_the_run_stays_where_it_was(aur: Aur, tea: Path) -> None:
    _, first = step(aur, "choose", "--workflow", "tea", "--input", "guests=2")

    code, refused = step(aur, "serve", "--run", first["run"], "--answer", "-", input='{"coffee": 1}')
    again, response = step(aur, "serve", "--run", first["run"], "--answer", "-", input='{"tea": "mint"}')

    assert (code, refused["error"]["code"]) == (1, "INVALID_INPUT")
    assert (again, response["status"]) == (0, "complete")
    assert tea.is_dir()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "standard input is not JSON, line 1, column 2"),
        ("", "standard input is empty"),
        ("NaN", "NaN is not a JSON number"),
        ("[" * 100_000, "nested too deeply"),
        ("1" * 5000, "standard input is not JSON: a number is too long"),
    ],
)
def test_an_answer_that_is_not_json_is_rejected_before_the_run(aur: Aur, text: str, said: str) -> None:
    code, response = step(aur, "verify", "--run", "any", "--answer", "-", input=text)

    assert code == 1
    assert response["error"]["code"] == "INVALID_INPUT"
    assert said in response["error"]["message"]


LONG_NAME = "x" * 400


@pytest.mark.usefixtures("tea")
def test_an_answer_longer_than_a_file_s_name_is_read(aur: Aur) -> None:
    _, first = step(aur, "choose", "--workflow", "tea", "--input", "guests=2")
    code, second = step(aur, "serve", "--run", first["run"], "--answer", json.dumps({"tea": LONG_NAME}))
    assert (code, second["result"]) == (0, None), second
    assert LONG_NAME in second["prompt_template"]


@pytest.mark.parametrize("answer", ["true", "3", '"text"', "[1]"])
@pytest.mark.usefixtures("tea")
def test_an_answer_that_is_any_json_is_not_taken_for_a_file(aur: Aur, answer: str) -> None:
    _, first = step(aur, "choose", "--workflow", "tea", "--input", "guests=2")
    code, second = step(aur, "serve", "--run", first["run"], "--answer", answer)
    assert code == 1
    assert "$.answer must be object, not" in second["error"]["message"]


def test_a_file_named_like_json_is_read(aur: Aur, tea: Path) -> None:
    (tea / "3").write_text('{"tea": "mint"}', encoding="utf-8")
    _, first = step(aur, "choose", "--workflow", "tea", "--input", "guests=2")
    assert step(aur, "serve", "--run", first["run"], "--answer", "3")[0] == 0


@pytest.mark.parametrize(
    "words",
    [
        *(("workflow", command, LONG_NAME) for command in ("validate", "test", "simulate", "graph", "run")),
        ("workflow", "diff", LONG_NAME, LONG_NAME),
        ("workflow", "run", "soar", "--answers", LONG_NAME),
        ("workflow", "step", "--answer", LONG_NAME),
    ],
    ids=" ".join,
)
@pytest.mark.usefixtures("tea")
def test_a_name_that_no_file_can_have_is_a_problem_and_no_bug(aur: Aur, words: tuple[str, ...]) -> None:
    done = aur(*words)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(("aur: there is no", 'aur: "xxx'))


def test_bytes_that_are_no_text_are_refused(aur: Aur, project: Path) -> None:
    (project / "answer.json").write_bytes(b"\xff\xfe{}")

    code, response = step(aur, "verify", "--answer", "answer.json")

    assert (code, response["error"]["code"]) == (1, "INVALID_INPUT")


def test_a_file_that_is_not_there_is_named(aur: Aur) -> None:
    code, response = step(aur, "verify", "--answer", "missing.json")

    assert (code, response["error"]["code"]) == (1, "NOT_FOUND")
    assert '"missing.json"' in response["error"]["message"]


def test_standard_input_cannot_be_read_twice(aur: Aur) -> None:
    code, response = step(aur, "verify", "--answer", "-", "--inputs", "-")

    assert (code, response["error"]["code"]) == (2, "INVALID_INPUT")


def test_an_input_without_a_value_is_bad_usage(aur: Aur) -> None:
    done = aur("workflow", "step", "assess", "--input", "query")

    assert done.returncode == 2
    assert done.stderr.startswith('aur: --input takes NAME=VALUE, not "query"\n')


def test_an_unknown_phase_is_a_problem_with_the_choices(aur: Aur) -> None:
    code, response = step(aur, "asess", "--input", "query=x")

    assert (code, response["error"]["code"]) == (1, "NOT_FOUND")
    assert "assess" in response["error"]["help"]


def test_the_next_command_is_shown(aur: Aur, tea: Path) -> None:
    done = aur("workflow", "step", "choose", "--workflow", "tea", "--input", "guests=2", cwd=tea)

    lines = done.stdout.splitlines()
    assert lines[0].startswith("1/2 choose  complete  run ")
    assert "Which tea suits 2 calm guests?" in lines
    assert lines[-1].startswith("next: aur workflow step serve --run ")
    assert lines[-1].endswith("--answer 'JSON'")


def test_a_person_is_shown_each_fault_of_an_answer(aur: Aur, tea: Path) -> None:
    _, first = step(aur, "choose", "--workflow", "tea", "--input", "guests=2", cwd=tea)

    done = aur("workflow", "step", "serve", "--run", first["run"], "--answer", "-", input='{"tea": ""}')

    assert done.returncode == 1
    assert "INVALID_INPUT" in done.stdout
    assert "--answer, at $.tea: " in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("assess", "--input", "query=How does the parser work?"),
        ("choose", "--workflow", "tea", "--input", "guests=2"),
        ("choose", "--workflow", "tea"),
        ("serve", "--workflow", "tea"),
        ("retrieve", "--run", "unknown"),
        ("asess",),
    ],
    ids=["tool", "prompt", "missing input", "out of turn", "unknown run", "unknown phase"],
)
def test_the_terminal_shows_a_command_and_never_a_tool_of_the_assistant(
    aur: Aur, tea: Path, words: tuple[str, ...]
) -> None:
    shown = aur("workflow", "step", *words, cwd=tea).stdout

    assert "next: aur workflow step " in shown
    assert "aurora_" not in shown


@pytest.mark.usefixtures("tea")
def test_a_refused_call_names_the_options_that_a_person_types(aur: Aur) -> None:
    missing = aur("workflow", "step", "choose", "--workflow", "tea").stdout
    wrong = aur("workflow", "step", "choose", "--workflow", "tea", "--input", "guests=0", "--input", "mod=1").stdout

    assert (
        'INVALID_INPUT: phase "choose" cannot run with these values\n'
        "  --input guests='…' is missing\n"
        "help: Correct the values, and run the command again.\n"
    ) in missing
    assert "  --input guests: must be at least 1, not 0\n" in wrong
    assert '  --input mod: is not an input of phase "choose"; did you mean "mood"?\n' in wrong
    assert not any(word in missing + wrong for word in ("$.", "call again", "refuses"))
    _, told = step(aur, "choose", "--workflow", "tea", "--input", "mod=1")
    assert told["error"]["message"].endswith('did you mean "mood"? (and 1 more)')


@pytest.mark.usefixtures("tea")
def test_a_refused_answer_names_the_option_and_the_place_in_it(aur: Aur) -> None:
    _, first = step(aur, "choose", "--workflow", "tea", "--input", "guests=2")
    missing = aur("workflow", "step", "serve", "--run", first["run"]).stdout
    wrong = aur("workflow", "step", "serve", "--run", first["run"], "--answer", '{"tea": ""}').stdout

    assert "\n  --answer 'JSON' is missing: phase \"choose\" waits for the answer to its prompt\n" in missing
    assert "\n  --answer, at $.tea: " in wrong


@pytest.mark.parametrize("answer", [(), ("--answer", '{"sort": "green"}')])
@pytest.mark.usefixtures("tea")
def test_fields_of_the_answer_beside_it_are_told_where_they_belong(answer: tuple[str, ...], aur: Aur) -> None:
    _, first = step(aur, "choose", "--workflow", "tea", "--input", "guests=2")
    _, shown = step(aur, "serve", "--run", first["run"], *answer, "--input", "tea=mint")
    _, stray = step(aur, "serve", "--run", first["run"], "--answer", '{"tea": "mint"}', "--input", "sort=green")

    first_fault, *others = shown["error"]["details"]["faults"]
    assert first_fault == {"path": "$.answer", "message": 'must contain "tea", which this call has beside it'}
    assert [fault["path"] for fault in others] == ["$.answer.sort"] * bool(answer)
    assert [fault["path"] for fault in stray["error"]["details"]["faults"]] == ["$.sort"]
