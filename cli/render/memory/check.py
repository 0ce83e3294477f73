"""Whether the memory is whole: each finding on a line, its remedy behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal.console import flat, plain
from aurora.cli.terminal.units import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show the findings, or that there are none."""
    shown(output["findings"], console)
    for row in output["unfinished"]:
        console.print(f"{row['part']}: {flat(row['message'])}; `{row['remedy']}` completes it", soft_wrap=True)
    if output["ok"]:
        console.print(output["note"] or f"the memory is whole: {plain(output['path'])}", soft_wrap=True)
        return
    remedies = ", ".join(f"`{remedy}`" for remedy in dict.fromkeys(row["remedy"] for row in output["findings"]))
    console.print(f"{counted(len(output['findings']), 'finding')}: run {remedies}", soft_wrap=True)


def shown(findings: Sequence[Mapping[str, Any]], console: Console) -> None:
    """One line a finding."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    for row in findings:
        console.print(Text.assemble((f"{row['part']}: ", "bold red"), flat(row["message"])), soft_wrap=True)
