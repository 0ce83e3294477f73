"""After an edit, a run repeats only the steps that the edited workflow would take in another way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

OOLONG = {"tea": "oolong", "minutes": 4}

POLL = """
aurora: 1
name: tea
version: 1.0.0
start: look
phases:
  look:
    prompt_template: Look at it.
    answer: { type: object, required: [seen], properties: { seen: { enum: [one, two] } } }
    next_action: { then: look, max: 2, else: last, say: Again. }
  last:
    prompt_template: "Say what\\nyou saw."
    answer: { type: object }
    next_action: end
"""


def _edit(host: Any, old: str, new: str) -> None:
    path: Path = host.root / ".aurora" / "workflows" / "tea.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def _poll(host: Any, rounds: int) -> dict[str, Any]:
    """Start the workflow that looks twice again, and answer so many times."""
    (host.root / ".aurora" / "workflows" / "tea.yaml").write_text(POLL)
    response: dict[str, Any] = host("look", workflow="tea")
    for _ in range(rounds):
        response = host.next(response, answer={"seen": "one"})
        assert response["status"] == "complete"
    return response


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("say: Again.", "say: Once more."),
        ("Look at it.", "Look at  it. "),
        ("max: 2", "max: 3"),
        ("enum: [one, two]", "enum: [one, two, three]"),
        ("enum: [one, two]", "type: string, description: What was seen."),
        ("enum: [one, two]", "enum: [one]"),
    ],
)
def test_an_edit_that_a_finished_step_does_not_depend_on_voids_nothing(host: Any, old: str, new: str) -> None:
    response = _poll(host, 1)
    _edit(host, old, new)
    after = host.next(response, answer={"seen": "one"})
    assert (after["status"], after["run"]) == ("complete", response["run"])


@pytest.mark.parametrize(("old", "new"), [("enum: [one, two]", "enum: [two]"), ("Look at it.", "Look for it.")])
def test_an_edit_that_changes_a_finished_step_sends_the_run_back_to_it(host: Any, old: str, new: str) -> None:
    response = _poll(host, 1)
    _edit(host, old, new)
    after = host.next(response, answer={"seen": "two"})
    assert after["error"]["code"] == "CONFLICT"
    assert after["error"]["details"] == {"go_back_to": "look", "step": 1}


def test_a_greater_limit_voids_the_step_that_found_it_used_up_and_no_earlier_one(host: Any) -> None:
    response = _poll(host, 2)
    _edit(host, "max: 2", "max: 3")
    after = host.next(response, answer={"seen": "one"})
    assert after["error"]["details"] == {"go_back_to": "look", "step": 3}


def test_a_smaller_limit_voids_the_step_that_went_beyond_it(host: Any) -> None:
    response = _poll(host, 2)
    _edit(host, "max: 2", "max: 1")
    after = host.next(response, answer={"seen": "one"})
    assert after["error"]["details"] == {"go_back_to": "look", "step": 2}
