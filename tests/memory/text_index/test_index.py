from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.memory.sqlite import build_tables, schema
from aurora.memory.text_index import (
    MAX_SEGMENTS,
    add_documents,
    compact_segments,
    merge_segments,
    rebuild_index,
    verify_index,
)
from aurora.memory.text_index import write as merge
from aurora.memory.text_index.index import TextIndex
from aurora.memory.text_index.pack import MAX_COUNT, OWN_NAME_BIT, pack_documents
from aurora.memory.text_index.read import Document, decode_block, decode_postings, encode_term_line, find_postings
from aurora.memory.text_index.tokens import extract_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from aurora.memory import Memory
    from aurora.memory.text_index.pack import PackedPostings
    from aurora.memory.text_index.read import PackedFields, PostingList

_TEXT = st.text(st.sampled_from("ab_AB1 \r\n.é東\ud800\0"), max_size=60)
_DOCUMENTS = st.builds(
    Document,
    st.just("code"),
    st.none() | st.text(st.sampled_from("abA/._é"), min_size=1, max_size=20),
    st.lists(st.tuples(_TEXT, _TEXT), max_size=5),
)


@pytest.fixture
def memory(file_memory: Memory) -> Memory:
    """These tests damage the tables of the file."""
    return file_memory


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[apsw.Connection]:
    db = apsw.Connection(str(tmp_path / "memory.db"))
    db.execute("PRAGMA foreign_keys = ON")
    schema.create_schema(db)
    yield db
    db.close()


@pytest.fixture
def full(memory: Memory, library: Path) -> Iterator[apsw.Connection]:
    """A memory of real code, to be spoiled."""
    memory.index(library, paths=[library / "json"])
    memory.remember(type="reas", kind="fact", symbol="s", text="told, not found", metadata={})
    db = apsw.Connection(str(memory.path))
    yield db
    db.close()


def read(blocks: Iterable[tuple[int, bytes]]) -> dict[str, PostingList]:
    """Every term with its postings, out of blocks with the first numbers of their segments."""
    parts: dict[str, list[tuple[int, PackedFields]]] = {}
    for first, block in blocks:
        whole = decode_block(block)
        assert whole is not None
        for term in map(bytes.decode, whole.terms):
            fields = find_postings(block, encode_term_line(term))
            assert fields is not None
            parts.setdefault(term, []).append((first, fields))
    return {term: decode_postings(found) for term, found in parts.items()}


def postings(packed: PackedPostings, first: int = 0) -> dict[str, PostingList]:
    return read((first, block) for _, block in packed.blocks)


def enter(db: apsw.Connection, path: str, *texts: str) -> int:
    """A file with these chunks, written as indexing does; the number of its first chunk."""
    first = build_tables(db).chunks.get_next_number()
    db.execute("DELETE FROM files WHERE path = ?", (path,))
    db.execute("INSERT INTO files VALUES (?, 'text', 1, 1, 'x', 1)", (path,))
    for n, text in enumerate(texts, first):
        row = (n, f"code:{n}", path, text)
        db.execute("INSERT INTO chunks VALUES (?, ?, 'code', ?, 1, 1, '', '', 'window', 'text', ?, '{}')", row)
    add_documents(build_tables(db), first, pack_documents([Document("code", path, [(text, "") for text in texts])]))
    return first


def found(db: apsw.Connection, term: str) -> list[int]:
    posting = TextIndex().refresh(build_tables(db), 1).read_postings(build_tables(db), [term]).get(term)
    return [] if posting is None else posting.n.tolist()


@settings(max_examples=50)
@given(documents=st.lists(_DOCUMENTS, max_size=4))
def test_packed_postings_equal_those_counted_one_by_one(documents: list[Document]) -> None:
    packed = pack_documents(documents)
    got: dict[tuple[str, int], tuple[int, ...]] = {}
    for term, posting in postings(packed).items():
        assert posting.n.tolist() == sorted(set(posting.n.tolist()))
        n, *counts = (field.tolist() for field in posting)
        got |= {(term, one): tuple(rest) for one, *rest in zip(n, *counts, strict=True)}
    assert got == one_by_one(documents)
    assert packed.postings == len(got)
    held = [one for one in documents if one.chunks]
    assert [doc.chunks for doc in packed.docs] == [len(one.chunks) for one in held]
    lengths = [[len(extract_terms(text)) for text, _ in one.chunks] for one in held]
    assert [doc.body_length for doc in packed.docs] == list(map(sum, lengths))
    assert [list(memoryview(doc.lengths).cast("H")) for doc in packed.docs] == lengths
    assert [doc.name_length for doc in packed.docs] == [
        sum(len(extract_terms(name)) for _, name in one.chunks) for one in held
    ]
    assert [doc.path_length for doc in packed.docs] == [len(extract_terms(one.path or "")) for one in held]


def one_by_one(documents: list[Document]) -> dict[tuple[str, int], tuple[int, ...]]:
    """By term and chunk the counts in its text, in its names and in its path."""
    chunks = [(one, text, names) for one in documents for text, names in one.chunks]
    out = {}
    for n, (one, text, names) in enumerate(chunks):
        body, name, path, own = (Counter(extract_terms(said)) for said in (text, names, one.path or "", one.own_name))
        for term in body | name | path:
            marked = min(path[term], OWN_NAME_BIT - 1) + OWN_NAME_BIT * (own[term] > 0)
            out[term, n] = (min(body[term], MAX_COUNT), min(name[term], MAX_COUNT), marked)
    return out


