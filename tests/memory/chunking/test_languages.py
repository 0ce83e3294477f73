"""Chunking of a sample in each language with a grammar; the samples are in `samples/`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from aurora.memory.chunking.chunk import chunk_file
from aurora.memory.parsing.grammar import parse_source
from aurora.memory.parsing.languages import load_language

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.memory.model.chunks import ChunkedFile, Piece

SAMPLES = Path(__file__).with_name("samples")
ENDINGS = {
    "java": "java",
    "csharp": "cs",
    "ruby": "rb",
    "javascript": "js",
    "typescript": "ts",
    "tsx": "tsx",
    "php": "php",
    "shell": "sh",
    "c": "c",
    "cpp": "cpp",
    "go": "go",
    "rust": "rs",
}


class Expected(NamedTuple):
    """Kind -> the symbols of the pieces of it; the names that pieces define inside; the imports, in order."""

    pieces: Mapping[str, str]
    inner: str
    imports: str


EXPECTED = {
    "java": Expected(
        {"class": "Order", "interface": "Priced Audited", "enum": "State", "record": "Address"},
        "Address.Address Audited.by Order.Line Order.Order Order.total Priced.price State.isLast",
        "java.util.List | org.example.Money.euros",
    ),
    "csharp": Expected(
        {"class": "Order", "interface": "IPriced", "struct": "Size", "record": "Address", "type": "Changed"},
        "IPriced.Price Order.Order Order.Price Order.State Order.Total Order.operator+ Order.~Order",
        "System.Text | System.Math",
    ),
    "ruby": Expected(
        {"module": "Shop", "constant": "Shop.VERSION", "class": "Shop.Order Shop.Money.Euro", "function": "main"},
        "Shop.Money.Euro.to_s Shop.Order.archived Shop.Order.initialize Shop.Order.open Shop.Order.price_of",
        "json | shop/money",
    ),
    "javascript": Expected(
        {"function": "total Basket numbers close Order.open", "class": "Order"},
        "LIMIT Order.#secret Order.constructor Order.onClick Order.size fs",
        "react | ./money.js | fs",
    ),
    "typescript": Expected(
        {
            "interface": "Priced",
            "type": "Id",
            "enum": "State",
            "class": "Order",
            "function": "parse isOpen",
            "namespace": "Shop.Tools legacy",
        },
        "Order.close Order.onClick Order.price Shop.Tools.round legacy.old",
        "./money | @shop/item",
    ),
    "tsx": Expected(
        {"type": "Props", "function": "Title App"},
        "",
        "react",
    ),
    "php": Expected(
        {"class": "Order", "interface": "Priced", "trait": "Logs", "enum": "State", "function": "main shop_total"},
        "LIMIT Logs.log OLD_RATE Order.__construct Order.lines Order.open Priced.price RATE State.label",
        "Shop\\Money | Shop\\Basket\\Item | Shop\\Basket\\Line | ./lib/tax",
    ),
    "shell": Expected(
        {"function": "deliver-order list_orders trace"},
        "LIMIT RATE SHOP_HOME TIMEOUT",
        "./lib/util.sh | ./other.sh | lib/log.sh",
    ),
    "c": Expected(
        {
            "struct": "slot ring_t",
            "enum": "ring_state",
            "type": "ring_visit",
            "function": "ring_push ring_dump",
            "constant": "RING_MAX",
            "macro": "RING_NEXT",
        },
        "names ring_init",
        "stdint.h | ring_config.h",
    ),
    "cpp": Expected(
        {
            "type": "Points",
            "enum": "Fill",
            "class": "Polygon",
            "function": "perimeter Grid.cells Grid.~Grid plane_version",
            "struct": "Size",
        },
        "Polygon.area Polygon.operator== Polygon.~Polygon",
        "vector | shape.hpp",
    ),
    "go": Expected(
        {"interface": "Store", "type": "Key", "struct": "LRU", "function": "New", "method": "LRU.Put Key.String"},
        "DefaultSize errFull errGone",
        "fmt | example.org/time/v2",
    ),
    "rust": Expected(
        {
            "enum": "Value",
            "struct": "Parser",
            "trait": "Visit",
            "macro": "token",
            "function": "parse",
            "type": "Table",
            "module": "tests",
        },
        "GREETING MAX_DEPTH Parser.new Parser.value Value.fmt Visit.enter Visit.leave tests.reads_a_number",
        "std::collections::{BTreeMap, HashMap} | crate::lexer::Token | lexer",
    ),
}


def chunk_sample(language: str) -> ChunkedFile:
    text = (SAMPLES / f"sample.{ENDINGS[language]}").read_text(encoding="utf-8")
    return chunk_file(f"sample.{ENDINGS[language]}", language, text)


def find_piece(language: str, symbol: str) -> Piece:
    return next(piece for piece in chunk_sample(language).pieces if piece.symbol == symbol)


@pytest.mark.parametrize("language", EXPECTED)
def test_every_definition_is_found_by_its_name_and_kind(language: str) -> None:
    expected, chunked = EXPECTED[language], chunk_sample(language)
    assert (chunked.parsed, chunked.type) == (True, "code")
    kinds: dict[str, str] = {}
    for piece in chunked.pieces:
        kinds.setdefault(piece.symbol, piece.kind)
    wanted = {symbol: kind for kind, symbols in expected.pieces.items() for symbol in symbols.split()}
    assert {symbol: kinds.get(symbol) for symbol in wanted} == wanted
    defined = {name for piece in chunked.pieces for name in piece.metadata.get("defines", ())}
    assert set(expected.inner.split()) - defined == set()
    imports = [name for piece in chunked.pieces for name in piece.metadata.get("imports", ())]
    assert " | ".join(imports) == expected.imports


@pytest.mark.parametrize(
    ("language", "symbol", "signature", "doc"),
    [
        ("java", "Order", "@Entity public class Order<T extends Item> extends Base", "An order of a customer."),
        (
            "csharp",
            "Order",
            "[Serializable] public class Order<T> : IPriced where T : Item",
            "An order of a customer.",
        ),
        ("javascript", "total", "export async function total(basket)", "Adds what is in the basket."),
        ("typescript", "Order", "export abstract class Order implements Priced<number>", ""),
        ("shell", "deliver-order", "deliver-order()", "Delivers one order."),
        (
            "c",
            "ring_push",
            "static inline int *ring_push(ring_t *ring, uint32_t key, void *value)",
            "Puts a value in; returns 0 when there is no room.",
        ),
        ("cpp", "Polygon", "template <typename T> class Polygon : public Shape", "A polygon with straight sides."),
        ("go", "New", "func New(size int) *LRU[Key]", "New makes an empty cache."),
        ("rust", "Value", "pub enum Value<'a>", "A value of the language."),
    ],
)
def test_a_definition_has_its_signature_and_the_comment_above_it(
    language: str, symbol: str, signature: str, doc: str
) -> None:
    piece = find_piece(language, symbol)
    assert (piece.metadata["signature"], piece.metadata.get("doc", "")) == (signature, doc)
    assert doc in piece.text


@pytest.mark.parametrize(
    ("language", "symbol", "begins"),
    [
        ("php", "Order", "/** An order of a customer. */\n#[Entity]\nfinal class Order"),
        ("typescript", "Order", "@Injectable()\nexport abstract class Order"),
        ("rust", "Value", "/// A value of the language.\n#[derive(Debug, Clone)]\npub enum Value"),
    ],
)
def test_what_is_attached_to_a_definition_belongs_to_it(language: str, symbol: str, begins: str) -> None:
    assert find_piece(language, symbol).text.startswith(begins)


def test_a_class_too_long_for_one_piece_is_its_head_and_its_methods() -> None:
    body = "\n".join(f"        sum += step({number});" for number in range(12))
    methods = "\n\n".join(f"    /** Step {n}. */\n    int m{n}() {{\n{body}\n    }}" for n in range(4))
    chunked = chunk_file("Long.java", "java", f"class Long {{\n    private int sum;\n\n{methods}\n}}\n")
    assert [(piece.kind, piece.symbol) for piece in chunked.pieces] == [
        ("class", "Long"),
        ("method", "Long.m0"),
        ("method", "Long.m1"),
        ("method", "Long.m2"),
        ("method", "Long.m3"),
    ]
    head, first, *_rest, last = chunked.pieces
    assert head.text == "class Long {\n    private int sum;"
    assert first.text.startswith("    /** Step 0. */")
    assert first.metadata == {"parent": "Long", "signature": "int m0()", "doc": "Step 0."}
    assert last.text.endswith("    }\n}")


def test_functions_inside_a_long_wrapper_are_found() -> None:
    inner = "\n".join(f"  function step{n}(a) {{\n    return a + {n};\n  }}" for n in range(60))
    chunked = chunk_file("old.js", "javascript", f"(function () {{\n{inner}\n}})();\n")
    assert {"step0", "step59"} <= {piece.symbol for piece in chunked.pieces}


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("php", "<?php\nfunction before() {}\nclass Broken { function ( {\n\nfunction after() { return 1; }\n"),
        ("shell", "before() { :; }\n\nif [[ a == @(b ]]; then\n\nafter() { :; }\n"),
    ],
)
def test_a_broken_file_keeps_the_definitions_around_the_error(language: str, text: str) -> None:
    chunked = chunk_file("a", language, text)
    assert not chunked.parsed
    assert "before" in {piece.symbol for piece in chunked.pieces}
    covered = {line for piece in chunked.pieces for line in range(piece.start_line, piece.end_line + 1)}
    assert {number for number, line in enumerate(text.split("\n"), 1) if line.strip()} <= covered


def test_unclosed_here_documents_do_not_keep_the_parser_busy() -> None:
    text = "<<A\n" * 30_000
    assert parse_source(load_language("shell").grammar, text.encode()) is None
    assert not chunk_file("a", "shell", text).parsed


def test_many_closed_here_documents_are_parsed() -> None:
    text = "cat <<-'A'\nb\nA\n" * 10_000
    assert parse_source(load_language("shell").grammar, text.encode()) is not None
