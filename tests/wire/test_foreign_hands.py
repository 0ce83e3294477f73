"""Another program truncates, replaces, moves or deletes the memory of a running server: a fault, and never a signal."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from aurora.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BODY = "def walrus_{0}(tusks):\n    return tusks + {0}\n"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A small project with code, and room for another one next to it."""
    return make_project(tmp_path / "small", "walrus")


def make_project(root: Path, word: str) -> Path:
    root.mkdir()
    for number in range(30):
        (root / f"part_{number}.py").write_text(BODY.format(number).replace("walrus", word), encoding="utf-8")
    with Memory.open(root / ".aurora" / "memory.db") as memory:
        memory.index(root)
    return root


@pytest.fixture
def serve(project: Any, small: Path) -> Any:
    """Serve the small project, and write one fact, which is then in the log only."""

    def begin(**environ: str) -> Any:
        project.root = small
        server = project.serve("--toolsets", "all", **{"AURORA_WATCH": "0", **environ}).shake_hands()
        assert find(server, "walrus") > 0
        assert add(server, "first") == "created"
        return server

    return begin


def call(server: Any, tool: str, **arguments: Any) -> dict[str, Any]:
    identifier = f"{tool} {arguments}"
    server.call(identifier, tool, arguments)
    found: dict[str, Any] = server.answer(identifier)["result"]["structuredContent"]
    return found


def find(server: Any, word: str) -> Any:
    """The number of hits, or the code of the error."""
    found = call(server, "aurora_search", query=word)
    return found["error"]["code"] if found.get("error") else len(found["hits"])


def has(server: Any, subject: str) -> Any:
    """Whether the fact about this subject is found, or the code of the error."""
    found = call(server, "aurora_search", query=subject)
    return found["error"]["code"] if found.get("error") else any(hit["symbol"] == subject for hit in found["hits"])


def add(server: Any, word: str) -> Any:
    found = call(server, "aurora_mem_add", text=f"the fact about {word}", subject=word)
    return found["error"]["code"] if found.get("error") else "created"


def list_files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def truncate(name: str) -> Callable[[Path], Any]:
    return lambda root: os.truncate(root / ".aurora" / name, 0)


def remove(*names: str) -> Callable[[Path], Any]:
    return lambda root: [(root / ".aurora" / name).unlink() for name in names]


HARM: tuple[tuple[Callable[[Path], Any], Any, bool], ...] = (
    # the deed; then whether the fact is found that is only in the log, by the first call and by the second
    (truncate("memory.db-shm"), True, True),
    (remove("memory.db-shm"), True, True),
    (remove("memory.db-wal"), "UPSTREAM_ERROR", True),
    (remove("memory.db-wal", "memory.db-shm"), "UPSTREAM_ERROR", True),
    (truncate("memory.db-wal"), "UPSTREAM_ERROR", False),
    (lambda root: shutil.rmtree(root / ".aurora"), False, False),
)


def test_harm_to_the_files_of_an_open_memory_is_a_fault_or_costs_nothing(serve: Any, small: Path) -> None:
    server = serve()
    for number, (harm, *expected) in enumerate(HARM):
        word = f"number{number}"
        assert add(server, word) == "created"
        harm(small)
        assert [has(server, word), has(server, word)] == expected, number
    assert add(server, "last") == "created"
    assert server.close() == 0


@pytest.mark.parametrize("share", [0, 0.5])
def test_a_truncated_database_is_a_fault_for_searches_and_writes_until_it_is_repaired(
    serve: Any, small: Path, share: float
) -> None:
    server = serve()
    database = small / ".aurora" / "memory.db"
    os.truncate(database, int(database.stat().st_size * share))

    assert [find(server, "walrus"), add(server, "second"), find(server, "walrus")] == ["UPSTREAM_ERROR"] * 3
    assert call(server, "aurora_mem_repair")["ok"]
    assert (find(server, "walrus") > 0, add(server, "third")) == (True, "created")
    assert server.close() == 0


def test_a_database_replaced_by_another_is_read_without_the_log_of_the_former(serve: Any, small: Path) -> None:
    other = make_project(small.with_name("other"), "zebra")
    server = serve()
    (other / ".aurora" / "memory.db").rename(small / ".aurora" / "memory.db")

    assert (find(server, "first"), find(server, "zebra") > 0) == (0, True)
    assert add(server, "second") == "created"
    assert server.close() == 0
    assert [path.name[:18] for path in (small / ".aurora").glob("*.damaged-*")] == ["memory.db.damaged-"]
    with Memory.open(small / ".aurora" / "memory.db") as memory:
        assert [chunk.symbol for chunk in memory.iter_chunks() if chunk.path is None] == ["second"]


def move(root: Path) -> None:
    root.rename(root.with_name("moved"))


def link_to_another(root: Path) -> None:
    move(root)
    root.symlink_to(make_project(root.with_name("other"), "zebra"))


def link_to_itself(root: Path) -> None:
    move(root)
    root.symlink_to(root.with_name("moved"))


def remove_all(root: Path) -> None:
    shutil.rmtree(root)


def begin_again(root: Path) -> None:
    shutil.rmtree(root)
    root.mkdir()


MOVES = {move: "NOT_FOUND", remove_all: "NOT_FOUND", link_to_another: "CONFLICT", begin_again: "CONFLICT"}


@pytest.mark.parametrize("deed", MOVES)
def test_a_moved_project_is_reported_and_nothing_is_written_to_its_old_place(
    serve: Any, small: Path, deed: Callable[[Path], None]
) -> None:
    server = serve(AURORA_WATCH="1")
    deed(small)
    before = list_files(small) if small.exists() else None
    logged = [path.read_bytes() for path in small.glob(".aurora/logs/*")]

    assert [find(server, "walrus"), add(server, "second"), find(server, "walrus")] == [MOVES[deed]] * 3
    assert server.close() == 0
    assert (list_files(small) if small.exists() else None) == before
    assert [path.read_bytes() for path in small.glob(".aurora/logs/*")] == logged
    if (moved := small.with_name("moved")).exists():
        with Memory.open(moved / ".aurora" / "memory.db") as memory:
            assert [chunk.symbol for chunk in memory.iter_chunks() if chunk.path is None] == ["first"]


def test_a_project_that_a_link_leads_to_from_its_old_place_is_served_on(serve: Any, small: Path) -> None:
    server = serve()
    link_to_itself(small)

    assert (find(server, "first"), add(server, "second"), has(server, "second")) == (1, "created", True)
    assert server.close() == 0
