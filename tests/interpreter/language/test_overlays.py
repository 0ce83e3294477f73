"""Lists that a patch adds to, mappings that merge, and phases that it removes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.interpreter.problems import select_errors
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from aurora.interpreter import Catalog

    Write = Callable[[str, str], Path]

BASE = """
aurora: 2
name: base
version: 1.0.0
start: ask
suits: [a tea, a cake]
vars: { leaves: [oolong, sencha, assam, gyokuro, matcha], house: { name: Blue, seats: 4 } }
budget: { tokens: 900 }
output: { kind: { from: phases.ask.answer, default: none } }
phases:
  ask:
    aliases: [begin, first]
    prompt_template: "Ask for {{ vars.leaves | join(', ') }} in {{ vars.house.name }}, {{ vars.house.seats }} seats."
    answer: { enum: [black, green] }
    next_action: [{ when: "answer == 'black'", then: milk }, { then: weigh }]
  milk: { prompt_template: How much milk?, answer: { const: done }, next_action: weigh }
  weigh:
    inputs: { note: { from: phases.milk.answer, optional: true }, kind: { from: phases.ask.answer, type: string } }
    person:
      message: "Weigh {{ kind }}? {{ note or '' }}"
      form: { sure: { type: boolean }, grams: { type: integer } }
    next_action: [{ when: answer.sure, then: pour }, { then: ask, max: 2, else: pour }]
  pour:
    inputs:
      kind: { from: phases.ask.answer, type: string }
      grams: { from: phases.weigh.answer.grams, default: 5, type: integer }
    prompt_template: "Pour {{ grams }} g of {{ kind }}."
    answer: { const: done }
    next_action: end
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def file(name: str, text: str) -> Path:
        path = tmp_path / ".aurora" / "workflows" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    file("base.yaml", BASE)
    return file


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with Workspace(tmp_path) as workspace:
        yield workspace.workflows


@pytest.fixture
def patch(write: Write, catalog: Catalog) -> Callable[[str], Any]:
    """Write a patch of the base without problems; the workflow that it makes."""

    def load(text: str, base: str = "base") -> Any:
        write("mine.yaml", f"extends: {base}\nname: mine\n{text}")
        assert catalog.find_problems("mine") == ()
        return catalog.load("mine").workflow

    return load


def test_a_word_group_of_ones_own_joins_those_of_the_shipped_soar(catalog: Catalog, patch: Callable[..., Any]) -> None:
    flow = patch(
        "phases:\n  assess:\n    params:\n      clauses: { openers: { add: [howdy, mate] } }\n"
        "      words:\n        add:\n"
        "          - { name: ours, kind: incident, weight: 62, cap: 62, words: kaput }\n"
        "          - { name: lookup, words: { add: [peek at] } }\n",
        "soar",
    )
    old, new = (one.phases["assess"].params for one in (catalog.load("soar").workflow, flow))
    assert new["clauses"]["openers"] == f"{old['clauses']['openers']}, howdy, mate"
    assert [group["name"] for group in new["words"]] == [*(group["name"] for group in old["words"]), "ours"]
    assert new["words"][0] == {**old["words"][0], "words": old["words"][0]["words"] + ", peek at"}


@pytest.mark.parametrize(
    ("line", "read", "wanted"),
    [
        ("suits: { add: [a scone] }", lambda flow: flow.suits, ("a tea", "a cake", "a scone")),
        ("suits: { add: a scone }", lambda flow: flow.suits, ("a tea", "a cake", "a scone")),
        ("vars: { leaves: { add: [darjeeling] } }", lambda flow: flow.vars["leaves"][-1], "darjeeling"),
        ("vars: { house: { seats: 8 } }", lambda flow: flow.vars["house"], {"name": "Blue", "seats": 8}),
        ("output: { kind: { default: some } }", lambda flow: flow.output["kind"].from_, "phases.ask.answer"),
    ],
)
def test_a_list_is_added_to_and_a_mapping_merges(
    patch: Callable[..., Any], line: str, read: Callable[[Any], Any], wanted: object
) -> None:
    assert read(patch(f"{line}\n")) == wanted


