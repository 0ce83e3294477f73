"""Groups of commands that load a command only when it runs, so that help stays fast."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import click

from aurora.errors import find_nearest, quote_names

from .command_table import COMMANDS, UNLISTED

_MAX_SUGGESTED = 3

_FIRST_GROUPS = ("mem", "workflow", "runs")
"""Groups whose commands are suggested before those of others: they are used most."""


class CommandGroup(click.Group):
    """Group of the commands whose words begin with `prefix`.

    Args:
        prefix: the words so far, without `aur`; empty at the root.
        settings: as for `click.Group`.
    """

    def __init__(self, *, prefix: str, **settings: Any) -> None:
        super().__init__(**settings)
        self.prefix = prefix

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the next words, sorted."""
        return sorted(self._list_help())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import and return the command; None for an unknown word."""
        if cmd_name not in self._list_help():
            return None
        words = f"{self.prefix} {cmd_name}".strip()
        if words in GROUPS:
            return CommandGroup(name=cmd_name, prefix=words, help=GROUPS[words], no_args_is_help=True)
        if words in CUSTOM_COMMANDS:
            module, _, name = CUSTOM_COMMANDS[words].place.partition(":")
            command: click.Command = getattr(import_module(f"aurora.cli.{module}"), name)
            return command
        made: click.Command = import_module(".tool_command", __package__).build_command(COMMANDS[words][0])
        return made

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """Write the list of commands from the literal, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(self._list_help(listed_only=True).items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the next command; `help` shows the help, and another unknown word suggests a command."""
        if args and args[0] == "help":
            rest = [word for word in args[1:] if word != "help" and not word.startswith("-")]
            if not rest:
                click.echo(ctx.get_help())
                ctx.exit()
            args = [*rest, "--help"]
        if args and not args[0].startswith("-") and args[0] not in self._list_help():
            meant = " or ".join(f"`{f'aur {words}'.strip()}`" for words in self._suggest_commands(args[0]))
            choices = f"the commands are {quote_names(self._list_help(listed_only=True))}"
            ctx.fail(f'there is no command "{args[0][:80]}"; {f"did you mean {meant}?" if meant else choices}')
        return super().resolve_command(ctx, args)

    def _suggest_commands(self, word: str) -> list[str]:
        """Suggest commands for an unknown word, the most used first.

        Those for which it is a synonym, those that have it as a later word, then those with a similar word.
        """
        word = word.lower()
        if not self.prefix and word in SYNONYMS:
            return [SYNONYMS[word]]
        by_last: dict[str, list[str]] = {}
        for words in sorted({*GROUPS, *CUSTOM_COMMANDS, *COMMANDS}, key=self._rank_command):
            by_last.setdefault(words.rpartition(" ")[2], []).append(words)
        if word in by_last:
            return by_last[word][:_MAX_SUGGESTED]
        near = find_nearest(word, self._list_help())
        if near is not None:
            return [f"{self.prefix} {near}".strip()]
        return by_last.get(find_nearest(word, by_last) or "", [])[:_MAX_SUGGESTED]

    def _rank_command(self, words: str) -> tuple[bool, int, str]:
        """Rank a command for a suggestion: those of this group first."""
        group = words.partition(" ")[0]
        place = _FIRST_GROUPS.index(group) if group in _FIRST_GROUPS else len(_FIRST_GROUPS)
        return not words.startswith(f"{self.prefix} "), place, words

    def _list_help(self, *, listed_only: bool = False) -> dict[str, str]:
        """Return the next words with their lines of help.

        Args:
            listed_only: leave out the commands that the help does not list.
        """
        every = {
            **GROUPS,
            **{words: command.help for words, command in CUSTOM_COMMANDS.items() if command.help},
            **{words: line for words, (_, line) in COMMANDS.items()},
        }
        start = f"{self.prefix} " if self.prefix else ""
        return {
            words.removeprefix(start): line
            for words, line in every.items()
            if words.startswith(start)
            and " " not in words.removeprefix(start)
            and not (listed_only and words in UNLISTED)
        }


class CustomCommand(NamedTuple):
    """Command with code of its own.

    Attributes:
        place: the module in `aurora.cli` and the name of the command in it.
        help: its line of help; empty for the command of a tool, which has one.
    """

    place: str
    help: str = ""


CUSTOM_COMMANDS: dict[str, CustomCommand] = {
    "hook": CustomCommand("commands.local:HOOK", "Answer the hook of an assistant with context."),
    "init": CustomCommand("commands.init:INIT"),
    "mcp": CustomCommand("commands.local:MCP", "Serve the project to an assistant."),
    "mem adopt": CustomCommand("commands.memory:ADOPT", "Take over facts from another account's memory."),
    "mem confirm": CustomCommand("commands.memory:CONFIRM", "Confirm a fact or a pattern yourself."),
    "mem migrate": CustomCommand("commands.memory:MIGRATE", "Copy the memory to a database server."),
    "mem watch": CustomCommand("commands.memory:WATCH", "Watch the project and index every change."),
    "runs approve": CustomCommand("commands.runs:APPROVE", "Answer the question of a run that waits for you."),
    "runs prune": CustomCommand("commands.runs:PRUNE", "Delete old runs, by age, state or number."),
    "serve": CustomCommand("commands.serve:SERVE", "Serve projects over HTTP to many people."),
    "serve token add": CustomCommand("commands.serve:TOKEN_ADD", "Make a token, and show it once."),
    "serve token list": CustomCommand("commands.serve:TOKEN_LIST", "List the tokens."),
    "serve token revoke": CustomCommand("commands.serve:TOKEN_REVOKE", "End a token at once."),
    "tools call": CustomCommand("commands.workflow:CALL", "Call any tool with its arguments as JSON."),
    "trust": CustomCommand("commands.trust:TRUST", "Trust this folder's own workflows and agents."),
    "ui": CustomCommand("commands.local:UI", "Show runs, workflows and memory in your browser."),
    "workflow new": CustomCommand("commands.workflow:NEW"),
    "workflow run": CustomCommand("walk.command:RUN", "Run a workflow yourself, phase by phase."),
    "workflow step": CustomCommand("commands.workflow:STEP"),
}
"""Words of each command with code of its own -> its place; importing it waits until it runs."""


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
