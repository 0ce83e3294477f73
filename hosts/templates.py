"""Templates of the slash command and of the note for agents."""

from __future__ import annotations

_WALK_STEPS = """\
1. Call the tool `aurora_query` with the question as `query` and without `phase`.
2. Each response contains `next_call`: send it unchanged, plus the fields that its `needs` lists. If a response contains
   a `prompt_template`, work through it first; your conclusion is the `answer` of the next call.
3. Repeat until `next_call` is null. Then report the result, with the files and lines that support it.
"""

WINDSURF_WORKFLOW = f"""\
---
description: Answer a question about this project in the open, phase by phase
---

Answer this with Aurora: the question given with this command

{_WALK_STEPS}"""

AGENTS_NOTE = """\
## Aurora

This project has a memory and workflows, provided by the MCP server `aurora`:

- `aurora_search` finds code, documents and past reasoning; `aurora_get` returns the full text of a hit.
- `aurora_query` with a `query` and without `phase` works through a harder question; each response names the next
  call. Run `aur mem index` after larger changes to update the memory.
"""
