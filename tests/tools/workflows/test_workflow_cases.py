"""Cases of a workflow: format, reported differences, updates."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Told = dict[str, Any]

TRIAGE = """\
aurora: 1
name: triage
version: 1.0.0
start: look
on_error: sorry
phases:
  look:
    inputs: { query: { type: string, minLength: 1 } }
    uses: mem.search
    with: { query: query }
    next_action:
      - { when: "length(hits) == `0`", then: end }
      - { then: think }
  think:
    inputs: { query: { from: inputs.query } }
    prompt_template: Think about {{ query }}.
    answer: { type: object, required: [done], properties: { done: { type: boolean }, note: { type: string } } }
    next_action: judge
  judge:
    inputs: { done: { from: phases.think.answer.done, type: boolean } }
    prompt_template: "It is {{ 'done' if done else 'open' }}."
    answer: { type: string, minLength: 1 }
    next_action:
      - { when: inputs.done, then: each }
      - { then: think, max: 1, else: sorry }
  each:
    inputs: { word: { from: phases.judge.answer, type: string } }
    for_each: { in: "[inputs.word, 'two']", as: item, max: 5 }
    prompt_template: Say {{ item }}.
    answer: { type: string }
    next_action: end
  sorry:
    prompt_template: Say sorry.
    answer: { type: string }
    next_action: end
"""

GATE = """\
aurora: 2
name: gate
version: 1.0.0
start: ask
phases:
  ask:
    inputs: { text: { type: string } }
    person:
      message: "Publish {{ text }}?"
      form: { sure: { type: boolean } }
      on_decline: stop
    next_action:
      - { when: answer.sure, then: publish }
      - { then: ask, max: 1, else: stop }
  publish:
    prompt_template: Publish it.
    answer: { type: string }
    next_action: end
  stop:
    prompt_template: Undo the preparations.
    answer: { type: string }
    next_action: end
"""

SIDES = """\
aurora: 2
name: sides
version: 1.0.0
start: judge
phases:
  judge:
    inputs: { text: { type: string } }
    branches:
      safe: { prompt_template: "Is {{ text }} safe?", answer: { type: boolean } }
      fast: { prompt_template: "Is {{ text }} fast?", answer: { type: boolean } }
    next_action: end
"""


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Workspace]:
    folder = tmp_path / ".aurora" / "workflows"
    (folder / "tests").mkdir(parents=True)
    (folder / "triage.yaml").write_text(TRIAGE, encoding="utf-8")
    with Workspace(tmp_path) as workspace:
        yield workspace


@pytest.fixture
def file(opened: Workspace) -> Path:
    return opened.root / ".aurora" / "workflows" / "tests" / "triage.yaml"


@pytest.fixture
def tested(opened: Workspace, file: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Told]:
    """Write the file of cases and run it."""
    monkeypatch.chdir(opened.root)

    def run(cases: str | None = None, **given: Any) -> Told:
        if cases is not None:
            file.write_text(cases, encoding="utf-8")
        return call_tool(opened, "workflow.test", given)

    return run


@pytest.mark.requirement("triads-46")
def test_a_case_with_scripted_tools_takes_the_expected_path(tested: Callable[..., Told]) -> None:
    output = tested("""\
name: a simple one ends at once
inputs: { query: x }
tools: { look: { hits: [] } }
expect: { path: [look], status: ended, next_action: end, result: { hits: [] } }
""")
    assert (output["ok"], output["passed"], output["failed"]) == (True, 1, 0)


def test_answers_are_given_visit_by_visit_and_item_by_item(tested: Callable[..., Told]) -> None:
    output = tested("""\
name: twice
inputs: { query: cats }
tools: { look: {} }
answers:
  think: [{ done: false }, { done: true }]
  judge: [again, well]
  each: [one, other]
expect:
  path: [look, think, judge, think, judge, each]
  steps:
    think: { prompt: cats }
    judge:
      - { prompt: It is open. }
      - { prompt: It is done. }
    each: { prompt: [Say well., Say two.] }
""")
    assert output["ok"], output["cases"]


def test_real_tools_run_in_a_temporary_project(tested: Callable[..., Told]) -> None:
    output = tested("""\
tools: { look: real }
files: { notes.md: "# Kettles\\n\\nA kettle boils water for tea.\\n" }
answers: { think: { done: true } }
cases:
  - { name: known, inputs: { query: kettle }, expect: { path: [look, think, judge, each] } }
  - { name: unknown, inputs: { query: zebra }, files: { notes.md: "" }, expect: { path: [look] } }
""")
    assert output["ok"], output["cases"]


def test_a_difference_has_its_place_and_both_sides(tested: Callable[..., Told]) -> None:
    output = tested("""\
