"""What hosts are told of Aurora: a slash command, and a note for agents."""

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

NOTE = """\
## Aurora

This project has a memory and workflows, offered by the MCP server `aurora`:

- `aurora_search` finds code, documents and past reasoning; `aurora_get` reads what was found.
- `aurora_query` with `phase: "assess"` and a `query` thinks a harder question through; each response says what to call
  next. `aur mem index` brings the memory up to date after larger changes.
"""
