"""Workflows that patch another one with `extends`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.errors import Code, Fault
from aurora.interpreter.problems import select_errors
from aurora.interpreter.problems.render import render_problems
from aurora.system.programs import SHIPPED_FOLDER
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from aurora.interpreter import Catalog

    Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def file(name: str, text: str) -> Path:
        path = tmp_path / ".aurora" / "workflows" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return file


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with Workspace(tmp_path) as workspace:
        yield workspace.workflows


def test_a_project_s_soar_patches_the_shipped_one_and_hides_it(catalog: Catalog, write: Write) -> None:
    shipped = catalog.load("soar")
    write("soar.yaml", "extends: soar\nphases:\n  retrieve:\n    params: { budget: { SIMPLE: 3 } }\n")
    patched = catalog.load("soar")
    assert patched.source == "project"
    assert list(patched.workflow.phases) == list(shipped.workflow.phases)
    assert patched.workflow.phases["retrieve"].params["budget"] == {
        "SIMPLE": 3,
        "MEDIUM": 10,
        "COMPLEX": 15,
        "CRITICAL": 20,
    }
    assert patched.workflow.phases["assess"] == shipped.workflow.phases["assess"]
    assert patched.digest != shipped.digest


def test_a_workflow_of_another_name_leaves_the_shipped_one_alone(catalog: Catalog, write: Write) -> None:
    write("quick.yaml", "extends: soar\nname: quick\ntitle: Quick\n")
    assert catalog.load("quick").workflow.title == "Quick"
    assert catalog.load("soar").source == "shipped"
    assert catalog.list_names() == tuple(sorted({"quick", *(path.stem for path in SHIPPED_FOLDER.glob("*.yaml"))}))


def test_extending_soar_means_the_project_s_own_if_there_is_one(catalog: Catalog, write: Write) -> None:
    write("soar.yaml", "extends: soar\ntitle: Ours\n")
    write("quick.yaml", "extends: soar\nname: quick\n")
    assert catalog.load("quick").workflow.title == "Ours"


def test_a_null_removes_a_key_and_is_null_in_params(catalog: Catalog, write: Write) -> None:
    write(
        "mine.yaml",
        "extends: soar\nname: mine\non_error: null\nphases:\n  retrieve:\n    aliases: null\n"
        "    inputs: { complexity: { default: null, enum: [SIMPLE, MEDIUM, COMPLEX, CRITICAL] } }\n"
        "    params: { doubtful_below: null }\n",
    )
    flow = catalog.open("mine").workflow
    assert flow.on_error is None
    assert flow.phases["retrieve"].aliases == ()
    assert not flow.phases["retrieve"].inputs["complexity"].has_default
    assert flow.phases["retrieve"].params["doubtful_below"] is None


def test_a_list_and_a_schema_in_a_patch_replace_those_of_the_base(catalog: Catalog, write: Write) -> None:
    write(
        "mine.yaml",
        "extends: soar\nname: mine\nphases:\n  decompose:\n    answer: { type: object }\n    next_action: respond\n",
    )
    definition = catalog.open("mine")
    assert definition.answers["decompose"] == {"type": "object"}
    assert [rule.then for rule in definition.workflow.phases["decompose"].next_action] == ["respond"]


def test_files_of_a_patch_are_relative_to_the_patch(catalog: Catalog, write: Write) -> None:
    write("prompts/mine.md", "Break down {{ query }} into {{ result.least }}.")
    write("mine.yaml", "extends: soar\nname: mine\nphases:\n  decompose:\n    prompt_template: prompts/mine.md\n")
    definition = catalog.load("mine")
    assert definition.prompts["decompose"].text.startswith("Break down")
    assert definition.answers["decompose"] == catalog.load("soar").answers["decompose"]


def test_a_problem_refers_to_the_file_that_contains_it(catalog: Catalog, write: Write) -> None:
    base = write("base.yaml", "aurora: 1\nname: base\nversion: '1'\nstart: a\nphases:\n  a:\n    uses: mem.stats\n")
    patch = write("patch.yaml", "extends: base\nname: patch\nphases:\n  a:\n    next_action: b\n")
    told = [(one.path, one.line, one.code) for one in catalog.find_problems("patch")]
    assert told == [(str(patch), 5, "E251")]
    assert [(one.path, one.code) for one in catalog.find_problems("base")] == [(str(base), "E203")]


def test_a_broken_base_is_reported_with_the_base_s_path(catalog: Catalog, write: Write) -> None:
    base = write("base.yaml", "name: base\nphases: [\n")
    write("patch.yaml", "extends: base\nname: patch\n")
    (found,) = catalog.find_problems("patch")
    assert found.path == str(base)
    with pytest.raises(Fault, match=r"base\.yaml:3:1") as raised:
        catalog.load("patch")
    assert raised.value.code is Code.INVALID_INPUT


def test_a_change_of_the_base_reloads_what_extends_it(catalog: Catalog, write: Write) -> None:
    phases = "phases: { a: { uses: mem.stats, next_action: end } }"
    text = f"aurora: 1\nname: base\nversion: '1'\ntitle: Old\nstart: a\n{phases}\n"
    write("base.yaml", text)
    write("patch.yaml", "extends: base\nname: patch\n")
    assert catalog.load("patch").workflow.title == "Old"
    write("base.yaml", text.replace("Old", "New"))
    assert catalog.load("patch").workflow.title == "New"


def test_a_file_named_by_a_detour_still_extends_the_shipped_one(catalog: Catalog, write: Write, tmp_path: Path) -> None:
    write("soar.yaml", "extends: soar\ntitle: Ours\n")
    detour = tmp_path / ".aurora" / ".." / ".aurora" / "workflows" / "soar.yaml"
    assert render_problems(catalog.find_problems(str(detour))) == ""


BASE = """
aurora: 2
name: base
version: 1.0.0
start: ask
phases:
  ask: { aliases: [begin], prompt_template: Ask., answer: { enum: [x, y] }, next_action: look }
  look:
    uses: mem.stats
    next_action: [{ when: "phases.ask.answer == 'x'", then: end }, { then: write }]
  write: { prompt_template: Write., answer: { const: done }, next_action: check }
  check:
    prompt_template: Good?
    answer: { type: boolean }
    next_action: [{ when: answer, then: end }, { then: write, max: 2, else: end }]
