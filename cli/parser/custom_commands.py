"""Commands with code of their own, and the groups of commands; each other command comes from its tool."""

from __future__ import annotations

CUSTOM_COMMANDS: dict[str, str] = {
    "hook": "commands.hook",
    "init": "commands.init",
    "mem adopt": "commands.mem_adopt",
    "mem confirm": "commands.mem_confirm",
    "mem migrate": "commands.mem_migrate",
    "mem watch": "commands.mem_watch",
    "runs approve": "commands.runs_approve",
    "runs prune": "commands.runs_prune",
    "tools call": "commands.tools_call",
    "trust": "commands.trust",
    "ui": "commands.ui",
    "workflow new": "commands.workflow_new",
    "workflow run": "walk.command",
    "workflow step": "commands.step",
    "mcp": "commands.mcp",
    "serve": "commands.serve.server",
    "serve token add": "commands.serve.token_add",
    "serve token list": "commands.serve.token_list",
    "serve token revoke": "commands.serve.token_revoke",
}
"""Words of a command -> the module in `aurora.cli` that has it as `COMMAND`."""

CUSTOM_HELP: dict[str, str] = {
    "hook": "Answer the hook of an assistant with context.",
    "mem adopt": "Take over facts from another account's memory.",
    "mem confirm": "Confirm a fact or a pattern yourself.",
    "mem migrate": "Copy the memory to a database server.",
    "mem watch": "Watch the project and index every change.",
    "runs approve": "Answer the question of a run that waits for you.",
    "runs prune": "Delete old runs, by age, state or number.",
    "tools call": "Call any tool with its arguments as JSON.",
    "trust": "Trust this folder's own workflows and agents.",
    "ui": "Show runs, workflows and memory in your browser.",
    "workflow run": "Run a workflow yourself, phase by phase.",
    "mcp": "Serve the project to an assistant.",
    "serve": "Serve projects over HTTP to many people.",
    "serve token add": "Make a token, and show it once.",
    "serve token list": "List the tokens.",
    "serve token revoke": "End a token at once.",
}
"""Words of a command without a tool -> its line of help."""

SYNONYMS: dict[str, str] = {
    "config": "init",
    "find": "mem search",
    "install": "init",
    "setup": "init",
    "status": "",
    "uninstall": "init --remove",
}
"""Word that no command has -> the command for what it asks; empty for `aur` alone."""

GROUPS: dict[str, str] = {
    "agents": "The agents of your assistants: list, search, show.",
    "graph": "The code graph: callers, implementations, paths.",
    "hosts": "The supported assistants: list, status.",
    "jobs": "Workflows that need no assistant: list, run.",
    "mem": "The memory of the project: index, search, read.",
    "serve token": "Tokens of the server: add, list, revoke.",
    "runs": "Open and finished runs, phase by phase.",
    "tools": "Every tool: list, show, call, export.",
    "workflow": "Workflows: create, check, test and run them.",
}
"""First word of a command -> the line of help of its group."""
