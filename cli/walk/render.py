"""Views of a run at the terminal: each step in a few lines, and at the end the path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.render.view import Blank, JsonTree, Line, Passage, View, When
from aurora.cli.render.workflows import REFUSAL, select_result
from aurora.tools import text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

    from .loop import Walk

_STEP = View(
    Line(
        ("{progress}", "bold cyan"),
        ("  {status}", lambda response: "red" if response["status"] == "error" else "green"),
        ("  → {next_action}", "bold"),
    ),
    Line(("  {error.code}: {error.message}", "red")),
    JsonTree("summary"),
)
_REFUSAL = View(REFUSAL)
_END = View(
    Blank(),
    Line(("path: ", "bold"), "{path:join  → } → end"),
    Passage("prompts"),
    JsonTree("result", select=select_result),
    JsonTree("output", label="output  "),
    Passage("guidance", "dim"),
    Line(("why: aur workflow explain {run}", "dim")),
)
_RESUME_HINT = View(
    Blank(),
    When(
        "run",
        Line(("Only you can answer this phase: {command} at a terminal asks you", "bold"), when="waits"),
        Line(("The run is saved. Continue with: {command}", "bold"), when="!waits"),
        otherwise=(Line(("No run was started.", "bold")),),
    ),
)


def show_step(response: Mapping[str, Any], console: Console) -> None:
    """Show the progress, the result of the phase, and the next one."""
    _STEP({**response, "summary": text.summarize_fields(response.get("result"))}, console)


def show_refusal(response: Mapping[str, Any], console: Console) -> None:
    """Show the reason of a rejected call, with each fault."""
    _REFUSAL(response, console)


def show_end(walk: Walk, console: Console) -> None:
    """Show the path of the run, and the last result in full."""
    last = walk.last_response or {}
    prompts = last.get("prompt_template") or []
    _END({**last, "path": walk.path, "prompts": prompts, "run": walk.run}, console)


def show_resume_hint(walk: Walk, console: Console) -> None:
    """Show how to continue an interrupted run."""
    _RESUME_HINT({"run": walk.run, "command": walk.format_command(), "waits": walk.waits}, console)
