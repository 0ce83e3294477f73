"""Nesting of thousands of levels, in every language that is parsed: indexed, found by its words, and in good time."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from aurora.memory.maintenance.check import check_memory
from aurora.memory.parsing.languages.registry import LANGUAGES, load_language

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory import Memory

ENDS = {
    **{name: load_language(name).extensions[0].removeprefix(".") for name in LANGUAGES},
    "json": "json",
    "yaml": "yaml",
    "toml": "toml",
    "html": "html",
    "markdown": "md",
    "rst": "rst",
    "text": "txt",
}
DEEP = 2_000
SHAPES = {
    "brackets": "zanzibar\n" + "[\n" * DEEP + "]\n" * DEEP,
    "blocks": "zanzibar\n" + "{\n" * DEEP + "}\n" * DEEP,
    "unclosed": "zanzibar\n" + "(\n" * DEEP * 6,
    "objects": '{"zanzibar":\n' + '{"a":\n' * DEEP + "1\n" + "}\n" * DEEP + "}",
    "calls": "zanzibar = " + "f(\n" * DEEP + ")\n" * DEEP,
    "conditions": "zanzibar = " + "a ?\n" * DEEP + "1\n" + ": 2\n" * DEEP,
    "classes": "zanzibar\n" + "class A {\n" * DEEP + "}\n" * DEEP,
    "modules": "zanzibar\n" + "module A\n" * DEEP + "end\n" * DEEP,
    "lists": "zanzibar\n" + "\n".join("  " * depth + "- a" for depth in range(240)) + "\n" + "- " * 240,
    "quotes": "zanzibar\n" + "> " * 240 + "a\n" + ">\n" * DEEP,
    "tags": "zanzibar\n" + "<div>\n" * DEEP + "</div>\n" * DEEP,
    "headings": "zanzibar\n\n" + "".join(f"{'#' * (n % 7 + 1)} h\n\nwords\n\n" for n in range(DEEP // 4)),
    "indented": "zanzibar = 1\n" + "\n".join(" " * depth + "if x:" for depth in range(490)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_deep_nesting_is_indexed_in_every_language_and_the_file_beside_it_too(
    tmp_path: Path, memory: Memory, shape: str
) -> None:
    project = tmp_path / "deep"
    project.mkdir()
    for end in ENDS.values():
        (project / f"deep.{end}").write_text(SHAPES[shape], encoding="utf-8")
    (project / "sound.py").write_text("def sound():\n    return 'zanzibar'\n", encoding="utf-8")
    report = memory.index(project)
    assert report.skipped == ()
    found = memory.search("zanzibar", limit=60)
    assert {hit.chunk.path for hit in found.hits} >= {"sound.py"}
    for end in ENDS.values():
        assert memory.search("zanzibar", path_glob=f"deep.{end}").hits
    assert memory.index(project).unchanged == report.files
    assert check_memory(memory.path) == ()


HALF_A_MEGABYTE = """
import sys
from aurora.memory.chunking.chunk import chunk_file

for text in ("(" * 500_000, "x = " + "!" * 500_000 + "1", "{\\n" * 250_000):
    chunked = chunk_file("any", sys.argv[1], text)
    assert chunked.pieces
    print(len(chunked.graph.defs) if chunked.graph else "lines", flush=True)
"""


@pytest.mark.parametrize("language", ["python", "rust", "c"])
def test_half_a_megabyte_of_open_brackets_neither_hangs_nor_ends_the_process(language: str) -> None:
    # Before errors of that size were left out of the graph this took many minutes: the limit tells a hang from work.
    done = subprocess.run(
        [sys.executable, "-c", HALF_A_MEGABYTE, language], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.split()) == 3
