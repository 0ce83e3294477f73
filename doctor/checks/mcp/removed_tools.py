"""The six tools that Aurora no longer has, and what replaces each."""

from __future__ import annotations

import re

REMOVED_TOOLS = {
    "aurora_context": "the assistant's own way to read files",
    "aurora_index": "`aur mem index`",
    "aurora_list_agents": "`aur agents list`",
    "aurora_related": "`aur mem related`",
    "aurora_search_agents": "`aur agents search`",
    "aurora_show_agent": "`aur agents show`",
}

REMOVED_TOOL_PATTERN = re.compile(rf"(?<![\w-])(?:mcp__[\w-]*?__)?({'|'.join(REMOVED_TOOLS)})(?![\w-])")
"""One of them, alone or as a host calls it: `mcp__aurora__aurora_index`."""
