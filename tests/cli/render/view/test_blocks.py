"""Blocks of a view: what they print of any output, on any terminal, without a terminal control."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from aurora.cli.render.view import (
    MORE,
    NOTE,
    Blank,
    Cell,
    Each,
    JsonTree,
    Line,
    Part,
    Passage,
    Raw,
    Report,
    Table,
    View,
    When,
    choose_style,
)
from aurora.cli.terminal import Column

if TYPE_CHECKING:
    from aurora.cli.render.view import Block

ESCAPE = "\x1b"
CONTROLS = {chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))} - {"\n"}
HOSTILE = st.text(st.one_of(st.sampled_from([*sorted(CONTROLS), "\n", "\u202e", "\u2028", "[", "é"]), st.characters()))
WORDS = st.text("abcdefgh", min_size=1, max_size=30)
QUICK = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])

EVERY_BLOCK = View(
    Line("{title}", ("{note}", "yellow"), apart=True),
    Line("{title}", overflow="wrap"),
    Line("{title}", overflow="cut"),
    Report({"title": "{title}", "notes": "{notes:join}"}),
    Passage("note"),
    Passage("notes", wraps=True),
    Each("notes", Line("{#}. {_} of {^.title}"), empty="no notes"),
    Table("rows", Cell(Column("Name"), "{name}"), Cell(Column("Text", 1, wraps=True), "{text}"), empty="no rows"),
    JsonTree("tree"),
    NOTE,
)
OUTPUTS = st.fixed_dictionaries(
    {
        "title": HOSTILE,
        "note": HOSTILE,
        "notes": st.lists(HOSTILE, max_size=3),
        "rows": st.lists(st.fixed_dictionaries({"name": HOSTILE, "text": HOSTILE}), max_size=3),
        "tree": st.dictionaries(HOSTILE, st.one_of(HOSTILE, st.lists(HOSTILE, max_size=2)), max_size=3),
    }
)


def show(item: Any, *blocks: Block, width: int = 80, color: bool = False) -> str:
    stream = StringIO()
    console = Console(
        file=stream,
        width=width,
        highlight=False,
        markup=False,
        emoji=False,
        force_terminal=color,
        color_system="standard" if color else None,
        legacy_windows=False,
    )
    View(*blocks)(item, console)
    return stream.getvalue()


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> int:
    """A terminal of twenty columns."""
    monkeypatch.setenv("COLUMNS", "20")
    return 20


@QUICK
@given(OUTPUTS, st.integers(1, 120))
def test_no_control_character_of_an_output_reaches_the_terminal(output: dict[str, Any], width: int) -> None:
    shown = show(output, *EVERY_BLOCK.blocks, width=width)

    assert CONTROLS.isdisjoint(shown)


@QUICK
@given(OUTPUTS)
def test_colours_are_the_only_controls_that_a_view_writes(output: dict[str, Any]) -> None:
    shown = show(output, *EVERY_BLOCK.blocks, color=True)

    assert all(code[0] == "[" for code in shown.split(ESCAPE)[1:])
    assert (CONTROLS - {ESCAPE}).isdisjoint(shown)


@QUICK
@given(WORDS, WORDS, st.lists(WORDS, min_size=1, max_size=4))
def test_every_field_that_a_view_names_appears(title: str, note: str, notes: list[str]) -> None:
    shown = show(
        {"title": title, "note": note, "notes": notes},
        Line("<{title}>"),
        Report({"note": "{note}"}),
        Each("notes", Line("{#}={_}")),
    ).splitlines()

    assert shown == [f"<{title}>", f"note  {note}", *(f"{at}={text}" for at, text in enumerate(notes, 1))]


@QUICK
@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=4), st.integers(20, 60))
def test_a_table_on_a_narrow_terminal_keeps_its_lines_in_the_width_and_its_names_whole(
    narrow: int, rows: list[tuple[str, str]], width: int
) -> None:
    del narrow
    cells = (Cell(Column("A", wraps=True), "{a}"), Cell(Column("Note", 1, wraps=True), "{b}"))

    shown = show({"rows": [{"a": a, "b": b} for a, b in rows]}, Table("rows", *cells), width=width)

    assert all(cell_len(line.rstrip()) <= width for line in shown.splitlines() if not line.startswith("no room"))
    letters = shown.replace("\n", "").replace(" ", "")
    assert sum(map(letters.count, "abcdefgh")) >= sum(len(a) for a, _ in rows)


def test_a_table_drops_the_column_of_the_highest_order_and_names_it(narrow: int) -> None:
    cells = (
        Cell(Column("Name"), "{name}"),
        Cell(Column("Size", 1), "{size}"),
        Cell(Column("Comment", 2), "{comment}"),
    )
    rows = [{"name": "kettle", "size": "large", "comment": "made of iron"}]

    shown = show({"rows": rows}, Table("rows", *cells), width=narrow)

    assert [line.split() for line in shown.splitlines()[:2]] == [["Name", "Size"], ["kettle", "large"]]
    assert " ".join(shown.split()[4:]) == "hidden at this width: Comment (--json shows them)"


@pytest.mark.parametrize("rows", [[], None])
def test_an_empty_list_prints_its_sentence_and_no_heading(rows: list[Any] | None) -> None:
    table = Table("rows", Cell(Column("Name"), "{name}"), empty="no cups")

    assert show({"rows": rows}, table) == "no cups\n"
    assert show({"rows": rows}, Each("rows", Line("{name}"), empty="no cups")) == "no cups\n"


def test_an_empty_list_without_a_sentence_prints_nothing() -> None:
    assert show({}, Each("rows", Line("{name}")), Table("rows", Cell(Column("Name"), "{name}"))) == ""


def test_a_table_without_headings_prints_only_its_rows() -> None:
    table = Table(lambda item: item["cups"][:1], Cell(Column("Name"), "{name}"), titled=False)

    assert show({"cups": [{"name": "blue"}, {"name": "red"}]}, table).split() == ["blue"]


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"hot": True}, "hot\nsteam\n"),
        ({"hot": False}, "cold\n"),
        ({}, "cold\n"),
        ({"hot": []}, "cold\n"),
    ],
)
def test_a_condition_chooses_between_blocks(item: dict[str, Any], expected: str) -> None:
    assert show(item, When("hot", Line("hot"), Line("steam"), otherwise=[Line("cold")])) == expected


def test_lines_parts_and_blanks_have_conditions() -> None:
    blocks = (Line("a", when="on"), Line("b", Part(" c", when="on"), Part(" d", when="!on")), Blank(when="on"))

    assert show({"on": 1}, *blocks) == "a\nb c\n\n"
    assert show({"on": 0}, *blocks) == "b d\n"


def test_a_line_whose_parts_are_all_absent_prints_nothing_not_even_what_stands_before_it() -> None:
    assert show({}, Line("{missing}", before="> ", apart=True)) == ""
    assert show({"missing": "here"}, Line("{missing}", before="> ", apart=True)) == "\n> here\n"


@pytest.mark.parametrize(
    ("overflow", "expected"),
    [("break", ["one two three four"]), ("wrap", ["one two ", "three four"]), ("cut", ["one two t…"])],
)
def test_a_long_line_is_broken_by_the_terminal_or_wrapped_or_cut(overflow: Any, expected: list[str]) -> None:
    assert show({}, Line("one two three four", overflow=overflow), width=10).splitlines() == expected


@QUICK
@given(st.integers(0, 8), st.integers(0, 8))
def test_a_list_prints_at_most_so_many_items_and_counts_the_rest(length: int, most: int) -> None:
    block = Each("cups", Line("{_}"), empty="none", most=most, more="{left} more")

    shown = show({"cups": list(range(1, length + 1))}, block).splitlines()

    printed = min(length, most) if most else length
    assert shown[:printed] == [str(number) for number in range(1, printed + 1)]
    assert shown[printed:] == ([f"{length - printed} more"] if printed < length else [] if length else ["none"])


def test_items_stand_apart_from_each_other_and_see_what_is_around_them() -> None:
    item = {"room": "kitchen", "cups": [{"name": "a", "spoons": [1, 2]}, {"name": "b", "spoons": []}]}
    inner = Each("spoons", Line("{^.name}{_} in {^.^.room}"), empty="no spoon in {name}")

    assert show(item, Each("cups", Line("{#} {name}"), inner, apart=True)).splitlines() == [
        *("1 a", "a1 in kitchen", "a2 in kitchen", "", "2 b", "no spoon in b")
    ]


def test_a_report_aligns_its_values_and_leaves_out_the_absent_ones() -> None:
    report = Report({"a": "{one}", "long": lambda item: str(item["two"]), "gone": "{three}"})

    assert [line.rstrip() for line in show({"one": "1", "two": 2}, report).splitlines()] == ["a     1", "long  2"]


def test_a_passage_keeps_its_lines_and_prints_each_text_of_a_list() -> None:
    assert show({"text": "a\r\nb\x07\n\n"}, Passage("text")) == "a\nb\\x07\n"
    assert show({"text": ["a", "b\nc"]}, Passage("text")) == "a\nb\nc\n"
    assert show({"text": None}, Passage("text")) == ""


def test_a_passage_is_wrapped_at_words_only_on_request() -> None:
    item = {"text": "one two three four"}

    assert show(item, Passage("text"), width=10) == "one two three four\n"
    assert show(item, Passage("text", wraps=True), width=10).split("\n") == ["one two ", "three four", ""]


def test_a_tree_is_indented_by_its_label() -> None:
    shown = show({"tree": {"a": 1, "b": {"c": [1]}}}, JsonTree("tree", label="in: "))

    assert shown.splitlines() == ["in: a: 1", "    b:", "      c: [1]"]
    assert show({"tree": {}}, JsonTree("tree")) == ""


def test_a_raw_text_is_neither_wrapped_nor_coloured() -> None:
    text = "[bold]" + "x" * 500

    assert show({}, Raw(lambda _: text), width=20, color=True) == text


def test_markup_in_an_output_is_shown_and_not_obeyed() -> None:
    assert show({"name": "[red]tea[/red] :tea:"}, Line("{name}")) == "[red]tea[/red] :tea:\n"


def test_a_part_has_its_own_style_or_that_of_its_line() -> None:
    line = Line("a", ("b", choose_style("state", {"bad": "red"})), style="green")

    assert show({"state": "bad"}, line, color=True) == "\x1b[32ma\x1b[0m\x1b[31mb\x1b[0m\n"
    assert show({"state": "good"}, line, color=True) == "\x1b[32ma\x1b[0mb\n"


def test_the_shared_lines_are_printed_only_where_their_field_is() -> None:
    assert show({"next_offset": 20, "note": "stale"}, MORE, NOTE) == "more: --offset 20\nstale\n"
    assert show({"next_offset": None, "note": ""}, MORE, NOTE) == ""
