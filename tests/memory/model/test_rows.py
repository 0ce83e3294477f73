"""What a chunk is known by: users keep ids, so the same chunk has the same one in every version."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.memory.model.chunks import compute_chunk_id, make_id_builder
from aurora.memory.model.json_columns import decode_json, encode_json

anything = st.text(st.characters() | st.sampled_from('\ud800\r\n\t"\\\0\x7fé🙂'), max_size=30)
metadata = st.dictionaries(anything, anything | st.lists(anything, max_size=3) | st.integers() | st.none(), max_size=4)


def test_an_id_is_stable() -> None:
    assert (
        compute_chunk_id("code", "src/a.py", "Reader.read", "def read(self):\n    return 'é'", "0")
        == "code:d6c5cf9ae791"
    )


@settings(max_examples=50)
@given(st.sampled_from(["code", "know"]), st.lists(anything, min_size=1, max_size=4), st.integers(0, 3))
def test_an_id_is_the_hash_of_its_parts_shared_or_not(type_: str, parts: list[str], shared: int) -> None:
    shared = min(shared, len(parts) - 1)
    plain = f"{type_}:{hashlib.blake2b(json.dumps([type_, *parts]).encode(), digest_size=6).hexdigest()}"
    assert compute_chunk_id(type_, *parts) == plain
    assert make_id_builder(type_, *parts[:shared])(*parts[shared:]) == plain


@settings(max_examples=50)
@given(metadata)
def test_metadata_round_trips_as_compact_ascii_json(document: dict[str, Any]) -> None:
    kept = encode_json(document)
    assert kept == json.dumps(document, separators=(",", ":"))
    assert decode_json(kept) == document
