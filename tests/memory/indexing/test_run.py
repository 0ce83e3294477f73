"""Indexing of a whole project, and of its changes."""

from __future__ import annotations

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aurora.errors import Code, Fault
from aurora.memory.text_index import write as lexicon_verify

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.memory import Memory


def read_chunks(memory: Memory) -> dict[str, tuple[object, ...]]:
    """Every chunk in the store, by id."""
    return {
        each.id: (each.type, each.path, each.symbol, each.start_line, each.end_line, each.text)
        for each in memory.iter_chunks()
    }


def select_file(chunks: Mapping[str, tuple[object, ...]], path: str) -> dict[str, tuple[object, ...]]:
    return {id_: row for id_, row in chunks.items() if row[1] == path}


def test_every_file_of_a_real_library_is_indexed_and_every_chunk_has_words_and_a_vector(
    memory: Memory, library: Path
) -> None:
    report = memory.index(library)
    files = list(library.rglob("*.py"))
    assert report.added == report.files >= len(files)
    assert report.chunks == report.embedded == len(read_chunks(memory)) > 300
    assert (report.changed, report.unchanged, report.removed) == (0, 0, 0)
    assert report.bytes >= sum(path.stat().st_size for path in files)
    stats = memory.stats()
    assert stats.root == str(library)
    assert stats.languages["python"] > 300
    assert stats.vectors == report.chunks
    assert stats.indexed_at is not None
    with memory.store.begin_read() as db:
        assert lexicon_verify.verify_index(db) == []


def test_a_second_run_finds_nothing_to_do_and_changes_no_chunk(memory: Memory, library: Path) -> None:
    first = memory.index(library)
    before = read_chunks(memory)
    second = memory.index(library)
    assert (second.unchanged, second.added, second.changed, second.removed) == (first.files, 0, 0, 0)
    assert second.embedded == 0
    assert read_chunks(memory) == before


def test_a_touched_file_is_read_and_counts_as_unchanged(memory: Memory, library: Path) -> None:
    report = memory.index(library)
    os.utime(library / "json" / "decoder.py", ns=(1, 1))
    again = memory.index(library)
    assert (again.unchanged, again.changed) == (report.files, 0)
    assert memory.search("raw_decode").hits[0].stale is False


def test_moving_code_down_keeps_ids_vectors_and_usage_and_updates_the_lines(memory: Memory, library: Path) -> None:
    memory.index(library)
    before = select_file(read_chunks(memory), "json/scanner.py")
    function = next(id_ for id_, row in before.items() if row[2] == "py_make_scanner")
    memory.record_use([function])
    file = library / "json" / "scanner.py"
    file.write_text("# a new line\n# and another\n\n\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    report = memory.index(library)
    after = select_file(read_chunks(memory), "json/scanner.py")
    assert report.changed == 1
    assert report.embedded <= 2, "what only moved is not embedded again"
    assert after[function][3] == before[function][3] + 4
    assert set(memory.compute_activation([function])) == {function}


def test_an_edit_changes_the_edited_chunk_and_leaves_the_ids_of_the_others(memory: Memory, library: Path) -> None:
    memory.index(library)
    before = select_file(read_chunks(memory), "json/encoder.py")
    file = library / "json" / "encoder.py"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("def py_encode_basestring(s):", "def py_encode_zanzibar(s):"), encoding="utf-8")
    memory.index(library)
    after = select_file(read_chunks(memory), "json/encoder.py")
    assert {row[2] for id_, row in before.items() if id_ not in after} >= {"py_encode_basestring"}
    assert len(set(before) & set(after)) >= len(before) - 3
    assert memory.search("zanzibar").hits[0].chunk.symbol == "py_encode_zanzibar"


