"""The definition and the line of a byte, and its decoded text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.memory.graph.documents import decode_piece, find_line_numbers, index_owners
from aurora.memory.parsing.grammar import parse_source
from aurora.memory.parsing.languages import load_language
from aurora.memory.parsing.outline import build_outline

_LINES = (
    "class A:",
    "    def f(self): return self.g()",
    "    class B:",
    "        def g(self): pass",
    "@made",
    "def top(x: int):",
    "    def inner(): return x",
    "NAME = other = call()",
    "if x:",
    "    LATE: int = 1",
    "# größer \U0001f600",
    "class Größe(Basis): pass",
    "def " + "long" * 60 + "(): pass",
    ")) broken ((",
    "",
)
_SOURCES = st.lists(st.sampled_from(_LINES), max_size=12).map(lambda lines: "\n".join(lines).encode())


@settings(max_examples=50)
@given(source=_SOURCES)
def test_each_byte_belongs_to_the_innermost_definition_around_it(source: bytes) -> None:
    tree = parse_source(load_language("python").grammar, source)
    assert tree is not None
    found = build_outline(tree.root_node, load_language("python").outline, source).definitions
    owner = index_owners(found)
    for at in range(len(source) + 1):
        around = [n for n, each in enumerate(found, 1) if each.node.start_byte <= at < each.node.end_byte]
        assert owner(at) == (around[-1] if around else 0)


@settings(max_examples=50)
@given(
    source=st.one_of(_SOURCES, st.binary(max_size=40), st.text(max_size=40).map(lambda s: s.encode("utf-8", "replace")))
)
def test_the_line_of_a_byte_counts_the_line_breaks_before_it(source: bytes) -> None:
    places = list(range(len(source)))
    assert find_line_numbers(source, places) == [source[: at + 1].count(b"\n") + 1 for at in places]


@settings(max_examples=50)
@given(
    source=st.one_of(st.binary(max_size=40), st.text(max_size=40).map(lambda s: s.encode("utf-8", "replace"))),
    cut=st.slices(40),
)
def test_a_piece_of_the_latin_1_text_decodes_like_the_bytes(source: bytes, cut: slice) -> None:
    assert decode_piece(source.decode("latin-1")[cut]) == source[cut].decode("utf-8", "replace")
