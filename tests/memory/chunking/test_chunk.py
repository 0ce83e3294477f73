"""Invariants of chunking for any text in any language, valid or broken."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.memory.chunking.chunk import chunk_file
from aurora.memory.chunking.windows import MAX_CHARS
from aurora.memory.parsing.languages.registry import LANGUAGES

if TYPE_CHECKING:
    from aurora.memory.model.chunks import ChunkedFile

ALL_LANGUAGES = [*LANGUAGES, "yaml", "plain", "markdown", "rst", "text"]
LINES = st.sampled_from(
    [
        "class A:",
        "class B {",
        "  class Inner {",
        "def f(a, b):",
        "    def g(self):",
        "        return 1",
        "function h() {",
        "  int m(int a) { return a; }",
        "func (s *S) T() error {",
        "fn z<'a>(x: &'a str) -> u8 {",
        "impl<T> Foo for Bar<T> {",
        "module M",
        "end",
        "}",
        "  }",
        "});",
        "X = 1",
        "const Y = 2;",
        "import os",
        "#include <a.h>",
        "#if X",
        "#endif",
        "@decorator",
        "#[derive(Debug)]",
        "// comment",
        "# Heading",
        "## Sub",
        "=====",
        "-----",
        "```",
        "~~~~",
        "---",
        "/* open",
        "*/",
        '"""',
        "'",
        "`${",
        "",
        "   ",
        "\t",
        "\x0c",
        "é ü 漢字",
        "a\u2028b",
        "c\x0bd\x85e",
        "\x00",
        "\r",
        "x\r",
        "\ud800",
        "<<A",
        "template <typename T>",
        "namespace a::b {",
        "export default class {",
        "=begin",
        "=end",
    ]
)
TEXTS = st.one_of(st.lists(LINES, max_size=200).map("\n".join), st.text(max_size=400))


def assert_covers_all_lines(text: str, chunked: ChunkedFile) -> None:
    """Every line that is not blank is in a piece, and every piece is lines of the file."""
    lines = text.split("\n")
    covered: set[int] = set()
    for piece in chunked.pieces:
        assert 1 <= piece.start_line <= piece.end_line <= len(lines)
        mine = [line.removesuffix("\r") for line in lines[piece.start_line - 1 : piece.end_line]]
        assert piece.text == "\n".join(mine)
        assert piece.kind
        json.dumps(dict(piece.metadata))
        covered.update(range(piece.start_line, piece.end_line + 1))
    assert {number for number, line in enumerate(lines, 1) if line.strip()} <= covered
    starts = [piece.start_line for piece in chunked.pieces]
    assert starts == sorted(starts)


@settings(max_examples=60)
@given(text=TEXTS, language=st.sampled_from(ALL_LANGUAGES))
def test_no_line_is_lost_and_no_piece_leaves_the_file(text: str, language: str) -> None:
    assert_covers_all_lines(text, chunk_file("any", language, text))


@settings(max_examples=25)
@given(text=TEXTS, language=st.sampled_from(ALL_LANGUAGES))
def test_the_same_text_gives_the_same_pieces(text: str, language: str) -> None:
    assert chunk_file("a", language, text) == chunk_file("a", language, text)
    assert chunk_file("a", language, text).pieces == chunk_file("b", language, text).pieces


@settings(max_examples=25)
@given(text=st.lists(LINES.filter(lambda line: "\r" not in line), max_size=100).map("\n".join))
def test_carriage_returns_change_no_piece_of_code_or_prose(text: str) -> None:
    for language in ("python", "markdown", "yaml"):
        unix, windows = chunk_file("a", language, text), chunk_file("a", language, text.replace("\n", "\r\n"))
        assert [(p.symbol, p.start_line, p.text) for p in windows.pieces] == [
            (p.symbol, p.start_line, p.text) for p in unix.pieces
        ]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "text",
    [
        "(" * 50_000,
        "{\n" * 20_000,
        '"' * 20_000,
        "class A {\n" * 5_000,
        "`${" * 5_000,
        "def f(): pass; " * 3_000,
        "int " + "*" * 20_000 + "x;",
        "\ud800 = 1\n" * 50,
        "\n".join(" " * depth + "if x:" for depth in range(900)),
    ],
    ids=lambda text: f"{text[:12]!r}",
)
def test_deeply_nested_or_repetitive_text_is_chunked(language: str, text: str) -> None:
    chunked = chunk_file("hostile", language, text)
    assert_covers_all_lines(text, chunked)
    total_chars = sum(len(piece.text) + len(json.dumps(dict(piece.metadata))) for piece in chunked.pieces)
    assert total_chars < 5 * len(text) + 1_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_random_noise_is_chunked(language: str) -> None:
    noise = random.Random(7)  # noqa: S311 - a fixed seed, so that a failure can be seen again
    text = "".join(chr(noise.choice([*range(9, 14), *range(32, 127)])) for _ in range(20_000))
    assert_covers_all_lines(text, chunk_file("noise", language, text))


