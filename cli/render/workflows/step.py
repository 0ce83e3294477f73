"""The response to one phase call: the result, the prompt to answer, and what to type next."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

from aurora.cli.terminal.console import plain
from aurora.cli.terminal.json_lines import lines_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show the response."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    failed = output["status"] == "error"
    head = Text(plain(output["progress"] or output["phase"]), style="bold cyan")
    head.append(f"  {output['status']}", style="red" if failed else "green")
    if output.get("run"):
        head.append(f"  run {plain(output['run'])}", style="dim")
    console.print(head)
    if output.get("error"):
        _error(output["error"], console)
    if output.get("result"):
        for line in lines_of(output["result"]):
            console.print(Text(f"  {line}"), soft_wrap=True)
    prompts = output.get("prompt_template") or []
    for prompt in [prompts] if isinstance(prompts, str) else prompts:
        console.print(Text("prompt", style="bold"))
        console.print(Text(plain(prompt).rstrip()), soft_wrap=True)
    if output.get("guidance"):
        console.print(Text(plain(output["guidance"]), style="dim"), soft_wrap=True)
    if output.get("next_call"):
        console.print(Text.assemble(("next: ", "bold"), plain(_command(output["next_call"]))), soft_wrap=True)


def _error(error: Mapping[str, Any], console: Console) -> None:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    console.print(Text(f"{error['code']}: {plain(error['message'])}", style="red"), soft_wrap=True)
    for fault in error.get("details", {}).get("faults", ()):
        console.print(Text(f"  {plain(fault.get('path', ''))}: {plain(fault.get('message', ''))}"), soft_wrap=True)
    if error.get("help"):
        console.print(Text(f"help: {plain(error['help'])}"), soft_wrap=True)


def _command(call: Mapping[str, Any]) -> str:
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
