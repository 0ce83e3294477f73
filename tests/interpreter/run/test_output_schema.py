"""Responses of every kind, against the output schema that a host sees."""

from __future__ import annotations

from typing import Any

import pytest

from aurora.interpreter.schema.validate import find_faults
from aurora.tools.mcp.protocol_server import build_output_schema
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.workflows.query import TOOL

HEAD = "aurora: 2\nname: kinds\nversion: 1.0.0\nstart: first\n"
OUTPUT = "output: { text: { from: phases.first.answer } }\n"
PROMPT = "phases:\n  first:\n    prompt_template: Write.\n    answer: { type: string }\n    next_action: end\n"
HINTS = PROMPT.replace("    answer", "    hints: { context: fresh, tools: [read] }\n    answer")
ITEMS = """phases:
  first:
    for_each: { in: "['a', 'b']", as: one, max: 1 }
    prompt_template: "Read {{ one }}."
    answer: { type: string }
    next_action: end
"""
BRANCHES = """phases:
  first:
    branches:
      safe: { prompt_template: "Is it safe?", answer: { type: boolean } }
      fast: { prompt_template: "Is it fast?", answer: { type: boolean } }
    next_action: end
"""
GATE = """phases:
  first:
    person: { message: "Delete it?", form: { sure: { type: boolean } } }
    next_action: end
"""
FORM = {
    "type": "object",
    "properties": {"sure": {"type": "boolean"}},
    "required": ["sure"],
    "additionalProperties": False,
}
SKIPPED = PROMPT.replace("    prompt", "    when: '`false`'\n    prompt")
FAILED = """phases:
  first:
    uses: mem.related
    with: { path: "'nothing.py'" }
    on_error: say
    next_action: end
  say: { prompt_template: Say so., answer: { type: string }, next_action: end }
"""


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        (PROMPT, "prompt_template", "Write."),
        (HINTS + OUTPUT, "hints", {"context": "fresh", "tools": ["read"]}),
        (ITEMS, "prompt_template", ["Read a."]),
        (BRANCHES, "prompt_template", {"safe": "Is it safe?", "fast": "Is it fast?"}),
        (GATE, "person", {"message": "Delete it?", "form": FORM}),
        (GATE, "status", "waiting"),
        (SKIPPED, "status", "skipped"),
        (FAILED, "status", "error"),
    ],
)
def test_every_kind_of_response_fits_the_output_schema(host: Any, text: str, field: str, value: Any) -> None:
    host.write("kinds.yaml", HEAD + text)
    response = call_tool(host.workspace, "workflow.step", {"workflow": "kinds", "phase": "first"})
    assert response[field] == value
    assert find_faults(response, build_output_schema(TOOL.output), "$") == []


def test_the_output_of_a_workflow_fits_the_output_schema(host: Any) -> None:
    host.write("kinds.yaml", HEAD + OUTPUT + PROMPT)
    first = call_tool(host.workspace, "workflow.step", {"workflow": "kinds", "phase": "first"})
    end = call_tool(host.workspace, "workflow.step", {**first["next_call"]["arguments"], "answer": "Written."})
    assert end["output"] == {"text": "Written."}
    assert find_faults(end, build_output_schema(TOOL.output), "$") == []


def test_a_mistake_that_shows_only_when_the_workflow_runs_is_a_workflow_error(host: Any) -> None:
    text = HEAD + OUTPUT.replace("answer }", "answer.size, type: integer }") + PROMPT.replace("string", "object")
    host.write("kinds.yaml", text)
    first = host("first", workflow="kinds")
    refused = host.next(first, answer={"size": "large"})
    assert refused["error"]["code"] == "WORKFLOW_ERROR"
    assert (refused["next_action"], refused["next_call"]) == ("end", None)
    assert find_faults(refused, build_output_schema(TOOL.output), "$") == []
