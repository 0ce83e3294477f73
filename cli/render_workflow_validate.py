"""Problems as a compiler shows them: place, source line, a caret under the token, help and note."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .screen import plain
from .sizes import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console
    from rich.text import Text

_COLOURS = {"error": "bold red", "warning": "bold yellow"}


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show every problem, then one line that sums up."""
    for checked in output["files"]:
        for problem in checked["problems"]:
            for line in _shown(problem):
                console.print(line, soft_wrap=True)
    count = counted(len(output["files"]), "workflow")
    if not output["errors"] and not output["warnings"]:
        console.print(f"{count} checked, no problems", style="green")
        return
    found = [counted(output[kind], kind[:-1]) for kind in ("errors", "warnings") if output[kind]]
    console.print(f"{count} checked, {' and '.join(found)}", style="red" if output["errors"] else "yellow")


def _shown(problem: Mapping[str, Any]) -> list[Text]:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    head = Text(f"{plain(problem['path'])}:{problem['line']}:{problem['column']}: ", style="bold")
    head.append(f"{problem['severity']}: ", style=_COLOURS[problem["severity"]])
    head.append(f"{_flat(problem['message'])} ", style="bold")
    head.append(f"[{problem['code']} {problem['name']}]", style="dim")
    margin = " " * len(str(problem["line"]))
    lines = [head]
    if problem["source"]:
        blue = "blue"
        source = _flat(problem["source"].rstrip(), keep="\t")
        lines += [
            Text(f"{margin} |", style=blue),
            Text.assemble((f"{problem['line']} |", blue), f" {source}".rstrip()),
            Text.assemble((f"{margin} | ", blue), (_underline(problem), _COLOURS[problem["severity"]])),
        ]
    for kind in ("help", "note"):
        if problem[kind]:
            lines.append(Text.assemble((f"{margin} = {kind}: ", "bold"), _flat(problem[kind])))
    return lines


def _underline(problem: Mapping[str, Any]) -> str:
    """The caret and its tildes, below the token also where the line holds tabs or wide characters."""
    from rich.cells import cell_len  # noqa: PLC0415 - only a person's eyes need it

    source: str = problem["source"]
    before = source[: problem["column"] - problem["source_column"]]
    token = source[len(before) :][: max(problem["end_column"] - problem["column"], 1)]
    pad = "".join(char if char == "\t" else " " * cell_len(char) for char in plain(before))
    return f"{pad}^{'~' * (cell_len(plain(token)) - 1)}"


def _flat(text: str, keep: str = "") -> str:
    """The text on one line."""
    return "".join(char if char in keep or char.isprintable() else " " for char in plain(text))
