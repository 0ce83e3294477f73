"""Chunking of Java, C#, Ruby, JavaScript and TypeScript."""

from __future__ import annotations

import pytest

from aurora.memory.chunking.chunk import chunk_file

JAVA = """\
package org.example.shop;

import java.util.List;
import static org.example.Money.euros;

/** An order of a customer. */
@Entity
public class Order<T extends Item> extends Base {
    private final List<T> items;

    public Order(List<T> items) { this.items = items; }

    /** What it costs. */
    public Money total() { return euros(3); }

    private static class Line { int count; }
}

interface Priced { Money price(); }

enum State {
    OPEN { boolean isLast() { return false; } },
    SHIPPED;

    boolean isLast() { return true; }
}

record Address(String street, int number) {
    Address { if (number < 1) throw new IllegalArgumentException(); }
}

@interface Audited { String by(); }
"""

CSHARP = """\
using System.Text;
using static System.Math;

namespace Shop.Orders
{
    /// <summary>An order of a customer.</summary>
    [Serializable]
    public class Order<T> : IPriced where T : Item
    {
        private readonly List<T> items = new();
        public Order(List<T> items) { this.items = items; }
        ~Order() { }
        public decimal Total { get; set; }
        public decimal Price(int discount) => Total - discount;
        public static Order<T> operator +(Order<T> a, Order<T> b) => a;
        public enum State { Open, Shipped }
    }

    public interface IPriced { decimal Price(int discount); }
    public struct Size { public int W; }
    public record Address(string Street, int Number);
    public delegate void Changed(object sender);
}
"""

RUBY = """\
require 'json'
require_relative 'shop/money'

module Shop
  VERSION = '1.0'

  # An order of a customer.
  class Order < Base
    include Priced

    attr_reader :items

    def initialize(items)
      @items = items
    end

    def self.open
      new([])
    end

    class << self
      def archived; end
    end

    private def price_of(item) = item.price
  end

  class Money::Euro
    def to_s; end
  end
end

def main
  puts Shop::Order.open
end
"""

JAVASCRIPT = """\
import React, { useState } from 'react';
export * from './money.js';
const fs = require('fs');

const LIMIT = 10;

/** Adds what is in the basket. */
export async function total(basket) {
  return basket.reduce((a, b) => a + b, 0);
}

export const Basket = ({ items }) => {
  return <ul>{items.map(i => <li key={i}>{i}</li>)}</ul>;
};

export default class Order extends Base {
  static count = 0;
  #secret() {}
  constructor(items) { super(); }
  get size() { return 0; }
  onClick = () => { this.size; };
}

function* numbers() { yield 1; }

exports.close = function () {};
Order.prototype.open = function open() {};
"""

TYPESCRIPT = """\
import { Money } from './money';
import type { Item } from "@shop/item";

export interface Priced<T> { price(discount: T): Money }
export type Id = string | number;
export const enum State { Open, Shipped }

@Injectable()
export abstract class Order implements Priced<number> {
  private items: Item[] = [];
  abstract close(): void;
  price(discount: number): Money { return new Money(discount); }
  onClick = (): void => {};
}

export function parse(raw: string): Order;
export function parse(raw: any): Order { return raw; }

namespace Shop.Tools {
  export function round(n: number) { return n; }
}

declare module 'legacy' { export function old(): void; }
export const isOpen = (o: Order): boolean => true;
"""

TSX = """\
import * as React from 'react';

type Props = { title: string };

export const Title: React.FC<Props> = ({ title }) => <h1>{title}</h1>;

export default function App(): JSX.Element {
  return <Title title="Aurora" />;
}
"""

