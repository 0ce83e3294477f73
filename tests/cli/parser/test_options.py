"""A tool's input becomes a command line: every kind of field can be typed, and only what fits gets through."""

from __future__ import annotations

import json
from typing import Any, Literal

import click
import pytest
from pydantic import Field

from aurora.cli.parser.parameters import build_parameters, to_arguments
from aurora.tools.core.declaration import StrictModel


class Every(StrictModel):
    """One field of each kind."""

    name: str = Field(description="A text.")
    count: int = Field(default=3, ge=1, le=9, description="How many.")
    share: float = Field(default=0.5, ge=0.0, le=1.0, description="A share.")
    loud: bool = Field(default=False, description="Speak up.")
    colour: Literal["blue", "red"] | None = Field(default=None, description="Which.")
    tags: tuple[str, ...] = Field(default=(), description="Words.")
    one_or_many: str | tuple[str, ...] | None = Field(default=None, description="One or several.")
    options: dict[str, Any] = Field(default_factory=dict, description="Anything.")


def typed(*words: str) -> dict[str, Any]:
    """The arguments that this command line gives the tool."""
    command = click.Command("every", params=build_parameters(Every, ("name",)), callback=lambda **given: given)
    given: dict[str, Any] = command.main(list(words), standalone_mode=False)
    return to_arguments(given)


def test_an_omitted_argument_is_left_to_the_tool() -> None:
    assert typed("tea") == {"name": "tea"}


def test_every_kind_of_field_can_be_given() -> None:
    given = typed(
        *("tea", "--count", "4", "--share", "0.25", "--loud", "--colour", "red", "--tags", "a", "--tags", "b"),
        *("--one-or-many", "x", "--options", '{"deep": [1]}'),
    )

    assert given == {
        "name": "tea",
        "count": 4,
        "share": 0.25,
        "loud": True,
        "colour": "red",
        "tags": ["a", "b"],
        "one_or_many": ["x"],
        "options": {"deep": [1]},
    }
    assert Every.model_validate_json(json.dumps(given)).count == 4


@pytest.mark.parametrize(
    "words",
    [
        ["tea", "--count", "10"],
        ["tea", "--count", "many"],
        ["tea", "--share", "2"],
        ["tea", "--colour", "green"],
        ["tea", "--options", "{"],
        ["tea", "--options", "[" * 100_000],
        ["tea", "--nothing"],
        [],
    ],
)
def test_an_invalid_value_is_a_usage_error(words: list[str]) -> None:
    with pytest.raises(click.UsageError):
        typed(*words)


def test_help_tells_the_default() -> None:
    options = {option.name: option for option in build_parameters(Every, ("name",)) if isinstance(option, click.Option)}

    assert options["count"].help == "How many. [default: 3]"
    assert options["loud"].help == "Speak up."
    assert options["tags"].help == "Words. May be given several times."
