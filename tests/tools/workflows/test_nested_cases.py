"""Cases of a workflow whose phases run workflows: their phases are answered as in `aur workflow run --answers`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Told = dict[str, Any]

OUTER = """\
aurora: 2
name: outer
version: 1.0.0
start: plan
output: { kept: { from: "phases.decide.result.results[].kept" } }
phases:
  plan:
    prompt_template: Name the parts.
    answer: { type: array, items: { type: string }, maxItems: 5 }
    next_action: decide
  decide:
    aliases: [choice]
    inputs: { parts: { from: phases.plan.answer, type: array, items: { type: string } } }
    workflow: choose
    for_each: { in: inputs.parts, as: part }
    with: { part: part }
    on_error: sorry
    next_action:
      - { when: "length(results[?kept]) > `0`", then: tell }
      - { then: sorry }
  tell:
    prompt_template: Tell it.
    answer: { type: string }
    next_action: end
  sorry:
    prompt_template: Say sorry.
    answer: { type: string }
    next_action: end
"""
CHOOSE = """\
aurora: 2
name: choose
version: 1.0.0
start: look
output: { kept: { from: phases.judge.result.kept, type: boolean } }
phases:
  look:
    inputs: { part: { type: string } }
    uses: mem.search
    with: { query: part }
    next_action: judge
  judge:
    inputs: { part: { from: inputs.part, type: string }, total: { from: length(phases.look.result.hits) } }
    workflow: judge
    with: { part: part, total: total }
    next_action: end
"""
JUDGE = """\
aurora: 2
name: judge
version: 1.0.0
start: ask
output: { kept: { from: phases.ask.answer.keep, type: boolean } }
phases:
  ask:
    inputs: { part: { type: string }, total: { type: integer } }
    prompt_template: "Keep {{ part }} of {{ total }}?"
    answer:
      type: object
      required: [sure, keep]
      properties: { sure: { type: boolean }, keep: { type: boolean }, plan: { type: string } }
    next_action:
      - { when: answer.sure, then: end }
      - { then: ask, max: 1, else: end }
"""
WORKFLOWS = {"outer": OUTER, "choose": CHOOSE, "judge": JUDGE}


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    folder = tmp_path / ".aurora" / "workflows"
    (folder / "tests").mkdir(parents=True)
    for name, text in WORKFLOWS.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with Workspace(tmp_path) as workspace:
        yield workspace


@pytest.fixture
def tested(opened: Workspace) -> Callable[[str], Told]:
    """Run a file of one case of the workflow, and return its result."""

    def run(text: str) -> Told:
        (opened.root / ".aurora" / "workflows" / "tests" / "outer.yaml").write_text(text, encoding="utf-8")
        (result,) = call_tool(opened, "workflow.test", {"files": ["outer"]})["cases"]
        return dict(result)

    return run


def test_a_case_answers_and_expects_the_phases_of_workflows_within_a_workflow(tested: Callable[[str], Told]) -> None:
    result = tested("""\
tools: { decide/look: { hits: [{}, {}, {}] } }
answers:
  plan: [tea, rain]
  decide/judge/ask:
    - { sure: false, keep: true, plan: { from: inputs.part } }
    - { sure: true, keep: false }
    - { sure: true, keep: true }
expect:
  path: [plan, decide, tell]
  steps:
    decide: { result: { results: [{ kept: false }, { kept: true }] }, next_action: tell }
    decide/judge/ask:
      - { prompt: Keep tea of 3? }
      - { next_action: ask }
      - { prompt: Keep tea of 3? }
      - { next_action: end }
      - { prompt: Keep rain of 3? }
""")
    assert result == {**result, "status": "passed", "path": ["plan", "decide", "tell"]}, json.dumps(result, indent=1)


GATED = """\
aurora: 2
name: outer
version: 1.0.0
start: decide
phases:
  decide:
    workflow: gate
    with: {}
    next_action: [{ when: sure, then: tell }, { then: end }]
  tell: { prompt_template: Tell it., answer: { type: string }, next_action: end }
