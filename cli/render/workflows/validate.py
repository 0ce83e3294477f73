"""Problems as a compiler shows them: place, source line, a caret under the token, help and note."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.render.registry import print_json
from aurora.cli.terminal import format_count, strip_controls, to_single_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console
    from rich.text import Text

_SEVERITY_STYLES = {"error": "bold red", "warning": "bold yellow"}


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show every problem, then one line that sums up; or the report that was asked for, as it is."""
    if output["format"] == "json" and not output["report"]:
        print_json(output)
    elif output["report"] or output["format"] != "text":
        _write_report(output["report"], console)
    else:
        _print_problems(output, console)


def _write_report(report: str, console: Console) -> None:
    """For other programs: no colour, no line broken."""
    if report:
        console.file.write(strip_controls(report).rstrip("\n") + "\n")


def _print_problems(output: Mapping[str, Any], console: Console) -> None:
    for checked in output["files"]:
        for problem in checked["problems"]:
            for line in _format_problem(problem):
                console.print(line, soft_wrap=True)
        if checked["proof"]:
            console.print(_format_proof(checked["workflow"], checked["proof"]), style="dim", soft_wrap=True)
    count = format_count(len(output["files"]), "workflow")
    if not output["errors"] and not output["warnings"]:
        console.print(f"{count} checked, no problems", style="green")
        return
    found = [format_count(output[kind], kind[:-1]) for kind in ("errors", "warnings") if output[kind]]
    console.print(f"{count} checked, {' and '.join(found)}", style="yellow" if output["ok"] else "red")


def _format_proof(workflow: str, proof: Mapping[str, Any]) -> str:
    """`soar: 9 phases, 38 paths, at most 14 calls, every path ends`."""
    paths, calls = proof["paths"], proof["longest_run_calls"]
    parts = [
        format_count(proof["phases"], "phase"),
        format_count(paths, "path") if paths is not None else "more paths than can be counted",
        f"at most {format_count(calls, 'call')}" if calls is not None else "a longest run that cannot be told",
        "every path ends" if proof["always_ends"] else "a path that may not end",
    ]
    return f"{to_single_line(workflow)}: {', '.join(parts)}"


def _format_problem(problem: Mapping[str, Any]) -> list[Text]:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    head = Text(f"{to_single_line(problem['path'])}:{problem['line']}:{problem['column']}: ", style="bold")
    head.append(f"{problem['severity']}: ", style=_SEVERITY_STYLES[problem["severity"]])
    head.append(f"{to_single_line(problem['message'])} ", style="bold")
    head.append(f"[{problem['code']} {problem['name']}]", style="dim")
    margin = " " * len(str(problem["line"]))
    lines = [head]
    if problem["source"]:
        blue = "blue"
        lines += [
            Text(f"{margin} |", style=blue),
            Text.assemble((f"{problem['line']} |", blue), f" {problem['source']}".rstrip()),
            Text.assemble((f"{margin} | ", blue), (problem["caret"], _SEVERITY_STYLES[problem["severity"]])),
        ]
    for kind in ("help", "note"):
        if problem[kind]:
            lines.append(Text.assemble((f"{margin} = {kind}: ", "bold"), to_single_line(problem[kind])))
    return lines
