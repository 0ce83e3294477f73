"""Definitions in code without a grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.memory.parsing.languages.without_grammar import find_definitions

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory import Memory

_SEEN = {
    "dart": ("abstract class Shape {\n  double area();\n}", ["class Shape"]),
    "elixir": (
        "defmodule App.Router do\n  @doc false\n  defp route!(conn), do: conn\nend",
        ["module Router", "function route!"],
    ),
    "fish": ("function fish_prompt --description a\n  echo function\nend", ["function fish_prompt"]),
    "haskell": (
        "newtype Zip a = Zip [a]\nfocus, up :: Zip a\nclass Show a => Message a\nclass (Eq (l a), Eq l) => Layout l a",
        ["type Zip", "function focus", "class Message", "class Layout"],
    ),
    "kotlin": (
        '@Since("1") public data class Call(val id: Int)\n  override suspend fun <T> Call.body(): T = x\n// fun no()',
        ["class Call", "function body"],
    ),
    "lua": (
        "local function a(x) end\nM.b = function() end\nfunction M:c() end",
        ["function a", "function b", "function c"],
    ),
    "perl": ("package My::Tool;\nsub run { 1 }", ["module Tool", "function run"]),
    "scala": ("sealed trait Tree\n  private def walk(t: Tree) = 1", ["trait Tree", "function walk"]),
    "swift": (
        "public final class Session {\n  @discardableResult\n  open func go() {}\n}",
        ["class Session", "function go"],
    ),
    "zig": ("pub const Kind = enum { a };\npub fn parse(x: u8) void {}", ["enum Kind", "function parse"]),
    "zsh": ("function nvm_cd { :; }\nnvm_ls() {\n  echo function\n}", ["function nvm_cd", "function nvm_ls"]),
    "sql": ("CREATE TABLE a (b INT);", []),
}


@pytest.mark.parametrize("language", _SEEN)
def test_a_line_that_looks_like_a_definition_is_one(language: str) -> None:
    text, expected = _SEEN[language]
    assert [f"{line.kind} {line.name}" for line in find_definitions(text.split("\n"), language)] == expected


def test_code_without_a_grammar_is_in_the_graph_by_name_and_line(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "Call.kt").write_text("package a\n\nclass Call {\n    fun body() = 1\n}\n", encoding="utf-8")
    memory.index(tmp_path)
    found = memory.graph.find_one("Call.kt::body")
    assert (found.kind, found.start, found.language) == ("function", 4, "kotlin")
    assert [each.symbol for each in memory.graph.list_members(memory.graph.find_one("Call.kt"))] == ["Call", "body"]
