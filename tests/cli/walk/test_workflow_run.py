"""`aur workflow run`: a person walks a workflow at a real terminal, or a file of answers does."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import mark_text

if TYPE_CHECKING:
    from pathlib import Path

Aur = Callable[..., Any]

MENU = """\
aurora: 1
name: menu
version: 1.0.0
start: plan
phases:
  plan:
    inputs:
      guests: { type: integer, minimum: 1, description: How many come. }
      mood: { type: string, default: calm }
    prompt_template: What suits {{ guests }} {{ mood }} guests?
    answer:
      type: object
      required: [dish, course]
      additionalProperties: false
      properties:
        dish: { type: string, minLength: 3, description: What is cooked. }
        course: { enum: [first, main] }
        hot: { type: boolean }
    next_action: buy
  buy:
    inputs:
      dish: { from: phases.plan.answer.dish, type: string }
      guests: { from: phases.plan.inputs.guests, type: integer }
      stops: { type: array, items: { type: string }, default: [market, mill] }
    prompt_template: What do you buy at {{ stop }} for {{ dish }}?
    answer: { type: string, minLength: 1 }
    for_each: { in: inputs.stops, as: stop, max: 3 }
    next_action:
      - { when: "inputs.guests > `9`", then: plan, max: 1, else: end }
      - { then: list }
  list:
    inputs:
      bought: { from: phases.buy.answer, type: array, items: { type: string } }
    prompt_template: "Bought: {{ bought[0] }} and {{ bought[1] }}."
    answer: { type: object, additionalProperties: { type: integer } }
    next_action: done
  done:
    inputs:
      amounts: { from: phases.list.answer, type: object }
    prompt_template: Cook {{ amounts.flour }} g.
    answer: { type: string }
    next_action: end
