"""Safe fixes change only their own characters."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aurora.interpreter.catalog.fix import apply_fixes
from aurora.interpreter.problems import select_errors
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aurora.interpreter import Problem
    from aurora.interpreter.catalog.fix import FixedText

ERR = Path(__file__).resolve().parents[2] / "documents" / "err"
DOCUMENTS = sorted(path.name for path in ERR.iterdir() if path.suffix in (".yaml", ".yml") and path.is_file())

HEAD = """\
aurora: 1   # the language
name: tea
version: 1.0.0
start: choose
phases:
  choose:
    inputs:
      mood:   { enum: [calm, lively] }   # two moods
      guests: { type: integer }
      sure:   { type: boolean }
    prompt_template: "{{ guests }} {{ mood }} {{ sure }}?"
    answer: { type: object }
    next_action:
"""
RIGHT = f"{HEAD}      - {{ then: end }}\n"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with Workspace(tmp_path_factory.mktemp("fixing")) as opened:
        yield opened


@pytest.fixture
def mended(workspace: Workspace) -> Callable[[str], FixedText]:
    return lambda text: apply_fixes(text, "tea.yaml", lambda one: workspace.workflows.check_text(one, Path("tea.yaml")))


def rule(line: str) -> str:
    return f"{HEAD}      - {line}\n      - {{ then: end }}   # or else\n"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ('{ when: "inputs.mood == calm", then: end }', "{ when: \"inputs.mood == 'calm'\", then: end }"),
        ("{ when: 'inputs.mood == \"calm\"', then: end }", "{ when: 'inputs.mood == ''calm''', then: end }"),
        ('{ when: "inputs.guests > 3", then: end }', '{ when: "inputs.guests > `3`", then: end }'),
        ("{ when: \"inputs.guests > '3'\", then: end }", '{ when: "inputs.guests > `3`", then: end }'),
        ("{ when: inputs.mood == calm, then: end }", "{ when: inputs.mood == 'calm', then: end }"),
        ('{ when: "inputs.sure == true", then: end }', '{ when: "inputs.sure == `true`", then: end }'),
        (
            "{ when: \"inputs.mood = 'calm' and inputs.guests > 3 or inputs.sure\", then: end }",
            "{ when: \"(inputs.mood == 'calm' && inputs.guests > `3`) || inputs.sure\", then: end }",
        ),
        ('{ when: "inputs.sure", than: end }', '{ when: "inputs.sure", then: end }'),
        ('{ when: "inputs.guest > `3`", then: end }', '{ when: "inputs.guests > `3`", then: end }'),
        ('{ when: "lenght(inputs.mood) > `4`", then: end }', '{ when: "length(inputs.mood) > `4`", then: end }'),
        (
            '{ when: "inputs.sure", then: "chose", max: 2, else: end }',
            '{ when: "inputs.sure", then: "choose", max: 2, else: end }',
        ),
    ],
)
def test_safe_fixes_are_applied_and_nothing_else_changes(
    mended: Callable[[str], FixedText], wrong: str, right: str
) -> None:
    done = mended(rule(wrong))

    assert done.text == rule(right)
    assert done.problems == ()
    assert done.edits


@pytest.mark.parametrize(
    "line",
    [
        '{ when: "not inputs.sure", then: end }',  # only the author knows its operand
        "{ when: \"inputs.mood == 'clam'\", then: end }",  # a text is not a name
        '{ when: "inputs.xyz == `3`", then: end }',  # similar to nothing
        '{ when: "inputs.guests == `3` && (", then: end }',
    ],
)
def test_doubtful_problems_are_not_fixed(mended: Callable[[str], FixedText], line: str) -> None:
    done = mended(rule(line))

    assert done.text == rule(line)
    assert done.edits == ()
    assert done.problems


def test_a_name_with_two_near_candidates_is_left_alone(mended: Callable[[str], FixedText]) -> None:
    text = rule('{ when: "inputs.guest > `3`", then: end }').replace("sure:   {", "guess:  {")

    assert mended(text).text.count("inputs.guest >") == 1


def test_an_edit_that_would_duplicate_a_key_is_undone(mended: Callable[[str], FixedText]) -> None:
    text = rule('{ when: "inputs.sure", then: end, than: end }')

    assert mended(text).text == text


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("title: {{ tea }} and more # not this", 'title: "{{ tea }} and more" # not this'),
        ("title: Tea: a drink", 'title: "Tea: a drink"'),
        ('title: "Tea": a drink', None),
        ('title: Tea: a "drink"', "title: 'Tea: a \"drink\"'"),
        ('title: @tea\'s: \\ "best"', "title: '@tea''s: \\ \"best\"'"),
        ("title: {% raw %}", 'title: "{% raw %}"'),
        ("title: &tea Tea", "title: Tea"),
        ("title:\n  {{ tea }}", 'title:\n  "{{ tea }}"'),
        ("title: {{ tea }}\n  and more", None),
    ],
)
def test_a_value_without_its_quotes_gets_them(
    mended: Callable[[str], FixedText], wrong: str, right: str | None
) -> None:
    text = RIGHT.replace("version: 1.0.0", f"version: 1.0.0\n{wrong}")

    done = mended(text)

    assert done.text == (text if right is None else text.replace(wrong, right))
    assert (done.problems == ()) is (right is not None)


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_line_ends_and_comments_stay_as_they_are(mended: Callable[[str], FixedText], ends: str) -> None:
    text = (rule('{ when: "inputs.guests > 3", then: end } # 3, and "inputs.guests > 3"')).replace("\n", ends)

    assert mended(text).text == text.replace("guests > 3", "guests > `3`", 1)


def test_a_number_that_reads_differently_than_it_is_written_is_not_quoted(
    mended: Callable[[str], FixedText],
) -> None:
    text = rule("{ then: end }").replace("1.0.0", "1.10").replace("      - { then: end }   # or else\n", "")

    assert mended(text).text == text
    assert '"1.5"' in mended(text.replace("1.10", "1.5")).text


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.sampled_from(
            [
                "inputs.mood == calm",
                "inputs.guests > 3",
                "inputs.guest = 3",
                "inputs.sure and inputs.guests > '2'",
                "not inputs.sure",
                "inputs.mood == 'clam'",
                "inputs.sure",
            ]
        ),
        min_size=1,
        max_size=6,
    )
)
def test_fixing_never_adds_a_problem_and_is_idempotent(
    mended: Callable[[str], FixedText], workspace: Workspace, tests: list[str]
) -> None:
    rules = "".join(f'      - {{ when: "{test}", then: end }}\n' for test in tests)
    text = f"{HEAD}{rules}      - {{ then: end }}\n"

    once = mended(text)
    again = mended(once.text)

    assert (again.text, again.edits, again.problems) == (once.text, (), once.problems)
    assert len(once.problems) <= len(workspace.workflows.check_text(text, Path("tea.yaml")))


MISTAKES = [
    ("mood == 'calm'", "mood == calm"),
    ("`3`", "3"),
    ("version: 1.0.0", "version: 1.5"),
    ("enum: [calm, lively]", "enum: &never [calm, lively]"),
    ('"{{ guests }} {{ mood }} {{ sure }}?"', "{{ guests }} {{ mood }} {{ sure }}?"),
    ("then: end", "then: ende"),
]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sets(st.sampled_from(MISTAKES), min_size=1, max_size=4), st.lists(st.sampled_from(["\n", "\r\n"]), min_size=3)
)
def test_outside_the_fixed_tokens_every_character_stays(
    mended: Callable[[str], FixedText], mistakes: set[tuple[str, str]], ends: list[str]
) -> None:
    text = rule("{ when: \"inputs.mood == 'calm' && inputs.guests > `3`\", then: end }  # ümläut: {{ kept }}")
    for right, wrong in mistakes:
        text = text.replace(right, wrong, 1)
    lines = text.split("\n")
    text = "".join(f"{line}{ends[number % len(ends)]}" for number, line in enumerate(lines))

    done = mended(text)
    before, after = text.splitlines(keepends=True), done.text.splitlines(keepends=True)

    assert len(before) == len(after)
    touched = {edit.line for edit in done.edits}
    for number, (old, new) in enumerate(zip(before, after, strict=True), 1):
        if number not in touched:
            assert old == new
        for edit in (edit for edit in done.edits if edit.line == number):
            assert edit.old in old
        assert old[len(old.rstrip("\r\n")) :] == new[len(new.rstrip("\r\n")) :]
        assert old.partition("#")[1:] == new.partition("#")[1:]
    assert mended(done.text).text == done.text


def test_many_mistakes_are_fixed_with_few_checks_of_the_text(workspace: Workspace) -> None:
    rules = '      - { when: "inputs.guests > 3 && inputs.sure", then: end }\n'
    looks: list[str] = []

    def check(text: str) -> tuple[Problem, ...]:
        looks.append(text)
        return workspace.workflows.check_text(text, Path("tea.yaml"))

    text = HEAD + "".join(rules.replace("3", str(number)) for number in range(50, 0, -1)) + "      - { then: end }\n"
    done = apply_fixes(text, "tea.yaml", check)

    assert len(done.edits) == 50
    assert len(looks) < 5


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_document_gets_worse_by_fixing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / ".aurora" / "workflows"
    shutil.copytree(ERR, folder, symlinks=True)
    monkeypatch.chdir(folder)
    data = (folder / name).read_bytes()
    text = data.decode("utf-8", errors="replace")
    with Workspace(tmp_path) as workspace:

        def check(edited: str) -> tuple[Problem, ...]:
            return workspace.workflows.check_text(edited, folder / name)

        once = apply_fixes(text, name, check)
        again = apply_fixes(once.text, name, check)

        # a problem that an error hid may appear
        before, after = ((len(select_errors(one)), len(one)) for one in (check(text), once.problems))
        assert after < before if once.edits else after == before
        assert (again.text, again.edits) == (once.text, ())
        assert (once.text == text) is (once.edits == ())


def test_more_problems_than_a_report_lists_are_fixed(workspace: Workspace) -> None:
    head = "aurora: 1\nname: tea\nversion: 1.0.0\nstart: p0\nphases:\n"
    phases = "".join(
        f"  p{number}: {{ promt_template: Say hello, answer: {{}}, next_action: {after} }}\n"
        for number, after in enumerate([*(f"p{number}" for number in range(1, 250)), "end"])
    )

    fixed = apply_fixes(
        head + phases, "tea.yaml", lambda text: workspace.workflows.check_text(text, Path("tea.yaml"), limited=False)
    )

    assert fixed.text == head + phases.replace("promt_", "prompt_")
    assert not [problem for problem in fixed.problems if problem.severity == "error"]


HIDDEN = """\
aurora: 1
name: tea
version: 1.0.0
start: choose
phases:
  choose:
    prompt_template: "Which tea?"
    answer: { type: object, required: [tea], properties: { tea: { type: string } } }
    next_action: brew
  brew:
    inputs:
      tea: { from: phases.choose.answer.tea, type: string }
      spoons: { type: integer, default: 3 }
    prompt_template: "Brew {{ tea }}."
    answer: { type: object, required: [good], properties: { good: { type: boolean } } }
    next_action:
      - { when: "phases.choose.answer.tea == 'oolong'", then: end }
      - { then: choose, max: 2, else: end }
