"""Past answers among code and documents: below the code, marked when what they cite changed, higher when confirmed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.memory import Memory, records

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.memory import Hit

QUESTION = "how does the cache drop old entries"
CODE = '''"""Cache of answers."""


class Cache:
    """Keeps the newest entries."""

    def drop_old_entries(self, limit):
        """Drop the old entries of the cache beyond the limit."""
        self.entries = self.entries[-limit:]


def read_clock():
    """Return the time."""
    return 0
'''


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "cache.py").write_text(CODE, encoding="utf-8")
    (folder / "notes.md").write_text("# Notes\n\nThe printer is on the second floor.\n", encoding="utf-8")
    return folder


@pytest.fixture
def memory(root: Path, tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db") as opened:
        opened.index(root)
        yield opened


REWORDED = (
    "how are old entries dropped from the cache",
    "explain how the cache drops its old entries",
    "when does the cache drop an old entry",
    "what happens with old entries in the cache",
    "dropping of old cache entries",
)


def store_answer(memory: Memory, question: str = QUESTION, text: str = "It never does.") -> str:
    """Store an answer that cites the class."""
    cited = [chunk for chunk in memory.iter_chunks() if chunk.symbol == "Cache"]
    assert len(cited) == 1
    return memory.remember_answer(
        kind="pattern",
        symbol=question,
        text=f"Question: {question}\nAnswer: {text}",
        metadata={"query": question, "citations": records.cite_chunks(cited)},
    ).id


def find(memory: Memory, id_: str, **options: object) -> Hit:
    return next(hit for hit in memory.search(QUESTION, **options).hits if hit.chunk.id == id_)  # type: ignore[arg-type]


def find_best_file(memory: Memory) -> Hit:
    return next(hit for hit in memory.search(QUESTION).hits if hit.chunk.path)


def test_an_answer_to_the_very_question_ranks_below_the_code(memory: Memory) -> None:
    before = memory.search(QUESTION)
    ids = {store_answer(memory, f"{QUESTION}{end}") for end in ("", " today", " then", " now", " again", " here")}
    after = memory.search(QUESTION)
    assert len(ids) == 6
    assert after.hits[0].chunk.path == "cache.py"
    best = after.hits[0].score
    assert all(hit.score < best for hit in after.hits if hit.chunk.id in ids)
    assert after.confidence <= before.confidence


@pytest.mark.parametrize("limit", [1, 2, 10])
def test_the_place_of_an_answer_is_the_same_on_every_page(memory: Memory, limit: int) -> None:
    store_answer(memory)
    whole = [hit.chunk.id for hit in memory.search(QUESTION).hits]
    assert [hit.chunk.id for hit in memory.search(QUESTION, limit=limit).hits] == whole[:limit]


def test_an_answer_without_a_rival_keeps_its_score(memory: Memory) -> None:
    hit = find(memory, store_answer(memory), types=("reas",))
    assert hit.score > 0.8
    assert not hit.doubtful


def test_an_answer_whose_cited_text_changed_is_doubtful_and_ranks_lower(memory: Memory, root: Path) -> None:
    id_ = store_answer(memory)
    sure = find(memory, id_)
    alone = find(memory, id_, types=("reas",))
    (root / "cache.py").write_text(CODE.replace("[-limit:]", "[:limit]"), encoding="utf-8")
    memory.index(root)
    assert find(memory, id_).doubtful
    assert find(memory, id_).score == pytest.approx(sure.score / 2, abs=0.1)
    assert find(memory, id_, types=("reas",)).score == pytest.approx(alone.score / 2, abs=0.001)


def test_an_answer_stays_when_its_cited_text_only_moves_or_another_part_changes(memory: Memory, root: Path) -> None:
    id_ = store_answer(memory)
    moved = CODE.replace("class Cache", "LIMIT = 3\n\n\nclass Cache").replace("return 0", "return 1")
    (root / "cache.py").write_text(moved, encoding="utf-8")
    memory.index(root)
    assert not find(memory, id_).doubtful


def test_a_change_that_is_undone_removes_the_doubt(memory: Memory, root: Path) -> None:
    id_ = store_answer(memory)
    for text, doubtful in ((CODE.replace("-limit", "limit"), True), (CODE, False)):
        (root / "cache.py").write_text(text, encoding="utf-8")
        memory.index(root)
        assert find(memory, id_).doubtful is doubtful


def test_a_cited_file_that_changed_and_is_not_indexed_again_makes_an_answer_doubtful(
    memory: Memory, root: Path
) -> None:
    id_ = store_answer(memory)
    (root / "cache.py").write_text(f"{CODE}\n# later\n", encoding="utf-8")
    hit = find(memory, id_)
    assert hit.stale
    assert hit.doubtful


def test_an_answer_of_an_older_aurora_without_hashes_is_doubtful(memory: Memory) -> None:
    cited = find_best_file(memory).chunk.id
    for citations in ([cited], [], None):
        metadata = {"query": QUESTION} if citations is None else {"query": QUESTION, "citations": citations}
        text = f"Question: {QUESTION}\nAnswer: {citations}"
        id_, _ = memory.remember(type="reas", kind="pattern", symbol="old", text=text, metadata=metadata)
        hit = find(memory, id_)
        assert hit.doubtful
        assert hit.score < find_best_file(memory).score / 1.9


@pytest.mark.parametrize("citations", [[5, None, {"id": 3}], {"id": "x"}, "code:1", [{"id": "code:1", "hash": 4}]])
def test_citations_of_any_form_are_no_error(memory: Memory, citations: object) -> None:
    text = f"Question: {QUESTION}\nAnswer: odd"
    metadata = {"query": QUESTION, "citations": citations, "confirmed": "yes"}
    id_, _ = memory.remember(type="reas", kind="pattern", symbol="odd", text=text, metadata=metadata)
    hit = find(memory, id_)
    assert (hit.doubtful, hit.confirmed) == (True, False)


def test_a_way_of_working_is_below_the_code_and_not_doubtful(memory: Memory) -> None:
    id_, _ = memory.remember(type="reas", kind="pattern", symbol="", text=QUESTION, metadata={})
    hit = find(memory, id_)
    assert not hit.doubtful
    assert hit.score < find_best_file(memory).score


def test_a_confirmed_answer_may_rank_first_until_it_is_doubtful_or_revoked(memory: Memory, root: Path) -> None:
    id_ = store_answer(memory)
    records.confirm_record(memory.store, id_, by="ada", how="terminal")
    first = memory.search(QUESTION).hits[0]
    assert (first.chunk.id, first.confirmed) == (id_, True)
    records.revoke_confirmation(memory.store, id_)
    assert not find(memory, id_).confirmed
    assert memory.search(QUESTION).hits[0].chunk.path == "cache.py"
    records.confirm_record(memory.store, id_, by="ada", how="terminal")
    (root / "cache.py").write_text(CODE.replace("-limit", "limit"), encoding="utf-8")
    memory.index(root)
    hit = find(memory, id_)
    assert (hit.confirmed, hit.doubtful) == (True, True)
    assert hit.score < find_best_file(memory).score


def test_a_fact_that_a_host_added_does_not_lift_an_answer_above_the_code(memory: Memory) -> None:
    memory.remember(type="know", kind="fact", symbol=QUESTION, text=f"{QUESTION}: never", metadata={})
    id_ = store_answer(memory)
    assert find(memory, id_).score < find_best_file(memory).score


def test_many_answers_are_checked_within_a_limit(memory: Memory) -> None:
    ids = {store_answer(memory, f"{QUESTION} {number}") for number in range(60)}
    hits = memory.search(QUESTION, limit=100).hits
    assert hits[0].chunk.path == "cache.py"
    assert {hit.chunk.id for hit in hits} >= ids
    assert not any(hit.doubtful for hit in hits)


def test_of_the_answers_to_one_question_in_other_words_the_best_keeps_its_place(memory: Memory) -> None:
    for number, question in enumerate((QUESTION, *REWORDED)):
        store_answer(memory, question, f"It never does, for reason {number}.")
    other = store_answer(memory, "which floor has the printer", "The cache drops old entries there.")
    answers = [hit for hit in memory.search(QUESTION, limit=10).hits if hit.chunk.type == "reas"]
    assert len(answers) == 2 + len(REWORDED), "they are all there"
    scores = {hit.chunk.id: hit.score for hit in answers}
    first, *rest = sorted((score for id_, score in scores.items() if id_ != other), reverse=True)
    assert rest[0] < 0.35 * first
    assert rest[0] < scores[other]