name: wrong
inputs: { query: x }
tools: { look: {} }
answers: { think: { done: true } }
expect:
  path: [look, judge]
  steps:
    look: { result: { hits: [] } }
""")
    [case] = output["cases"]
    places = {one["where"]: (one["place"], one["expected"], one["actual"]) for one in case["differences"]}
    assert places == {
        "path[1]": (".aurora/workflows/tests/triage.yaml:6:16", "judge", "think"),
        "steps.look.result.hits": (".aurora/workflows/tests/triage.yaml:8:29", [], case["differences"][1]["actual"]),
    }
    assert case["path"] == ["look", "think", "judge", "each"]


def test_a_rejected_answer_is_part_of_the_path_and_the_next_one_corrects_it(tested: Callable[..., Told]) -> None:
    output = tested("""\
name: mended
inputs: { query: x }
tools: { look: {} }
answers: { think: [{ done: perhaps }, { done: true }] }
expect: { path: [look, think, judge: INVALID_INPUT, judge, each] }
""")
    assert output["ok"], output["cases"]


def test_a_rejection_without_a_correction_ends_the_case(tested: Callable[..., Told]) -> None:
    output = tested("""\
name: stuck
inputs: { query: x }
tools: { look: {} }
answers: { think: { done: perhaps } }
expect: { path: [look, think, judge: INVALID_INPUT], status: refused }
""")
    assert output["ok"], output["cases"]


def test_a_case_expects_a_text_in_any_prompt_of_branches(tested: Callable[..., Told], opened: Workspace) -> None:
    (opened.root / ".aurora" / "workflows" / "sides.yaml").write_text(SIDES, encoding="utf-8")
    output = tested("""\
workflow: sides
inputs: { text: Hello }
answers: { judge: { safe: true, fast: true } }
cases:
  - name: both prompts have the text
    expect: { path: [judge], steps: { judge: { prompt: ["Is Hello safe?", "Is Hello fast?"] } } }
""")
    assert output["ok"], output["cases"]


def test_a_person_can_be_scripted_to_decline(tested: Callable[..., Told], opened: Workspace) -> None:
    (opened.root / ".aurora" / "workflows" / "gate.yaml").write_text(GATE, encoding="utf-8")
    output = tested("""\
workflow: gate
inputs: { text: Hello }
answers: { publish: done, stop: undone }
cases:
  - name: the person declines
    answers: { ask: declined }
    expect: { path: [ask, stop], steps: { ask: [{ status: waiting }, { status: declined }] } }
  - name: the person is asked again, and declines then
    answers: { ask: [{ sure: false }, declined] }
    expect: { path: [ask, ask, stop] }
  - name: the person agrees
    answers: { ask: { sure: true } }
    expect: { path: [ask, publish] }
""")
    assert output["ok"], output["cases"]


def test_the_results_of_a_tool_are_given_visit_by_visit_where_an_answer_decides(
    tested: Callable[..., Told], opened: Workspace
) -> None:
    text = TRIAGE.replace("name: triage", "name: again").partition("    next_action:\n")[0]
    text += """\
    prompt_template: "{{ result.note }} Enough?"
    answer: { type: boolean }
    next_action:
      - { when: answer, then: end }
      - { then: look, max: 2, else: end }
  sorry:
    prompt_template: Say sorry.
    answer: { type: string }
    next_action: end
"""
    (opened.root / ".aurora" / "workflows" / "again.yaml").write_text(text, encoding="utf-8")
    output = tested("""\
workflow: again
name: one result for each visit
inputs: { query: x }
tools: { look: [{ note: One. }, { note: Two. }, { note: Three. }] }
answers: { look: [false, false, true] }
expect:
  path: [look, look, look]
  steps: { look: [{ prompt: One. }, {}, { prompt: Two. }, {}, { prompt: Three. }] }
""")
    assert output["ok"], output["cases"]


@pytest.mark.requirement("triads-46")
def test_a_tool_can_be_scripted_to_fail(tested: Callable[..., Told]) -> None:
    output = tested("""\
name: fails
inputs: { query: x }
tools: { look: { fails: TIMEOUT } }
expect: { path: [look, sorry], steps: { look: { status: error, error: TIMEOUT } } }
""")
    assert output["ok"], output["cases"]


def test_an_answer_can_refer_to_a_value_of_the_run(tested: Callable[..., Told]) -> None:
    output = tested("""\