def test_a_file_with_a_syntax_error_keeps_its_valid_definitions() -> None:
    text = "def before():\n    return 1\n\n\ndef broken(:\n    return (\n\n\nclass After:\n    def method(self): ...\n"
    chunked = chunk_file("broken.py", "python", text)
    assert not chunked.parsed
    assert "before" in {piece.symbol for piece in chunked.pieces}
    assert_covers_all_lines(text, chunked)


def test_text_without_structure_becomes_windows() -> None:
    text = "\n".join(f"%% {number} ?? ))) @@" for number in range(100))
    chunked = chunk_file("nonsense.go", "go", text)
    assert not chunked.parsed
    assert {piece.kind for piece in chunked.pieces} == {"text"}
    assert all(piece.end_line - piece.start_line < 40 for piece in chunked.pieces)


def test_code_without_a_grammar_is_split_into_windows_at_blank_lines() -> None:
    block = "\n".join(f"  key{number}: value" for number in range(14))
    text = "\n\n".join(f"part{number}:\n{block}" for number in range(6))
    chunked = chunk_file("a.yaml", "yaml", text)
    assert chunked.type == "code"
    assert chunked.parsed
    assert len(chunked.pieces) == 3
    assert all(piece.text.startswith("part") for piece in chunked.pieces)


def test_an_empty_or_blank_file_has_no_pieces() -> None:
    for language in ALL_LANGUAGES:
        assert chunk_file("empty", language, "").pieces == ()
        assert chunk_file("blank", language, " \n\t\n\n").pieces == ()


def test_a_long_function_is_split_between_its_statements() -> None:
    statements = "\n".join(
        f"    if flag{number}:\n        run({number})\n        stop({number})" for number in range(100)
    )
    chunked = chunk_file("long.py", "python", f"def long():\n    '''Runs it all.'''\n{statements}\n")
    assert [piece.metadata["part"] for piece in chunked.pieces] == ["1/3", "2/3", "3/3"]
    assert {(piece.kind, piece.symbol) for piece in chunked.pieces} == {("function", "long")}
    assert all(piece.end_line - piece.start_line < 120 for piece in chunked.pieces)
    assert all(piece.text.startswith("    if flag") for piece in chunked.pieces[1:])
    assert chunked.pieces[0].metadata["doc"] == "Runs it all."


def test_a_window_of_long_lines_has_fewer_lines() -> None:
    text = "\n".join("word " * 400 for _ in range(30))
    pieces = chunk_file("wide.conf", "conf", text).pieces
    assert len(pieces) > 3
    assert all(len(piece.text) <= MAX_CHARS for piece in pieces)


def test_adjacent_constants_share_a_piece_and_keep_their_names() -> None:
    chunked = chunk_file("a.py", "python", "import os\n\nA = 1\nB: int = 2\n\nC = 3\n\n\ndef f():\n    pass\n")
    module, constants, function = chunked.pieces
    assert module.metadata["imports"] == ["os"]
    assert (constants.kind, constants.metadata["defines"]) == ("constant", ["A", "B", "C"])
    assert function.symbol == "f"


def test_a_comment_right_above_a_definition_belongs_to_it_and_a_licence_does_not() -> None:
    text = "# Copyright somebody\n# All rights\n\nimport os\n\n# Says hello.\n@cache\ndef hello():\n    pass\n"
    licence, hello = chunk_file("a.py", "python", text).pieces
    assert licence.text.startswith("# Copyright")
    assert hello.text.startswith("# Says hello.\n@cache\ndef hello")
    assert (hello.metadata["signature"], hello.metadata["doc"]) == ("def hello()", "Says hello.")


