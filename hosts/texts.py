"""What hosts are told of Aurora: a slash command, a skill, and a note for agents."""

from __future__ import annotations

_WALK = """\
1. Call the tool `aurora_query` with `phase: "assess"` and the question as `query`.
2. Each response carries `next_call`: send it as it stands, and add what its `needs` lists. Where a response carries a
   `prompt_template`, think it through first; what you conclude is the `answer` of the next call.
3. Go on until `next_call` is null, and tell what was found, with the files and lines it stands in.
"""

_ABOUT = "Answer a question about this project in the open, phase by phase"

_ASKED = "Answer this with Aurora: {arguments}\n\n" + _WALK


def _markdown(arguments: str, matter: str) -> str:
    return f"---\n{matter}\n---\n\n{_ASKED.format(arguments=arguments)}"


CLAUDE_COMMAND = _markdown("$ARGUMENTS", f"description: {_ABOUT}\nargument-hint: <question>")
OPENCODE_COMMAND = _markdown("$ARGUMENTS", f"description: {_ABOUT}")
COPILOT_PROMPT = _markdown("${input:question}", f"description: {_ABOUT}\nagent: agent")
CODEX_PROMPT = _markdown("$ARGUMENTS", f"description: {_ABOUT}\nargument-hint: <question>")
WINDSURF_WORKFLOW = _markdown("what was asked with this command", f"description: {_ABOUT}")
CURSOR_COMMAND = _ASKED.format(arguments="what stands behind this command")
GEMINI_COMMAND = f'description = "{_ABOUT}"\nprompt = """\n{_ASKED.format(arguments="{{args}}")}"""\n'

SKILL = f"""\
---
name: aurora
description: >-
  Searches this project's memory and answers questions about it phase by phase, with reasons that are kept. Use it for
  questions about how this code base works, where something is, or what a change would touch, and for tasks that need
  several steps: mending a bug, reviewing a change, deciding on a design, delivering a feature.
---

# Aurora

Aurora is an MCP server with three tools. It calls no model: the thinking is yours.

| tool | what for |
|---|---|
| `aurora_search` | find code, documents and past reasoning by words, meaning or symbol |
| `aurora_get` | read whole what a search found |
| `aurora_query` | walk a workflow, one phase per call |

## A question that one search answers

Call `aurora_search`, then `aurora_get` with the ids that matter.

## A question that needs thought

{_WALK}
The workflows are `soar` (a question, when no `workflow` is named), `bug-fix`, `code-review`, `design` and `feature`. An
error carries a `help` that says what would be right; mend it and call again.
"""

NOTE = """\
## Aurora

This project has a memory and workflows, offered by the MCP server `aurora`:

- `aurora_search` finds code, documents and past reasoning; `aurora_get` reads what was found.
- `aurora_query` with `phase: "assess"` and a `query` thinks a harder question through; each response says what to call
  next. `aur mem index` brings the memory up to date after larger changes.
"""
