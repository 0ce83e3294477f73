"""Chunking of real code: the standard library and click."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from aurora.memory.chunking.chunk import chunk_file

if TYPE_CHECKING:
    from aurora.memory.model.chunks import ChunkedFile

PACKAGES = {module.__name__: Path(str(module.__file__)).parent for module in (json, asyncio, click)}


def chunk_module(package: str, name: str) -> ChunkedFile:
    return chunk_file(name, "python", (PACKAGES[package] / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("package", PACKAGES)
def test_every_file_parses_and_every_line_is_in_a_piece(package: str) -> None:
    for path in sorted(PACKAGES[package].glob("*.py")):
        text = path.read_text(encoding="utf-8")
        found = chunk_file(path.name, "python", text)
        covered = {number for piece in found.pieces for number in range(piece.start_line, piece.end_line + 1)}
        assert found.parsed, path
        assert {number for number, line in enumerate(text.split("\n"), 1) if line.strip()} <= covered, path
        assert max((piece.end_line - piece.start_line for piece in found.pieces), default=0) < 200, path


@pytest.mark.parametrize(
    ("package", "name", "symbol", "kind"),
    [
        ("json", "decoder.py", "JSONDecoder", "class"),
        ("json", "decoder.py", "JSONDecoder.raw_decode", "method"),
        ("json", "decoder.py", "py_scanstring", "function"),
        ("json", "encoder.py", "JSONEncoder.iterencode", "method"),
        ("asyncio", "base_events.py", "BaseEventLoop.run_until_complete", "method"),
        ("asyncio", "queues.py", "Queue.put_nowait", "method"),
        ("asyncio", "tasks.py", "gather", "function"),
        ("click", "core.py", "Context.invoke", "method"),
        ("click", "core.py", "Command", "class"),
        ("click", "decorators.py", "option", "function"),
    ],
)
def test_a_known_symbol_is_a_piece_that_begins_with_its_definition(
    package: str, name: str, symbol: str, kind: str
) -> None:
    piece = next(piece for piece in chunk_module(package, name).pieces if piece.symbol == symbol)
    last = symbol.rsplit(".", 1)[-1]
    assert piece.kind == kind
    assert f" {last}" in piece.metadata["signature"]
    assert piece.metadata["signature"].split()[0] in {"def", "class", "async"}


def test_a_method_has_its_class_its_signature_and_its_docstring() -> None:
    piece = next(
        piece for piece in chunk_module("json", "decoder.py").pieces if piece.symbol == "JSONDecoder.raw_decode"
    )
    assert piece.metadata["parent"] == "JSONDecoder"
    assert piece.metadata["signature"] == "def raw_decode(self, s, idx=0)"
    assert piece.metadata["doc"].startswith("Decode a JSON document from ``s``")
    assert piece.text.strip().startswith("def raw_decode")
    assert piece.text.strip().endswith("return obj, end")
