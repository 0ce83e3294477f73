"""An export is the same bytes for the same memory, and an import takes all of it over or nothing."""

from __future__ import annotations

import json
import random
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.errors import Code, Fault
from aurora.memory import Memory
from aurora.memory import usage as access
from aurora.memory.records import undo
from aurora.memory.records.export import export_records, read_lines, write_export
from aurora.memory.records.import_ import ImportResult, import_records
from aurora.memory.sqlite.backup import backup

LEAK = "AKIA" + "Q3EGRD7XV5TZLMNP"  # in two parts, or this file would be one that holds a secret
AT = "2026-01-31T12:00:00Z"
HEAD = '{"aurora":"memory","version":1}'
FACT = '{"record":"chunk","type":"know","text":"alpha"}'


def fill(memory: Memory) -> None:
    for n in range(6):
        id_, _ = memory.remember(
            type="know" if n % 2 else "reas", kind="fact", symbol=f"s{n}", text=f"text {n} é", metadata={"z": [n, 0.1]}
        )
        for at in range(n):
            access.record_use(memory.store, [id_], 1e9 + at / 3)
    for run in ("k3f9", "a111"):
        memory.journal.create(run, "soar", {"b": 1, "a": 0.30000000000000004}, [("assess", {"z": "\ud800", "a": 2})])
        memory.journal.append(run, 2, [("retrieve", {"chunks": []})], {"b": 2})


def take(memory: Memory, *said: str | bytes) -> ImportResult:
    raw = [one if isinstance(one, bytes) else one.encode() for one in said]
    return import_records(memory.store, [one + b"\n" for one in raw], '"it"')


def test_an_import_into_an_empty_memory_exports_the_same_bytes(memory: Memory, tmp_path: Path) -> None:
    fill(memory)
    text = export_records(memory.store).to_text()
    assert text == export_records(memory.store).to_text()
    with Memory.open(tmp_path / "other.db") as other:
        done = take(other, *text.splitlines())
        assert (done.records, done.runs, done.accesses) == (6, 2, 15)
        assert export_records(other.store).to_text() == text
        assert [row.run for row in other.journal.runs(9)] == [row.run for row in memory.journal.runs(9)]
        assert len(other.search("text").hits) == 6


texts = st.text(max_size=30)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
documents = st.dictionaries(texts, values, max_size=4)


@settings(max_examples=15)
@given(
    st.lists(st.tuples(st.sampled_from(["know", "reas"]), texts, texts.filter(str.strip), documents), max_size=4),
    st.lists(documents, max_size=3),
    st.lists(st.floats(0, 1e10), max_size=60),
)
def test_any_content_survives_export_and_import(
    facts: list[tuple[str, str, str, dict[str, object]]], steps: list[dict[str, object]], times: list[float]
) -> None:
    with (
        TemporaryDirectory() as folder,
        Memory.open(Path(folder, "one.db")) as one,
        Memory.open(Path(folder, "two.db")) as two,
    ):
        for type_, symbol, text, metadata in facts:
            id_, _ = one.remember(type=type_, kind="fact", symbol=symbol, text=text, metadata=metadata)
            for at in times:
                access.record_use(one.store, [id_], at)
        if steps:
            one.journal.create("r1", "soar", {}, [("p", step) for step in steps])
        told = export_records(one.store)
        assert not told.withheld
        take(two, *told.lines)
        assert export_records(two.store).lines == told.lines
        assert take(two, *told.lines).backup is None


def test_a_repeated_import_changes_nothing_and_undo_reverts_the_first(memory: Memory, tmp_path: Path) -> None:
    fill(memory)
    lines_ = export_records(memory.store).lines
    with Memory.open(tmp_path / "other" / "memory.db") as other:
        other.remember(type="know", kind="fact", symbol="", text="own", metadata={})
        id_, _ = other.remember(type="reas", kind="fact", symbol="s0", text="text 0 é", metadata={"own": True})
        for at in range(access.MAX_USES):
            access.record_use(other.store, [id_], 2e9 + at)
        before = export_records(other.store).lines
        first = take(other, HEAD, *lines_[1:], '{"record":"accesses","id":"code:000000000000","at":[5]}')
        assert (first.records, first.records_known) == (5, 1)
        assert first.backup in {each.name for each in backup.list_backups(other.path)}
        second = take(other, *lines_)
        assert (second.records, second.runs, second.accesses, second.backup) == (0, 0, 0, None)
        undo.undo_last(other.store)
        assert export_records(other.store).lines == before


def test_a_run_that_differs_is_unchanged_and_reported(memory: Memory) -> None:
    fill(memory)
    lines_ = export_records(memory.store).lines
    memory.journal.append("k3f9", 3, [("answer", {"x": 1})], {"b": 3})
    done = take(memory, *lines_)
    assert (done.differing, done.runs, done.runs_known) == (("k3f9",), 0, 1)
    assert len(memory.journal.steps("k3f9")) == 3


