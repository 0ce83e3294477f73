"""The scan takes time in proportion to the length of a text, whatever it contains."""

from __future__ import annotations

import pytest

from aurora.faults.secrets import find_secrets
from tests.growth import is_linear

LENGTH = 25_000
"""Characters of the shorter of two texts."""
RATIO = 4
"""The longer text has this many times the characters; a quadratic scan takes 16 times as long."""
UNITS = (
    "a",
    '"',
    "'\"",
    "password=",
    'password = "',
    "password: ",
    "key-",
    "-us",
    "eyJ",
    ".eyJ",
    "sk-",
    "glpat-",
    ":AA",
    "Q~",
    "://",
    "://a:b",
    "@",
    "-----BEGIN PRIVATE KEY-----\\n",
    "-----BEGIN PRIVATE KEY-----\n",
    "PuTTY-User-Key-File-2: ssh\n",
    "datadog=",
    "bearer a",
    "abcdef.",
    "kind: Secret\ndata:\n",
    "_mmk",
    ".atlasv1.",
    "login a password ",
    "xoxb-1-",
    "=AKIA" + "Q7RT2JK5LMN3PZX8",
    "_ghp_",
    "password: >-\n",
    "password:|\n ",
    "login ",
    " -u a:",
    "identified by ",
    "data:\n a: ",
)


@pytest.mark.parametrize("unit", UNITS)
def test_a_hostile_text_takes_time_in_proportion_to_its_length(unit: str) -> None:
    text = unit * (LENGTH // len(unit))
    find_secrets(unit * 100)
    assert is_linear(find_secrets, text, text * RATIO)
