"""Templates of the slash commands and of the note for agents."""

from __future__ import annotations

_WALK_STEPS = """\
1. Call the tool `aurora_query` with `phase: "assess"` and the question as `query`.
2. Each response carries `next_call`: send it as it stands, and add what its `needs` lists. Where a response carries a
   `prompt_template`, think it through first; what you conclude is the `answer` of the next call.
3. Go on until `next_call` is null, and tell what was found, with the files and lines it stands in.
"""

_DESCRIPTION = "Answer a question about this project in the open, phase by phase"

_PROMPT = "Answer this with Aurora: {arguments}\n\n" + _WALK_STEPS


def _build_markdown(arguments: str, matter: str) -> str:
    return f"---\n{matter}\n---\n\n{_PROMPT.format(arguments=arguments)}"


CLAUDE_COMMAND = _build_markdown("$ARGUMENTS", f"description: {_DESCRIPTION}\nargument-hint: <question>")
OPENCODE_COMMAND = _build_markdown("$ARGUMENTS", f"description: {_DESCRIPTION}")
COPILOT_PROMPT = _build_markdown("${input:question}", f"description: {_DESCRIPTION}\nagent: agent")
CODEX_PROMPT = _build_markdown("$ARGUMENTS", f"description: {_DESCRIPTION}\nargument-hint: <question>")
WINDSURF_WORKFLOW = _build_markdown("what was asked with this command", f"description: {_DESCRIPTION}")
CURSOR_COMMAND = _PROMPT.format(arguments="what stands behind this command")
GEMINI_COMMAND = f'description = "{_DESCRIPTION}"\nprompt = """\n{_PROMPT.format(arguments="{{args}}")}"""\n'

AGENTS_NOTE = """\
## Aurora

This project has a memory and workflows, offered by the MCP server `aurora`:

- `aurora_search` finds code, documents and past reasoning; `aurora_get` reads what was found.
- `aurora_query` with `phase: "assess"` and a `query` thinks a harder question through; each response says what to call
  next. `aur mem index` brings the memory up to date after larger changes.
"""