def test_two_equal_functions_in_one_file_are_two_chunks_and_keep_their_ids(memory: Memory, tmp_path: Path) -> None:
    root = tmp_path / "twins"
    root.mkdir()
    body = "def twin():\n    return 'the very same text in both, long enough to stand alone'\n\n\n"
    (root / "a.py").write_text(f"{body}X = 1\n\n\n{body}", encoding="utf-8")
    memory.index(root)
    before = read_chunks(memory)
    (root / "a.py").write_text(f"\n\n{body}X = 2\n\n\n{body}", encoding="utf-8")
    memory.index(root)
    twins = [{id_ for id_, row in chunks.items() if row[2] == "twin"} for chunks in (before, read_chunks(memory))]
    assert twins[0] == twins[1]
    assert len(twins[0]) == 2


def test_a_renamed_file_leaves_its_old_path_and_is_found_at_the_new_one(memory: Memory, library: Path) -> None:
    memory.index(library)
    (library / "json" / "decoder.py").rename(library / "json" / "unpicker.py")
    report = memory.index(library)
    assert (report.added, report.removed) == (1, 1)
    paths = {hit.chunk.path for hit in memory.search("JSONDecoder.raw_decode").hits}
    assert "json/unpicker.py" in paths
    assert "json/decoder.py" not in paths


def test_a_deleted_folder_leaves_no_chunks_words_or_vectors(memory: Memory, library: Path) -> None:
    memory.index(library)
    shutil.rmtree(library / "http")
    report = memory.index(library)
    assert report.removed > 3
    assert not any(str(row[1]).startswith("http/") for row in read_chunks(memory).values())
    assert memory.stats().vectors == report.chunks
    assert all(
        hit.chunk.path and hit.chunk.path.startswith(("json/", "click/")) for hit in memory.search("cookie").hits
    )


def test_only_the_named_paths_are_indexed(memory: Memory, library: Path) -> None:
    report = memory.index(library, paths=[Path("json"), library / "http" / "cookies.py"])
    indexed = {str(row[1]) for row in read_chunks(memory).values()}
    assert {path.split("/")[0] for path in indexed} == {"json", "http"}
    assert "http/client.py" not in indexed
    assert report.files == len(indexed)
    (library / "json" / "tool.py").unlink()
    (library / "http" / "cookies.py").unlink()
    assert memory.index(library, paths=[library / "json"]).removed == 1
    assert "http/cookies.py" in {row[1] for row in read_chunks(memory).values()}


def test_records_facts_and_runs_survive_every_indexing(memory: Memory, library: Path) -> None:
    kept = [
        memory.remember(type=type_, kind="fact", symbol="s", text="stated, not found", metadata={})[0]
        for type_ in ("reas", "know")
    ]
    memory.journal.create("r", "soar", {"n": 1}, [("assess", {})])
    memory.index(library)
    shutil.rmtree(library)
    library.mkdir()
    report = memory.index(library)
    assert report.chunks == 2
    assert memory.find_missing(kept) == ()
    assert memory.journal.head("r") is not None


def test_progress_counts_up_to_the_number_of_files(memory: Memory, library: Path) -> None:
    seen: list[tuple[float, float | None, str]] = []
    report = memory.index(library, progress=lambda done, total, message: seen.append((done, total, message)))
    assert seen[0][1] is None
    assert [done for done, _, _ in seen] == sorted(done for done, _, _ in seen)
    assert seen[-1][:2] == (report.files, report.files)
    assert all(message for _, _, message in seen)


def test_indexing_works_in_a_thread_during_searches(memory: Memory, library: Path) -> None:
    with ThreadPoolExecutor(3) as threads:
        indexing = threads.submit(memory.index, library)
        searches = [threads.submit(memory.search, "parse a header") for _ in range(20)]
        report = indexing.result()
        assert all(search.result().confidence >= 0 for search in searches)
    assert report.added == report.files
    assert memory.search("parse a header").hits


