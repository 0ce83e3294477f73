"""The cases of workflows: which passed, and where the others parted from what was expected."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import strip_controls

from .coverage import format_coverage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import Console
    from rich.text import Text

_STATUS_MARKS = {
    "passed": ("ok", "green"),
    "failed": ("FAILED", "red"),
    "broken": ("BROKEN", "red"),
    "updated": ("updated", "cyan"),
}


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show each case, then the numbers."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    file = ""
    for case in output["cases"]:
        if case["file"] != file:
            file = case["file"]
            console.print(Text(strip_controls(file), style="bold"), soft_wrap=True)
        for line in _format_case(case):
            console.print(line, soft_wrap=True)
    for one in output.get("coverage", ()):
        console.print(Text(f"coverage of {strip_controls(one['workflow'])}", style="bold"))
        for line in format_coverage(one["coverage"]):
            console.print(line, soft_wrap=True)
    parts = [f"{output[key]} {key}" for key in ("passed", "failed", "updated") if output.get(key)]
    total = len(output["cases"])
    counted = f"{total} case" if total == 1 else f"{total} cases"
    console.print(Text(f"{counted}: {', '.join(parts)}", style="green" if output["ok"] else "red"))


def _format_case(case: Mapping[str, Any]) -> Iterator[Text]:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    mark, colour = _STATUS_MARKS[case["status"]]
    line = Text("  ")
    line.append(f"{mark:8}", style=colour)
    line.append(strip_controls(case["name"]))
    yield line
    if case.get("error"):
        yield Text(f"    {strip_controls(case['error'])}", style="red")
    if case.get("help"):
        yield Text(f"    help: {strip_controls(case['help'])}", style="dim")
    for one in case.get("differences", ()):
        yield Text(f"    {strip_controls(one['place'])}: {strip_controls(one['where'])}")
        yield Text(f"      expected  {_format_value(one['expected'])}", style="green")
        yield Text(f"      actual    {_format_value(one['actual'])}", style="red")
    if case.get("differences") and case.get("path"):
        yield Text(f"    the path was {_format_value(list(case['path']))}", style="dim")


def _format_value(value: Any) -> str:
    return strip_controls(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
