"""The scan takes time in proportion to the length of a text, whatever it contains."""

from __future__ import annotations

import pytest

from aurora.system.secrets.scan import find_secrets
from aurora.system.secrets.values import is_random
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
    " -p ",
    " -ppassword",
    "name,password\n",
    "password,",
    "password|\n|",
    "insert into a (password) values (",
    "insert into a (pw) values (1),",
    "the password is ",
    "password / ",
    "value: name: password ",
    "password\n value ",
    "token(' ",
    "'token' ",
    "abandon ability ",
    "abandon\n",
    "acme_live_",
    "a_0aA",
    "sig=",
    'login("',
)


@pytest.mark.parametrize("unit", UNITS)
def test_a_hostile_text_takes_time_in_proportion_to_its_length(unit: str) -> None:
    text = unit * (LENGTH // len(unit))
    find_secrets(unit * 100)
    assert is_linear(find_secrets, text, text * RATIO)


@pytest.mark.parametrize("digits", ["3c8f0a6b1d9e2f74", "3C8F0A6B1D9E2F74", "3c8f-0a6b-", "ab-12-"])
def test_a_long_value_of_hexadecimal_digits_is_judged_in_time_in_proportion_to_its_length(digits: str) -> None:
    assert is_linear(is_random, digits * 500 + "z", digits * 4_000 + "z")


def test_a_secret_behind_more_values_than_are_judged_is_left_out_too() -> None:
    text = "api_key=" * 20_000 + " password=hunter2Xy9!\n"
    assert any(one.start <= text.index("hunter2Xy9!") < one.end for one in find_secrets(text))
