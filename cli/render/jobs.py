"""Jobs: a list of them, or how one went, phase by phase."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal.console import plain
from aurora.cli.terminal.units import counted, moment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

_MARKS = {"ended": ("green", "done"), "stopped": ("yellow", "stopped early"), "failed": ("red", "failed")}


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show a list, or one job's run."""
    if "jobs" in output:
        _list(output, console)
    else:
        _run(output, console)


def _list(output: Mapping[str, Any], console: Console) -> None:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    if not output["jobs"]:
        console.print("no jobs: a job is a workflow whose phases have no prompts")
    for job in output["jobs"]:
        line = Text(plain(job["name"]), style="bold cyan")
        line.append(f"  {plain(job.get('title', ''))}", style="default")
        console.print(line, soft_wrap=True)
        console.print(Text(f"    {' → '.join(job['phases'])}", style="dim"), soft_wrap=True)
        if job.get("needs"):
            console.print(f"    needs {', '.join(f'--set {name}=…' for name in job['needs'])}", soft_wrap=True)
        if last := job.get("last"):
            console.print(
                Text(f"    last run {last['run']}: {last['status']}, {moment(last['updated_at'])} UTC"), soft_wrap=True
            )


def _run(output: Mapping[str, Any], console: Console) -> None:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    if output.get("resumed_after"):
        console.print(f"went on after {counted(output['resumed_after'], 'step')}", soft_wrap=True)
    for step in output["steps"]:
        well = step["status"] == "complete"
        line = Text("✓ " if well else "✗ ", style="green" if well else "red")
        line.append(plain(step["phase"]), style="bold")
        line.append(f"  {step['duration_ms'] / 1000:.1f} s", style="dim")
        console.print(line, soft_wrap=True)
        if not well:
            console.print(Text(f"    {plain(step.get('error', ''))} [{step.get('code', '')}]"), soft_wrap=True)
    style, word = _MARKS[output["status"]]
    told = Text(f"{plain(output['job'])}: {word}", style=style)
    told.append(f"  run {plain(output['run'])}" if output["run"] else "", style="dim")
    console.print(told, soft_wrap=True)
    for more in (output.get("say"), output.get("help")):
        if more:
            console.print(plain(more), soft_wrap=True)
