"""A person at a prompt reads what to type, not the terms of JSON Schema."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Any

import pytest

from aurora.cli.output import Output
from aurora.cli.walk.prompt import Prompter

if TYPE_CHECKING:
    from collections.abc import Callable

    Ask = Callable[..., tuple[Any, str]]


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Ask for a field with these lines typed, and return the value with what was shown."""

    def run(schema: dict[str, Any], typed: str, *, needed: bool = True) -> tuple[Any, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        shown = io.StringIO()
        value = Prompter(Output(shown)).ask_field("it", schema, needed=needed)
        return value, shown.getvalue()

    return run


@pytest.mark.parametrize(
    ("schema", "typed", "value", "shown"),
    [
        ({"type": "boolean"}, "maybe\ny\n", True, "answer y or n"),
        ({"type": "boolean"}, "\nno\n", False, "answer y or n"),
        ({"type": "integer"}, "two\n2\n", 2, "type a whole number"),
        ({"type": "integer"}, "2.5\n2\n", 2, "type a whole number"),
        ({"type": "number"}, "two\n2.5\n", 2.5, "type a number"),
        ({"type": "string", "minLength": 1}, "\na\n", "a", "at least 1 character, "),
    ],
)
def test_a_wrong_line_is_answered_with_what_to_type(ask: Ask, schema: Any, typed: str, value: Any, shown: str) -> None:
    given, said = ask(schema, typed)

    assert given == value
    assert shown in said
    assert "must be" not in said


@pytest.mark.parametrize(
    ("schema", "hint"),
    [
        ({"type": "string", "default": ""}, "it (text; empty leaves it out)"),
        ({"type": "string", "default": "calm"}, "it (text; empty is calm)"),
        ({"type": "boolean", "default": True}, "it (yes or no; empty is y)"),
        ({"type": "integer", "default": 2}, "it (whole number; empty is 2)"),
        ({"type": "string"}, "it (text; empty leaves it out)"),
    ],
)
def test_an_empty_line_leaves_an_optional_field_out(ask: Ask, schema: Any, hint: str) -> None:
    given, said = ask(schema, "\n", needed=False)

    assert given is None
    assert hint in said