"""


def _list_routes(catalog: Catalog, name: str) -> dict[str, list[str]]:
    flow = catalog.load(name).workflow
    return {
        phase: [target for rule in spec.next_action for target in (rule.then, rule.else_) if target]
        for phase, spec in flow.phases.items()
    }


def test_a_new_phase_comes_behind_the_one_that_it_names(catalog: Catalog, write: Write) -> None:
    write("base.yaml", BASE)
    write(
        "more.yaml",
        "extends: base\nname: more\nphases:\n"
        "  plan: { after: look, prompt_template: Plan., answer: { const: done } }\n",
    )
    assert catalog.find_problems("more") == ()
    assert _list_routes(catalog, "more") == {
        "ask": ["look"],
        "look": ["end", "plan"],
        "plan": ["write"],
        "write": ["check"],
        "check": ["end", "write", "end"],
    }
    assert catalog.load("more").format_progress("plan") == "3/5 plan"


def test_a_new_phase_comes_on_the_way_forward_and_not_on_the_way_back_or_out(catalog: Catalog, write: Write) -> None:
    write(
        "more.yaml",
        "extends: soar\nname: more\nphases:\n"
        "  weigh: { after: verify, prompt_template: Weigh., answer: { const: done } }\n"
        "  count: { after: collect, prompt_template: Count., answer: { const: done } }\n",
    )
    assert [one.code for one in catalog.find_problems("more") if one.code.startswith("E")] == []
    routes, shipped = _list_routes(catalog, "more"), _list_routes(catalog, "soar")
    assert shipped["verify"] == ["route", "decompose", "respond", "respond"]
    assert routes["verify"] == ["weigh", "decompose", "respond", "respond"]
    assert routes["weigh"] == ["route"]
    assert routes["collect"] == ["count", "count", "collect", "count"]
    assert routes["count"] == ["synthesize"]


def test_a_phase_that_moves_is_led_around_where_it_was(catalog: Catalog, write: Write) -> None:
    write("base.yaml", BASE)
    write("more.yaml", "extends: base\nname: more\nphases:\n  look: { after: write }\n")
    assert _list_routes(catalog, "more") == {
        "ask": ["write"],
        "write": ["look"],
        "look": ["end", "check"],
        "check": ["end", "write", "end"],
    }


def test_the_first_phase_can_move_and_an_alias_names_the_other(catalog: Catalog, write: Write) -> None:
    write("base.yaml", BASE)
    write("more.yaml", "extends: base\nname: more\nphases:\n  write: { after: begin }\n  ask: { after: write }\n")
    assert _list_routes(catalog, "more") == {
        "write": ["ask"],
        "ask": ["look"],
        "look": ["end", "check"],
        "check": ["end", "check", "end"],
    }
    assert catalog.load("more").workflow.start == "write"


def test_a_new_phase_with_rules_of_its_own_keeps_them(catalog: Catalog, write: Write) -> None:
    write("base.yaml", BASE)
    write(
        "more.yaml",
        "extends: base\nname: more\nphases:\n"
        "  plan: { after: ask, prompt_template: Plan., answer: { type: boolean },\n"
        "          next_action: [{ when: answer, then: look }, { then: end }] }\n",
    )
    routes = _list_routes(catalog, "more")
    assert routes["ask"] == ["plan"]
    assert routes["plan"] == ["look", "end"]


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ("lok", '"after" of phase "plan" names no other phase of the workflow'),
        ("plan", '"after" of phase "plan" names no other phase of the workflow'),
        ("3", '"after" of phase "plan" names no other phase of the workflow'),
        ("fork", '"after" cannot tell what follows phase "fork", whose last rule has a "when"'),
    ],
)
def test_a_place_that_there_is_not_is_reported_on_its_line(
    catalog: Catalog, write: Write, after: str, said: str
) -> None:
    fork = '  fork: { next_action: [{ when: "run.step > `1`", then: ask }, { when: "run.step <= `1`", then: end }] }\n'
    write("base.yaml", BASE + fork)
    write(
        "more.yaml",
        f"extends: base\nname: more\nphases:\n  plan:\n    after: {after}\n    prompt_template: Plan.\n"
        "    answer: { const: done }\n",
    )
    found = [problem for problem in catalog.find_problems("more") if problem.path.endswith("more.yaml")]
    assert [(problem.line, problem.code) for problem in found] == [(5, "E259")]
    assert found[0].message.startswith(said)


@pytest.mark.parametrize("text", ["extends: soer\n", "extends: soer\ntitle: A\n", "extends: mine\n", "title: A\n"])
def test_a_broken_file_with_the_name_of_a_shipped_workflow_hides_it_and_is_reported(
    catalog: Catalog, write: Write, text: str
) -> None:
    write("soar.yaml", text)
    assert "soar" in catalog.list_names()
    assert "soer" not in catalog.list_names()
    assert catalog.find_problems("soar")
    with pytest.raises(Fault, match=r'workflow "soar" has \d+ error'):
        catalog.load("soar")


def test_an_unknown_base_is_answered_with_names_that_can_be_extended(catalog: Catalog, write: Write) -> None:
    path = write("soar.yaml", "extends: soer\n")
    write("quick.yaml", "extends: soar\nname: quick\n")
    write("other.yaml", "extends: quik\nname: other\n")
    (problem,) = catalog.find_problems(str(path))
    assert '"soer"' not in problem.message.partition("expected")[2]
    assert '"quick"' in problem.message
    assert problem.help == 'did you mean "soar"?'
    (problem,) = catalog.find_problems("other")
    assert '"other"' not in problem.message, "a file cannot extend itself"
    assert problem.help == 'did you mean "quick"?'


@pytest.mark.parametrize(
    ("line", "code"), [("aliases: classify", "E201"), ("aliases: [my alias]", "E204"), ("next_action:", "E203")]
)
def test_a_broken_phase_of_a_patch_is_no_error_of_the_extended_file(
    catalog: Catalog, write: Write, line: str, code: str
) -> None:
    path = write("soar.yaml", f"extends: soar\nphases:\n  assess:\n    {line}\n")
    found = [(problem.path, problem.code) for problem in select_errors(catalog.find_problems("soar"))]
    assert found == [(str(path), code)]


@pytest.mark.parametrize("key", ["extend", "Extends", "inherits"])
def test_a_misspelt_extends_is_one_error_with_its_remedy(catalog: Catalog, write: Write, key: str) -> None:
    write("mine.yaml", f"{key}: soar\nname: mine\nphases:\n  assess:\n    params: {{ read_chars: 400 }}\n")
    (problem,) = catalog.find_problems("mine")
    assert (problem.code, problem.line, problem.help) == ("E202", 1, 'did you mean "extends"?')
    assert '"extends"' in problem.message.partition("expected")[2]


def test_a_patch_with_a_misspelt_extends_is_checked_too(catalog: Catalog, write: Write) -> None:
    write("mine.yaml", "extend: soar\nname: mine\nphases:\n  assess:\n    params: { read_chars: 40 }\n")
    assert [(problem.code, problem.line) for problem in catalog.find_problems("mine")] == [("E202", 1), ("E253", 5)]


def test_a_phase_at_the_top_of_the_file_is_one_error_with_its_remedy(catalog: Catalog, write: Write) -> None:
    write(
        "mine.yaml",
        "aurora: 2\nname: mine\nversion: '1'\nstart: a\nphases:\n"
        "  a: { uses: mem.stats, next_action: b }\nb:\n  uses: mem.stats\n  next_action: end\n",
    )
    (problem,) = catalog.find_problems("mine")
    assert (problem.code, problem.line) == ("E202", 7)
    assert problem.help == "indent it below `phases`, if it is a phase"


def test_a_phase_has_at_most_twenty_aliases(catalog: Catalog, write: Write) -> None:
    names = ", ".join(f"a{number}" for number in range(21))
    write("mine.yaml", f"extends: soar\nname: mine\nphases:\n  assess:\n    aliases: {{ add: [{names}] }}\n")
    (problem,) = catalog.find_problems("mine")
    assert problem.message == '"aliases" in phase "assess" must have at most 20 of them'