def test_a_continued_run_stays_when_its_import_is_undone(memory: Memory, tmp_path: Path) -> None:
    fill(memory)
    with Memory.open(tmp_path / "other.db") as other:
        take(other, *export_records(memory.store).lines)
        other.journal.append("k3f9", 3, [("answer", {})], {})
        assert undo.undo_last(other.store).runs_left == ("k3f9",)
        assert [row.run for row in other.journal.runs(9)] == ["k3f9"]


def test_a_secret_is_neither_exported_nor_imported(memory: Memory) -> None:
    memory.remember(type="know", kind="fact", symbol="ok", text="fine", metadata={})
    bad, _ = memory.remember(type="know", kind="fact", symbol="key", text=f"the key is {LEAK}", metadata={})
    deep, _ = memory.remember(type="know", kind="fact", symbol="d", text="deep", metadata={"a": [{"b": LEAK}]})
    named, _ = memory.remember(
        type="know", kind="fact", symbol="n", text="n", metadata={"password": "hT7kQ2vL9xWp3ZbR"}
    )
    memory.record_use([bad])
    memory.journal.create("r1", "soar", {}, [("a", {}), ("b", {"result": f"use {LEAK}"})])
    told = export_records(memory.store)
    assert {one.id for one in told.withheld} == {bad, deep, named, "r1"}
    assert LEAK not in told.to_text()
    assert "hT7kQ2vL9xWp3ZbR" not in told.to_text()
    assert (told.counts["chunk"], told.counts["run"], told.counts["step"], told.counts["accesses"]) == (1, 0, 0, 0)
    with pytest.raises(Fault, match="line 2: it contains an AWS access key") as caught:
        take(memory, HEAD, json.dumps({"record": "chunk", "type": "know", "text": LEAK}))
    assert LEAK not in str(caught.value.to_json())


def test_chunks_of_files_are_exported_on_request_and_skipped_by_an_import(
    memory: Memory, library: Path, tmp_path: Path
) -> None:
    memory.index(library)
    fill(memory)
    told = export_records(memory.store, code=True)
    assert told.counts["code"] == sum(memory.stats().chunks.values()) - 6
    with Memory.open(tmp_path / "other.db") as other:
        assert take(other, *told.lines).passed_over == told.counts["code"]
        assert export_records(other.store).to_text() == export_records(memory.store).to_text()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ([], "line 1: the file is empty"),
        (["hello"], "line 1: it is not JSON"),
        (['{"aurora":"workflow"}'], "line 1: this is not an export"),
        ([HEAD, "[1]"], "line 2: it is a list where an object was expected"),
        ([HEAD, FACT, "", "{"], "line 4: it is not JSON"),
        ([HEAD, b'{"record":"chunk","text":"\xff"}'], "line 2: byte 0xff is not UTF-8"),
        ([HEAD, b'{"record":"chunk","text":"\x00"}'], "line 2: it is not JSON"),
        ([HEAD, FACT, FACT], 'line 3: "know:[0-9a-f]{12}" is a duplicate of line 2'),
        ([HEAD, '{"record":"chunc"}'], 'there is no record "chunc"; did you mean "chunk"'),
        ([HEAD, '{"record":7}'], '"record" must be one of'),
        ([HEAD, '{"record":"chunk","type":"know"}'], 'a "chunk" has no "text"'),
        ([HEAD, '{"record":"chunk","type":"know","text":7}'], '"text" must be a text, and is a whole number'),
        ([HEAD, '{"record":"chunk","type":"no","text":"x"}'], 'there is no chunk type "no"'),
        ([HEAD, '{"record":"chunk","type":"know","text":" "}'], '"text" is empty'),
        ([HEAD, '{"record":"chunk","type":"know","text":"\\ud800"}'], "a lone surrogate"),
        ([HEAD, '{"record":"chunk","type":"know","text":"x","id":"know:0"}'], "does not match the record"),
        ([HEAD, '{"record":"chunk","type":"know","text":"x","colour":1}'], 'unexpected key "colour"'),
        ([HEAD, '{"record":"chunk","type":"know","text":"x","at":NaN}'], "NaN is not a number"),
        ([HEAD, '{"record":"chunk","type":"know","text":"x","metadata":{"a":1e999}}'], '"metadata": this document'),
        ([HEAD, '{"record":"accesses","id":"x","at":[true]}'], '"at" must be a number, and is true or false'),
        ([HEAD, f'{{"record":"accesses","id":"x","at":[{"9" * 400}]}}'], '"at" is not a finite time'),
        ([HEAD, f'{{"record":"accesses","id":"x","at":[{"9" * 5000}]}}'], "line 2: it is not JSON"),
        ([HEAD, "[" * 100_000], "nested more than 500 deep"),
        ([HEAD, '{"a":' * 700 + "1" + "}" * 700], "nested more than 500 deep"),
        ([HEAD, '{"record":"step","run":"r","seq":1,"phase":"p","at":"","document":{}}'], "no line above contains"),
        (
            [
                HEAD,
                f'{{"record":"run","run":"r","workflow":"w","created_at":"{AT}","updated_at":"{AT}","document":{{}}}}',
                '{"record":"step","run":"r","seq":2,"phase":"p","at":"","document":{}}',
            ],
            "line 2: the steps of run",
        ),
        (['{"aurora":"memory","version":1,"lines":2}', FACT], "says 2 lines, but 1 follow"),
    ],
)
def test_an_invalid_line_is_reported_by_number_and_nothing_is_imported(
    memory: Memory, said: list[str | bytes], told: str
) -> None:
    with pytest.raises(Fault, match=told) as caught:
        take(memory, *said)
    assert caught.value.code is Code.INVALID_INPUT
    assert export_records(memory.store).to_text().count("\n") == 1
    assert not backup.list_backups(memory.path)


