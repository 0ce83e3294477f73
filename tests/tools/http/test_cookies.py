"""Cookies of a request: which value is found, and the time that a hostile header takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.tools.http.guard import find_cookie
from tests.growth import is_linear

if TYPE_CHECKING:
    from collections.abc import Callable


def make_scope(*cookies: str) -> dict[str, Any]:
    return {"type": "http", "headers": [(b"host", b"x"), *((b"cookie", one.encode("latin-1")) for one in cookies)]}


@pytest.mark.parametrize(
    ("headers", "value"),
    [
        (["aurora=1"], "1"),
        (["first=0; aurora=1; last=2"], "1"),
        (["first=0;aurora=1 ;last=2"], "1"),
        (["first=0", "aurora=1"], "1"),
        (["aurora=1; aurora=2", "aurora=3"], "1"),
        (["aurora=a=b=="], "a=b=="),
        (["aurora="], ""),
        (['aurora="1"'], '"1"'),
        (["aurora=\xe9"], "\xe9"),
        ([], None),
        ([""], None),
        (["aurora"], None),
        (["Aurora=1; aurora2=1; xaurora=1; aurora =1"], None),
        (["=1; ;;=; \x00aurora=1"], None),
    ],
)
def test_the_first_cookie_of_exactly_this_name_is_found(headers: list[str], value: str | None) -> None:
    assert find_cookie(make_scope(*headers), "aurora") == value


@pytest.mark.parametrize("make", [lambda n: 'a="' + "\\" * n + '"', lambda n: "a;" * n, lambda n: "=;\\" * n])
def test_a_hostile_header_takes_linear_time(make: Callable[[int], str]) -> None:
    assert is_linear(lambda text: find_cookie(make_scope(text), "aurora"), make(100_000), make(800_000))
