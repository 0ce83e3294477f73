"""View of the response to one phase call: the result, the prompt, the next command."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING, Any

from aurora.cli.render.search_hits import describe_index
from aurora.cli.render.view import Each, JsonTree, Line, Passage, View, When

if TYPE_CHECKING:
    from collections.abc import Mapping


_MODEL_INSTRUCTION = re.compile(
    r"(?:Follow [^.]*, then call|Call|To try again, call) aurora_query with next_call\.arguments[^.]*\.\s*"
)
"""Sentence of the guidance that is for a model; a person reads the next command instead."""


def list_guidance(output: Mapping[str, Any]) -> list[str]:
    """Return the sentences of the guidance that are for a person; none where it has only the next call."""
    text = _MODEL_INSTRUCTION.sub("", output.get("guidance") or "").strip()
    return [text] if text else []


def select_result(result: Any) -> Any:
    """Select what a person reads of a result: no empty texts, and the state of the index as a sentence."""
    if not isinstance(result, dict):
        return result
    shown = {name: value for name, value in result.items() if value != ""}
    index = shown.get("index")
    if isinstance(index, dict) and index.keys() <= {"commit", "behind"}:
        shown["index"] = describe_index(index)
    return shown


def _format_next_command(output: Mapping[str, Any]) -> str:
    """Return the next call as a person types it."""
    call = output["next_call"]
    arguments = dict(call["arguments"])
    words = ["aur", "workflow", "step", str(arguments.pop("phase"))]
    for name in ("run", "workflow", "step"):
        if name in arguments:
            words += [f"--{name}", str(arguments.pop(name))]
    for name, value in arguments.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        words += ["--input", shlex.quote(f"{name}={text}")]
    for name in call["needs"]:
        words += ["--answer", "'JSON'"] if name == "answer" else ["--input", f"{name}=…"]
    return " ".join(words)


def _list_prompts(output: Mapping[str, Any]) -> list[str]:
    prompts = output.get("prompt_template") or []
    if isinstance(prompts, dict):
        return list(prompts.values())
    return [prompts] if isinstance(prompts, str) else prompts


REFUSAL = (
    Line(("{error.code}: {error.message}", "red")),
    Each(lambda output: output["error"].get("details", {}).get("faults", ()), Line("  {path}: ", "{message}")),
    Line("help: {error.help}"),
    Each(lambda output: output["error"].get("details", {}).get("lines", ()), Line("  {_}")),
)
"""The problems of a call."""

RENDERERS: Mapping[str, View] = {
    "workflow.step": View(
        Line(
            (lambda output: output["progress"] or output["phase"], "bold cyan"),
            ("  {status}", lambda output: "red" if output["status"] == "error" else "green"),
            ("  run {run}", "dim"),
        ),
        When("error", *REFUSAL),
        JsonTree("result", select=select_result),
        Each(_list_prompts, Line(("prompt", "bold")), Passage("_")),
        Each(list_guidance, Passage("_", style="dim")),
        When("next_call", Line(("next: ", "bold"), _format_next_command)),
    ),
}