def test_a_search_during_a_run_does_not_say_that_it_was_cut_short(memory: Memory, library: Path) -> None:
    notes: list[str] = []

    def search(done: float, _total: float | None, _message: str) -> None:
        if done:
            notes.append(memory.search("json").note)

    memory.index(library, progress=search)
    assert notes
    assert not any("has not finished" in note for note in notes)


def test_a_progress_callback_may_stop_the_run_and_written_batches_stay(memory: Memory, library: Path) -> None:
    class StopError(Exception):
        pass

    def stop(done: float, _total: float | None, _message: str) -> None:
        if done:
            raise StopError

    with pytest.raises(StopError):
        memory.index(library, progress=stop)
    part = memory.stats().files
    assert part > 0
    assert "has not finished" in memory.search("json").note
    report = memory.index(library)
    assert report.unchanged == part
    assert not memory.search("json").note


@pytest.mark.parametrize(
    ("place", "code"),
    [("nowhere", Code.NOT_FOUND), ("json/decoder.py", Code.INVALID_INPUT), ("x" * 300, Code.INVALID_INPUT)],
)
def test_a_root_that_is_not_a_folder_is_rejected(memory: Memory, library: Path, place: str, code: Code) -> None:
    with pytest.raises(Fault, match=place) as caught:
        memory.index(library / place)
    assert caught.value.code is code
    assert caught.value.help


def test_a_path_outside_the_project_is_forbidden_also_through_a_link(memory: Memory, library: Path) -> None:
    (library / "way_out").symlink_to("/etc")
    for path in (Path("../elsewhere"), Path("/etc"), Path("way_out")):
        with pytest.raises(Fault, match="outside") as caught:
            memory.index(library, paths=[path])
        assert caught.value.code is Code.FORBIDDEN


def test_a_file_that_is_no_longer_text_is_skipped_and_its_chunks_are_removed(memory: Memory, library: Path) -> None:
    memory.index(library)
    (library / "json" / "tool.py").write_bytes(b"\x00\x01\x02 binary now" * 100)
    report = memory.index(library)
    assert ("json/tool.py", "binary") in {(skip.path, skip.reason) for skip in report.skipped}
    assert not select_file(read_chunks(memory), "json/tool.py")


def test_an_unknown_path_is_not_found_and_one_with_nul_is_invalid(memory: Memory, library: Path) -> None:
    for path, code in (("json/nowhere.py", Code.NOT_FOUND), ("a\0b", Code.INVALID_INPUT)):
        with pytest.raises(Fault) as caught:
            memory.index(library, paths=[Path(path)])
        assert caught.value.code is code
    assert memory.stats().files == 0


def test_the_home_of_an_unknown_user_is_an_ordinary_name(memory: Memory) -> None:
    with pytest.raises(Fault, match="nobody-of-that-name"):
        memory.index(Path("~nobody-of-that-name/project"))


def test_copies_and_the_files_of_assistants_are_listed_and_leave_the_memory(memory: Memory, tmp_path: Path) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    root = tmp_path / "copies"
    root.mkdir()
    (root / "a.py").write_text("def alpha(): ...\n", encoding="utf-8")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(["git", "add", "."], cwd=root, check=True)
    subprocess.run(["git", *who, "commit", "-q", "-m", "first"], cwd=root, check=True)
    (root / "tree").mkdir()
    (root / "tree/a.py").write_text("def alpha(): ...\n", encoding="utf-8")
    assert memory.index(root).files == 2

    shutil.rmtree(root / "tree")
    subprocess.run(["git", "worktree", "add", "-q", "tree"], cwd=root, check=True)
    (root / ".claude").mkdir()
    (root / ".claude/settings.local.json").write_text("{}\n", encoding="utf-8")
    report = memory.index(root)

    assert (report.files, report.removed) == (1, 1)
    assert {one.path: one.reason for one in report.skipped} == {"tree": "worktree", ".claude": "assistant"}
    assert memory.index(root, paths=[Path("tree/a.py")]).files == 0
