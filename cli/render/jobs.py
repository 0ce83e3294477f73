"""Jobs: a list of them, or how one went, phase by phase."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import format_count, format_timestamp, strip_controls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

_STATUS_MARKS = {"ended": ("green", "done"), "stopped": ("yellow", "stopped early"), "failed": ("red", "failed")}


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show a list, or one job's run."""
    if "jobs" in output:
        _print_jobs(output, console)
    else:
        _print_run(output, console)


def _print_jobs(output: Mapping[str, Any], console: Console) -> None:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    if not output["jobs"]:
        console.print("no jobs: a job is a workflow whose phases have no prompts")
    for job in output["jobs"]:
        line = Text(strip_controls(job["name"]), style="bold cyan")
        line.append(f"  {strip_controls(job.get('title', ''))}", style="default")
        console.print(line, soft_wrap=True)
        console.print(Text(f"    {' → '.join(job['phases'])}", style="dim"), soft_wrap=True)
        if job.get("needs"):
            console.print(f"    needs {', '.join(f'--set {name}=…' for name in job['needs'])}", soft_wrap=True)
        if last := job.get("last"):
            console.print(
                Text(f"    last run {last['run']}: {last['status']}, {format_timestamp(last['updated_at'])} UTC"),
                soft_wrap=True,
            )


def _print_run(output: Mapping[str, Any], console: Console) -> None:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    if output.get("resumed_after"):
        console.print(f"went on after {format_count(output['resumed_after'], 'step')}", soft_wrap=True)
    for step in output["steps"]:
        well = step["status"] == "complete"
        line = Text("✓ " if well else "✗ ", style="green" if well else "red")
        line.append(strip_controls(step["phase"]), style="bold")
        line.append(f"  {step['duration_ms'] / 1000:.1f} s", style="dim")
        console.print(line, soft_wrap=True)
        if not well:
            console.print(Text(f"    {strip_controls(step.get('error', ''))} [{step.get('code', '')}]"), soft_wrap=True)
    style, word = _STATUS_MARKS[output["status"]]
    told = Text(f"{strip_controls(output['job'])}: {word}", style=style)
    told.append(f"  run {strip_controls(output['run'])}" if output["run"] else "", style="dim")
    console.print(told, soft_wrap=True)
    for more in (output.get("say"), output.get("help")):
        if more:
            console.print(strip_controls(more), soft_wrap=True)
