"""A simulation on one screen: the paths, what was taken, and what could not be."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import strip_controls

from .coverage import format_coverage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import Console
    from rich.text import Text

_MAX_PATHS = 40
_TIMES_SIGN = "\N{MULTIPLICATION SIGN}"
_STATUS_STYLES = {"ended": "green", "stuck": "red", "cut": "yellow"}


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show each workflow."""
    for number, workflow in enumerate(output["workflows"]):
        if number:
            console.print()
        for line in _format_workflow(workflow):
            console.print(line, soft_wrap=True)


def _format_workflow(workflow: Mapping[str, Any]) -> Iterator[Text]:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    longest = workflow.get("longest") or {"calls": 0}
    head = Text(strip_controls(workflow["workflow"]), style="bold")
    head.append(
        f"  {_format_count(workflow['paths_walked'], 'path')}, the longest of {_format_count(longest['calls'], 'call')}"
    )
    yield head
    shown = workflow["paths"][:_MAX_PATHS]
    yield from (_format_path(path) for path in shown)
    left = workflow["paths_walked"] - len(shown)
    if left:
        yield Text(f"  … {left} more", style="dim")
    if workflow.get("scripted"):
        yield Text("  the walk came to its end" if workflow["ok"] else "  the walk did not come to an end")
        return
    yield from format_coverage(workflow["coverage"])
    if not workflow["whole"]:
        yield Text("  the search was cut short: there is more than was walked", style="yellow")
    for one in workflow["suspects"]:
        line = Text(f"{strip_controls(one['place'])}: {_name_suspect(one)} was never taken: ", style="red")
        line.append(strip_controls(one["reason"]), style="default")
        yield line
    verdict = (
        "every phase and every rule was taken, and every path ends" if workflow["ok"] else _format_trouble(workflow)
    )
    yield Text(f"  {verdict}", style="green" if workflow["ok"] else "red")


def _name_suspect(one: Mapping[str, Any]) -> str:
    of = {"phase": "phase", "rule": f"rule {one.get('rule')} of", "else": f"the else of rule {one.get('rule')} of"}
    return f'{of[one["kind"]]} "{one["phase"]}"'


def _format_trouble(workflow: Mapping[str, Any]) -> str:
    parts = []
    if workflow["suspects"]:
        parts.append(f"{_format_count(len(workflow['suspects']), 'suspect')}")
    if workflow["unended"]:
        parts.append(f"{_format_count(workflow['unended'], 'path')} without an end")
    return ", ".join(parts)


def _format_path(path: Mapping[str, Any]) -> Text:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    ends = {"ended": "end", "stuck": "stuck", "cut": "cut"}[path["status"]]
    line = Text("  ")
    line.append(" → ".join(_format_steps(path["steps"])))
    line.append(f" → {ends}", style=_STATUS_STYLES[path["status"]])
    if path.get("reason"):
        line.append(f"  {strip_controls(path['reason'])}", style="red")
    return line


def _format_steps(steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """`verify[2]` for rule 2, `verify[2 else]` for its `else`, `verify[failed]`; what comes again is counted."""
    for name, same in groupby(map(_format_step, steps)):
        count = len(list(same))
        yield name if count == 1 else f"{name} {_TIMES_SIGN}{count}"


def _format_step(step: Mapping[str, Any]) -> str:
    mark = "failed" if step.get("failed") else f"{step.get('rule', '?')}{' else' if step.get('spent') else ''}"
    return f"{step['phase']}[{mark}]"


def _format_count(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
