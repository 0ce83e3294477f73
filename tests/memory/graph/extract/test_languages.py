"""Links in small projects, one for each language."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.faults import Fault
from aurora.memory import LinkFilter

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory import Memory

PROJECTS: dict[str, tuple[dict[str, str], set[str]]] = {
    "python": (
        {
            "shop/__init__.py": "from .cart import Cart\n",
            "shop/base.py": "class Base:\n    def total(self):\n        return 0\n",
            "shop/cart.py": (
                "from .base import Base\nfrom . import tax as duty\n\n"
                "class Cart(Base):\n    def price(self):\n        return self.total() + duty.rate()\n"
            ),
            "shop/tax.py": "def rate():\n    return helper()\n\ndef helper():\n    return 1\n",
            "main.py": "from shop import Cart\n\ndef run():\n    cart = Cart()\n    return cart.price()\n",
        },
        {
            "shop/cart.py::Cart inherits shop/base.py::Base 1.0",
            "shop/cart.py imports shop/tax.py 1.0",
            "shop/cart.py::Cart.price calls shop/base.py::Base.total 1.0",
            "shop/cart.py::Cart.price calls shop/tax.py::rate 1.0",
            "shop/tax.py::rate calls shop/tax.py::helper 1.0",
            "main.py imports shop/__init__.py 1.0",
            "main.py::run calls shop/cart.py::Cart 0.9",
            "main.py::run calls shop/cart.py::Cart.price 0.9",
        },
    ),
    "typescript": (
        {
            "src/shapes/index.ts": "export * from './circle';\n",
            "src/shapes/shape.ts": "export interface Shape { area(): number }\nexport abstract class Named {}\n",
            "src/shapes/circle.ts": (
                "import { Shape, Named as Base } from './shape';\n"
                "export class Circle extends Base implements Shape {\n  area() { return this.square(2); }\n"
                "  square(x: number) { return x * x; }\n}\n"
            ),
            "src/app.ts": (
                "import { Circle } from './shapes/circle';\nimport * as util from './util.js';\n"
                "export function run() { const c = new Circle(); util.show(c.area()); }\n"
            ),
            "src/util.ts": "export function show(x: number) {}\n",
        },
        {
            "src/shapes/circle.ts::Circle inherits src/shapes/shape.ts::Named 1.0",
            "src/shapes/circle.ts::Circle implements src/shapes/shape.ts::Shape 1.0",
            "src/shapes/circle.ts::Circle.area calls src/shapes/circle.ts::Circle.square 1.0",
            "src/app.ts imports src/shapes/circle.ts 1.0",
            "src/app.ts::run calls src/shapes/circle.ts::Circle 1.0",
            "src/app.ts::run calls src/shapes/circle.ts::Circle.area 1.0",
            "src/app.ts::run calls src/util.ts::show 1.0",
            "src/shapes/index.ts imports src/shapes/circle.ts 1.0",
        },
    ),
    "javascript": (
        {
            "lib/store.js": "class Store {}\nfunction open() { return new Store(); }\nmodule.exports = { open };\n",
            "main.js": "const { open } = require('./lib/store');\nfunction run() { return open(); }\n",
        },
        {
            "lib/store.js::open calls lib/store.js::Store 1.0",
            "main.js imports lib/store.js 1.0",
            "main.js::run calls lib/store.js::open 1.0",
        },
    ),
    "go": (
        {
            "store/store.go": (
                "package store\n\ntype Reader interface {\n\tRead(key string) string\n}\n\n"
                "type Store struct{}\n\nfunc New() *Store { return &Store{} }\n"
            ),
            "store/read.go": "package store\n\nfunc (s *Store) Read(key string) string { return s.raw(key) }\n\n"
            "func (s *Store) raw(key string) string { return clean(key) }\n\n"
            "func clean(k string) string { return k }\n",
            "main.go": 'package main\n\nimport "example.com/app/store"\n\n'
            'func main() {\n\ts := store.New()\n\ts.Read("a")\n}\n',
        },
        {
            "store/store.go::Store implements store/store.go::Reader 0.6",
            "store/store.go::New calls store/store.go::Store 1.0",
            "store/read.go::Store.Read calls store/read.go::Store.raw 1.0",
            "store/read.go::Store.raw calls store/read.go::clean 1.0",
            "main.go::main calls store/store.go::New 1.0",
        },
    ),
    "rust": (
        {
            "src/main.rs": "mod shape;\nuse crate::shape::{Circle, Shape};\n\nfn main() {\n    let c = Circle::new();\n"
            "    c.area();\n    shape::helper();\n}\n",
            "src/shape.rs": "pub trait Shape { fn area(&self) -> f64; }\npub struct Circle;\n"
            "impl Circle { pub fn new() -> Self { helper(); Circle } }\n"
            "impl Shape for Circle { fn area(&self) -> f64 { self.twice() } }\n"
            "impl Circle { fn twice(&self) -> f64 { 2.0 } }\npub fn helper() {}\n",
        },
        {
            "src/main.rs imports src/shape.rs 1.0",
            "src/main.rs::main calls src/shape.rs::Circle.new 1.0",
            "src/main.rs::main calls src/shape.rs::Circle.area 1.0",
            "src/main.rs::main calls src/shape.rs::helper 1.0",
            "src/shape.rs::Circle.new calls src/shape.rs::helper 1.0",
            "src/shape.rs::Circle implements src/shape.rs::Shape 1.0",
            "src/shape.rs::Circle.area calls src/shape.rs::Circle.twice 1.0",
        },
    ),
    "java": (
        {
            "src/com/shop/Priced.java": "package com.shop;\npublic interface Priced { int price(); }\n",
            "src/com/shop/Item.java": "package com.shop;\nimport com.shop.tax.Tax;\n"
            "public class Item extends Thing implements Priced {\n  private Tax tax = new Tax();\n"
            "  public int price() { return base() + tax.rate(); }\n}\n",
            "src/com/shop/Thing.java": "package com.shop;\npublic class Thing { int base() { return 1; } }\n",
            "src/com/shop/tax/Tax.java": "package com.shop.tax;\n"
            "public class Tax { public int rate() { return 2; } }\n",
        },
        {
            "src/com/shop/Item.java::Item inherits src/com/shop/Thing.java::Thing 1.0",
            "src/com/shop/Item.java::Item implements src/com/shop/Priced.java::Priced 1.0",
            "src/com/shop/Item.java imports src/com/shop/tax/Tax.java::Tax 1.0",
            "src/com/shop/Item.java::Item calls src/com/shop/tax/Tax.java::Tax 1.0",
            "src/com/shop/Item.java::Item.price calls src/com/shop/tax/Tax.java::Tax.rate 1.0",
        },
    ),
    "csharp": (
        {
            "Shop/IPriced.cs": "namespace Shop;\npublic interface IPriced { int Price(); }\n",
            "Shop/Item.cs": "using Shop.Taxes;\nnamespace Shop;\npublic class Item : IPriced {\n"
            "  public int Price() { var t = new Tax(); return t.Rate() + this.Base(); }\n"
            "  int Base() { return 1; }\n}\n",
            "Taxes/Tax.cs": "namespace Shop.Taxes;\npublic class Tax { public int Rate() { return 2; } }\n",
        },
        {
            "Shop/Item.cs::Item inherits Shop/IPriced.cs::IPriced 1.0",
            "Shop/Item.cs::Item.Price calls Taxes/Tax.cs::Tax 0.8",
            "Shop/Item.cs::Item.Price calls Taxes/Tax.cs::Tax.Rate 0.8",
            "Shop/Item.cs::Item.Price calls Shop/Item.cs::Item.Base 1.0",
        },
    ),
    "c": (
        {
            "src/list.h": "int list_size(void);\n",
            "src/list.c": '#include "list.h"\nstatic int count(void) { return 1; }\n'
            "int list_length(void) { return count(); }\n",
            "src/main.c": '#include "list.h"\nint main(void) { return list_length(); }\n',
        },
        {
            "src/main.c imports src/list.h 1.0",
            "src/list.c::list_length calls src/list.c::count 1.0",
            "src/main.c::main calls src/list.c::list_length 0.8",
        },
    ),
    "cpp": (
        {
            "shape.hpp": "class Shape { public: virtual int area() { return 0; } };\n",
            "circle.cpp": '#include "shape.hpp"\nclass Circle : public Shape {\n public:\n'
            "  int area() { return this->twice(); }\n  int twice() { return 2; }\n};\n"
            "int run() { Circle c; return c.area(); }\n",
        },
        {
            "circle.cpp imports shape.hpp 1.0",
            "circle.cpp::Circle.area calls circle.cpp::Circle.twice 1.0",
            "circle.cpp::run calls circle.cpp::Circle.area 1.0",
        },
    ),
    "ruby": (
        {
            "lib/shop/item.rb": "require_relative 'thing'\nmodule Shop\n  class Item < Thing\n    def price\n"
            "      base + round(1)\n    end\n    def round(x)\n      x\n    end\n  end\nend\n",
            "lib/shop/thing.rb": "module Shop\n  class Thing\n    def base\n      1\n    end\n  end\nend\n",
            "main.rb": "require 'shop/item'\ndef run\n  item = Shop::Item.new(1)\n  item.price\nend\n",
        },
        {
            "lib/shop/item.rb imports lib/shop/thing.rb 1.0",
            "lib/shop/item.rb::Shop.Item inherits lib/shop/thing.rb::Shop.Thing 0.8",
            "lib/shop/item.rb::Shop.Item.price calls lib/shop/item.rb::Shop.Item.round 1.0",
            "main.rb imports lib/shop/item.rb 1.0",
            "main.rb::run calls lib/shop/item.rb::Shop.Item 0.8",
            "main.rb::run calls lib/shop/item.rb::Shop.Item.price 0.8",
        },
    ),
    "php": (
        {
            "src/Order.php": "<?php\nnamespace Shop;\nuse Shop\\Tax\\Rate as TaxRate;\nuse Psr\\Http\\Client\\Money;\n"
            "require_once __DIR__ . '/../lib/helpers.php';\n"
            "class Order extends Base implements Priced {\n  use Logs;\n"
            "  public function __construct(private ?TaxRate $rate) { parent::__construct(); }\n"
            "  public static function open() { $order = new Order(null); $order->price(); return static::close(); }\n"
            "  private static function close() { \\strlen(''); return new Money(1); }\n"
            "  public function price() { $this->log(''); return $this->rate?->get() + round_up(1); }\n}\n",
            "src/Base.php": "<?php\nnamespace Shop;\nabstract class Base { public function __construct() {} }\n",
            "src/Money.php": "<?php\nnamespace Shop;\nclass Money { public function strlen() {} }\n",
            "src/Priced.php": "<?php\nnamespace Shop;\ninterface Priced { public function price(); }\n",
            "src/Logs.php": "<?php\nnamespace Shop;\ntrait Logs { public function log($x) {} }\n",
            "src/Tax/Rate.php": "<?php\nnamespace Shop\\Tax;\nclass Rate { public function get() { return 2; } }\n",
            "lib/helpers.php": "<?php\nfunction round_up($x) { return \\Shop\\Tax\\Rate::get($x); }\n",
        },
        {
            "src/Order.php imports src/Tax/Rate.php 1.0",
            "src/Order.php imports lib/helpers.php 1.0",
            "src/Order.php::Order inherits src/Base.php::Base 1.0",
            "src/Order.php::Order inherits src/Logs.php::Logs 1.0",
            "src/Order.php::Order implements src/Priced.php::Priced 1.0",
            "src/Order.php::Order.__construct calls src/Base.php::Base.__construct 1.0",
            "src/Order.php::Order.open calls src/Order.php::Order 1.0",
            "src/Order.php::Order.open calls src/Order.php::Order.price 1.0",
            "src/Order.php::Order.open calls src/Order.php::Order.close 1.0",
            "src/Order.php::Order.price calls src/Logs.php::Logs.log 1.0",
            "src/Order.php::Order.price calls src/Tax/Rate.php::Rate.get 1.0",
            "src/Order.php::Order.price calls lib/helpers.php::round_up 0.8",
            "lib/helpers.php::round_up calls src/Tax/Rate.php::Rate.get 0.8",
        },
    ),
    "shell": (
        {
            "bin/deliver.sh": '#!/bin/sh\n. "$(dirname "$0")/../lib/log.sh"\nsource "$ROOT/lib/format.bash"\n'
            'deliver() {\n  LANG=C log-line "$(format_order "$1")" | \\usage\n}\n'
            "usage() { echo deliver; }\ntrap 'usage' EXIT\ndeliver \"$@\"\n",
            "lib/log.sh": "log-line() { usage; }\nusage() { :; }\n",
            "lib/format.bash": "function format_order { printf '%s' \"$1\"; }\n",
        },
        {
            "bin/deliver.sh imports lib/log.sh 1.0",
            "bin/deliver.sh imports lib/format.bash 1.0",
            "bin/deliver.sh calls bin/deliver.sh::deliver 1.0",
            "bin/deliver.sh::deliver calls lib/log.sh::log-line 0.8",
            "bin/deliver.sh::deliver calls lib/format.bash::format_order 0.8",
            "bin/deliver.sh::deliver calls bin/deliver.sh::usage 1.0",
            "lib/log.sh::log-line calls lib/log.sh::usage 1.0",
        },
    ),
    "markdown": (
        {
            "guide.md": "# Guide\n\n## Reading\n\nCall `Reader.read_all` and then `finish_up()`.\n",
            "reader.py": "class Reader:\n    def read_all(self):\n        return 1\n\ndef finish_up():\n    return 2\n",
        },
        {
            "guide.md::Guide > Reading mentions reader.py::Reader.read_all 0.9",
            "guide.md::Guide > Reading mentions reader.py::finish_up 0.8",
        },
    ),
}


def write_project(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def list_links(memory: Memory, paths: list[str]) -> set[str]:
    """Every link out of these files but `contains`, as `source kind target confidence`."""
    found = set()
    for path in paths:
        stack = [memory.graph.find_one(path)]
        while stack:
            node = stack.pop()
            stack.extend(memory.graph.list_members(node) if node.path == path else ())
            for link in memory.graph.list_neighbors(node, LinkFilter(direction="out", limit=1000)).links:
                if link.kind != "contains":
                    found.add(f"{node.id} {link.kind} {link.node.id} {round(link.confidence, 2)}")
    return found


@pytest.mark.requirement("aura-37")
@pytest.mark.parametrize("language", sorted(PROJECTS))
def test_references_are_linked_to_the_definitions_that_a_reader_expects(
    language: str, memory: Memory, tmp_path: Path
) -> None:
    files, expected = PROJECTS[language]
    memory.index(write_project(tmp_path / "project", files))
    found = list_links(memory, sorted(files))
    assert expected <= found, "\n".join(sorted(expected - found)) + "\n-- found:\n" + "\n".join(sorted(found))
    by_name = {one.rpartition(" ")[0] for one in expected}
    surplus = {one for one in found if one.endswith(" 1.0") and one.rpartition(" ")[0] not in by_name}
    assert {one for one in surplus if " imports " not in one} == set()


def test_overloads_share_one_node_and_the_link_says_so(memory: Memory, tmp_path: Path) -> None:
    text = "class Pen { void draw(int x) {} void draw(String s) {} void twice() { this.draw(1); } }\n"
    memory.index(write_project(tmp_path / "project", {"Pen.java": text}))
    (link,) = memory.graph.list_neighbors(memory.graph.find_one("Pen.twice"), LinkFilter(("calls",), "out")).links
    assert (link.node.id, link.confidence) == ("Pen.java::Pen.draw", 1.0)
    assert link.how == "same class, one of 2 overloads"


def test_a_path_matches_exactly_with_or_without_a_leading_slash(memory: Memory, tmp_path: Path) -> None:
    memory.index(write_project(tmp_path / "project", {"shop/tax_rate.py": "def rate():\n    pass\n"}))
    ids = {
        memory.graph.find_one(name).id for name in ("/tax_rate.py::rate", "tax_rate.py::rate", "/shop/tax_rate.py:rate")
    }
    assert ids == {"shop/tax_rate.py::rate"}
    assert memory.graph.find_one("/tax_rate.py").id == "shop/tax_rate.py"
    for pattern in ("shop/tax%rate.py", "shop/tax-rate.py", "%"):
        with pytest.raises(Fault, match="has no definition"):
            memory.graph.find_one(pattern)


def list_links_of_file(memory: Memory, root: Path, file: str) -> set[tuple[str, str, float]]:
    """From where to where, and how sure, of the calls and mentions that one file has."""
    memory.index(root)
    links = [
        (symbol, link.node.id, link.confidence)
        for symbol in ("Shop.route", "Shop.fragment", "Shop.open_door", "Shop.close")
        for link in memory.graph.list_neighbors(
            memory.graph.find_one(f"{file}::{symbol}"), LinkFilter(direction="out")
        ).links
        if link.kind in {"calls", "mentions"}
    ]
    return set(links)


def test_a_delegating_method_does_not_call_itself_and_a_comment_does_not_mention_its_own_definition(
    memory: Memory, tmp_path: Path
) -> None:
    (tmp_path / "shop.py").write_text(
        "class Shop:\n"
        "    def route(self, inner):\n        return inner.route()\n\n"
        '    def fragment(self):\n        """The `fragment` of an address."""\n\n'
        '    def open_door(self, path):\n        """Opens `path`, as `walk_in` does."""\n\n'
        "    def close(self):\n        return self.open_door(1)\n\n\n"
        "class Other:\n    def fragment(self):\n        pass\n\n"
        "    def path(self):\n        pass\n\n    def walk_in(self):\n        pass\n",
        encoding="utf-8",
    )
    assert list_links_of_file(memory, tmp_path, "shop.py") == {
        ("Shop.open_door", "shop.py::Other.path", 0.5),
        ("Shop.open_door", "shop.py::Other.walk_in", 1.0),
        ("Shop.close", "shop.py::Shop.open_door", 1.0),
    }


def test_a_rust_standard_module_is_not_a_project_module_of_the_same_name(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "src" / "loom" / "std").mkdir(parents=True)
    (tmp_path / "src" / "loom" / "std" / "mod.rs").write_text("pub fn io() {}\n", encoding="utf-8")
    (tmp_path / "src" / "a.rs").write_text("use std::io;\npub fn a() { io::read(); }\n", encoding="utf-8")
    (tmp_path / "src" / "b.rs").write_text("use crate::loom::std::io;\npub fn b() { io(); }\n", encoding="utf-8")
    memory.index(tmp_path)
    into = memory.graph.list_neighbors(memory.graph.find_one("src/loom/std/mod.rs"), LinkFilter(direction="in")).links
    called = memory.graph.list_neighbors(
        memory.graph.find_one("src/loom/std/mod.rs::io"), LinkFilter(direction="in")
    ).links
    assert {link.node.path for link in (*into, *called)} - {"src/loom/std/mod.rs"} == {"src/b.rs"}


def _write_rust(tmp_path: Path, **files: str) -> None:
    for name, text in files.items():
        path = tmp_path / f"{name.replace('__', '/').replace('_of_', '-')}.rs"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _list_outgoing(memory: Memory, name: str) -> set[tuple[str, float]]:
    links = memory.graph.list_neighbors(
        memory.graph.find_one(name), LinkFilter(direction="out", kinds=("calls",))
    ).links
    return {(link.node.id, link.confidence) for link in links}


def test_an_unimported_rust_module_is_a_crate_or_comes_from_a_wildcard_import(memory: Memory, tmp_path: Path) -> None:
    _write_rust(
        tmp_path,
        app__src__task__spawn="pub fn spawn() {}\n",
        my_of_util__src__clock="pub fn now() {}\n",
        app__src__foreign="use tokio_test::*;\npub fn foreign() { task::spawn(f); }\n",
        app__src__globbed="use crate::*;\npub fn globbed() { task::spawn::<u8>(f); }\n",
        app__src__direct="pub fn direct() { crate::task::spawn(f); my_util::clock::now(); std::clock::now(); }\n",
    )
    memory.index(tmp_path)
    assert _list_outgoing(memory, "foreign") == set()
    assert _list_outgoing(memory, "globbed") == {("app/src/task/spawn.rs::spawn", 1.0)}
    assert _list_outgoing(memory, "direct") == {
        ("app/src/task/spawn.rs::spawn", 1.0),
        ("my-util/src/clock.rs::now", 1.0),
    }


def test_a_rust_value_named_like_a_module_is_a_value_and_an_inner_module_has_its_own_scope(
    memory: Memory, tmp_path: Path
) -> None:
    _write_rust(
        tmp_path,
        src__task="pub fn shutdown() {}\n",
        src__error="pub fn full() {}\n",
        src__list="pub fn close() { let task = next(); task.shutdown(); error::full(); }\n"
        "mod error { pub fn full() {} }\n"
        "mod tests {\n    use super::*;\n    fn closes() { super::close(); }\n}\n",
    )
    memory.index(tmp_path)
    assert _list_outgoing(memory, "src/list.rs::close") == {("src/list.rs::error.full", 1.0)}
    assert _list_outgoing(memory, "src/list.rs::tests.closes") == {("src/list.rs::close", 1.0)}
