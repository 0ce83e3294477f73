"""Chunking of PHP and the shell."""

from __future__ import annotations

import pytest

from aurora.memory.chunking.chunk import chunk_file
from aurora.memory.parsing.grammar import parse_source
from aurora.memory.parsing.languages import load_language

PHP = """\
<?php
declare(strict_types=1);

namespace Shop\\Orders;

use Shop\\Money;
use Shop\\Basket\\{Item, Line as Row};
use function Shop\\euros;

require_once __DIR__ . '/lib/tax.php';

const RATE = 3, LIMIT = 4;
define('OLD_RATE', 2);

/** An order of a customer. */
#[Entity]
final class Order extends Base implements Priced
{
    use Logs;

    public const OPEN = 1;

    public function __construct(private Money $money) {}

    /** Opens an empty order. */
    public static function open(): self { return new static(new Money(0)); }

    abstract protected function &lines(): array;
}

interface Priced { public function price(): int; }

trait Logs { private function log(string $line): void {} }

enum State: string { case Open = 'o'; public function label(): string { return 'open'; } }

function main(array $argv): int { return 0; }

if (!function_exists('shop_total')) {
    function shop_total() { return 1; }
}
?>
<p>Thanks.</p>
"""

SHELL = """\
#!/usr/bin/env bash
# Delivers orders.
source ./lib/util.sh
. "$(dirname "$0")/other.sh"
. "$ROOT/lib/log.sh"

readonly LIMIT=3 RATE=2
export SHOP_HOME=/srv/shop
TIMEOUT=${TIMEOUT:-30}
count=0

# Delivers one order.
deliver-order() {
  local order="$1"
  MAX=1
  log_line "$(format_order "$order")" | tee -a log
}

function list_orders {
  cat <<EOF
not_a_function() {
EOF
}

if [ -n "$DEBUG" ]; then
  trace() { set -x; }
else
  trace() ( : )
fi

deliver-order "$@" > out.log
"""

EXPECTED = {
    "php": (
        PHP,
        {
            "": "module",
            "Order": "class",
            "Priced": "interface",
            "Logs": "trait",
            "State": "enum",
            "main": "function",
            "shop_total": "function",
        },
        {
            "Order.__construct",
            "Order.open",
            "Order.lines",
            "Priced.price",
            "Logs.log",
            "State.label",
            "RATE",
            "LIMIT",
            "OLD_RATE",
        },
        ["Shop\\Money", "Shop\\Basket\\Item", "Shop\\Basket\\Line", "./lib/tax"],
    ),
    "shell": (
        SHELL,
        {
            "": "module",
            "deliver-order": "function",
            "list_orders": "function",
            "trace": "function",
        },
        {"LIMIT", "RATE", "SHOP_HOME", "TIMEOUT"},
        ["./lib/util.sh", "./other.sh", "lib/log.sh"],
    ),
}


@pytest.mark.parametrize("language", EXPECTED)
def test_every_definition_is_found_by_its_name_and_kind(language: str) -> None:
    text, kinds, others, imports = EXPECTED[language]
    chunked = chunk_file("a", language, text)
    assert chunked.parsed
    found = {piece.symbol: piece.kind for piece in chunked.pieces if piece.symbol} | {"": chunked.pieces[0].kind}
    assert found == kinds
    assert {name for piece in chunked.pieces for name in piece.metadata.get("defines", ())} == others
    assert [module for piece in chunked.pieces for module in piece.metadata.get("imports", ())] == imports


@pytest.mark.parametrize(
    ("language", "symbol", "signature", "comment"),
    [
        ("php", "Order", "final class Order extends Base implements Priced", "/** An order of a customer. */"),
        ("shell", "deliver-order", "deliver-order()", "# Delivers one order."),
    ],
)
def test_a_definition_has_its_signature_and_the_comment_above_it(
    language: str, symbol: str, signature: str, comment: str
) -> None:
    (piece,) = (piece for piece in chunk_file("a", language, EXPECTED[language][0]).pieces if piece.symbol == symbol)
    assert signature in str(piece.metadata["signature"])
    assert piece.text.startswith(comment)


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