"""


@pytest.fixture(autouse=True)
def menu(project: Path) -> Path:
    """A workflow whose answers take every form."""
    file = project / ".aurora" / "workflows" / "menu.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(MENU, encoding="utf-8")
    return file


SILENCE = 60
"""Seconds in which `aur` must show something while it is read."""


class Terminal:
    """`aur` at a real terminal: what it shows is read as it comes, and answered."""

    def __init__(self, words: list[str], cwd: Path, env: dict[str, str]) -> None:
        self._master, slave = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "aurora", *words], cwd=cwd, env=env, stdin=slave, stdout=slave, stderr=slave
        )
        os.close(slave)
        self.shown = ""
        self._read = 0

    def until(self, text: str) -> None:
        """Read on until this is shown."""
        while text not in self.shown[self._read :]:
            block = self._block()
            assert block, f'"{text}" never came:\n{self.shown}'
        self._read = self.shown.index(text, self._read) + len(text)

    def say(self, text: str, after: str = "> ") -> None:
        """Type a line once this prompt is shown."""
        self.until(after)
        os.write(self._master, f"{text}\n".encode())

    def press(self, key: bytes, after: str = "> ") -> None:
        """Type a key once this prompt is shown."""
        self.until(after)
        os.write(self._master, key)

    def interrupt(self, after: str) -> None:
        """What Ctrl-C sends, once this is shown."""
        self.until(after)
        self._process.send_signal(signal.SIGINT)

    def end(self) -> int:
        """Read to the end; the exit code."""
        while self._block():
            pass
        os.close(self._master)
        return self._process.wait(timeout=60)

    def _block(self) -> bytes:
        ready, _, _ = select.select([self._master], [], [], SILENCE)
        assert ready, f"nothing was shown for {SILENCE} s:\n{self.shown}"
        try:
            block = os.read(self._master, 65536)
        except OSError:  # the last writer has closed its side
            return b""
        self.shown += block.decode("utf-8", "replace").replace("\r\n", "\n")
        return block


@pytest.fixture
def terminal(project: Path, environment: dict[str, str]) -> Callable[..., Terminal]:
    """Begin `aur` at a terminal in the project."""

    def begin(*words: str, **env: str) -> Terminal:
        return Terminal(list(words), project, {**environment, "TERM": "dumb", **env})

    return begin


def test_a_person_walks_a_workflow_from_its_first_input_to_its_end(terminal: Callable[..., Terminal]) -> None:
    screen = terminal("workflow", "run", "menu")

    screen.until("How many come.")
    screen.say("none")
    screen.until("type a whole number")
    screen.say("4")
    screen.until("What suits 4 calm guests?")
    screen.say("ab", after="What is cooked.\n  > ")
    screen.until("dish: ")
    screen.say("stew")
    screen.say("2", after="2) main\n  > ")
    screen.say("", after="empty leaves it out)\n  y/n > ")
    screen.until("What do you buy at market for stew?")
    screen.say("beans")
    screen.say("and peas", after=". ")
    screen.say("", after=". ")
    screen.until("What do you buy at mill for stew?")
    screen.say("flour")
    screen.say(".", after=". ")
    screen.until("Bought: beans")
    screen.say("flour: 300")
    screen.say("", after=". ")
    screen.until("your answer to done")
    screen.say("served")
    screen.say("", after=". ")

    assert screen.end() == 0
    assert "path: plan → buy → list → done → end" in screen.shown
    assert "Cook 300 g." in screen.shown
    assert "why: aur workflow explain " in screen.shown


def test_invalid_yaml_is_reported_with_its_place_and_asked_for_again(
    terminal: Callable[..., Terminal], aur: Aur
) -> None:
    run = walked_to_list(aur)
    screen = terminal("workflow", "run", "--run", run)

    screen.until("Bought: salt")
    screen.say("{flour: ")
    screen.say("", after=". ")
    screen.until("your answer:")
    screen.say('{"flour": "much"}')
    screen.say("", after=". ")
    screen.until("answer.flour: must be integer")
    screen.say('{"flour": 1}')
    screen.say("", after=". ")
    screen.until("your answer to done")
    screen.say("served")
    screen.say("", after=". ")

    assert screen.end() == 0
    assert "Cook 1 g." in screen.shown


def test_an_answer_may_be_written_in_an_editor(terminal: Callable[..., Terminal], aur: Aur, tmp_path: Path) -> None:
    editor = tmp_path / "editor.sh"
    editor.write_text('#!/bin/sh\necho "flour: 7" >> "$1"\n', encoding="utf-8")
    editor.chmod(0o755)
    screen = terminal("workflow", "run", "--run", walked_to_list(aur), EDITOR=str(editor), VISUAL=str(editor))

    screen.say("e")
    screen.until("your answer to done")
    screen.say("served")
    screen.say("", after=". ")

    assert screen.end() == 0
    assert "Cook 7 g." in screen.shown


@pytest.mark.parametrize(("leave", "code"), [("interrupt", 130), ("end of input", 1)])
def test_an_interrupted_run_is_saved_and_shows_how_to_continue(
    terminal: Callable[..., Terminal], aur: Aur, leave: str, code: int
) -> None:
    screen = terminal("workflow", "run", "menu", "--input", "guests=2")
    if leave == "interrupt":
        screen.interrupt("What is cooked.\n  > ")
    else:
        screen.press(b"\x04", "What is cooked.\n  > ")

    assert screen.end() == code
    word = screen.shown.split("Continue with: aur workflow run --run ")[1].split()[0]
    again = terminal("workflow", "run", "--run", word)
    again.until("What suits 2 calm guests?")
    again.press(b"\x04")
    assert again.end() == 1
    assert json.loads(aur("runs", "show", word, "--json").stdout)["total_steps"] == 1


def test_a_long_prompt_comes_a_screenful_at_a_time(terminal: Callable[..., Terminal], menu: Path) -> None:
    long = "\n".join(f"      line {number}" for number in range(200))
    menu.write_text(
        MENU.replace("prompt_template: What suits", f"prompt_template: |-\n{long}\n      What suits"), encoding="utf-8"
    )
    screen = terminal("workflow", "run", "menu", "--input", "guests=2", LINES="24", COLUMNS="80")

    screen.until("line 3\n")
    screen.say("", after="-- more: Enter; q skips the rest -- ")
    screen.say("q", after="-- more: Enter; q skips the rest -- ")
    screen.press(b"\x04")

    assert screen.end() == 1
    assert "line 30\n" in screen.shown
    assert "line 199" not in screen.shown


def answered(aur: Aur, answers: Any, *words: str) -> Any:
    return aur("workflow", "run", "menu", *words, "--answers", "-", "--json", input=json.dumps(answers))


def walked_to_list(aur: Aur) -> str:
    """A run that waits for the answer of `list`."""
    done = answered(aur, {"plan": {"dish": "soup", "course": "main"}, "buy": "salt"}, "--input", "guests=2")
    assert done.returncode == 1
    return str(json.loads(aur("runs", "list", "--json").stdout)["runs"][0]["run"])


def test_a_file_of_answers_walks_alone(aur: Aur, project: Path) -> None:
    (project / "answers.yaml").write_text(
        "plan: { dish: soup, course: first }\nbuy: [salt, flour]\nlist: { flour: 5 }\ndone: served\n", encoding="utf-8"
    )

    done = aur("workflow", "run", "menu", "--input", "guests=3", "--answers", "answers.yaml")

    assert done.returncode == 0
    assert "path: plan → buy → list → done → end" in done.stdout


STEW = {"plan": {"dish": "stew", "course": "main"}, "buy": ["beans", "peas"], "list": {"flour": 2}, "done": "ok"}


def test_the_end_of_a_run_shows_its_output(aur: Aur, menu: Path) -> None:
    head = "start: plan\noutput:\n  dish: { from: phases.plan.answer.dish, type: string }\n"
    menu.write_text(MENU.replace("start: plan\n", head), encoding="utf-8")
    words = ("--input", "guests=3")
    walked = json.loads(answered(aur, STEW, *words).stdout)
    assert walked["output"] == {"dish": "stew"}
    shown = json.loads(aur("runs", "show", walked["run"], "--json").stdout)
    assert shown["output"] == {"dish": "stew"}
    assert "output  dish: stew" in aur("runs", "show", walked["run"]).stdout
    told = aur("workflow", "run", "menu", *words, "--answers", json.dumps(STEW))
    assert "output  dish: stew" in told.stdout


def test_a_run_without_an_output_has_none(aur: Aur) -> None:
    assert "output" not in json.loads(answered(aur, STEW, "--input", "guests=3").stdout)


def test_a_phase_that_comes_twice_takes_its_second_answer(aur: Aur) -> None:
    plans = [{"dish": "soup", "course": "first"}, {"dish": "cake", "course": "main"}]

    done = answered(aur, {"plan": plans, "buy": "salt"}, "--input", "guests=12")

    told = json.loads(done.stdout)
    assert (done.returncode, told["status"], told["path"]) == (0, "ended", ["plan", "buy", "plan", "buy"])
    shown = json.loads(aur("runs", "show", told["run"], "--json").stdout)
    assert [step["answer"] for step in shown["steps"] if step["phase"] == "plan"] == plans


def test_a_workflow_of_any_file_is_run_and_continued(aur: Aur, project: Path, tmp_path: Path) -> None:
    file = tmp_path / "other.yaml"
    file.write_text(MENU.replace("name: menu", "name: other"), encoding="utf-8")
    answers = {"plan": {"dish": "soup", "course": "main"}, "buy": "salt"}
    words = ("workflow", "run", str(file), "--answers")

    stopped = aur(*words, json.dumps(answers), "--input", "guests=2")
    assert (stopped.returncode, 'there is no answer for phase "list"' in stopped.stderr) == (1, True)
    assert f"Continue the run with: aur workflow run {file} --run" in stopped.stderr

    done = aur(*words, json.dumps({"list": {"flour": 1}, "done": "served"}), "--run", "last", "--json")
    assert (done.returncode, json.loads(done.stdout)["path"]) == (0, ["plan", "buy", "list", "done"])
    assert json.loads(aur("runs", "show", "last", "--json").stdout)["workflow"] == "other@1.0.0"
    assert not (project / ".aurora" / "workflows" / "other.yaml").exists()


def test_a_file_runs_the_files_beside_it(aur: Aur, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    phase = "aurora: 1\nname: {name}\nversion: 1.0.0\nstart: go\nphases:\n  go:\n    {runs}\n    next_action: end\n"
    outer, inner = folder / "outer.yaml", folder / "inner.yaml"
    outer.write_text(phase.format(name="outer", runs="workflow: inner"), encoding="utf-8")
    asks = "prompt_template: Which tea?\n    answer: { type: string }"
    inner.write_text(phase.format(name="inner", runs=asks), encoding="utf-8")

    checked = aur("workflow", "validate", str(outer), "--strict")
    assert (checked.returncode, checked.stderr) == (0, "")
    done = aur("workflow", "run", str(outer), "--answers", json.dumps({"go/go": "green"}), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["status"] == "ended"

    wrong = aur("workflow", "run", str(outer), "--answers", '{"go": "green"}')
    assert '"go/go"' in wrong.stderr

    inner.write_text(phase.format(name="inner", runs="prompt: Which tea?"), encoding="utf-8")
    broken = aur("workflow", "run", str(outer), "--answers", "{}")
    assert broken.returncode != 0
    assert 'phase "go" runs "inner", which has an error' in broken.stderr
    assert f"aur workflow validate {outer}" in broken.stderr


def test_a_file_that_cannot_be_run_is_named(aur: Aur, project: Path, menu: Path) -> None:
    (project / "bad.yaml").write_text("aurora: 1\n", encoding="utf-8")

    missing, wrong = aur("workflow", "run", "bat.yaml"), aur("workflow", "run", "bad.yaml")
    nowhere = aur("workflow", "run", "bat.yaml", env={"AURORA_TRUST": "0"})
    untrusted = aur("workflow", "run", str(menu), env={"AURORA_TRUST": "0"})

    for refused in (missing, nowhere):
        assert 'there is no file "bat.yaml"' in refused.stderr
        assert 'Did you mean "bad.yaml"?' in refused.stderr
    assert "bad.yaml:1:1: error" in wrong.stderr
    assert "belongs to this folder, which is not trusted yet" in untrusted.stderr
    assert {missing.returncode, wrong.returncode, untrusted.returncode} == {1}


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"plan": {"dish": "soup", "course": "main"}}, 'there is no answer for phase "buy"'),
        ({"plan": [{"dish": "soup", "course": "main"}], "buy": "x"}, 'phase "plan" asks once more'),
        ({"plan": {"dish": "soup", "course": "lunch"}}, "$.answer.course"),
        ({"plam": {}}, 'has no phase "plam" that asks for an answer'),
        ([1], "the answers must be an object"),
    ],
)
def test_an_answer_that_is_missing_or_wrong_ends_the_walk_and_is_named(aur: Aur, answers: Any, said: str) -> None:
    done = answered(aur, answers, "--input", "guests=12")

    told = json.loads(done.stdout)
    assert done.returncode == 1
    assert said in told["error"]["message"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--input", "gests=3"), 'Did you mean "guests"?'),
        ((), 'the input "guests" is missing'),
        (("--input", "guests=many"), "guests"),
    ],
)
def test_an_unknown_missing_or_invalid_input_is_reported(aur: Aur, words: tuple[str, ...], said: str) -> None:
    done = aur("workflow", "run", "menu", *words, "--answers", "-", input="{}")

    assert done.returncode == 1
    assert said in done.stdout + done.stderr


def test_a_missing_or_invalid_file_of_answers_is_reported(aur: Aur, project: Path) -> None:
    (project / "bad.yaml").write_text("plan: [\n", encoding="utf-8")

    missing = aur("workflow", "run", "menu", "--input", "guests=1", "--answers", "none.yaml")
    broken = aur("workflow", "run", "menu", "--input", "guests=1", "--answers", "bad.yaml")

    assert (missing.returncode, broken.returncode) == (1, 1)
    assert missing.stderr.startswith('aur: "none.yaml" cannot be read')
    assert broken.stderr.startswith("aur: bad.yaml:2:1: ")


def test_after_an_edit_a_person_goes_back_to_the_edited_phase(
    terminal: Callable[..., Terminal], aur: Aur, menu: Path
) -> None:
    run = walked_to_list(aur)
    menu.write_text(MENU.replace("What do you buy", "What do you fetch"), encoding="utf-8")
    screen = terminal("workflow", "run", "--run", run)

    screen.until("Bought: salt")
    screen.say("flour: 1")
    screen.say("", after=". ")
    screen.until("was edited after run")
    screen.until("What do you fetch at market for soup?")
    screen.press(b"\x04")

    assert screen.end() == 1


def test_an_ended_run_is_not_walked_on(aur: Aur) -> None:
    answers = {"plan": {"dish": "soup", "course": "main"}, "buy": "salt", "list": {"flour": 1}, "done": "served"}
    run = json.loads(answered(aur, answers, "--input", "guests=2").stdout)["run"]

    done = aur("workflow", "run", "--run", run)

    assert done.returncode == 1
    assert done.stderr.startswith(f'aur: run "{run}" has ended\n')


def test_read_only_mode_forbids_running_a_workflow(aur: Aur) -> None:
    done = aur("--read-only", "workflow", "run", "menu")

    assert done.returncode == 1
    assert "read-only" in done.stderr


def test_text_typed_before_the_end_of_input_counts(aur: Aur) -> None:
    done = aur("workflow", "run", "--run", walked_to_list(aur), input="flour: 4\n\nserved")

    assert done.returncode == 0
    assert "Cook 4 g." in done.stdout


def test_bytes_that_are_no_text_are_not_taken(project: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "aurora", "workflow", "run", "soar"],
        cwd=project,
        env={**environment, "LC_ALL": "C"},
        input=b"a\xff\xfe\x00b\n",
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 1
    assert b"this is not UTF-8" in done.stdout
    assert done.stderr == b""


GATE = """\
aurora: 1
name: gate
version: 1.0.0
start: review
phases:
  review:
    prompt_template: Is it good?
    answer: { type: object, required: [ok], properties: { ok: { type: boolean } } }
    next_action:
      - { when: "answer.ok == `true`", then: both }
      - { then: review, max: 2, else: end }
  both:
    branches:
      left: { prompt_template: "What is left?", answer: { type: string } }
      right: { prompt_template: "How much is right?", answer: { type: integer } }
    next_action: sure
  sure:
    person: { message: "Publish it?", form: { sure: { type: boolean } }, on_decline: end }
    next_action: end
