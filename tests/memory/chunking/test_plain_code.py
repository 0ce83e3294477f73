"""Definitions in code without a grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.memory.parsing.without_grammar import find_definitions

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory import Memory

_SEEN = {
    "dart": ("abstract class Shape {\n  double area();\n}", ["class Shape"]),
    "fish": ("function fish_prompt --description a\n  echo function\nend", ["function fish_prompt"]),
    "perl": ("package My::Tool;\nsub run { 1 }", ["module Tool", "function run"]),
    "zsh": ("function nvm_cd { :; }\nnvm_ls() {\n  echo function\n}", ["function nvm_cd", "function nvm_ls"]),
    "sql": (
        'CREATE TABLE IF NOT EXISTS shop.orders\nCREATE UNLOGGED TABLE "Line" (b INT);\n-- create table no',
        ["type orders", "type Line"],
    ),
}


def test_names_in_a_template_of_sql_are_found_below_its_holes() -> None:
    lines = ["create or replace function @extschema@.pay(a)", "create materialized view {{ index .Namespace }}.totals"]
    assert [f"{line.kind} {line.name}" for line in find_definitions(lines, "sql")] == ["function pay", "type totals"]


@pytest.mark.parametrize("language", _SEEN)
def test_a_line_that_looks_like_a_definition_is_one(language: str) -> None:
    text, expected = _SEEN[language]
    assert [f"{line.kind} {line.name}" for line in find_definitions(text.split("\n"), language)] == expected


def test_code_without_a_grammar_is_in_the_graph_by_name_and_line(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "call.pl").write_text("package Call;\n\n\nsub body { 1 }\n", encoding="utf-8")
    memory.index(tmp_path)
    found = memory.graph.find_one("call.pl::body")
    assert (found.kind, found.start, found.language) == ("function", 4, "perl")
    assert [each.symbol for each in memory.graph.list_members(memory.graph.find_one("call.pl"))] == ["Call", "body"]
