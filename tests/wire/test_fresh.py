"""A server that serves notices edits: what is saved is found, and nothing is written where nobody asked for it."""

from __future__ import annotations

import os
import signal
import time
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from aurora.memory import Memory

if TYPE_CHECKING:
    from .conftest import Server

PATIENCE = 150.0
NEW = "def zanzibar_{name}():\n    return 1\n"


def hits(server: Server, identifier: str, query: str) -> list[str]:
    server.call(identifier, "aurora_search", {"query": query})
    found = server.answer(identifier)["result"]["structuredContent"]["hits"]
    return [hit["path"] for hit in found]


def wait_for(server: Server, path: str, query: str) -> None:
    """Ask until it is found."""
    deadline = time.monotonic() + PATIENCE
    for number in count():
        assert time.monotonic() < deadline, f"{path} was not found: {server.log.read_text()[-3000:]}"
        if hits(server, f"{query}-{number}", query)[:1] == [path]:
            return


def test_what_is_saved_while_the_server_serves_is_found(project: Any) -> None:
    server = project.serve().shake_hands()
    server.send({"jsonrpc": "2.0", "id": "list", "method": "tools/list"})
    server.answer("list")
    project.write("new.py", NEW.format(name="new"))
    wait_for(server, "new.py", "zanzibar_new")
    (project.root / "new.py").rename(project.root / "other.py")
    wait_for(server, "other.py", "zanzibar_new")
    deadline = time.monotonic() + PATIENCE
    for number in count():
        assert time.monotonic() < deadline, server.log.read_text()[-3000:]
        if read_index(server, f"index-{number}")["behind"] == 0:
            break
    assert server.close() == 0


def test_a_changed_hit_is_read_again_even_where_nothing_is_watched(project: Any) -> None:
    project.write("click/zanzibar.py", NEW.format(name="old"))
    server = project.serve(AURORA_WATCH="0").shake_hands()
    assert "click/zanzibar.py" not in hits(server, "before", "zanzibar_old")
    path = project.root / "click" / "core.py"
    path.write_text(path.read_text(encoding="utf-8") + NEW.format(name="core"), encoding="utf-8")
    assert hits(server, "stale", "Context.invoke")[0] == "click/core.py"
    assert hits(server, "after", "zanzibar_core")[0] == "click/core.py"
    assert server.close() == 0


def test_a_server_that_may_only_read_writes_nothing_when_the_project_changes(project: Any) -> None:
    before = (project.root / ".aurora" / "memory.db").read_bytes()
    server = project.serve("--read-only").shake_hands()
    project.write("new.py", NEW.format(name="new"))
    assert "new.py" not in hits(server, "one", "zanzibar_new")
    assert server.close() == 0
    assert (project.root / ".aurora" / "memory.db").read_bytes() == before


def test_a_server_over_a_project_that_nobody_has_indexed_leaves_no_memory(project: Any) -> None:
    for file in (project.root / ".aurora").glob("memory.db*"):
        file.unlink()
    server = project.serve().shake_hands()
    server.send({"jsonrpc": "2.0", "id": "list", "method": "tools/list"})
    server.answer("list")
    project.write("new.py", NEW.format(name="new"))
    server.send({"jsonrpc": "2.0", "id": "again", "method": "tools/list"})
    server.answer("again")
    assert server.close() == 0
    assert list((project.root / ".aurora").glob("memory.db*")) == []


def read_index(server: Server, identifier: str) -> dict[str, Any]:
    server.call(identifier, "aurora_search", {"query": "Context"})
    index: dict[str, Any] = server.answer(identifier)["result"]["structuredContent"]["index"]
    return index


@pytest.mark.requirement("aura-39")
def test_each_answer_says_how_many_files_the_index_is_behind(project: Any) -> None:
    server = project.serve(AURORA_WATCH="0").shake_hands()
    project.write("click/zanzibar.py", NEW.format(name="one"))
    assert read_index(server, "one")["behind"] == 1
    assert server.close() == 0


def stop_while_it_indexes(project: Any, server: Server, memory: Memory) -> None:
    """Stop the process in the middle of an indexing: write new files until it is caught."""
    for attempt in count():
        assert attempt < 20, server.log.read_text()[-3000:]
        for number in range(300):
            text = NEW.format(name=f"{attempt}_{number}") * 20
            project.write(f"made/part_{attempt}_{number:03}.py", text)
        while not (is_running(memory) or memory.has_path(f"made/part_{attempt}_299.py")):
            assert server.process.poll() is None
        os.kill(server.process.pid, signal.SIGSTOP)
        if is_running(memory):
            return
        os.kill(server.process.pid, signal.SIGCONT)


def is_running(memory: Memory) -> bool:
    with memory.store.begin_read() as db:
        return db.meta.get("index_state") == "running"


def test_an_index_that_a_server_updates_was_not_cut_short_until_the_server_is_killed(project: Any) -> None:
    project.is_forked = False
    server = project.serve().shake_hands()
    server.send({"jsonrpc": "2.0", "id": "list", "method": "tools/list"})
    server.answer("list")
    with Memory.open(project.root / ".aurora" / "memory.db") as memory:
        stop_while_it_indexes(project, server, memory)
        assert "has not finished" not in memory.search("Context").note
        os.kill(server.process.pid, signal.SIGCONT)
        deadline = time.monotonic() + PATIENCE
        for number in count():
            assert time.monotonic() < deadline, server.log.read_text()[-3000:]
            server.call(number, "aurora_search", {"query": "Context"})
            found = server.answer(number)["result"]["structuredContent"]
            assert "has not finished" not in found.get("note", "")
            if found["index"]["behind"] == 0:
                break
        stop_while_it_indexes(project, server, memory)
        server.process.kill()
        assert server.process.wait(60) == -signal.SIGKILL
        assert "has not finished" in memory.search("Context").note
