"""Groups of commands that load a command only when it runs, so that help stays fast."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from aurora.faults import did_you_mean, quote_names

from .command_table import COMMANDS, UNLISTED
from .custom_commands import CUSTOM_COMMANDS, CUSTOM_HELP, GROUPS


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
            command: click.Command = import_module(f"aurora.cli.{CUSTOM_COMMANDS[words]}").COMMAND
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
        """Return the next command; suggest a similar word for an unknown one."""
        if args and not args[0].startswith("-") and args[0] not in self._list_help():
            listed = self._list_help(listed_only=True)
            suggestion = did_you_mean(args[0], self._list_help())
            link = f"; {suggestion} The" if suggestion else "; the"
            ctx.fail(f'there is no command "{args[0][:80]}"{link} commands are {quote_names(listed)}')
        return super().resolve_command(ctx, args)

    def _list_help(self, *, listed_only: bool = False) -> dict[str, str]:
        """Return the next words with their lines of help.

        Args:
            listed_only: leave out the commands that the help does not list.
        """
        every = {
            **GROUPS,
            **CUSTOM_HELP,
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
