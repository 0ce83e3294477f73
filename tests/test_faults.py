"""A fault's help is a sentence, from its capital to its full stop, however the place that raises it writes it."""

from __future__ import annotations

import pytest

from aurora.errors import Code, Fault


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("", ""),
        ("look elsewhere", "Look elsewhere."),
        ("Look elsewhere.", "Look elsewhere."),
        ('did you mean "soar"?', 'Did you mean "soar"?'),
        ("`aur mem index` reads it", "`aur mem index` reads it."),
        ("  there are two:  ", "There are two:"),
        ('the names are "a", "b"', 'The names are "a", "b".'),
    ],
)
def test_the_help_of_a_fault_is_a_sentence(written: str, told: str) -> None:
    fault = Fault(Code.NOT_FOUND, "there is none", help=written)

    assert fault.help == fault.to_json()["help"] == told
    assert Fault(Code.NOT_FOUND, "there is none", help=fault.help).help == told