def test_a_posting_counts_a_term_in_the_text_in_the_names_and_in_the_path() -> None:
    packed = pack_documents([Document("code", "src/reader.py", [("reader " * 300, "Reader.read"), ("nothing", "")])])
    rows = postings(packed, 10)
    (reader,) = extract_terms("reader")
    assert rows[reader].n.tolist() == [10, 11]
    assert rows[reader].body.tolist() == [MAX_COUNT, 0]
    assert rows[reader].name.tolist()[1] == 0
    assert rows[reader].path.tolist() == [OWN_NAME_BIT + 1, OWN_NAME_BIT + 1]
    assert rows["src"].path.tolist() == [1, 1]


def test_a_term_is_found_in_all_segments_and_in_no_chunk_that_is_gone(empty: apsw.Connection) -> None:
    first, second = enter(empty, "a.py", "apple pear", "pear"), enter(empty, "b.py", "apple")
    assert found(empty, "appl") == [first, second]
    third = enter(empty, "a.py", "plum")
    index = TextIndex().refresh(build_tables(empty), 1)
    assert [index.find_document(n) for n in (first, second, third, 10_000, -1)] == [None, 0, 1, None, None]
    assert index.docs.paths == ("b.py", "a.py")
    assert index.totals == ((2, 2), (0, 0), (0, 0))
    assert verify_index(build_tables(empty)) == []


def test_the_text_index_follows_the_store_forward_and_never_back(empty: apsw.Connection) -> None:
    enter(empty, "a.py", "apple")
    old = TextIndex().refresh(build_tables(empty), 3)
    enter(empty, "b.py", "apple")
    assert old.refresh(build_tables(empty), 3) is old
    assert old.refresh(build_tables(empty), 2) is old
    assert len(old.refresh(build_tables(empty), 4).docs.paths) == 2
    assert len(old.docs.paths) == 1


def test_many_small_writes_are_merged_without_the_deleted_chunks(empty: apsw.Connection) -> None:
    for turn in range(MAX_SEGMENTS):
        enter(empty, "a.py", f"apple turn{turn}")
        assert not compact_segments(build_tables(empty))
    last = enter(empty, "b.py", "apple")
    assert compact_segments(build_tables(empty))
    assert empty.execute("SELECT count(*) FROM segments").fetchall() == [(1,)]
    assert found(empty, "appl") == [last - 1, last]
    assert found(empty, extract_terms("turn3")[0]) == []
    assert verify_index(build_tables(empty)) == []


def test_a_merge_by_ranges_of_terms_keeps_all_live_postings(
    full: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _content(full)
    segments = [int(str(number)) for (number,) in full.execute("SELECT segment FROM segments")]
    assert len(segments) > 1
    monkeypatch.setattr(merge, "_BLOCKS_PER_RANGE", 3)
    with full:
        merge_segments(build_tables(full), segments)
    assert full.execute("SELECT count(*) FROM segments").fetchall() == [(1,)]
    assert _content(full) == before


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM docs WHERE first_n = (SELECT min(first_n) FROM docs)",
        "UPDATE docs SET last_n = last_n - 1 WHERE last_n > first_n",
        "UPDATE docs SET lengths = x'' WHERE path IS NOT NULL",
        "DELETE FROM postings WHERE term = (SELECT term FROM postings LIMIT 1)",
        "UPDATE postings SET body = zeroblob(length(body)) WHERE term = (SELECT max(term) FROM postings)",
        "UPDATE postings SET body = substr(body, 1, length(body) - 1)",
        "UPDATE segments SET first_n = first_n + 1",
        "UPDATE chunks SET text = text || ' zanzibar' WHERE n = (SELECT min(n) FROM chunks)",
        "DELETE FROM segments",
    ],
)
def test_a_damaged_index_is_reported_and_rebuilt_from_the_chunks(full: apsw.Connection, damage: str) -> None:
    assert verify_index(build_tables(full)) == []
    full.execute("PRAGMA foreign_keys = OFF")
    full.execute(damage)
    assert verify_index(build_tables(full))
    with full:
        assert rebuild_index(build_tables(full)) > 1
    assert verify_index(build_tables(full)) == []


def test_a_rebuilt_index_has_the_same_documents_and_postings(full: apsw.Connection) -> None:
    before = _content(full)
    with full:
        rebuild_index(build_tables(full))
    assert _content(full) == before


def _content(db: apsw.Connection) -> tuple[list[object], dict[str, list[object]]]:
    docs = db.execute("SELECT * FROM docs ORDER BY first_n").fetchall()
    rows = db.execute("SELECT first_n, body FROM postings JOIN segments USING (segment) ORDER BY segment, term")
    return list(docs), {term: [field.tolist() for field in one] for term, one in read(rows).items()}


def test_a_reader_that_began_before_a_change_bypasses_the_cache(empty: apsw.Connection) -> None:
    enter(empty, "a.py", "common")
    newer = TextIndex().refresh(build_tables(empty), 2)
    newer.read_postings(build_tables(empty), ["common"], generation=1)
    second = enter(empty, "b.py", "common")
    assert second in newer.read_postings(build_tables(empty), ["common"], generation=2)["common"].n.tolist()