@pytest.mark.parametrize(
    ("phase", "read", "wanted"),
    [
        ("ask: { aliases: { add: [open] } }", lambda flow: flow.phases["ask"].aliases, ("begin", "first", "open")),
        (
            "weigh: { person: { message: Sure? } }",
            lambda flow: list(flow.phases["weigh"].person.form),
            ["sure", "grams"],
        ),
        (
            "ask: { next_action: { add: [{ when: \"answer == 'green'\", then: pour }] } }",
            lambda flow: [rule.then for rule in flow.phases["ask"].next_action],
            ["pour", "milk", "weigh"],
        ),
        (
            (
                "pour: { answer: { type: boolean },\n"
                "    next_action: { add: [{ when: answer, then: milk, max: 2, else: end }] } }"
            ),
            lambda flow: [rule.then for rule in flow.phases["pour"].next_action],
            ["milk", "end"],
        ),
    ],
)
def test_keys_of_a_phase_merge_and_its_lists_are_added_to(
    write: Write, catalog: Catalog, phase: str, read: Callable[[Any], Any], wanted: object
) -> None:
    write("mine.yaml", f"extends: base\nname: mine\nphases:\n  {phase}\n")
    assert select_errors(catalog.find_problems("mine")) == ()
    assert read(catalog.load("mine").workflow) == wanted


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "phases: { assess: { params: { words: [{ name: x, kind: incident, weight: 9, cap: 9, words: x }] } } }",
            (
                'this replaces "words" of the extended workflow, and loses "lookup", "judgement", '
                '"explanation" and 18 more'
            ),
        ),
        (
            "phases: { assess: { params: { clauses: { mentions: 'while, whenever' } } } }",
            'this replaces "mentions" of the extended workflow, and loses "when", "if", "what is" and 27 more',
        ),
        (
            "phases: { assess: { aliases: [triage] } }",
            'this replaces "aliases" of the extended workflow, and loses "classify"',
        ),
    ],
)
def test_a_short_list_in_place_of_a_long_one_is_reported(
    write: Write, catalog: Catalog, text: str, message: str
) -> None:
    path = write("mine.yaml", f"extends: soar\nname: mine\n{text}\n")
    (problem,) = catalog.find_problems("mine")
    assert (problem.path, problem.line, problem.code) == (str(path), 3, "W210")
    assert problem.message == message
    assert "add: […]" in problem.help


@pytest.mark.parametrize(
    "text",
    [
        "phases: { assess: { aliases: [classify, triage] } }",
        "phases: { assess: { aliases: null } }",
        "phases: { assess: { returns: [complexity] } }",
        "phases: { respond: { inputs: { verbosity: { enum: [quiet, normal] } } } }",
        "phases: { respond: { params: { way_out: Ask again. } } }",
        "suits: [only this]",
    ],
)
def test_a_list_that_is_meant_to_be_another_is_not_reported(patch: Callable[..., Any], text: str) -> None:
    assert patch(f"{text}\n", "soar")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("phases: { decompose: { prompt_template: { add: Mention otters. } } }", "prompt_template"),
        ("phases: { decompose: { prompt_template: { add: [Mention otters.] } } }", "prompt_template"),
        ("phases: { decompose: { answer: { add: [goal] } } }", "answer"),
        ("phases: { retrieve: { uses: { add: [context.retrieve] } } }", "uses"),
        ("description: { add: for otters }", "description"),
        ("phases: { retrieve: { params: { limit: { add: [1] } } } }", "limit"),
    ],
)
def test_a_text_that_is_no_list_is_not_added_to(write: Write, catalog: Catalog, text: str, key: str) -> None:
    write("mine.yaml", f"extends: soar\nname: mine\n{text}\n")
    (problem,) = catalog.find_problems("mine")
    assert problem.message == f'"{key}" is no list of the extended workflow: there is nothing to add to'
    assert problem.code == "E259"


