"""YAML mistakes are explained at their place, and never raise an exception."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aurora.interpreter.problems.problem import split_lines, split_yaml_lines
from aurora.interpreter.problems.render import read_source_text, render_problem
from aurora.interpreter.yaml.load import read_yaml
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

SHIPPED = Path(__file__).resolve().parents[3] / "workflows"

RIGHT = """\
aurora: 1
name: tea
version: 1.0.0
start: choose
phases:
  choose:
    inputs:
      mood: { enum: [calm, lively] }
    prompt_template: "Which tea suits a {{ mood }} guest?"
    answer: { type: object }
    next_action: end
"""
PROMPT = '"Which tea suits a {{ mood }} guest?"'

COLON = 'a key must be followed by ": "'
NO_SPACE = "the character U+{} looks like a space, but is not one in YAML"
SPACE = "put a plain space in its place"
QUOTED = "put the whole value in quotes"
ENDED = "the quoted text ended before this"
BLOCK = 'the text after "|" or ">" must begin on the next line'
STARRED = 'a "*" begins an alias, and text follows it'
LINE = "    answer"

SLIPS = [
    ("start: choose", "start choose", "4:1-13", COLON, "write `start: …`, or indent the line"),
    ("start: choose", "start:choose", "4:6-7", "a colon must be followed by a space", "write `start: …`"),
    ("  choose:\n", "  choose\n", "6:3-9", COLON, "write `choose:`"),
    ("action: end", "action end", "11:5-20", COLON, "write `next_action: …`, or indent the line"),
    ("start: choose", "start:\u00a0choose", "4:7-8", NO_SPACE.format("00A0"), SPACE),
    (LINE, "\u3000\u3000answer", "10:1-3", NO_SPACE.format("3000"), SPACE),
    ("start", "\ufeffstart", "4:1-2", NO_SPACE.format("FEFF"), "remove it"),
    (
        PROMPT,
        PROMPT[:-1] + '\n    title: "x"',
        "9:22-23",
        "the quoted text that begins here never ends",
        "close the quotes",
    ),
    (PROMPT, "'What?\n    title: 'x'", "9:22-23", "the quoted text that begins here never ends", "close the quotes"),
    (
        PROMPT,
        '"Say "hello" to {{ mood }}"',
        "9:28-34",
        ENDED,
        'write a quote inside as `\\"`, or use the other quotes around the text',
    ),
    (
        PROMPT,
        "'It's {{ mood }}'",
        "9:26-27",
        ENDED,
        "double a quote inside: `''`, or use the other quotes around the text",
    ),
    ("lively] }", "lively] }}", "8:37-38", 'this "}" closes nothing', "remove it"),
    ("lively] }", "lively]] }", "8:35-36", 'this "]" closes nothing', "remove it"),
    ("lively] }", "lively]", "8:13-14", "the bracket that opens here is never closed", 'add the missing "}"'),
    (LINE, f"    : x\n{LINE}", "10:5-6", "there is no key before this colon", "write the key, or remove it"),
    (PROMPT, "| Hi {{ mood }}", "9:22-37", BLOCK, "move it there"),
    ("{ enum", "{ title: a: b, enum", "8:22-26", '": " inside a text would begin a mapping', QUOTED),
    (PROMPT, "**Mind** {{ mood }}", "9:22-30", STARRED, QUOTED),
    ("start: choose", "start: *our* choice", "4:8-13", STARRED, QUOTED),
    ("start: choose", "start: *", "4:8-9", 'a "*" begins an alias, and its name is missing', "put the value in quotes"),
    (
        LINE,
        f"    ? [a, b]\n    : x\n{LINE}",
        "10:7-13",
        "a key must be a word, not a list",
        "put the key in quotes, or remove it",
    ),
    (
        LINE,
        f"    <<: *no\n{LINE}",
        "10:9-12",
        'alias "*no" has no anchor before it',
        'write "&no" before the value it means',
    ),
    (
        "aurora: 1",
        "%FOO\n---\naurora: 1",
        "1:1-2",
        'a line that begins with "%" is a directive, and this one is unknown',
        "remove it, or put the value in quotes",
    ),
]


@pytest.mark.parametrize(("right", "wrong", "place", "message", "help_"), SLIPS)
def test_a_yaml_mistake_is_explained_at_its_token(right: str, wrong: str, place: str, message: str, help_: str) -> None:
    _, problems = read_yaml(RIGHT.replace(right, wrong, 1), "x.yaml")

    assert [(f"{one.line}:{one.column}-{one.end_column}", one.message, one.help) for one in problems] == [
        (place, message, help_)
    ]


def test_all_aliases_without_an_anchor_are_reported_at_once_with_a_suggestion() -> None:
    _, problems = read_yaml("a: &moods 1\nb: *mods\nc: *other\nd: *moods", "x.yaml")

    assert [(one.line, one.help) for one in problems] == [
        (2, 'did you mean "moods"?'),
        (3, 'write "&other" before the value it means'),
    ]


def test_many_values_without_quotes_are_all_reported_quickly() -> None:
    _, problems = read_yaml("".join(f"k{number}: {{{{ x }}}} y\n" for number in range(150)), "x.yaml")

    assert [one.line for one in problems] == list(range(1, 151))
    assert {one.code for one in problems} == {"E104"}


def test_behind_too_many_values_without_quotes_the_file_is_not_read() -> None:
    _, problems = read_yaml("".join(f"k{number}: {{{{ x }}}} y\n" for number in range(300)), "x.yaml")

    assert len(problems) < 200
    assert (problems[-1].code, problems[-1].line) == ("E103", problems[-2].line)
    assert "the rest of the file is not read" in problems[-1].message


@pytest.mark.parametrize("hidden", ["\u202e", "\u2066", "\u200b", "\ufeff"])
def test_invisible_and_reversing_characters_are_shown(hidden: str) -> None:
    text = RIGHT.replace("start: choose", f"start: cho{hidden}se")
    with Workspace(Path.cwd()) as workspace:
        found = workspace.workflows.check_text(text, Path("x.yaml"))

    told = [render_problem(one, text.split("\n")[one.line - 1]) for one in found]
    assert told
    assert hidden not in "".join(told)


@pytest.mark.parametrize("phase", ["assess", "retrieve", "verify", "record"])
def test_a_phase_at_the_left_margin_is_reported_where_it_begins(phase: str) -> None:
    text = (SHIPPED / "soar.yaml").read_text(encoding="utf-8").replace(f"\n  {phase}:", f"\n{phase}:")
    _, (problem,) = read_yaml(text, "soar.yaml")
    assert text.split("\n")[problem.line - 1] == f"{phase}:"
    assert problem.help == f'indent "{phase}" by 2 spaces, as the keys in "phases"'
    assert problem.fix is not None
    assert problem.fix.new == f"  {phase}"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with Workspace(tmp_path_factory.mktemp("slips")) as opened:
        yield opened


BITS = (
    "\t",
    " ",
    "  ",
    ":",
    ": ",
    "-",
    "- ",
    "{",
    "}",
    "[",
    "]",
    '"',
    "'",
    "|",
    ">",
    "#",
    "&a ",
    "*a",
    "!x ",
    "`",
    "%",
)
ODD = ("\0", "\r", "\n", "\u2028", "\u00a0", "\ufeff", "大", "\U0001f375", "e\u0301", "\u202e", "<<: ", "null", "1e9")


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(sorted(SHIPPED.glob("*.yaml"))),
    st.lists(
        st.tuples(
            st.floats(0, 1, exclude_max=True),
            st.floats(0, 1, exclude_max=True),
            st.integers(0, 4),
            st.sampled_from(BITS + ODD),
        ),
        min_size=1,
        max_size=4,
    ),
)
def test_every_problem_of_a_random_edit_is_inside_the_files(
    workspace: Workspace, path: Path, edits: list[tuple[float, float, int, str]]
) -> None:
    lines = path.read_text(encoding="utf-8").split("\n")
    for where, column, gone, put in edits:
        at = int(where * len(lines))
        start = int(column * (len(lines[at]) + 1))
        lines[at] = lines[at][:start] + put + lines[at][start + gone :]
    text = "\n".join(lines)

    for one in workspace.workflows.check_text(text, path):
        ours = Path(one.path) == path or one.path == str(path)
        shown = (
            split_yaml_lines(text)
            if ours or Path(one.path).name == path.name
            else split_lines(one.path, read_source_text(Path(one.path)))
        )
        assert 1 <= one.line <= len(shown), one
        assert 1 <= one.column <= len(shown[one.line - 1]) + 1, one
        assert one.end_column > one.column
        assert render_problem(one, shown[one.line - 1])