name: from
inputs: { query: cats }
tools: { look: {} }
answers: { think: { done: true, note: { from: phases.look.inputs.query } }, judge: { from: phases.think.answer.note } }
expect: { path: [look, think, judge, each], steps: { each: { prompt: Say cats. } } }
""")
    assert output["ok"], output["cases"]


def test_without_a_run_the_answers_are_passed_by_name(tested: Callable[..., Told]) -> None:
    output = tested("""\
name: read-only
read_only: true
inputs: { query: x }
tools: { look: {} }
answers: { think: { done: true }, judge: well }
expect: { path: [look, think, judge, each], steps: { each: { prompt: Say well. } } }
""")
    assert output["ok"], output["cases"]


def test_an_update_writes_the_path_and_nothing_else(tested: Callable[..., Told], file: Path) -> None:
    before = """\
# kept
tools: { look: { hits: [] } }   # kept too
cases:
  - name: one
    inputs: { query: x }
    expect:
      status: ended # and this
  - name: two
    inputs: { query: x }
    expect: { status: ended }
  - name: three
    inputs: { query: x } # last
  - { name: four, inputs: { query: x }, expect: { path: [think] } }
  - name: five
    inputs: { query: x }
    expect:
      path:
        - think
        - look

      status: ended
"""
    output = tested(before, update=True)
    assert [case["status"] for case in output["cases"]] == ["updated"] * 5
    assert file.read_text(encoding="utf-8") == before.replace(
        "      status: ended # and", "      path: [look]\n      status: ended # and"
    ).replace("expect: { status: ended }", "expect: { path: [look], status: ended }").replace(
        "    inputs: { query: x } # last", "    inputs: { query: x } # last\n    expect:\n      path: [look]"
    ).replace("path: [think]", "path: [look]").replace("path:\n        - think\n        - look\n", "path: [look]\n")
    assert tested()["passed"] == 5
    assert tested(update=True).get("updated", 0) == 0


def test_a_missing_snapshot_is_reported_then_written_by_an_update(tested: Callable[..., Told], file: Path) -> None:
    case = "name: Shot, No. 1\ninputs: { query: cats }\ntools: { look: {} }\nexpect: { snapshot: true }\n"
    assert "this case has no snapshot" in tested(case)["cases"][0]["error"]
    assert tested(update=True)["updated"] == 1
    snapshot = file.parent / "snapshots" / "triage" / "shot-no-1.json"
    recorded = json.loads(snapshot.read_text(encoding="utf-8"))
    assert recorded[1] == {
        "phase": "think",
        "status": "complete",
        "prompt": "Think about cats.",
        "next_action": "judge",
    }
    assert tested()["ok"]
    recorded[1]["prompt"] = "Think about dogs."
    snapshot.write_text(json.dumps(recorded), encoding="utf-8")
    [difference] = tested()["cases"][0]["differences"]
    assert (difference["where"], difference["expected"]) == ("snapshot[1].prompt", "Think about dogs.")


def test_coverage_lists_what_the_cases_never_take(tested: Callable[..., Told]) -> None:
    output = tested(
        "name: one\ninputs: { query: x }\ntools: { look: { hits: [] } }\nexpect: { path: [look] }\n",
        coverage=True,
    )
    coverage = output["coverage"][0]["coverage"]
    assert coverage["phases"] == {"taken": 1, "of": 5}
    assert coverage["untaken_phases"] == ["think", "judge", "each", "sorry"]
    assert coverage["rules"][0]["true"] == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name: x\nexpects: {}\n", 'triage.yaml:2:1: unexpected key "expects"'),
        ("name: x\nexpect: { path: look }\n", "triage.yaml:2:17: must be array"),
        ("cases: []\n", "triage.yaml:1:8: must have at least 1 item"),
        ("cases: [{ name: a }, { name: a }]\n", 'two cases are called "a"'),
        ("cases: [\n", "triage.yaml:2:1"),
        ("", "triage.yaml"),
        ("- 1\n", "triage.yaml"),
        ("name: \x00\n", "triage.yaml"),
    ],
)
def test_a_file_without_cases_is_reported_with_its_place(tested: Callable[..., Told], text: str, expected: str) -> None:
    with pytest.raises(Fault) as raised:
        tested(text)
    assert raised.value.code is Code.INVALID_INPUT
    assert expected in raised.value.message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name: x\nworkflow: nowhere\n", 'there is no workflow "nowhere"'),
        ("name: x\nanswers: { thimk: 1 }\n", 'has no phase "thimk" that asks for an answer'),
        ("name: x\ntools: { think: {} }\n", 'has no phase "think" with a tool'),
        ("name: x\ninputs: { qery: x }\n", 'has no input "qery"'),
        ("name: x\nproject: ../..\ninputs: { query: x }\n", "is not a folder next to it"),
        ("name: x\nfiles: { ../up: x }\ninputs: { query: x }\n", "is outside the case's project"),
        ("name: x\ninputs: { query: { from: '[' } }\n", "cannot be evaluated"),
    ],
)
def test_a_case_that_cannot_run_is_broken_and_the_others_continue(
    tested: Callable[..., Told], file: Path, text: str, expected: str
) -> None:
    good = "name: good\ninputs: { query: x }\nworkflow: triage\ntools: { look: { hits: [] } }\n"
    (file.parent / "zz.yaml").write_text(good, encoding="utf-8")
    output = tested(text)
    assert [case["status"] for case in output["cases"]] == ["broken", "passed"]
    assert expected in output["cases"][0]["error"]


def test_a_case_can_use_the_current_project_with_real_tools(tested: Callable[..., Told], opened: Workspace) -> None:
    (opened.root / "notes.md").write_text("# Kettles\n\nA kettle boils water for tea.\n", encoding="utf-8")
    opened.memory.index(opened.root)
    output = tested("""\
