"""Retrieved text in a prompt: each way to it is followed, and what cannot hold instructions is left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Told = Callable[[str, str], list[str]]

WORKFLOW = """aurora: 2
name: follow
version: 1.0.0
start: look
phases:
  look:
    inputs: { query: { type: string } }
    uses: mem.search
    with: { query: query }
    prompt_template: "LOOK"
    answer: {}
    next_action: each
  each:
    inputs:
      texts: { from: "phases.look.result.hits[].preview" }
      found: { from: phases.look.result }
      first: { from: "phases.look.result.hits[0].preview" }
    EACH
    answer: {}
    next_action: end
"""


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Told]:
    """The stretches of retrieved text that are reported in the two prompts."""
    with Workspace(tmp_path) as workspace:

        def find(look: str, each: str) -> list[str]:
            text = WORKFLOW.replace("LOOK", look).replace("EACH", each)
            lines = text.splitlines()
            found = workspace.workflows.check_text(text, tmp_path / "follow.yaml")
            assert not [one for one in found if one.severity == "error"]
            kept = [one for one in found if one.code == "W604"]
            return [lines[one.line - 1][one.column - 1 : one.end_column - 1] for one in kept]

        yield find


PLAIN = 'prompt_template: "go on"'


@pytest.mark.parametrize(
    ("look", "stretch"),
    [
        ("{{ result }}", "result"),
        ("{{ result.hits | tojson }}", "result.hits"),
        ("{{ result.hits[0].preview }}", "result.hits[0].preview"),
        ("{{ 'it says ' ~ result.hits[0].preview }}", "result.hits[0].preview"),
        ("{{ result.hits[0].preview if query else 'none' }}", "result.hits[0].preview"),
        ("{{ 'none' if query else result.hits[0].preview }}", "result.hits[0].preview"),
        ("{% for hit in result.hits %}{{ hit.preview }}{% endfor %}", "hit.preview"),
        ("{% for hit in result.hits %}{% set one = hit %}{{ one.preview }}{% endfor %}", "one.preview"),
        ("{% set said = result.hits[0].preview %}{{ said }}", "said"),
        ("{{ result.hits | map(attribute='preview') | join(', ') }}", "result.hits"),
    ],
)
def test_a_result_is_followed_to_the_prompt_of_its_phase(told: Told, look: str, stretch: str) -> None:
    assert told(look, PLAIN) == [stretch]


@pytest.mark.parametrize(
    ("listed", "prompt", "stretch"),
    [
        ("", "{{ inputs.first }}", "inputs.first"),
        ("", "{{ inputs.texts }}", "inputs.texts"),
        ("", "{{ inputs.texts[0] }}", "inputs.texts[0]"),
        ("", "{% for text in inputs.texts %}{{ text }}{% endfor %}", "text"),
        ("inputs.texts", "{{ one }}", "one"),
        ("inputs.found.hits", "{{ one.preview }}", "one.preview"),
        ("inputs.found.hits[?score > `0.5`].preview | [0:2]", "{{ one }}", "one"),
        ("inputs.found.hits[].{said: preview}", "{{ one.said }}", "one.said"),
    ],
)
def test_a_result_is_followed_through_inputs_and_items(told: Told, listed: str, prompt: str, stretch: str) -> None:
    loop = f'for_each: {{ in: "{listed}", as: one, max: 3 }}\n    ' if listed else ""
    assert told("go on", f'{loop}prompt_template: "{prompt}"') == [stretch]


@pytest.mark.parametrize(
    "prompt",
    [
        "{{ inputs.found.hits | length }}",
        "{{ inputs.found.hits[0].path }}",
        "{{ inputs.found.confidence }}",
        "<found>{{ inputs.first }}</found> is a quotation",
        "{% if inputs.first %}found{% endif %}",
        "{{ 'found' if inputs.first else 'none' }}",
    ],
)
def test_what_cannot_hold_instructions_has_no_warning(told: Told, prompt: str) -> None:
    assert told("go on", f'prompt_template: "{prompt}"') == []
