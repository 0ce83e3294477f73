"""Facts of a file: deterministic, within the file, and never an error."""

from __future__ import annotations

import random
from pathlib import Path

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.memory.chunking.chunk import chunk_file
from aurora.memory.graph.names import parse_binding, split_callee
from aurora.memory.parsing.languages import load_language

SOURCES = {
    "python": (Path(click.__file__).parent / "types.py").read_text(encoding="utf-8")[:20_000],
    "typescript": (
        "import {a as b} from './x';\nclass A<T> extends B implements C { f() { this.g(new D<T>()); b?.c(); } }\n"
    ),
    "go": (
        "package p\n"
        "import (\n"
        ' f "fmt"\n'
        ")\n"
        "type I interface { F(int) string }\n"
        "func (a *A) F(x int) string { f.P(a.b.c()) }\n"
    ),
    "rust": (
        "use crate::a::{b, c as d, e::*};\nimpl<T> Tr for A<T> { fn f(&self) { self.g(); B::<T>::new(); m!(1); } }\n"
    ),
    "java": (
        "package a.b;\nimport x.Y;\nclass A<T> extends B implements C { void f(Y y) { this.g(); y.h(new D<T>(1)); } }\n"
    ),
    "csharp": (
        "using X = A.C;\nnamespace N { class A<T> : B<T>, IC { void F() { base.Q(); a?.B(); new H<T>(); } } }\n"
    ),
    "cpp": (
        '#include "a/b.h"\n'
        "namespace n { class A : public B<int> { void f() { this->g(); p->q(); n::k(); "
        "t<int>(2); } }; }\n"
    ),
    "ruby": (
        "require_relative 'b/c'\n"
        "class A < B::C\n"
        " include D\n"
        " def f\n"
        "  self.g\n"
        "  H.new(1)\n"
        "  @x = Y.new\n"
        "  @x.z\n"
        " end\n"
        "end\n"
    ),
}


@pytest.mark.parametrize("language", sorted(SOURCES))
def test_broken_text_raises_nothing_and_lines_stay_inside_the_file(language: str) -> None:
    chance = random.Random(language)  # noqa: S311 - a test that can be run again
    for _ in range(60):
        text = SOURCES[language]
        for _ in range(chance.randrange(1, 5)):
            at, size = chance.randrange(len(text)), chance.randrange(1, 40)
            text = chance.choice((text[:at] + text[at + size :], text[:at] + text[:size] + text[at:], text[at:] or "x"))
        facts = chunk_file("pkg/file", language, text).graph
        if facts is None:
            continue
        lines = text.count("\n") + 1
        assert all(1 <= each.start <= each.end <= lines for each in facts.defs)
        assert all(-1 <= each.parent < len(facts.defs) for each in facts.defs)
        assert all(
            0 <= ref.source < len(facts.defs) and 1 <= ref.line <= lines and ref.name for ref in facts.refs.iter_rows()
        )
        assert facts == chunk_file("pkg/file", language, text).graph


@pytest.mark.parametrize(
    ("text", "apart"),
    [
        ("f", ("", "f")),
        ("a.b.c", ("a.b", "c")),
        ("a?.b", ("a", "b")),
        ("s->h", ("s", "h")),
        ("n::k", ("n", "k")),
        ("Foo<T>::new", ("Foo", "new")),
        ("Foo(1, [2]).bar", ("Foo()", "bar")),
        ("super().f", ("super()", "f")),
        ("x[1].q", ("?", "q")),
        ("(lambda: 1)", ("", "")),
    ],
)
def test_a_callee_is_split_into_receiver_and_name(text: str, apart: tuple[str, str]) -> None:
    assert split_callee(text) == apart


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("python", "self.x: Optional[Foo] = None", (".x", "Foo")),
        ("python", "x: list[Foo]", None),
        ("python", "x = foo(1)", None),
        ("typescript", "private readonly s: Svc", ("s", "Svc")),
        ("go", "a, err := pkg.NewThing(x)", ("a", "Thing")),
        ("rust", "x: &mut Bar<T>", ("x", "Bar")),
        ("java", "private final Foo x = bar()", ("x", "Foo")),
        ("cpp", "const n::Foo& x", ("x", "n.Foo")),
        ("php", "private readonly ?A\\Foo $x = null", (".x", "Foo")),
        ("php", "A\\Foo &$x", ("x", "Foo")),
        ("php", "Foo ...$x", None),
        ("php", "$this->x = new \\A\\Foo(1)", (".x", "Foo")),
        ("ruby", "@a = A::B.new(1)", (".a", "A.B")),
    ],
)
def test_a_declaration_gives_the_type_of_its_variable(language: str, text: str, found: tuple[str, str] | None) -> None:
    assert parse_binding(load_language(language), text) == found


@settings(max_examples=50)
@given(
    st.lists(st.sampled_from(["a", "größe", "1b", "ü", ".", "..", "::", "?.", "<T>", "()", "$", "@x", "_"]), max_size=6)
)
def test_blanks_do_not_change_how_a_callee_is_split(parts: list[str]) -> None:
    assert split_callee("".join(parts)) == split_callee(" ".join(["", *parts, ""]))


def test_a_python_module_name_never_begins_inside_a_package() -> None:
    packages, modules = frozenset({"shop"}), load_language("python").graph.modules
    assert not modules.matches("json", "shop/json.py", packages)
    assert modules.matches("shop.json", "shop/json.py", packages)
    assert modules.matches("shop.json", "src/shop/json.py", frozenset({"src/shop"}))
    assert modules.resolve("shop/a/b.py", "..json") == "/shop/json"
    assert modules.matches("/shop/json", "shop/json.py", packages)


def test_a_ruby_require_and_a_c_include_match_the_file_they_name() -> None:
    ruby, c = load_language("ruby").graph.modules, load_language("c").graph.modules
    assert ruby.matches("shop/item", "lib/shop/item.rb", frozenset())
    assert c.matches("a/b.h", "include/a/b.h", frozenset())
    assert not c.matches("b.h", "include/ab.h", frozenset())
