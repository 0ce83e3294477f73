"""Groups of commands that load a command only when it is run, so that help stays light."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from aurora.faults.suggest import did_you_mean, quoted

from .command_table import BY_HAND, COMMANDS, GROUPS


class Words(click.Group):
    """The commands whose words begin with `prefix`.

    Args:
        prefix: the words so far, without `aur`; empty at the root.
        settings: as for `click.Group`.
    """

    def __init__(self, *, prefix: str, **settings: Any) -> None:
        super().__init__(**settings)
        self.prefix = prefix

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The next words there are, sorted."""
        return sorted(self._lines())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The command, its tool imported now; None when there is no such word."""
        if cmd_name not in self._lines():
            return None
        words = f"{self.prefix} {cmd_name}".strip()
        if words in GROUPS:
            return Words(name=cmd_name, prefix=words, help=GROUPS[words], no_args_is_help=True)
        if words in BY_HAND:
            command: click.Command = import_module(f"aurora.cli.{BY_HAND[words][0]}").COMMAND
            return command
        from .tool_command import build  # noqa: PLC0415 - brings the tools along

        return build(words, COMMANDS[words])

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """The list of commands from the literal, nothing imported."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(self._lines().items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The next command; an unknown word is answered with the nearest one."""
        if args and not args[0].startswith("-") and args[0] not in self._lines():
            meant = did_you_mean(args[0], self._lines())
            aside = f"; {meant} The" if meant else "; the"
            ctx.fail(f'there is no command "{args[0][:80]}"{aside} commands are {quoted(self._lines())}')
        return super().resolve_command(ctx, args)

    def _lines(self) -> dict[str, str]:
        """The next word -> its line of help."""
        every = {
            **GROUPS,
            **{words: word.help for words, word in COMMANDS.items()},
            **{words: line for words, (_, line) in BY_HAND.items()},
        }
        start = f"{self.prefix} " if self.prefix else ""
        return {
            words.removeprefix(start): line
            for words, line in every.items()
            if words.startswith(start) and " " not in words.removeprefix(start)
        }
