"""The view of a step shows a person the next command, and no instruction to a model."""

from __future__ import annotations

import pytest

from aurora.cli.render.workflows.step import list_guidance

INSTRUCTIONS = [
    "Call aurora_query with next_call.arguments.",
    "Follow prompt_template, then call aurora_query with next_call.arguments and your answer as answer.",
    "Follow the prompt, then call aurora_query with next_call.arguments and the list of your answers as answer.",
    "Follow each of the 3 prompts, then call aurora_query with next_call.arguments, goal and your answer as answer.",
    "Follow the 2 prompts, in any order, then call aurora_query with next_call.arguments and an object as answer.",
]


@pytest.mark.parametrize("instruction", INSTRUCTIONS)
def test_an_instruction_to_the_model_is_left_out(instruction: str) -> None:
    assert list_guidance({"guidance": instruction}) == []


@pytest.mark.parametrize("instruction", INSTRUCTIONS)
def test_the_words_of_the_rule_are_kept(instruction: str) -> None:
    assert list_guidance({"guidance": f"{instruction} Tell the person what is missing."}) == [
        "Tell the person what is missing."
    ]
