"""`aur workflow diff`: each kind of change alone, editions out of git, and what counts as the same."""

from __future__ import annotations

import json
import subprocess
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
start: ask
on_error: sorry
phases:
  ask:
    aliases: [question]
    inputs: { guest: { type: string } }
    prompt_template: What does {{ guest }} like?
    answer:
      type: object
      required: [drink]
      properties: { drink: { enum: [tea, coffee] }, cups: { type: integer, minimum: 1 } }
    next_action: look
  look:
    inputs: { drink: { from: phases.ask.answer.drink, enum: [tea, coffee] } }
    uses: mem.search
    params: {}
    with: { query: inputs.drink, limit: "`3`" }
    next_action:
      - { when: "inputs.drink == 'tea' && confidence > `0.5`", then: serve }
      - { when: "inputs.drink == 'coffee'", then: ask, max: 1, else: serve, say: Once more. }
      - { then: serve }
  serve:
    inputs: { drink: { from: phases.ask.answer.drink } }
    prompt_template: Make {{ drink }}.
    answer: { type: string }
    next_action: end
  sorry:
    prompt_template: Say sorry.
    answer: { type: string }
    next_action: end
"""

EDITS = [
    ("start: ask", "start: serve", "~ starts at another phase  breaking"),
    ("aliases: [question]", "aliases: [demand]", '- may no longer be called "question"  breaking'),
    ("aliases: [question]", "aliases: [question, demand]", '+ may be called "demand"'),
    ("guest: { type: string }", "guest: { type: string, minLength: 2 }", '~ `minLength` of "guest" is 2  breaking'),
    (
        "inputs: { guest: { type: string } }",
        "inputs: { guest: { type: string }, mood: { type: string } }",
        '+ takes "mood", which the caller must give  breaking',
    ),
    (
        "{ type: string } }\n    prompt_template: What",
        "{ type: string, optional: true } }\n    prompt_template: What",
        '~ "guest" may be left out now',
    ),
    ("What does {{ guest }} like?", "What do they like?", '~ the prompt no longer reads "guest"'),
    ("What does {{ guest }} like?", "What may {{ guest }} have?", "· the text of the prompt"),
    ("required: [drink]", "required: [drink, cups]", '~ in the answer, "cups" is required now  breaking'),
    (
        "{ drink: { enum: [tea, coffee] }, cups",
        "{ drink: { enum: [tea] }, cups",
        '~ in the answer, "drink" may no longer be "coffee"  breaking',
    ),
    ("minimum: 1", "minimum: 0", '~ in the answer, `minimum` of "cups" is 0, and was 1'),
    ("type: integer, minimum: 1", "type: number, minimum: 1", '~ in the answer, "cups" is number, and was integer'),
    ("next_action: look", "next_action: serve", '~ leads to "serve", and led to "look"'),
    ("uses: mem.search", "uses: mem.get", "~ uses another tool"),
    ('limit: "`3`"', 'limit: "`4`"', '~ argument "limit"'),
    ("confidence > `0.5`", "confidence > `0.6`", '~ the rule to "serve" has another condition'),
    ("max: 1, else: serve", "max: 2, else: serve", '~ the rule to "ask" has another limit'),
    ("max: 1, else: serve", "max: 1, else: end", '~ the rule to "ask" has another limit'),
    ("say: Once more.", "say: Again.", '· the message of the rule to "ask"'),
    ("then: ask, max: 1", "then: ask, early_exit: true, max: 1", '~ the rule to "ask" is an early exit'),
    (
        "      - { then: serve }\n",
        "      - { when: confidence > `0.1`, then: end }\n      - { then: serve }\n",
        '+ to "end"',
    ),
    ("on_error: sorry", "on_error: serve", "~ a failure has another target"),
    ("Say sorry.", 'Say sorry.\n    for_each: { in: "[`1`]", as: one, max: 3 }', "~ asks once for each item now"),
    ("name: tea", "name: coffee", "~ has another name  breaking"),
    ("version: 1.0.0", "version: 1.0.0\ntitle: Tea for two", "· title, description or suits"),
]


@pytest.fixture
def tea(project: Path) -> Path:
    folder = project / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    (folder / "tea.yaml").write_text(TEA, encoding="utf-8")
    return folder / "tea.yaml"


@pytest.mark.parametrize(("before", "after", "line"), EDITS)
def test_each_change_is_described_by_its_effect(  # noqa: PLR0913, PLR0917 - a line of a table
    aur: Aur, project: Path, tea: Path, before: str, after: str, line: str
) -> None:
    assert TEA.count(before) == 1, tea
    (project / "new.yaml").write_text(TEA.replace(before, after), encoding="utf-8")
    done = aur("workflow", "diff", "tea", "new.yaml")
    assert f"  {line}" in done.stdout, done.stdout + done.stderr
    assert done.returncode == (0 if line.startswith("·") else 1)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("inputs.drink == 'tea' && confidence > `0.5`", "(`0.5` < confidence) && 'tea' == inputs.drink"),
        ("inputs.drink == 'tea' && confidence > `0.5`", "!(inputs.drink != 'tea' || !(confidence > `0.5`))"),
        ("then: ask, max", "then: question, max"),
        ("start: ask", "start: question"),
        ("next_action: look", "next_action: [{ then: look }]  # onwards"),
        ("query: inputs.drink", 'query: "inputs . drink"'),
    ],
)
def test_the_same_in_other_words_is_the_same(aur: Aur, project: Path, tea: Path, before: str, after: str) -> None:
    assert TEA.count(before) == 1, tea
    (project / "new.yaml").write_text(TEA.replace(before, after), encoding="utf-8")
    done = aur("workflow", "diff", "tea", "new.yaml")
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith("tea and new.yaml do the same\n")
    assert "~" not in done.stdout


def test_a_phase_by_another_name_is_the_same_phase(aur: Aur, project: Path, tea: Path) -> None:
    assert tea
    renamed = TEA.replace("on_error: sorry", "on_error: regret").replace("  sorry:", "  regret:")
    (project / "new.yaml").write_text(renamed, encoding="utf-8")
    found = json.loads(aur("workflow", "diff", "tea", "new.yaml", "--json").stdout)
    assert [(one["phase"], one["text"]) for one in found["changes"]] == [("regret", 'was called "sorry"')]
    assert found["stale"] == []


def test_an_added_and_a_removed_phase_are_reported(aur: Aur, project: Path, tea: Path) -> None:
    assert tea
    other = TEA.replace("  serve:", "  pour:").replace("Make {{ drink }}", "Pour {{ drink }}").replace("serve", "pour")
    (project / "new.yaml").write_text(other, encoding="utf-8")
    found = json.loads(aur("workflow", "diff", "tea", "new.yaml", "--json").stdout)
    told = {(one["phase"], one["sign"]) for one in found["changes"] if one["about"] == "phase"}
    assert told == {("pour", "added"), ("serve", "removed")}


def test_a_file_alone_is_compared_with_what_git_has_of_it(aur: Aur, project: Path, tea: Path) -> None:
    git = ["git", "-C", str(project), "-c", "user.email=a@example.org", "-c", "user.name=a"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "-f", str(tea)], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "tea"], check=True)
    assert aur("workflow", "diff", "tea").stdout == "HEAD:.aurora/workflows/tea.yaml and tea do the same\n"
    tea.write_text(TEA.replace("max: 1", "max: 5"), encoding="utf-8")
    for said in (["tea"], ["HEAD:.aurora/workflows/tea.yaml", "tea"], ["HEAD:.aurora/workflows/tea.yaml", str(tea)]):
        done = aur("workflow", "diff", *said)
        assert done.returncode == 1
        assert "was at most 1 times" in done.stdout
    tea.unlink()
    done = aur("workflow", "diff", "HEAD:.aurora/workflows/tea.yaml", "soar")
    assert "has another name" in done.stdout


def test_an_overlay_is_compared_with_the_shipped_workflow(aur: Aur, project: Path) -> None:
    folder = project / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    text = "extends: soar\nversion: 1.1.0\nphases:\n  verify:\n    on_error: respond\n    title: Look again\n"
    (folder / "soar.yaml").write_text(text, encoding="utf-8")
    done = aur("workflow", "diff", "soar")
    assert "soar as shipped and soar" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (["soar"], "there is nothing to compare"),
        (["soar", "saor"], "saor"),
        (["soar", "nowhere.yaml"], "nowhere.yaml"),
        (["HEAD:tea.yaml", "soar"], "this project is not in git"),
        (["HEAD:../tea.yaml", "soar"], "outside the project"),
    ],
)
def test_an_impossible_comparison_is_reported(aur: Aur, project: Path, said: list[str], told: str) -> None:
    assert project.is_dir()
    done = aur("workflow", "diff", *said)
    assert done.returncode in {1, 2}
    assert told in done.stderr
    assert "Traceback" not in done.stderr
