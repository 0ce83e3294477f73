"""Templates of the slash commands and of the note for agents."""

from __future__ import annotations

_WALK_STEPS = """\
1. Call the tool `aurora_query` with `phase: "assess"` and the question as `query`.
2. Each response contains `next_call`: send it unchanged, plus the fields that its `needs` lists. If a response contains
   a `prompt_template`, work through it first; your conclusion is the `answer` of the next call.
3. Repeat until `next_call` is null. Then report the result, with the files and lines that support it.
"""

_DESCRIPTION = "Answer a question about this project in the open, phase by phase"

_PROMPT = "Answer this with Aurora: {arguments}\n\n" + _WALK_STEPS


def _build_markdown(arguments: str, matter: str) -> str:
    return f"---\n{matter}\n---\n\n{_PROMPT.format(arguments=arguments)}"


CLAUDE_COMMAND = _build_markdown("$ARGUMENTS", f"description: {_DESCRIPTION}\nargument-hint: <question>")
OPENCODE_COMMAND = _build_markdown("$ARGUMENTS", f"description: {_DESCRIPTION}")
COPILOT_PROMPT = _build_markdown("${input:question}", f"description: {_DESCRIPTION}\nagent: agent")
CODEX_PROMPT = _build_markdown("$ARGUMENTS", f"description: {_DESCRIPTION}\nargument-hint: <question>")
WINDSURF_WORKFLOW = _build_markdown("the question given with this command", f"description: {_DESCRIPTION}")
CURSOR_COMMAND = _PROMPT.format(arguments="the text after this command")
GEMINI_COMMAND = f'description = "{_DESCRIPTION}"\nprompt = """\n{_PROMPT.format(arguments="{{args}}")}"""\n'

AGENTS_NOTE = """\
## Aurora

This project has a memory and workflows, provided by the MCP server `aurora`:

- `aurora_search` finds code, documents and past reasoning; `aurora_get` returns the full text of a hit.
- `aurora_query` with `phase: "assess"` and a `query` works through a harder question; each response names the next
  call. Run `aur mem index` after larger changes to update the memory.
"""
