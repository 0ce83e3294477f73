"""Records and runs belong to the repository: every worktree reads and changes the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.errors import Fault
from aurora.memory import create_backup, records_path, restore_backup
from aurora.memory.records import confirm_record, forget_records, undo_last
from aurora.tools.runtime import Workspace, call_tool

from .conftest import list_facts, open_memory, remember

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import RunGit


def test_a_fact_of_one_worktree_is_found_in_the_others(main: Path, linked: Path) -> None:
    with open_memory(main) as here, open_memory(linked) as there:
        remember(here, "The queue has five places")
        remember(there, "The topic branch renames the queue")
        assert list_facts(here) == list_facts(there)
        for memory in (here, there):
            found = memory.search("renames the queue").hits
            assert found[0].chunk.text == "The topic branch renames the queue"


def test_a_forgotten_fact_is_gone_everywhere_and_comes_back_everywhere(main: Path, linked: Path) -> None:
    with open_memory(main) as here, open_memory(linked) as there:
        id_ = remember(there, "The queue has five places")
        forget_records(there.shared_store, [id_])
        assert list_facts(here) == list_facts(there) == set()
        undo_last(here.shared_store)
        assert list_facts(here) == list_facts(there) == {"The queue has five places"}


def test_a_confirmation_is_seen_in_every_worktree(main: Path, linked: Path) -> None:
    with open_memory(main) as here, open_memory(linked) as there:
        id_ = remember(here, "The queue has five places")
        assert there.get([id_])[0].metadata == {"branch": "main"}
        confirm_record(there.store, id_, by="ada", how="terminal")
        assert "confirmed" in here.get([id_])[0].metadata
        assert here.get([id_])[0].metadata == there.get([id_])[0].metadata


def test_runs_are_kept_in_the_memory_of_the_repository(main: Path, linked: Path) -> None:
    with open_memory(linked) as there:
        there.journal.create("r1", "soar", {"status": "open"}, [("assess", {"a": 1})])
        assert there.stats().runs == 1
    with open_memory(main) as here:
        assert [row.run for row in here.journal.runs(5)] == ["r1"]
        assert len(here.journal.steps("r1")) == 1


def test_a_removed_worktree_leaves_its_facts_and_runs(main: Path, linked: Path, git: RunGit) -> None:
    with open_memory(linked) as there:
        remember(there, "The queue has five places")
        there.journal.create("r1", "soar", {}, [])
    git(main, "worktree", "remove", "--force", str(linked))
    with open_memory(main) as here:
        assert list_facts(here) == {"The queue has five places"}
        assert here.journal.head("r1") is not None


def test_a_new_memory_of_the_repository_gets_the_records_of_the_views(main: Path, linked: Path) -> None:
    with open_memory(linked) as there:
        remember(there, "The queue has five places")
    for place in records_path(linked).parent.glob("memory.db*"):
        place.unlink()
    with open_memory(linked) as there:
        assert list_facts(there) == {"The queue has five places"}
    with open_memory(main) as here:
        assert list_facts(here) == {"The queue has five places"}


def test_a_restored_backup_is_restored_in_every_worktree(main: Path, linked: Path) -> None:
    with open_memory(linked) as there:
        remember(there, "Before the backup")
        create_backup(records_path(linked))
        remember(there, "After the backup")
        restore_backup(records_path(linked))
        assert list_facts(there) == {"Before the backup"}
    with open_memory(main) as here:
        assert list_facts(here) == {"Before the backup"}


def test_a_fact_that_cannot_be_shared_is_not_kept_at_all(main: Path, linked: Path) -> None:
    with open_memory(main) as here, open_memory(linked) as there:
        assert list_facts(there) == set()
        there.shared_store.close()
        with pytest.raises(Fault):
            remember(there, "The queue has five places")
        assert list_facts(here) == set()
    with open_memory(linked) as there:
        assert list_facts(there) == set()


def test_the_same_question_asked_in_two_worktrees_has_one_answer(main: Path, linked: Path) -> None:
    metadata = {"query": "How many places?", "citations": []}
    with open_memory(main) as here, open_memory(linked) as there:
        here.remember_answer(kind="answer", symbol="q", text="Four", metadata=metadata)
        done = there.remember_answer(kind="answer", symbol="q", text="Five", metadata=metadata)
        assert len(done.replaced) == 1
        assert list_facts(here) == list_facts(there) == {"Five"}


def test_branch_and_worktree_are_noted_on_each_record(main: Path, linked: Path, git: RunGit) -> None:
    git(main, "switch", "-q", "-c", "other")
    with open_memory(main) as here, open_memory(linked) as there:
        ids = [remember(here, "Said in the main worktree"), remember(there, "Said in the linked worktree")]
        answer = there.remember_answer(kind="answer", symbol="q", text="Five", metadata={"query": "?", "citations": []})
        first, second, third = here.get([*ids, answer.id])
    assert first.metadata == {"branch": "other"}
    assert second.metadata == {"branch": "topic", "worktree": "linked"}
    assert (third.metadata["branch"], third.metadata["worktree"]) == ("topic", "linked")


def test_a_detached_worktree_has_no_branch(linked: Path, git: RunGit) -> None:
    git(linked, "checkout", "-q", "--detach")
    with open_memory(linked) as there:
        id_ = remember(there, "Said at a commit")
        assert there.get([id_])[0].metadata == {"worktree": "linked"}


@pytest.mark.requirement("aura-10")
def test_branch_and_worktree_are_noted_on_each_run(main: Path, linked: Path) -> None:
    arguments = {"workflow": "soar-fast", "phase": "assess", "query": "How is the queue drained?"}
    with Workspace(linked) as there:
        first = call_tool(there, "workflow.step", arguments)
        call_tool(there, "workflow.step", {**first["next_call"]["arguments"]})
    with Workspace(main) as here:
        second = call_tool(here, "workflow.step", arguments)
        shown = [call_tool(here, "runs.show", {"run": one["run"]}) for one in (first, second)]
    assert [(one["branch"], one.get("worktree", "")) for one in shown] == [("topic", "linked"), ("main", "")]
