"""A walk on the screen: each step in a few lines, and at the end the way that was taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import format_json_lines, strip_controls, to_single_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

    from .loop import Walk


def show_step(response: Mapping[str, Any], console: Console) -> None:
    """Progress, what came of the phase, and where it leads."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    from aurora.tools.text import summarize_fields  # noqa: PLC0415 - help does not need it

    failed = response["status"] == "error"
    head = Text(strip_controls(response["progress"]), style="bold cyan")
    head.append(f"  {response['status']}", style="red" if failed else "green")
    head.append(f"  → {strip_controls(response['next_action'])}", style="bold")
    console.print(head, soft_wrap=True)
    if response.get("error"):
        error = response["error"]
        console.print(Text(f"  {error['code']}: {to_single_line(error['message'])}", style="red"), soft_wrap=True)
    for line in format_json_lines(summarize_fields(response.get("result"))):
        console.print(Text(f"  {line}"), soft_wrap=True)


def show_refusal(response: Mapping[str, Any], console: Console) -> None:
    """Why a call was not taken, each fault by itself."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    error = response["error"]
    console.print(Text(f"{error['code']}: {to_single_line(error['message'])}", style="red"), soft_wrap=True)
    for fault in error.get("details", {}).get("faults", ()):
        console.print(
            Text(f"  {strip_controls(fault.get('path', ''))}: {strip_controls(fault.get('message', ''))}"),
            soft_wrap=True,
        )
    if error.get("help"):
        console.print(Text(f"help: {strip_controls(error['help'])}"), soft_wrap=True)


def show_end(walk: Walk, console: Console) -> None:
    """The way that was taken, and the last result in full."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    last = walk.last_response or {}
    console.print()
    console.print(Text.assemble(("path: ", "bold"), strip_controls(" → ".join([*walk.path, "end"]))), soft_wrap=True)
    if last.get("prompt_template"):
        said = last["prompt_template"]
        for prompt in [said] if isinstance(said, str) else said:
            console.print(Text(strip_controls(prompt).rstrip()), soft_wrap=True)
    for line in format_json_lines(last.get("result") or {}):
        console.print(Text(f"  {line}"), soft_wrap=True)
    console.print(Text(strip_controls(str(last.get("guidance", ""))), style="dim"), soft_wrap=True)
    if walk.run:
        console.print(Text(f"why: aur workflow explain {walk.run}", style="dim"), soft_wrap=True)


def show_resume_hint(walk: Walk, console: Console) -> None:
    """How to go on with a walk that was left."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    console.print()
    told = f"The run is kept. Go on with: aur workflow run --run {walk.run}" if walk.run else "No run was begun."
    console.print(Text(told, style="bold"), soft_wrap=True)