project: here
tools: real
answers: { think: { done: true }, judge: { from: "phases.look.result.hits[0].path" } }
cases:
  - name: known
    inputs: { query: kettle }
    expect: { path: [look, think, judge, each], steps: { each: { prompt: notes.md } } }
""")
    assert output["ok"], output["cases"]
    assert call_tool(opened, "runs.list", {})["runs"] == []


def test_a_run_without_a_further_answer_names_the_phase(tested: Callable[..., Told]) -> None:
    output = tested("""\
name: short
inputs: { query: x }
tools: { look: {} }
answers: { think: [{ done: false }] }
expect: { path: [look, think, judge, think, judge] }
""")
    assert '"think" needs another answer' in json.dumps(output["cases"][0]["differences"], ensure_ascii=False)[
        :900
    ].replace('\\"', '"')


def test_a_project_without_cases_of_its_own_runs_the_shipped_ones(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        output = call_tool(workspace, "workflow.test", {})
    assert {case["workflow"] for case in output["cases"]} >= {"soar"}
    assert output["ok"], [case for case in output["cases"] if case["status"] != "passed"]


def test_a_workflow_without_cases_names_their_path(opened: Workspace) -> None:
    with pytest.raises(Fault) as raised:
        call_tool(opened, "workflow.test", {"files": ["triage"]})
    assert raised.value.code is Code.NOT_FOUND


def test_a_shipped_case_is_not_updated_from_another_project(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        output = call_tool(workspace, "workflow.test", {"files": ["soar"], "update": True})
    assert output.get("updated", 0) == 0
    assert output["ok"]


def test_a_simulation_with_answers_takes_one_path(opened: Workspace) -> None:
    script = opened.root / "answers.yaml"
    script.write_text("tools: { look: {} }\nanswers: { think: { done: true } }\n", encoding="utf-8")
    output = call_tool(opened, "workflow.simulate", {"files": ["triage"], "answers": "answers.yaml"})
    [walk] = output["workflows"][0]["paths"]
    assert [step["phase"] for step in walk["steps"]] == ["look", "think", "judge", "each"]
    assert output["ok"]


def test_a_simulation_runs_no_tool_even_when_its_answers_ask_for_one(opened: Workspace) -> None:
    (opened.root / "answers.yaml").write_text("tools: real\n", encoding="utf-8")
    with pytest.raises(Fault) as raised:
        call_tool(opened, "workflow.simulate", {"files": ["triage"], "answers": "answers.yaml"})
    assert "runs no tool" in raised.value.message


def test_a_file_that_cannot_be_read_is_broken_and_the_others_continue(tmp_path: Path) -> None:
    folder = tmp_path / ".aurora" / "workflows"
    (folder / "tests").mkdir(parents=True)
    (folder / "triage.yaml").write_text(TRIAGE, encoding="utf-8")
    (folder / "tests" / "bad.yaml").write_text("cases: [", encoding="utf-8")
    (folder / "tests" / "empty.yaml").touch()
    case = "workflow: triage\nname: none\ninputs: { query: x }\ntools: { look: { hits: [] } }\n"
    (folder / "tests" / "triage.yaml").write_text(case, encoding="utf-8")
    with Workspace(tmp_path) as workspace:
        output = call_tool(workspace, "workflow.test", {})
    assert [(one["name"], one["status"]) for one in output["cases"]] == [
        ("bad", "broken"),
        ("empty", "broken"),
        ("none", "passed"),
    ]
    assert (output["ok"], output["failed"], output["passed"]) == (False, 2, 1)
    assert output["cases"][0]["file"].endswith("tests/bad.yaml")
    assert "empty.yaml is empty" in output["cases"][1]["error"]
