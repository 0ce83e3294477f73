"""A name that no offered tool has is answered with a tool that has its place."""

from __future__ import annotations

import pytest

from aurora.doctor import REMOVED_TOOLS
from aurora.tools.core import DEFAULT_TOOLS
from aurora.tools.mcp.access import make_unknown_tool_fault
from aurora.tools.runtime import get_registry

OFFERED = [str(get_registry().find(name).mcp) for name in DEFAULT_TOOLS]


@pytest.mark.parametrize("name", sorted(REMOVED_TOOLS))
def test_a_removed_tool_is_answered_with_what_replaces_it(name: str) -> None:
    fault = make_unknown_tool_fault(name, OFFERED)
    assert fault.message == f'the tool "{name}" was removed'
    assert fault.help.startswith(f"Use {REMOVED_TOOLS[name]} instead. The tools here are ")
    assert fault.details["suggestion"] is None
