"""A line of standard input is a message, or is answered with an error and its id."""

from __future__ import annotations

import json
import os
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aurora.early import MAX_LINE_BYTES, read_lines
from aurora.tools.mcp.stdio import MAX_VALUES, RejectedLine, extract_id, parse_message

IDS = st.integers(-(10**15), 10**15) | st.text(max_size=50).filter(lambda text: text.isprintable())
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["id", "a", "}"]), inner, max_size=3),
    max_leaves=15,
)


@given(IDS, JSON, JSON, st.integers(0, 40), st.booleans())
def test_the_id_is_found_in_a_truncated_line(
    wanted: Any,
    before: Any,
    after: Any,
    lost: int,
    ascii_only: bool,  # noqa: FBT001 - hypothesis gives it by place
) -> None:
    tail = ',"after":' + json.dumps(after) + "}"
    head = json.dumps({"before": before, "id": wanted}, ensure_ascii=ascii_only)[:-1]
    assert extract_id(head + tail[: len(tail) - min(lost, len(tail))]) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ('{"a":"id","b":1}', None),
        ('{"a":{"id":1}}', None),
        ('[{"id":1}]', None),
        ('{"id":1.5}', None),
        ('{"id":true}', None),
        ('{"id" : 3', 3),
        ('{"a":"\\"","id":4', 4),
        ("[" * 100_000, None),
        ('{"id":"\\ud800"}', None),
        ('"id":5', None),
    ],
)
def test_only_a_valid_top_level_id_counts(line: str, wanted: Any) -> None:
    assert extract_id(line) == wanted


@given(st.binary(max_size=300))
def test_any_bytes_are_a_message_a_rejected_line_or_blank(line: bytes) -> None:
    found = parse_message(line)
    assert found is None or isinstance(found, RejectedLine) or found.jsonrpc == "2.0"


def read(blocks: list[bytes]) -> list[tuple[bytes, bool]]:
    """Write the blocks to a real pipe from a thread, and read them as lines."""
    import threading  # noqa: PLC0415 - only here

    reading, writing = os.pipe()

    def feed() -> None:
        for block in blocks:
            view = memoryview(block)
            while view:
                view = view[os.write(writing, view) :]
        os.close(writing)

    thread = threading.Thread(target=feed)
    thread.start()
    try:
        return list(read_lines(reading))
    finally:
        thread.join()
        os.close(reading)


def test_lines_are_whole_for_any_sequence_of_writes() -> None:
    assert read([b"ab", b"c\nde", b"\n\nf\n", b"g"]) == [
        (b"abc", True),
        (b"de", True),
        (b"", True),
        (b"f", True),
        (b"g", True),
    ]


def test_a_line_that_is_too_long_yields_its_head_and_the_next_line_is_whole() -> None:
    found = read([b"x" * (MAX_LINE_BYTES + 1_000_000) + b"\n" + b"after\n"])
    assert [(len(line) < MAX_LINE_BYTES, whole) for line, whole in found] == [(True, False), (True, True)]
    assert found[1] == (b"after", True)


@pytest.mark.parametrize("value", ["0,", '{"a":[]},', "[[]],", '"\\"[",0,'])
@pytest.mark.parametrize("form", ['{{"jsonrpc":"2.0","id":"a b",{}}}', '{{{},"jsonrpc":"2.0","id":7}}', "{{{}"])
def test_a_message_of_many_values_is_rejected_before_it_is_parsed(value: str, form: str) -> None:
    call = f'"method":"tools/call","params":{{"name":"x","arguments":{{"id":1,"a":[{value * MAX_VALUES}0]}}}}'
    started = time.process_time()
    found = parse_message(form.format(call).encode())
    assert isinstance(found, RejectedLine)
    assert found.answer.id == ("a b" if "a b" in form else 7 if "7" in form else None)
    assert "more than 100,000 values" in found.answer.error.message
    assert time.process_time() - started < 2