"""
GATE = """\
aurora: 2
name: gate
version: 1.0.0
start: ask
output: { sure: { from: phases.ask.answer.sure, default: false } }
phases:
  ask:
    person: { message: Publish it?, form: { sure: { type: boolean } }, on_decline: undo }
    next_action: end
  undo: { prompt_template: Undo it., answer: { type: string, minLength: 2 }, next_action: end }
"""


@pytest.mark.parametrize(
    ("answers", "path"),
    [
        ("{ decide/ask: { sure: true } }", "[decide, tell]"),
        ("{ decide/ask: declined }", "[decide]"),
        ("{ decide/ask: declined, decide/undo: [x, xx] }", "[{ continue: INVALID_INPUT }, decide]"),
    ],
)
def test_a_case_answers_and_declines_for_the_person_and_corrects_a_refused_answer_inside(
    opened: Workspace, tested: Callable[[str], Told], answers: str, path: str
) -> None:
    folder = opened.root / ".aurora" / "workflows"
    (folder / "outer.yaml").write_text(GATED, encoding="utf-8")
    (folder / "gate.yaml").write_text(GATE, encoding="utf-8")

    result = tested(f"answers: {answers}\nexpect: {{ path: {path} }}\n")

    assert result["status"] == "passed", json.dumps(result, indent=1)


@pytest.mark.parametrize(
    ("script", "path"),
    [
        ("tools: { decide/look: { fails: TIMEOUT } }", ["plan", "decide", "sorry"]),
        (
            "tools: { decide: { results: [{ kept: true }] }, decide/look: { fails: TIMEOUT } }",
            ["plan", "decide", "tell"],
        ),
        ("tools: { decide/judge: { kept: false } }", ["plan", "decide", "sorry"]),
        ("tools: { choice/judge: [{ kept: false }, { kept: true }] }", ["plan", "decide", "tell"]),
    ],
)
def test_a_case_gives_results_inside_and_one_of_the_phase_itself_replaces_them(
    tested: Callable[[str], Told], script: str, path: list[str]
) -> None:
    answers = "answers: { plan: [tea, rain], decide/judge/ask: { sure: true, keep: false } }"

    assert tested(f"{script}\n{answers}\n")["path"] == path


def test_a_case_runs_a_real_tool_inside(tested: Callable[[str], Told]) -> None:
    result = tested("""\
tools: { decide/look: real }
files: { tea.md: "# Tea\\n\\nTea is a drink of leaves and water.\\n" }
answers: { plan: [tea], decide/judge/ask: { sure: true, keep: true } }
expect: { path: [plan, decide, tell], steps: { decide/look: { result: { hits: [{ path: tea.md }] } } } }
""")
    assert result["status"] == "passed", json.dumps(result, indent=1)


@pytest.mark.parametrize("name", ["decide", "decide/look", "decide/ask", "ask", "none/ask", "decide/judge/ask/x", "/"])
def test_a_name_that_asks_for_nothing_is_refused_with_the_names_that_do(
    tested: Callable[[str], Told], name: str
) -> None:
    result = tested(f'answers: {{ "{name}": x }}\n')

    assert f'has no phase "{name}" that asks for an answer' in result["error"]
    assert "decide/judge/ask" in result["help"]


def test_a_simulation_takes_the_same_names(opened: Workspace) -> None:
    answers = {"plan": ["tea"], "decide/judge/ask": {"sure": True, "keep": True}}
    (opened.root / "answers.json").write_text(json.dumps({"answers": answers}), encoding="utf-8")

    done = call_tool(opened, "workflow.simulate", {"files": ["outer"], "answers": "answers.json"})

    (walked,) = done["workflows"][0]["paths"]
    names = [step["phase"] for step in walked["steps"] if "/" not in step["phase"]]
    assert (done["ok"], names) == (True, ["plan", "decide", "tell"])
