"""A search in a server ranks as one in a file: same chunks, same scores, over real code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory import Memory

_KEPT = 3
QUESTIONS = (
    "where is a document decoded",
    "JSONDecoder.raw_decode",
    "cookie policy",
    "how does a server answer a HEAD request",
    "read chunked response",
    "parse an option string",
    "colors in the terminal",
    '"Invalid control character" scanner',
    "encode NaN",
    "status codes",
    "prompt for a password",
    "context",
    "MozillaCookieJar expired",
    "shell completion for zsh",
    "progress bar",
)


@pytest.fixture
def both(file_memory: Memory, server_memory: Memory, library: Path) -> tuple[Memory, Memory]:
    """The same code, and the same facts, in a file and in a server."""
    for memory in (file_memory, server_memory):
        memory.index(library)
        for n in range(_KEPT):
            memory.remember(
                type="know", kind="fact", symbol=f"Rule {n}", text=f"Cookies of rule {n} expire.", metadata={}
            )
    return file_memory, server_memory


@pytest.mark.requirement("aura-36")
def test_both_rank_the_same_chunks_with_the_same_scores(both: tuple[Memory, Memory]) -> None:
    for warm in (False, True):
        for question in QUESTIONS:
            in_file, in_server = (memory.search(question, limit=20) for memory in both)
            assert in_file == in_server
            assert in_file.hits
        for options in ({"types": ("know",)}, {"path_glob": "json/"}, {"kinds": ("method",)}, {"embeddings": False}):
            in_file, in_server = (memory.search("decode a cookie", **options) for memory in both)  # type: ignore[arg-type]
            assert in_file == in_server
        if not warm:
            for memory in both:
                memory.warm_up()  # from now on, vectors of code are in memory, too


def test_both_link_the_same_graph(both: tuple[Memory, Memory]) -> None:
    for name in ("JSONDecoder", "CookieJar", "Context", "raw_decode", "style"):
        in_file, in_server = (memory.graph.find(name) for memory in both)
        assert in_file == in_server
        assert in_file
        assert both[0].graph.count_links(in_file[0]) == both[1].graph.count_links(in_file[0])
