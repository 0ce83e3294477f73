"""At most one of a hundred random secrets of each kind is missed, in any line that people write it in."""

from __future__ import annotations

from random import Random

import pytest
import samples  # its folder is on the path: see conftest.py

from aurora.system.secrets.scan import find_secrets

COUNT = 1000
MAX_MISSED = 10
TOKEN_COUNT = 100  # of each shape with a literal part, which is found or not: 1,000 take a minute


def list_missed(values: list[str], lines: tuple[str, ...]) -> list[str]:
    """Return the lines with a value in which no secret is found, all of them in one text."""
    texts = [line.format(value) for value, line in zip(values, lines * (COUNT // len(lines) + 1), strict=False)]
    whole = "\n".join(texts)
    found = {whole.count("\n", 0, one.start) for one in find_secrets(whole)}
    return [text for row, text in enumerate(texts) if row not in found]


@pytest.mark.parametrize("kind", samples.SHAPES)
def test_a_token_is_found_in_code_and_configuration_and_prose(kind: str) -> None:
    draw = Random(kind)  # noqa: S311 - samples, not secrets
    values = [samples.make_value(samples.SHAPES[kind], draw) for _ in range(TOKEN_COUNT)]
    missed = list_missed(values, samples.TOKEN_LINES)
    assert len(missed) <= TOKEN_COUNT // 100, missed[:20]


@pytest.mark.parametrize("name", samples.VENDOR_KEYS)
def test_a_key_is_found_after_the_name_of_its_vendor(name: str) -> None:
    draw = Random(name)  # noqa: S311 - samples, not secrets
    values = [samples.make_value(samples.VENDOR_KEYS[name], draw) for _ in range(TOKEN_COUNT)]
    lines = tuple(
        line.replace("{name}", name).replace("{NAME}", name.upper()).replace("{value}", "{}")
        for line in samples.VENDOR_LINES
    )
    missed = list_missed(values, lines)
    assert len(missed) <= TOKEN_COUNT // 100, missed[:20]


@pytest.mark.parametrize("kind", samples.PASSWORDS)
def test_a_password_is_found_next_to_its_name(kind: str) -> None:
    draw = Random(kind)  # noqa: S311 - samples, not secrets
    values = [samples.make_value(samples.PASSWORDS[kind], draw) for _ in range(COUNT)]
    missed = list_missed(values, samples.PASSWORD_LINES)
    assert len(missed) <= MAX_MISSED, missed[:20]


@pytest.mark.parametrize(
    "line", ["Authorization: Basic {}", '"Authorization": "Basic {}"', "curl -H 'Authorization: Basic {}' x"]
)
def test_a_basic_header_is_found(line: str) -> None:
    draw = Random(line)  # noqa: S311 - samples, not secrets
    missed = list_missed([samples.make_basic(draw) for _ in range(COUNT)], (line,))
    assert len(missed) <= MAX_MISSED, missed[:20]


@pytest.mark.parametrize(
    "line",
    ["Authorization: Bearer {}", 'headers = {{"Authorization": "Bearer {}"}}', "curl -H 'Authorization: Bearer {}' x"],
)
def test_a_bearer_header_is_found(line: str) -> None:
    draw = Random(line)  # noqa: S311 - samples, not secrets
    missed = list_missed([samples.make_value("[A-Za-z0-9_-]{24,64}", draw) for _ in range(COUNT)], (line,))
    assert len(missed) <= MAX_MISSED, missed[:20]


def test_each_line_of_a_key_block_is_found() -> None:
    draw = Random(1)  # noqa: S311 - samples, not secrets
    for _ in range(COUNT // 10):
        block = samples.make_key_block(draw)
        (found,) = find_secrets(f"before\n{block}\nafter\n")
        assert (found.start, found.end) == (7, 7 + len(block))
        cut = block[: len(block) // 2]
        (found,) = find_secrets(f"before\n{cut}\nafter it a sentence\n")
        assert found.end == 7 + len(cut)
