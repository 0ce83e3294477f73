"""What the doctor found, a line each under its heading, and below it what puts things right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import format_count, to_single_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console
    from rich.text import Text

_STYLES = {"pass": "green", "warn": "yellow", "fail": "red", "skip": "dim"}


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show the steps of mending first, then the findings, then what is left to do."""
    if output["fixed"]:
        _print_heading("Fixes", console)
        for step in output["fixed"]:
            _print_line(
                "DONE" if step["done"] else "LEFT", "green" if step["done"] else "yellow", step["message"], console
            )
        console.print()
    for group in output["groups"]:
        show_group(group, console)
        console.print()
    _print_suggestions(output, console)
    counts = output["counts"]
    console.print(
        f"{counts['pass']} passed, {format_count(counts['warn'], 'warning')}, {counts['fail']} failed, "
        f"{counts['skip']} skipped",
        soft_wrap=True,
    )


def show_group(group: Mapping[str, Any], console: Console, *, helped: bool = False) -> None:
    """Show a heading and a line for each finding; `helped` shows below each that is not right what puts it right."""
    _print_heading(group["title"], console)
    for found in group["findings"]:
        _print_line(found["status"].upper(), _STYLES[found["status"]], found["message"], console)
        if helped and found["steps"]:
            console.print(f"  help: {to_single_line(' '.join(found['steps']))}", soft_wrap=True)


def _print_suggestions(output: Mapping[str, Any], console: Console) -> None:
    """Each remedy once: first what the doctor does itself, then what a person must do."""
    bad = [one for group in output["groups"] for one in group["findings"] if one["status"] in {"warn", "fail"}]
    if not bad:
        return
    _print_heading("Suggested Fixes", console)
    if any(one["fixable"] for one in bad):
        console.print("- Run `aur doctor --fix`, which does this:", soft_wrap=True)
    bad.sort(key=lambda one: not one["fixable"])
    for steps, star in dict.fromkeys((" ".join(one["steps"]), one["fixable"]) for one in bad):
        console.print(f"{'  *' if star else '-'} {to_single_line(steps)}", soft_wrap=True)
    console.print()


def _print_heading(title: str, console: Console) -> None:
    console.print(_make_text(f"=== {title} ===", "bold"), soft_wrap=True)


def _print_line(word: str, style: str, message: str, console: Console) -> None:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    console.print(Text.assemble((f"[{word}]", style), f" {to_single_line(message)}"), soft_wrap=True)


def _make_text(text: str, style: str) -> Text:
    from rich.text import Text  # noqa: PLC0415 - as above

    return Text(text, style=style)