"""


@pytest.fixture
def waiting(project: Path, aur: Aur) -> str:
    """A run that waits for the person, after two reviews and two branches that a file answered."""
    (project / ".aurora" / "workflows" / "gate.yaml").write_text(GATE, encoding="utf-8")
    answers = {"review": [{"ok": False}, {"ok": True}], "both": {"left": "a", "right": 3}, "sure": {"sure": True}}
    told = aur("workflow", "run", "gate", "--json", "--answers", json.dumps(answers))
    shown = json.loads(told.stdout)
    assert (told.returncode, shown["status"], shown["path"]) == (1, "waiting", ["review", "review", "both", "sure"])
    return str(shown["run"])


def test_what_only_the_person_may_answer_is_asked_at_a_terminal(
    waiting: str, terminal: Callable[..., Terminal], aur: Aur
) -> None:
    piped = aur("workflow", "run", "--run", waiting, input="\ny\n")
    assert (piped.returncode, "Only you can answer this phase" in piped.stdout) == (1, True)

    screen = terminal("workflow", "run", "--run", waiting)
    screen.until("Publish it?")
    screen.say("y", after="y to answer, d to decline: ")
    screen.say("y", after="y/n > ")

    assert screen.end() == 0
    steps = json.loads(aur("runs", "show", waiting, "--json").stdout)["steps"]
    (sure,) = [step for step in steps if "by" in step]
    assert (sure["phase"], sure["answer"], sure["by"]["how"]) == ("sure", {"sure": True}, "terminal")


def test_the_person_may_decline(waiting: str, terminal: Callable[..., Terminal], aur: Aur) -> None:
    screen = terminal("workflow", "run", "--run", waiting)
    screen.say("d", after="y to answer, d to decline: ")

    assert screen.end() == 0
    steps = json.loads(aur("runs", "show", waiting, "--json").stdout)["steps"]
    assert steps[-1]["status"] == "declined"


PLAIN_GATE = """\
aurora: 2
name: gate
version: 1.0.0
start: sure
phases:
  sure:
    person: { message: "Drop the database?", on_decline: end }
    next_action: drop
  drop: { prompt_template: Drop it., answer: { type: string }, next_action: end }
