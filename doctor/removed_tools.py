"""Removed tools of Aurora and their replacements."""

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
"""Matches one of them, alone or with a host's prefix: `mcp__aurora__aurora_index`."""