def test_all_invalid_lines_are_reported_at_once(memory: Memory) -> None:
    with pytest.raises(Fault, match=r"line 3: .*; line 4: .*; line 6: .*; and 27 more") as caught:
        take(memory, HEAD, FACT, "{", "[]", FACT.replace("alpha", "beta"), *["x"] * 28)
    assert len(caught.value.details["problems"]) == 20
    assert caught.value.details["more"] == 10


def test_an_export_of_a_newer_aurora_is_rejected(memory: Memory) -> None:
    with pytest.raises(Fault, match="has version 2, and this Aurora supports versions up to 1") as caught:
        take(memory, '{"aurora":"memory","version":2}', '{"record":"dream"}')
    assert caught.value.code is Code.CONFLICT


def test_a_truncated_export_is_never_partly_imported(memory: Memory, tmp_path: Path) -> None:
    fill(memory)
    text = export_records(memory.store).to_text().encode()
    draw = random.Random(3)  # noqa: S311 - places, not secrets
    with Memory.open(tmp_path / "other.db") as other:
        for _ in range(20):
            cut = text[: draw.randrange(len(text) - 1)]
            with pytest.raises(Fault) as caught:
                take(other, *cut.splitlines())
            assert caught.value.code is Code.INVALID_INPUT
        assert export_records(other.store).counts["chunk"] == 0


def test_an_export_overwrites_only_an_export(tmp_path: Path) -> None:
    target = tmp_path / "memory.jsonl"
    for text in (f"{HEAD}\n", f"{HEAD}\n{FACT}\n"):
        write_export(target, text)
        assert target.read_text() == text
    (tmp_path / "notes.txt").write_text("mine")
    for name, code in {"notes.txt": Code.CONFLICT, ".": Code.INVALID_INPUT, "no/where": Code.NOT_FOUND}.items():
        with pytest.raises(Fault) as caught:
            write_export(tmp_path / name, "x")
        assert caught.value.code is code
    assert sorted(each.name for each in tmp_path.iterdir()) == ["memory.jsonl", "notes.txt"]
    assert (tmp_path / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "code"), [(".", Code.INVALID_INPUT), ("gone", Code.NOT_FOUND), ("\0", Code.FORBIDDEN)]
)
def test_a_path_that_is_not_a_regular_file_is_rejected(tmp_path: Path, name: str, code: Code) -> None:
    with pytest.raises(Fault) as caught:
        list(read_lines(tmp_path / name))
    assert caught.value.code is code


def test_an_export_in_the_project_is_not_indexed(memory: Memory, tmp_path: Path) -> None:
    fill(memory)
    root = tmp_path / "project"
    for name in ("memory.jsonl", "backup.txt"):
        write_export(root / name, export_records(memory.store).to_text())
    report = memory.index(root)
    assert report.added == 0
    assert {(one.path, one.reason) for one in report.skipped} == {
        ("memory.jsonl", "generated"),
        ("backup.txt", "generated"),
    }


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"symbol": "heron " * 20_000}, '"symbol" is longer than 200 characters'),
        ({"kind": "k" * 201}, '"kind" is longer than 200 characters'),
        ({"metadata": {"tags": ["t"] * 1_001}}, '"tags" has more than 1,000 members'),
        ({"metadata": {"sources": ["s" * 501]}}, 'a member of "sources" is longer than 500 characters'),
    ],
)
def test_an_import_has_the_limits_of_a_fact_that_is_added(memory: Memory, fields: dict[str, object], told: str) -> None:
    line = {"record": "chunk", "type": "know", "text": "alpha", **fields}
    with pytest.raises(Fault, match=f"line 2: {told}") as caught:
        take(memory, HEAD, json.dumps(line))
    assert caught.value.code is Code.INVALID_INPUT
