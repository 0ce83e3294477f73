"""Questions about the sources of Click, and a host that thinks: it answers the prompts of SOAR."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

QUESTIONS = {
    "SIMPLE": "what is a parameter",
    "MEDIUM": "How does CliRunner isolate standard output while it invokes a command?",
    "COMPLEX": (
        "Refactor the option parser so that prefixes are configurable across all commands, keep it backwards "
        "compatible and explain how errors are reported"
    ),
    "CRITICAL": "production is down, users cannot log in since the release",
}
PHASES = ["assess", "retrieve", "decompose", "verify", "route", "collect", "synthesize", "record", "respond"]
MOST_STEPS = 40

DECOMPOSITION = {
    "goal": "Explain how CliRunner isolates standard output while it invokes a command.",
    "subgoals": [
        {
            "id": "s1",
            "description": "Read CliRunner.isolation in click/testing.py: how it isolates standard output",
            "depends_on": [],
            "agent": None,
            "critical": True,
        },
        {
            "id": "s2",
            "description": "Read CliRunner.invoke in click/testing.py: how it invokes a command in that isolation",
            "depends_on": ["s1"],
            "agent": None,
            "critical": False,
        },
    ],
}


async def step(client: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    result = await client.call_tool("aurora_query", arguments)
    content: dict[str, Any] = result.structured_content
    assert result.content[0].text == json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    assert len(result.content[0].text) < 19_000
    return content


def brought(response: dict[str, Any]) -> dict[str, Any]:
    """What a host that thinks answers to the prompts of SOAR."""
    if not response["next_call"]["needs"]:
        return {}
    if response["phase"] == "decompose":
        return {"answer": DECOMPOSITION}
    if response["phase"] == "collect":
        output = "click/testing.py:397-471 puts its own streams in place of sys.stdout and restores them at the end."
        cited = re.findall(r"^(code:\w+) ", "\n".join(response["prompt_template"]), re.MULTILINE)[:2]
        return {
            "answer": [{"status": "done", "output": output, "citations": cited} for _ in response["prompt_template"]]
        }
    assert response["phase"] == "synthesize"
    cited = [line.split()[0] for line in response["prompt_template"].splitlines() if line.startswith("code:")][:2]
    text = "CliRunner.isolation replaces sys.stdout by its own stream for as long as the command runs."
    return {"answer": {"answer": text, "citations": cited, "confidence": 0.9}}


async def follow(client: Any, first: dict[str, Any], bring: Callable[[dict[str, Any]], dict[str, Any]]) -> list[Any]:
    """Send what next_call says until the end; the responses."""
    responses = [await step(client, first)]
    while (call := responses[-1]["next_call"]) is not None:
        assert call["tool"] == "aurora_query"
        assert len(responses) < MOST_STEPS, [response["phase"] for response in responses]
        responses.append(await step(client, {**call["arguments"], **bring(responses[-1])}))
    assert responses[-1]["next_action"] == "end"
    return responses
