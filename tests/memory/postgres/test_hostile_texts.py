"""Names and texts that a hostile clone contains are stored as the file of a memory stores them, or left out alike."""

from __future__ import annotations

import functools
import os
import random
import string
from typing import TYPE_CHECKING

import pytest

from aurora.errors import Code, Fault
from aurora.memory.maintenance import check_store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from aurora.memory import Memory

_LONG = "".join(random.Random(1).choices(string.ascii_letters, k=30_000))  # noqa: S311 - only as long, and not compressible


def write_tree(root: Path) -> None:
    """Write the files that a server could stumble over."""
    root.mkdir()
    deep = root
    for part in range(14):
        deep /= f"{_LONG[part * 240 : part * 240 + 240]}"
    deep.mkdir(parents=True)
    files = {
        "quotes'; DROP TABLE aurora.runs; --.py": "def f():\n    return 'one'\n",
        "percent_%s_$1_@chunks.py": "def at_chunks():\n    return '@chunks $1 %s'\n",
        "long_name.py": f"def {_LONG[:9000]}():\n    return {_LONG[9000:20_000]}()\n\nclass {_LONG[20_000:]}: pass\n",
        "long_word.md": f"# {_LONG}\n\n{_LONG}\n",
        "nul.md": "# Before\n\na\0b \x1a0 \x1a1 \x1a\n",
        "wide.md": "# \U0001f600 \u202e\ufeff\n\n\uffff \ud7ff text\n",
        "many.py": "".join(f"def f{n}(): return f{n + 1}()\n" for n in range(3000)),
    }
    for name, text in files.items():
        (root / name).write_text(text, encoding="utf-8")
    (deep / "deep.py").write_text("def deep(): pass\n", encoding="utf-8")
    with open(os.path.join(os.fsencode(root), b"half\xff\xed\xa0\x80.py"), "wb") as file:  # noqa: PTH118, PTH123 - bytes
        file.write(b"def half(): pass\n")


def test_a_hostile_tree_is_indexed_alike_in_a_file_and_in_a_server(
    file_memory: Memory, server_memory: Memory, tmp_path: Path
) -> None:
    root = tmp_path / "hostile"
    write_tree(root)
    reports = [memory.index(root) for memory in (file_memory, server_memory)]
    assert reports[0].files == reports[1].files + 1 > 5
    (long,) = set(reports[1].skipped) - set(reports[0].skipped)
    assert long.path.endswith("deep.py")
    assert long.detail == "its path has more than 1,000 bytes"
    kept = [chunk for chunk in file_memory.iter_chunks() if chunk.path != long.path]
    assert kept == list(server_memory.iter_chunks())
    for query in ("at_chunks", _LONG[:9000], _LONG, "before\0", '"a\0b"', "';--", "\U0001f600", "f17"):
        hits = [[hit.chunk for hit in memory.search(query).hits] for memory in (file_memory, server_memory)]
        assert [chunk for chunk in hits[0] if chunk.path != long.path] == hits[1][: len(hits[0])]
    assert check_store(server_memory.store) == ()


def answer(work: Callable[[], object]) -> object:
    """Return what a call returns, or the code of its fault."""
    try:
        return work()
    except Fault as fault:
        return fault.code
    except UnicodeEncodeError:  # no tool lets such a text through to a file, either
        return Code.INVALID_INPUT


@pytest.mark.parametrize("text", ["\ud800 half", "a\0b", "'; DROP TABLE runs; --", "$1", "%s", _LONG])
def test_a_text_of_a_caller_is_answered_by_a_server_as_by_a_file(
    file_memory: Memory, server_memory: Memory, text: str
) -> None:
    for work in (
        lambda memory: memory.remember(type="know", kind="fact", symbol=text, text=f"{text} is.", metadata={"t": text}),
        lambda memory: [chunk.text for chunk in memory.iter_chunks()],
        lambda memory: memory.get([text]),
        lambda memory: memory.find_missing([text]),
        lambda memory: memory.record_use([text]),
        lambda memory: memory.search(text),
        lambda memory: memory.search(f'"{text}"'),
        lambda memory: memory.graph.find(text),
        lambda memory: memory.journal.create("run", "soar", {"q": text}, [("assess", {"q": text})]),
        lambda memory: [step.document for step in memory.journal.steps("run")],
        lambda memory: len(memory.journal.runs(5, text=text)),
        lambda memory: memory.has_path(text),
    ):
        given = [answer(functools.partial(work, memory)) for memory in (file_memory, server_memory)]
        assert given[0] == given[1] or given[1] is Code.INVALID_INPUT
