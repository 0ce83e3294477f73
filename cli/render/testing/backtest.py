"""A backtest on one screen: the runs that part from their recordings, grouped by how, and what changed besides."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import strip_controls

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import Console
    from rich.text import Text

_MAX_RUNS = 10
_NOTE_TEXTS = {
    "start": 'began at "{phase}", and the workflow begins elsewhere now',
    "tool": 'the result of "{phase}" was made by another tool, or with other settings or arguments',
    "unknown": '"{phase}" was edited, and its result may have been made with other settings',
    "arguments": 'the result of "{phase}" was made from other inputs',
    "prompt": '"{phase}" was asked with another prompt',
    "unasked": '"{phase}" no longer asks for the answer that was given',
    "dropped": '"{phase}" no longer takes the input "{name}"',
}
_MISFIT_NOUNS = {"answer": "the answer to", "inputs": "the inputs of", "result": "the result of"}


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show it."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    if not output["tried"]:
        console.print(
            Text(f'no run of "{strip_controls(output["of"])}" is recorded in this project: there is nothing to try')
        )
        console.print(Text(f"help: {strip_controls(output['hint'])}", style="dim"), soft_wrap=True)
        return
    for group in output["groups"]:
        for line in _format_group(group):
            console.print(line, soft_wrap=True)
        console.print()
    for note in output["notes"]:
        told = _NOTE_TEXTS[note["kind"]].format(
            phase=strip_controls(note["phase"]), name=strip_controls(note.get("name", ""))
        )
        console.print(Text(f"note: {_format_count(note['runs'], 'run')}: {told}", style="yellow"), soft_wrap=True)
    tried = _format_count(len(output["tried"]), "run")
    verdict = f"{tried} of {strip_controls(output['of'])} through {strip_controls(output['workflow'])}: "
    verdict += f"{output['same']} the same, {output['diverged']} diverge"
    console.print(Text(verdict, style="green" if output["ok"] else "red"), soft_wrap=True)


def _format_group(group: Mapping[str, Any]) -> Iterator[Text]:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    found, runs = group["divergence"], group["runs"]
    head = Text(f"{_format_count(len(runs), 'run')}: ", style="bold")
    head.append(_format_headline(found), style="red")
    yield head
    if found.get("old") is not None and found.get("new") is not None:
        yield Text(f"  was  {_format_way(found['old'])}")
        yield Text(f"  is   {_format_way(found['new'])}")
    for path, value in found.get("values", {}).items():
        yield Text(
            f"       {strip_controls(path)} = {strip_controls(json.dumps(value, ensure_ascii=False))}", style="dim"
        )
    for one in found.get("faults", ()):
        yield Text(f"  {strip_controls(one['path'])} {strip_controls(one['message'])}")
    if found.get("place"):
        yield Text(f"  at {strip_controls(found['place'])}", style="dim")
    yield Text(f"  {_format_runs(runs)}", style="dim")


def _format_headline(found: Mapping[str, Any]) -> str:
    phase, step = strip_controls(found["phase"]), found["step"]
    match found["kind"]:
        case "next_action":
            return f'"{phase}" leads elsewhere (step {step})'
        case "gone":
            return f'there is no phase "{phase}" any more (step {step})'
        case "fails":
            return f'"{phase}" fails (step {step})'
        case "unreadable":
            return "the recording cannot be read"
        case kind:
            return f'{_MISFIT_NOUNS[kind]} "{phase}" no longer fit (step {step})'


def _format_way(way: Mapping[str, Any]) -> str:
    told = (strip_controls(way["then"]) or "nowhere") + (" (early exit)" if way.get("early_exit") else "")
    if way.get("rule") is None:
        return told if not way["then"] else f"{told}  by on_error"
    reason = strip_controls(way.get("when", "")) or "without when"
    return f"{told}  by {'the else of ' if way.get('spent') else ''}rule {way['rule']}: {reason}"


def _format_runs(runs: Sequence[str]) -> str:
    shown = ", ".join(strip_controls(run) for run in runs[:_MAX_RUNS])
    return shown if len(runs) <= _MAX_RUNS else f"{shown} and {len(runs) - _MAX_RUNS} more"


def _format_count(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