"""


@pytest.mark.parametrize("typed", ["n", "no", "", "yep"])
def test_only_a_plain_yes_passes_a_gate(typed: str, project: Path, terminal: Callable[..., Terminal], aur: Aur) -> None:
    (project / ".aurora" / "workflows" / "gate.yaml").write_text(PLAIN_GATE, encoding="utf-8")
    screen = terminal("workflow", "run", "gate")
    screen.say(typed, after="d to decline: ")
    screen.say("d", after="d to decline: ")

    assert screen.end() == 0
    steps = json.loads(aur("runs", "show", "--json").stdout)["steps"]
    assert [(step["phase"], step["status"]) for step in steps][-1] == ("sure", "declined")


OUTER = """\
aurora: 1
name: outer
version: 1.0.0
start: inner
phases:
  inner:
    workflow: asking
    next_action: each
  each:
    prompt_template: "What is {{ n }}?"
    for_each: { in: "[`1`, `2`, `3`, `4`, `5`]", as: n, max: 2 }
    answer: { type: string }
    next_action: end
"""
ASKING = """\
aurora: 1
name: asking
version: 1.0.0
start: ask
phases:
  ask:
    prompt_template: What is inside?
    answer: { type: array, items: { type: string } }
    next_action: end
"""


def test_a_file_answers_nested_workflows_and_every_item_of_a_list(project: Path, aur: Aur) -> None:
    folder = project / ".aurora" / "workflows"
    (folder / "outer.yaml").write_text(OUTER, encoding="utf-8")
    (folder / "asking.yaml").write_text(ASKING, encoding="utf-8")
    said = {"inner/ask": ["x", "y"], "each": ["a", "b", "c", "d", "e"]}

    done = aur("workflow", "run", "outer", "--answers", json.dumps(said), "--json")

    assert (done.returncode, json.loads(done.stdout)["status"]) == (0, "ended"), done.stdout + done.stderr
    steps = json.loads(aur("runs", "show", "last", "--json").stdout)["steps"]
    answers = [next(iter(step["answer"].values())) for step in steps if "answer" in step]
    assert answers == [mark_text(text) for text in ("2: x, y", "2: a, b", "2: c, d", "1: e")]

    repeated = aur("workflow", "run", "outer", "--answers", json.dumps({**said, "each": "x"}))
    assert repeated.returncode == 0, repeated.stderr


EARLY = """\
aurora: 2
name: early
version: 1.0.0
start: one
output: { text: { from: phases.two.answer, type: string } }
phases:
  one:
    prompt_template: Is it good?
    answer: { type: boolean }
    next_action: [{ when: answer, then: end }, { then: two }]
  two:
    prompt_template: Write it.
    answer: { type: string }
    next_action: end
