"""Whether the memory is whole: each finding on a line, its remedy behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import format_count, strip_controls, to_single_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show the findings, or that there are none."""
    print_findings(output["findings"], console)
    for row in output["unfinished"]:
        console.print(
            f"{row['part']}: {to_single_line(row['message'])}; `{row['remedy']}` completes it", soft_wrap=True
        )
    if output["ok"]:
        console.print(output["note"] or f"the memory is whole: {strip_controls(output['path'])}", soft_wrap=True)
        return
    remedies = ", ".join(f"`{remedy}`" for remedy in dict.fromkeys(row["remedy"] for row in output["findings"]))
    console.print(f"{format_count(len(output['findings']), 'finding')}: run {remedies}", soft_wrap=True)


def print_findings(findings: Sequence[Mapping[str, Any]], console: Console) -> None:
    """One line a finding."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    for row in findings:
        console.print(Text.assemble((f"{row['part']}: ", "bold red"), to_single_line(row["message"])), soft_wrap=True)