def test_a_comment_one_blank_line_above_a_definition_belongs_to_it() -> None:
    text = "'use strict';\n\n/**\n * Starts the app.\n */\n\napp.init = function init() {\n  return 1;\n};\n"
    head, init = chunk_file("a.js", "javascript", text).pieces
    assert head.kind == "module"
    assert (init.symbol, init.metadata["doc"]) == ("app.init", "Starts the app.")
    assert init.text.startswith("/**")


def test_adjacent_small_properties_share_a_piece_named_after_their_class() -> None:
    properties = "\n".join(f"    public int P{n} {{ get; set; }}" for n in range(25))
    head, group = chunk_file("a.cs", "csharp", f"class Row\n{{\n{properties}\n}}\n").pieces
    assert (head.symbol, head.kind) == ("Row", "class")
    assert (group.symbol, group.kind) == ("Row", "property")
    assert group.metadata["defines"] == [f"Row.P{n}" for n in range(25)]


def test_one_statement_that_defines_several_names_has_them_all() -> None:
    go = chunk_file("a.go", "go", "package a\n\nvar (\n\tx = 1\n\ty = 2\n)\n").pieces[-1]
    assert (go.symbol, go.metadata["defines"]) == ("x", ["y"])
    script = chunk_file("a.js", "javascript", "const a = 1, b = 2;\n").pieces[-1]
    assert (script.symbol, script.metadata["defines"]) == ("a", ["b"])


def test_an_attribute_docstring_stays_with_its_constant() -> None:
    text = 'LIMIT = 3\n"""How many."""\n\n\ndef f():\n    pass\n'
    limit = chunk_file("a.py", "python", text).pieces[0]
    assert (limit.symbol, limit.text) == ("LIMIT", 'LIMIT = 3\n"""How many."""')


def test_a_line_between_two_members_belongs_to_the_member_below() -> None:
    body = "\n".join(f"    use({n});" for n in range(9))
    text = f"class A {{\n public:\n  A() {{\n{body}\n  }}\n\n private:\n  void b() {{\n{body}\n  }}\n}};\n"
    pieces = chunk_file("a.cpp", "cpp", text).pieces
    assert [piece.symbol for piece in pieces] == ["A", "A.A", "A.b"]
    assert pieces[2].text.startswith(" private:\n  void b()")


def test_macros_on_both_sides_of_a_condition_share_a_piece() -> None:
    text = "#ifdef A\n#define CALL(x) a(x)\n#else\n#define CALL(x) b(x)\n#endif\n\nint f(void) { return 0; }\n"
    pieces = chunk_file("a.c", "c", text).pieces
    assert [(piece.kind, piece.symbol) for piece in pieces[-2:]] == [("macro", "CALL"), ("function", "f")]
    assert pieces[-2].text.endswith("#else\n#define CALL(x) b(x)\n#endif")


def test_a_class_behind_a_macro_is_a_class() -> None:
    text = "class API thing {\n public:\n  int go() { return 1; }\n  int stop() { return 2; }\n};\n"
    (piece,) = chunk_file("a.hpp", "cpp", text).pieces
    assert (piece.kind, piece.symbol) == ("class", "thing")
    assert "thing.stop" in piece.metadata["defines"]


def test_code_that_a_macro_breaks_gets_no_broken_symbol() -> None:
    text = "BEGIN_API\n\n/**\n * A | b::c\n */\nclass API thing {\n public:\n  void go() { stop(); }\n};\n\nEND_API\n"
    chunked = chunk_file("a.hpp", "cpp", text)
    assert not chunked.parsed
    assert all(piece.symbol.isprintable() for piece in chunked.pieces)
    assert_covers_all_lines(text, chunked)


def test_text_too_large_for_the_parser_becomes_windows() -> None:
    text = "x = 1\n" * 800_000
    chunked = chunk_file("big.py", "python", text)
    assert not chunked.parsed
    assert {piece.kind for piece in chunked.pieces} == {"text"}
    assert chunked.pieces[-1].end_line == 800_000
