"""Registry of the hosts. A new host is one entry and one snapshot."""

from __future__ import annotations

from .host import ExtraFile, HookSettings, Host, HttpShape, Slot, ToolAllowance

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

- `aurora_search` finds code, documents and past reasoning, with `exact`, `of` or `each` all places; `aurora_get` reads.
- `aurora_query` with a `query`, `workflow` "soar-fast" and without `phase` works through a harder question; each
  response names the next call. With `workflow` "check" and your `answer`, it checks an answer before you give it.
- Run `aur mem index` after larger changes to update the memory.
"""


_COMMAND_SHAPE = {"command": Slot.COMMAND, "args": Slot.ARGS}
_TOOL_NAMES = ["aurora_query", "aurora_search", "aurora_get"]
_DOLLAR = "Bearer ${{{name}}}"
_ENV = "Bearer ${{env:{name}}}"
_AUTO_APPROVE = 'List "aurora_query", "aurora_search" and "aurora_get" under `autoApprove` in its entry.'
_AGENTS_NOTE = ExtraFile("note", "AGENTS.md", AGENTS_NOTE)
_AGENTS_SKILL = ExtraFile("skill", ".agents/skills/aurora/SKILL.md")
"""One for all who read this folder: Gemini CLI warns of a second skill with the same name."""
_GITHUB_SKILL = ExtraFile("skill", ".github/skills/aurora/SKILL.md")
_CONTINUE_HEAD = {"name": "Aurora", "version": "1.0.0", "schema": "v1"}
_CONTINUE_HTTP = HttpShape(
    fixed={"type": "streamable-http"},
    variable="Bearer ${{{{ secrets.{name} }}}}",
    header=("requestOptions", "headers", "Authorization"),
    note="Write the variable into ~/.continue/.env, where Continue reads its secrets.",
)
_KIRO_NOTE = "Approve the variable when Kiro asks, or under Mcp Approved Env Vars in its settings."
_CLINE_STORAGE = "{apps}/Code/User/globalStorage/saoudrizwan.claude-dev"


_HOOK_EVENTS = {"session-start": "SessionStart", "user-prompt": "UserPromptSubmit"}
_CLAUDE_EVENTS = {**_HOOK_EVENTS, "file-use": "PreToolUse"}
_GEMINI_EVENTS = {"session-start": "SessionStart", "user-prompt": "BeforeAgent", "file-use": "AfterTool"}
_COPILOT_EVENTS = {
    "session-start": "sessionStart",
    "user-prompt": "userPromptSubmitted",
    "file-use": "preToolUse",
}


def _replace_command(path: str) -> ExtraFile:
    """Declare the slash command that a skill of the same name has replaced."""
    return ExtraFile("command", path, is_former=True)


HOSTS: tuple[Host, ...] = (
    Host(
        name="claude-code",
        title="Claude Code",
        project=(".mcp.json",),
        user="~/.claude.json",
        keys=("mcpServers",),
        shape=_COMMAND_SHAPE,
        http=HttpShape(fixed={"type": "http"}, variable=_DOLLAR),
        form="json",
        marks=(".mcp.json", ".claude", "CLAUDE.md", "~/.claude", "~/.claude.json"),
        programs=("claude",),
        ask="claude mcp list",
        extras=(
            _replace_command(".claude/commands/aurora.md"),
            ExtraFile("skill", ".claude/skills/aurora/SKILL.md"),
            ExtraFile("note", "CLAUDE.md", AGENTS_NOTE),
        ),
        helpful={"alwaysLoad": True},  # otherwise its first request may go out without the tools
        advice="Approve the project's server when it asks; `/mcp` shows that it is connected.",
        allowance=ToolAllowance(
            path=".claude/settings.local.json",
            keys=("permissions", "allow"),
            rule="mcp__{server}__{tool}",
            tools=tuple(_TOOL_NAMES),
            form="json",
            note="This file is personal; do not commit it.",
        ),
        hooks=HookSettings(
            path=".claude/settings.local.json",
            events=_CLAUDE_EVENTS,
            timeout=5,
            form="json",
            note="This file is personal; do not commit it.",
            shows_message=True,
            matchers={"file-use": "Read|Edit|MultiEdit|Write|NotebookEdit"},
        ),
    ),
    Host(
        name="cursor",
        title="Cursor",
        project=(".cursor/mcp.json",),
        user="~/.cursor/mcp.json",
        keys=("mcpServers",),
        shape=_COMMAND_SHAPE,
        http=HttpShape(variable=_ENV),
        form="jsonc",
        marks=(".cursor", ".cursorrules", "~/.cursor"),
        programs=("cursor", "cursor-agent"),
        extras=(_replace_command(".cursor/commands/aurora.md"), _AGENTS_SKILL, _AGENTS_NOTE),
        advice="Switch the server on under Settings, MCP.",
    ),
    Host(
        name="vscode",
        title="VS Code (Copilot)",
        project=(".vscode/mcp.json",),
        user="{apps}/Code/User/mcp.json",
        keys=("servers",),
        shape={"type": "stdio", **_COMMAND_SHAPE},
        http=HttpShape(fixed={"type": "http"}, variable=_ENV),
        form="jsonc",
        marks=(".vscode", ".github/copilot-instructions.md", "{apps}/Code/User"),
        programs=("code",),
        extras=(_replace_command(".github/prompts/aurora.prompt.md"), _GITHUB_SKILL, _AGENTS_NOTE),
        advice="Allow it to start the server when it asks.",
    ),
    Host(
        name="codex",
        title="Codex",
        project=(".codex/config.toml",),
        user="~/.codex/config.toml",
        keys=("mcp_servers",),
        shape=_COMMAND_SHAPE,
        http=HttpShape(variable_key="bearer_token_env_var"),
        form="toml",
        marks=(".codex", "~/.codex"),
        programs=("codex",),
        extras=(_replace_command("~/.codex/prompts/aurora.md"), _AGENTS_SKILL, _AGENTS_NOTE),
        advice="Trust the folder when it asks at its first start; then it reads the project's file.",
        hooks=HookSettings(
            path="~/.codex/hooks.json",
            events=_HOOK_EVENTS,
            timeout=5,
            form="json",
            note="They are in your own file, for this folder alone; review them with `/hooks`, then Codex runs them.",
        ),
    ),
    Host(
        name="gemini",
        title="Gemini CLI",
        project=(".gemini/settings.json",),
        user="~/.gemini/settings.json",
        keys=("mcpServers",),
        shape=_COMMAND_SHAPE,
        http=HttpShape(url="httpUrl", variable=_DOLLAR),
        form="json-comments",
        marks=(".gemini", "GEMINI.md", "~/.gemini"),
        programs=("gemini",),
        ask="gemini mcp list",
        extras=(
            _replace_command(".gemini/commands/aurora.toml"),
            _AGENTS_SKILL,
            ExtraFile("note", "GEMINI.md", AGENTS_NOTE),
        ),
        advice="Trust the folder when it asks at its first start; then it reads the project's file.",
        allow_by_hand='Write `"trust": true` into its entry; that is in effect for everyone who gets the file.',
        hooks=HookSettings(
            path="~/.gemini/settings.json",
            events=_GEMINI_EVENTS,
            timeout=5_000,
            form="json-comments",
            note="They are in your own file, for this folder alone.",
            shows_message=True,
            matchers={"file-use": "read_file|replace|write_file"},
        ),
    ),
    Host(
        name="qwen-code",
        title="Qwen Code",
        project=(".qwen/settings.json",),
        user="~/.qwen/settings.json",
        keys=("mcpServers",),
        shape=_COMMAND_SHAPE,
        http=HttpShape(url="httpUrl", variable=_DOLLAR),
        form="json-comments",
        marks=(".qwen", "QWEN.md", "~/.qwen"),
        programs=("qwen",),
        ask="qwen mcp list",
        extras=(_AGENTS_SKILL, _AGENTS_NOTE),
        advice="Approve the project's server when it asks.",
        hooks=HookSettings(
            path="~/.qwen/settings.json",
            events={"user-prompt": "UserPromptSubmit"},  # it runs SessionStart too, and ignores the answer
            timeout=5_000,
            form="json-comments",
            note="They are in your own file, for this folder alone.",
        ),
    ),
    Host(
        name="opencode",
        title="opencode",
        project=("opencode.json", "opencode.jsonc"),
        user="{config}/opencode/opencode.json",
        keys=("mcp",),
        shape={"type": "local", "command": Slot.ARGV, "enabled": True},
        http=HttpShape(fixed={"type": "remote", "enabled": True}, variable="Bearer {{env:{name}}}"),
        form="jsonc",
        marks=("opencode.json", "opencode.jsonc", ".opencode", "{config}/opencode"),
        programs=("opencode",),
        ask="opencode mcp list",
        extras=(_replace_command(".opencode/command/aurora.md"), _AGENTS_SKILL, _AGENTS_NOTE),
        fresh={"$schema": "https://opencode.ai/config.json"},
    ),
    Host(
        name="copilot-cli",
        title="Copilot CLI",
        project=(".github/mcp.json",),
        user="~/.copilot/mcp-config.json",
        keys=("mcpServers",),
        shape={"type": "local", **_COMMAND_SHAPE, "tools": _TOOL_NAMES},
        http=HttpShape(fixed={"type": "http", "tools": _TOOL_NAMES}),
        form="json",
        marks=(".github/mcp.json", "~/.copilot"),
        programs=("copilot",),
        extras=(_GITHUB_SKILL, _AGENTS_NOTE),
        advice="Trust the folder; then it reads the project's file.",
        hooks=HookSettings(
            path="~/.copilot/hooks/aurora.json",
            events=_COPILOT_EVENTS,
            timeout=5,
            form="json",
            note="They are in your own folder, for this folder alone.",
            is_grouped=False,
            command_key="bash",
            timeout_key="timeoutSec",
            fresh={"version": 1},
            matchers={"file-use": "view|edit|create"},
        ),
    ),
    Host(
        name="zed",
        title="Zed",
        project=(".zed/settings.json",),
        user="{config}/zed/settings.json",
        keys=("context_servers",),
        shape={"source": "custom", **_COMMAND_SHAPE},
        http=HttpShape(),
        form="jsonc",
        marks=(".zed", "{config}/zed"),
        programs=("zed", "zeditor"),
        extras=(_AGENTS_NOTE,),
        advice="Trust the folder (the exclamation mark in its title bar); then it reads the project's file.",
    ),
    Host(
        name="windsurf",
        title="Windsurf",
        project=(),
        user="~/.codeium/windsurf/mcp_config.json",
        keys=("mcpServers",),
        shape=_COMMAND_SHAPE,
        http=HttpShape(url="serverUrl", variable=_ENV),
        form="jsonc",
        marks=(".windsurf", "~/.codeium/windsurf"),
        programs=("windsurf",),
        extras=(ExtraFile("command", ".windsurf/workflows/aurora.md", WINDSURF_WORKFLOW), _AGENTS_NOTE),
        advice="Press Refresh in its list of MCP servers.",
    ),
    Host(
        name="cline",
        title="Cline",
        project=(),
        user=f"{_CLINE_STORAGE}/settings/cline_mcp_settings.json",
        keys=("mcpServers",),
        shape={**_COMMAND_SHAPE, "disabled": False, "autoApprove": []},
        http=HttpShape(fixed={"type": "streamableHttp", "disabled": False, "autoApprove": []}),
        form="jsonc",
        marks=(".clinerules", _CLINE_STORAGE),
        extras=(_AGENTS_NOTE,),
        allow_by_hand=_AUTO_APPROVE,
        advice="Its list of MCP servers shows whether the server runs; it asks before it runs a tool.",
    ),
    Host(
        name="cline-cli",
        title="Cline CLI",
        project=(),
        user="~/.cline/data/settings/cline_mcp_settings.json",
        keys=("mcpServers",),
        shape=_COMMAND_SHAPE,
        http=HttpShape(fixed={"type": "streamableHttp"}),
        form="json",
        marks=("~/.cline",),
        programs=("cline",),
        helpful={"timeout": 60},  # in seconds; otherwise it leaves out a server that needs 3 s to start
        extras=(_AGENTS_NOTE,),
        # twice the 19,000 characters of the longest response, since it escapes the quotes in it
        advice="Set CLINE_MESSAGE_BUILDER_MAX_TOOL_RESULT_CHARS=40000: it cuts longer results than 8,000 characters.",
    ),
    Host(
        name="continue",
        title="Continue",
        project=(".continue/mcpServers/aurora.yaml",),
        user="~/.continue/config.yaml",
        keys=("mcpServers",),
        shape={"name": Slot.NAME, "type": "stdio", **_COMMAND_SHAPE},
        http=_CONTINUE_HTTP,
        form="yaml",
        marks=(".continue", "~/.continue"),
        fresh=_CONTINUE_HEAD,
        advice="Its agent mode offers the tools.",
    ),
    Host(
        name="continue-cli",
        title="Continue CLI",
        project=(),
        user="~/.continue/config.yaml",
        keys=("mcpServers",),
        shape={"name": Slot.NAME, "type": "stdio", **_COMMAND_SHAPE},
        http=_CONTINUE_HTTP,
        form="yaml",
        marks=(),  # the extension has the same folder
        programs=("cn",),
        fresh=_CONTINUE_HEAD,
        extras=(_AGENTS_NOTE,),
        advice="It asks before it runs a tool; `cn --allow NAME` allows one.",
    ),
    Host(
        name="junie",
        title="Junie",
        project=(".junie/mcp/mcp.json",),
        user="~/.junie/mcp/mcp.json",
        keys=("mcpServers",),
        shape=_COMMAND_SHAPE,
        http=HttpShape(),
        form="json",
        marks=(".junie", "~/.junie"),
        programs=("junie",),
        extras=(_AGENTS_NOTE,),
        advice="It asks before it runs a tool; its Action Allowlist keeps what you allow.",
    ),
    Host(
        name="kiro",
        title="Kiro",
        project=(".kiro/settings/mcp.json",),
        user="~/.kiro/settings/mcp.json",
        keys=("mcpServers",),
        shape={**_COMMAND_SHAPE, "disabled": False, "autoApprove": []},
        http=HttpShape(fixed={"disabled": False, "autoApprove": []}, variable=_DOLLAR, note=_KIRO_NOTE),
        form="jsonc",
        marks=(".kiro", "~/.kiro"),
        programs=("kiro", "kiro-cli"),
        extras=(_AGENTS_NOTE,),
        allow_by_hand=_AUTO_APPROVE,
        advice="Trust the folder when it asks; its MCP panel shows whether the server runs.",
    ),
    Host(
        name="claude-desktop",
        title="Claude Desktop",
        project=(),
        user="{apps}/Claude/claude_desktop_config.json",
        keys=("mcpServers",),
        shape=_COMMAND_SHAPE,
        form="json",
        marks=("{apps}/Claude",),
        advice="Restart it.",
    ),
)
"""In the order of display."""