def test_there_is_nothing_to_add_to_where_the_base_has_no_list(write: Write, catalog: Catalog) -> None:
    path = write("mine.yaml", "extends: base\nname: mine\nphases:\n  pour:\n    aliases: { add: [serve] }\n")
    (problem,) = catalog.find_problems("mine")
    assert (problem.path, problem.line, problem.code) == (str(path), 5, "E259")
    assert problem.help == "write the whole value, without `add`"


def test_a_removed_phase_is_led_around_and_forgotten(patch: Callable[..., Any]) -> None:
    flow = patch("phases: { weigh: null, milk: null }\n")
    assert [rule.then for rule in flow.phases["ask"].next_action] == ["pour", "pour"]
    assert flow.phases["pour"].inputs["grams"].from_ is None


def test_the_first_phase_can_be_removed(patch: Callable[..., Any]) -> None:
    flow = patch(
        "vars: null\noutput: null\nphases:\n  ask: null\n"
        "  weigh: { inputs: { kind: { default: black }, note: { optional: null } } }\n"
        "  pour: { inputs: { kind: { default: black } } }\n"
    )
    assert flow.start == "milk"
    assert flow.phases["weigh"].inputs["kind"].from_ is None


def test_recording_is_disabled_by_one_line(patch: Callable[..., Any]) -> None:
    flow = patch("phases: { record: null }\n", "soar")
    assert [rule.then for rule in flow.phases["synthesize"].next_action][-1] == "respond"
    assert flow.phases["respond"].inputs["recorded"].from_ is None


def test_what_still_needs_a_removed_phase_is_told_once_at_the_null(write: Write, catalog: Catalog) -> None:
    path = write("mine.yaml", "extends: soar\nname: mine\nphases:\n  verify: null\n")
    (problem,) = catalog.find_problems("mine")
    assert (problem.path, problem.line, problem.code) == (str(path), 4, "E266")
    assert problem.message == '"verify" is removed, and what is left needs it: input "verified" of phase "record"'
    assert problem.help == "write `record: { inputs: { verified: { optional: true } } }`"


def test_the_key_that_the_help_names_mends_it(patch: Callable[..., Any]) -> None:
    patch("phases:\n  verify: null\n  record: { inputs: { verified: { optional: true } } }\n", "soar")


def test_everything_that_needs_a_removed_phase_is_in_the_one_message(write: Write, catalog: Catalog) -> None:
    more = (
        "  last:\n    when: \"phases.pour.answer == 'done'\"\n"
        "    inputs: { x: { from: 'phases.pour.answer || inputs.y' } }\n"
        "    prompt_template: '{{ x }}'\n    answer: { type: boolean }\n    on_error: pour\n"
        "    next_action: [{ when: run.visits.pour > `3`, then: ask, max: 2, else: end }, { then: end }]\n"
    )
    write(
        "base.yaml",
        BASE.replace("next_action: end", "next_action: last").replace("phases.ask.answer,", "phases.pour.answer,", 1)
        + more,
    )
    write("mine.yaml", "extends: base\nname: mine\nphases: { pour: null }\n")
    (problem,) = [one for one in catalog.find_problems("mine") if one.code == "E266"]
    assert problem.message.endswith(
        'needs it: "when" of phase "last", input "x" of phase "last", rule 1 of phase "last", "kind" of the output'
    )
    assert [one for one in catalog.find_problems("mine") if one.path.endswith("base.yaml")] == []


def test_a_rule_of_the_patch_that_leads_to_a_removed_phase_is_told_there(write: Write, catalog: Catalog) -> None:
    path = write("mine.yaml", "extends: base\nname: mine\nphases:\n  milk: null\n  ask:\n    next_action: milk\n")
    assert [(one.path, one.line, one.code) for one in select_errors(catalog.find_problems("mine"))] == [
        (str(path), 6, "E251")
    ]
