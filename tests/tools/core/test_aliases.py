"""An alias names exactly one tool, and resolving it imports none."""

from __future__ import annotations

import pytest

from aurora.tools.core.alias_table import ALIASES
from aurora.tools.core.aliases import resolve_alias
from aurora.tools.core.registry import TOOL_MODULES, ToolRegistry, index_tools


def test_the_generated_table_is_what_the_tools_declare() -> None:
    declared = {alias: tool.name for tool in ToolRegistry().load_all() for alias in tool.aliases}
    assert dict(ALIASES) == declared
    assert set(index_tools(ToolRegistry().load_all())) == {*TOOL_MODULES, *ALIASES}


@pytest.mark.parametrize("alias", sorted(ALIASES))
def test_an_alias_is_resolved_exactly_and_by_case(alias: str) -> None:
    assert ToolRegistry().find(alias).name == resolve_alias(alias) == ALIASES[alias]
    assert resolve_alias(alias.title()) == alias.title()
    assert resolve_alias(f"{alias} ") == f"{alias} "


def test_a_name_that_is_no_alias_is_returned_unchanged() -> None:
    assert resolve_alias("mem.search") == "mem.search"
    assert resolve_alias("no_such_tool") == "no_such_tool"
    assert not resolve_alias("")


def test_an_alias_that_hides_a_tool_or_has_none_is_refused_when_the_registry_is_built() -> None:
    with pytest.raises(ValueError, match=r'"mem\.stats" is an alias of mem\.search and the name of a tool'):
        ToolRegistry(TOOL_MODULES, {"mem.stats": "mem.search"})
    with pytest.raises(ValueError, match=r'the alias "gone" belongs to "mem\.gone", and there is no such tool'):
        ToolRegistry(TOOL_MODULES, {"gone": "mem.gone"})


def test_the_default_tools_have_no_aliases() -> None:
    assert [tool.aliases for tool in ToolRegistry().select_mcp()] == [(), (), ()]
