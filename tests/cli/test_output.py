"""Lines, tables and values at the terminal: on any width, and without a control that a text could bring."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from aurora.cli.output import Column, Output
from aurora.cli.render.printer import SHAPES, SUCCESS_CHECKS, VIEW_MODULES, Shape, find_view, print_generic, to_fields
from aurora.tools.runtime.dispatch import get_registry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Aur = Callable[..., Any]
Terminal = Callable[..., tuple[int, str]]

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
CONTROLS = {chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))} - {"\n"}
HOSTILE = st.text(st.one_of(st.sampled_from([*sorted(CONTROLS), "\n", "\u202e", "\u2028", "[", "é"]), st.characters()))
PLAIN = Shape()
QUICK = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
OUTPUTS = st.fixed_dictionaries(
    {
        "title": HOSTILE,
        "note": HOSTILE,
        "path": HOSTILE,
        "names": st.lists(HOSTILE, max_size=3),
        "rows": st.lists(st.fixed_dictionaries({"name": HOSTILE, "text": HOSTILE}), max_size=3),
        "counts": st.dictionaries(HOSTILE, st.integers(), max_size=3),
        "problems": st.lists(st.fixed_dictionaries({"message": HOSTILE, "help": HOSTILE}), max_size=2),
    }
)


@pytest.fixture
def columns(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Set the width of the terminal."""
    with monkeypatch.context() as patch:
        yield lambda width: patch.setenv("COLUMNS", str(width))


def show(output: dict[str, Any]) -> str:
    stream = StringIO()
    out = Output(stream)
    print_generic(to_fields(output), out, PLAIN)
    out.tree(output)
    out.line(*map(str, output.values()), cut=True)
    return stream.getvalue()


def print_only(output: dict[str, Any], shape: Shape) -> list[str]:
    stream = StringIO()
    print_generic(to_fields(output), Output(stream), shape)
    return stream.getvalue().splitlines()


@QUICK
@given(OUTPUTS, st.integers(1, 120))
def test_no_control_character_of_an_output_reaches_the_terminal(
    columns: Callable[[int], None], output: dict[str, Any], width: int
) -> None:
    columns(width)

    assert CONTROLS.isdisjoint(show(output))