"""


def test_a_run_whose_output_does_not_fit_has_failed(aur: Aur, project: Path) -> None:
    (project / "early.yaml").write_text(EARLY, encoding="utf-8")
    done = aur("workflow", "run", "./early.yaml", "--answers", '{"one": true}', "--json")
    shown = json.loads(done.stdout)
    assert (done.returncode, shown["status"], shown["error"]["code"]) == (1, "failed", "WORKFLOW_ERROR")
    listed = json.loads(aur("runs", "list", "--json").stdout)
    assert [run["status"] for run in listed["runs"]] == ["failed"]
    good = aur("workflow", "run", "./early.yaml", "--answers", '{"one": false, "two": "x"}', "--json")
    assert (good.returncode, json.loads(good.stdout)["status"]) == (0, "ended")


def test_an_error_that_no_input_repairs_is_shown_once_and_asks_nothing(
    terminal: Callable[..., Terminal], project: Path, tmp_path: Path
) -> None:
    (project / ".aurora/memory.db").symlink_to(tmp_path / "elsewhere.db")
    person = terminal("workflow", "run", "menu", "--input", "guests=3")
    assert person.end() == 1
    assert person.shown.count("FORBIDDEN: ") == 1
    assert "guests?" not in person.shown
    assert person.shown.endswith("No run was started.\n")