EXPECTED = {
    "java": (
        JAVA,
        {"Order": "class", "Priced": "interface", "State": "enum", "Address": "record", "Audited": "interface"},
        {"Order.Order", "Order.total", "Order.Line", "Priced.price", "State.isLast", "Address.Address", "Audited.by"},
        ["java.util.List", "org.example.Money.euros"],
    ),
    "csharp": (
        CSHARP,
        {"Order": "class", "IPriced": "interface", "Size": "struct", "Address": "record", "Changed": "type"},
        {
            "Order.Order",
            "Order.~Order",
            "Order.Total",
            "Order.Price",
            "Order.operator+",
            "Order.State",
            "IPriced.Price",
        },
        ["System.Text", "System.Math"],
    ),
    "ruby": (
        RUBY,
        {
            "Shop": "module",
            "Shop.VERSION": "constant",
            "Shop.Order": "class",
            "Shop.Money.Euro": "class",
            "main": "function",
        },
        {
            "Shop.Order.initialize",
            "Shop.Order.open",
            "Shop.Order.archived",
            "Shop.Order.price_of",
            "Shop.Money.Euro.to_s",
        },
        ["json", "shop/money"],
    ),
    "javascript": (
        JAVASCRIPT,
        {
            "total": "function",
            "Basket": "function",
            "Order": "class",
            "numbers": "function",
            "close": "function",
            "Order.open": "function",
        },
        {"fs", "LIMIT", "Order.#secret", "Order.constructor", "Order.size", "Order.onClick"},
        ["react", "./money.js", "fs"],
    ),
    "typescript": (
        TYPESCRIPT,
        {
            "Priced": "interface",
            "Id": "type",
            "State": "enum",
            "Order": "class",
            "parse": "function",
            "Shop.Tools": "namespace",
            "legacy": "namespace",
            "isOpen": "function",
        },
        {"Order.close", "Order.price", "Order.onClick", "Shop.Tools.round", "legacy.old"},
        ["./money", "@shop/item"],
    ),
    "tsx": (TSX, {"Props": "type", "Title": "function", "App": "function"}, set(), ["react"]),
}


@pytest.mark.parametrize("language", EXPECTED)
def test_every_definition_is_found_by_its_name_and_kind(language: str) -> None:
    source, pieces, inner, imports = EXPECTED[language]
    chunked = chunk_file(f"sample.{language}", language, source)
    by_symbol: dict[str, str] = {}
    for piece in chunked.pieces:
        by_symbol.setdefault(piece.symbol, piece.kind)
    assert chunked.parsed
    assert chunked.type == "code"
    assert {symbol: by_symbol.get(symbol) for symbol in pieces} == pieces
    assert inner <= {name for piece in chunked.pieces for name in piece.metadata.get("defines", ())}
    assert [name for piece in chunked.pieces for name in piece.metadata.get("imports", ())] == imports


@pytest.mark.parametrize(
    ("language", "source", "symbol", "signature", "doc"),
    [
        (
            "java",
            JAVA,
            "Order",
            "@Entity public class Order<T extends Item> extends Base",
            "An order of a customer.",
        ),
        (
            "csharp",
            CSHARP,
            "Order",
            "[Serializable] public class Order<T> : IPriced where T : Item",
            "An order of a customer.",
        ),
        ("javascript", JAVASCRIPT, "total", "export async function total(basket)", "Adds what is in the basket."),
    ],
)
def test_a_definition_has_its_signature_and_the_comment_above_it(
    language: str, source: str, symbol: str, signature: str, doc: str
) -> None:
    piece = next(piece for piece in chunk_file("sample", language, source).pieces if piece.symbol == symbol)
    assert piece.metadata["signature"] == signature
    assert piece.metadata["doc"] == doc


def test_a_decorator_belongs_to_the_class_below_it_but_not_to_its_signature() -> None:
    order = next(piece for piece in chunk_file("a.ts", "typescript", TYPESCRIPT).pieces if piece.symbol == "Order")
    assert order.text.startswith("@Injectable()\nexport abstract class Order")
    assert order.metadata["signature"] == "export abstract class Order implements Priced<number>"


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