@QUICK
@given(OUTPUTS)
def test_colours_are_the_only_controls_that_are_written(output: dict[str, Any]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FORCE_COLOR", "1")
        patch.setenv("TERM", "xterm")
        shown = show(output)

    assert CONTROLS.isdisjoint(_CONTROL.sub("", shown))


@given(st.lists(st.text("ab 東茶é\u0301"), max_size=4), st.integers(5, 40))
def test_a_line_that_is_cut_is_as_long_as_the_screen_allows(texts: list[str], width: int) -> None:
    stream = StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        Output(stream).line(*texts, cut=True)
    whole, shown = "".join(texts), stream.getvalue().removesuffix("\n")

    assert cell_len(shown) <= width
    if cell_len(whole) <= width:
        assert shown == whole
    else:
        kept = shown.removesuffix("…")
        assert whole.startswith(kept)
        assert cell_len(kept) >= width - 2, "a wide character may leave one column"


@QUICK
@given(st.lists(st.tuples(st.text("ab 東é", max_size=40), st.text("cd", max_size=40)), min_size=1), st.integers(20, 60))
def test_a_table_stays_within_the_width_and_loses_no_letter_of_a_column_that_stays(
    columns: Callable[[int], None], rows: list[tuple[str, str]], width: int
) -> None:
    columns(width)
    stream = StringIO()

    Output(stream).table([Column("A", wraps=True), Column("B", 1, wraps=True)], rows)

    shown = stream.getvalue()
    assert all(cell_len(line) <= width for line in shown.splitlines())
    assert [shown.count(letter) for letter in "ab東"] >= [
        "".join(a for a, _ in rows).count(letter) for letter in "ab東"
    ]


def test_an_object_is_lines_a_list_of_objects_is_a_table_and_notes_come_last() -> None:
    output = {
        "made_at": "2026-03-04T05:06:07Z",
        "note": "stale",
        "size_bytes": 1_430_000,
        "by": {"name": "Ada", "trusted": True},
        "kinds": {"calls": 2, "imports": 1},
        "nothing": None,
        "rows": [{"path": "a\nb.py", "lines": "1-2", "words": ["x", "y"], "seconds": 1.5}],
        "next_offset": 20,
    }

    assert print_only(output, PLAIN) == [
        "made at  2026-03-04 05:06:07",
        "size     1.4 MB",
        "name     Ada",
        "trusted  yes",
        "kinds    calls 2, imports 1",
        "place        words  seconds",
        r"a\nb.py:1-2  x, y      1.50",
        "stale",
        "more: --offset 20",
    ]


def test_a_shape_has_a_sentence_columns_a_sentence_for_an_empty_list_and_a_hint() -> None:
    shape = Shape(head="of {room}", columns="name", empty="no cups in {room}", hint="pour")

    assert print_only({"room": "hall", "cups": [{"size": 1, "name": "a"}]}, shape) == [
        "of hall",
        "name",
        "a",
        "pour",
    ]
    assert print_only({"room": "hall", "cups": []}, shape) == ["of hall", "no cups in hall"]


def test_every_view_shape_and_success_check_belongs_to_a_tool() -> None:
    names = set(get_registry().names())

    assert {*SHAPES, *SUCCESS_CHECKS} <= names
    assert {tool.partition(".")[0] for tool in names} >= set(VIEW_MODULES)
    assert not [tool for tool in SHAPES if find_view(tool)]


@pytest.mark.parametrize("tool", sorted(SHAPES))
def test_every_column_of_a_shape_is_a_field_of_its_tool(tool: str) -> None:
    declared = str(get_registry().find(tool).output.model_json_schema())

    assert [name for name in SHAPES[tool].columns.split() if name != "place" and f"'{name}':" not in declared] == []


@pytest.mark.parametrize(
    ("env", "coloured"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ],
)
def test_a_terminal_is_coloured_where_it_wants_to_be(
    terminal: Terminal, env: dict[str, str], *, coloured: bool
) -> None:
    code, shown = terminal("workflow", "list", env=env)

    assert code == 0
    assert "soar" in shown
    assert bool(_CONTROL.search(shown)) is coloured


@pytest.mark.parametrize("forced", [True, False])
def test_a_pipe_has_colours_only_when_they_are_forced(aur: Aur, *, forced: bool) -> None:
    done = aur("workflow", "list", env={"FORCE_COLOR": "1"} if forced else {})

    assert ("\x1b[" in done.stdout) is forced


def test_a_preview_ends_at_the_edge_of_the_screen(terminal: Terminal, aur: Aur, project: Path) -> None:
    (project / "tee.py").write_text(f'def brew_tea():\n    return "{"お茶" * 60}"\n', encoding="utf-8")
    aur("mem", "index")

    _, shown = terminal("mem", "search", "brew tea", env={"COLUMNS": "40", "TERM": "xterm-256color"})

    previews = [line for line in _CONTROL.sub("", shown).replace("\r", "").splitlines() if line.startswith("    ")]
    assert any("…" in line for line in previews)
    assert max(map(cell_len, previews)) <= 40


KNOWN = {
    "action": "edit",
    "change": "added",
    "decision": [],
    "direction": "out",
    "kind": "next_action",
    "next": "end",
    "risk": "read",
    "severity": "error",
    "sign": "added",
    "status": "ended",
}
"""Field -> one of its values, where the schema says only that it is a text."""
STATUSES = {"doctor": "pass", "init": "pass", "workflow.test": "passed", "jobs.run": "ended"}


def build_smallest(schema: dict[str, Any], defs: dict[str, Any], name: str = "") -> Any:
    """Build a value of a schema without anything that may be absent; a list has one item."""
    if "$ref" in schema:
        return build_smallest(defs[schema["$ref"].rpartition("/")[2]], defs, name)
    if "enum" in schema or "const" in schema or (name in KNOWN and schema.get("type") == "string"):
        return schema.get("const", schema.get("enum", [KNOWN.get(name)])[0])
    if "anyOf" in schema:
        return build_smallest(schema["anyOf"][-1], defs, name)
    if schema.get("type") == "array":
        return [build_smallest(schema.get("items", {}), defs, name)]
    if schema.get("type") == "object":
        fields = schema.get("properties", {})
        return {key: build_smallest(fields[key], defs, key) for key in schema.get("required", ())}
    return {"string": "", "integer": 0, "number": 0.0, "boolean": False}.get(schema.get("type", ""))


@pytest.mark.parametrize("tool", sorted(name for name in get_registry().names() if get_registry().find(name).command))
def test_every_output_is_shown_without_what_may_be_absent(tool: str) -> None:
    schema = get_registry().find(tool).output.model_json_schema(mode="serialization")
    KNOWN["status"] = next((status for start, status in STATUSES.items() if tool.startswith(start)), "ended")
    KNOWN["kind"] = "phase" if tool == "workflow.simulate" else "next_action"
    output = to_fields(build_smallest(schema, schema.get("$defs", {})))

    view = find_view(tool)
    if view is None:
        print_generic(output, Output(StringIO()), SHAPES.get(tool, PLAIN))
    else:
        view(output, Output(StringIO()))