"""


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('prompt_template: "Brew {{ tea }}."', 'promt_template: "Brew {{ tea }}."'),
        ("then: choose, max: 2", "than: choose, max: 2"),
        ("== 'oolong'", "= 'oolong'"),
    ],
)
def test_a_fix_that_reveals_a_hidden_warning_is_applied(
    workspace: Workspace, mended: Callable[[str], FixedText], right: str, wrong: str
) -> None:
    path = Path("tea.yaml")
    warnings = {one.code for one in workspace.workflows.check_text(HIDDEN, path)}
    assert warnings == {"W314", "W603"}

    done = mended(HIDDEN.replace(right, wrong))
    assert done.text == HIDDEN
    assert {one.code for one in done.problems} == warnings


STAGES = {
    "key": ("version: 1.0.0", "verson: 1.0.0"),
    "start": ("start: choose", "start: chose"),
    "phase": ("  brew:\n", "  Brew:\n"),
    "limit": ("max: 2", "max: many"),
    "rule": ("then: choose", "than: choose"),
    "literal": ("== 'oolong'", "== oolong'"),
    "schema": ("good: { type: boolean }", "good: { type: bool }"),
    "prompt": ("Brew {{ tea }}.", "Brew {{ tee }}."),
}


def test_the_problems_of_no_stage_hide_those_of_another(workspace: Workspace) -> None:
    def find(*names: str) -> set[str]:
        text = HIDDEN
        for name in names:
            text = text.replace(*STAGES[name])
        return {one.code for one in workspace.workflows.check_text(text, Path("tea.yaml")) if one.severity == "error"}

    for first in STAGES:
        for second in STAGES:
            assert find(first) | find(second) <= find(first, second) | {"E503"}, (first, second)
    assert len(find(*STAGES)) >= 6
