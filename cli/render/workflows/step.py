"""The response to one phase call: the result, the prompt to answer, and what to type next."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import format_json_lines, strip_controls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show the response."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    failed = output["status"] == "error"
    head = Text(strip_controls(output["progress"] or output["phase"]), style="bold cyan")
    head.append(f"  {output['status']}", style="red" if failed else "green")
    if output.get("run"):
        head.append(f"  run {strip_controls(output['run'])}", style="dim")
    console.print(head)
    if output.get("error"):
        _print_error(output["error"], console)
    if output.get("result"):
        for line in format_json_lines(output["result"]):
            console.print(Text(f"  {line}"), soft_wrap=True)
    prompts = output.get("prompt_template") or []
    for prompt in [prompts] if isinstance(prompts, str) else prompts:
        console.print(Text("prompt", style="bold"))
        console.print(Text(strip_controls(prompt).rstrip()), soft_wrap=True)
    if output.get("guidance"):
        console.print(Text(strip_controls(output["guidance"]), style="dim"), soft_wrap=True)
    if output.get("next_call"):
        console.print(
            Text.assemble(("next: ", "bold"), strip_controls(_format_command(output["next_call"]))), soft_wrap=True
        )


def _print_error(error: Mapping[str, Any], console: Console) -> None:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    console.print(Text(f"{error['code']}: {strip_controls(error['message'])}", style="red"), soft_wrap=True)
    for fault in error.get("details", {}).get("faults", ()):
        console.print(
            Text(f"  {strip_controls(fault.get('path', ''))}: {strip_controls(fault.get('message', ''))}"),
            soft_wrap=True,
        )
    if error.get("help"):
        console.print(Text(f"help: {strip_controls(error['help'])}"), soft_wrap=True)


def _format_command(call: Mapping[str, Any]) -> str:
    """The next call as a person would type it."""
    arguments = dict(call["arguments"])
    words = ["aur", "workflow", "step", str(arguments.pop("phase"))]
    for name in ("run", "workflow", "step"):
        if name in arguments:
            words += [f"--{name}", str(arguments.pop(name))]
    for name, value in arguments.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        words += ["--input", shlex.quote(f"{name}={text}")]
    for name in call["needs"]:
        words += ["--answer", "FILE"] if name == "answer" else ["--input", f"{name}=…"]
    return " ".join(words)
