"""The backup and the restore of docs/guide/scale.md, with the server's own programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg

from aurora.memory import Memory, find_server
from tests.postgres_server import run_server

if TYPE_CHECKING:
    from pathlib import Path


def test_a_dump_restores_every_project_with_its_index_and_runs(library: Path, database: Path) -> None:
    with run_server() as server:
        addresses = [
            find_server({"AURORA_DATABASE": server.url, "AURORA_PROJECT": name}) for name in ("team/one", "team/two")
        ]
        for address in addresses:
            with Memory.open(database, server=address) as memory:
                memory.index(library)
                memory.journal.create("run", "soar", {"status": "open"}, [("assess", {"of": str(address)})])
        with Memory.open(database, server=addresses[0]) as memory:
            before = memory.search("decode a document"), list(memory.iter_chunks()), memory.journal.steps("run")

        dump = server.folder / "aurora.dump"
        server.run("pg_dump", "--format=custom", "--schema=aurora*", f"--file={dump}", server.url)
        with Memory.open(database, server=addresses[0]) as memory:
            memory.journal.remove(memory.journal.runs(9))
        with psycopg.connect(server.url) as db:
            db.execute('DROP SCHEMA "aurora/team/two" CASCADE')
        restore = ("pg_restore", "--clean", "--if-exists", "--exit-on-error", "--single-transaction")
        server.run(*restore, f"--dbname={server.url}", dump)

        with Memory.open(database, server=addresses[0]) as memory:
            after = memory.search("decode a document"), list(memory.iter_chunks()), memory.journal.steps("run")
            assert after == before
            memory.journal.append("run", 2, [("decompose", {})], {"status": "open"})
            id_, _ = memory.remember(type="know", kind="fact", symbol="New", text="Numbers go on.", metadata={})
            assert memory.get([id_])
        with Memory.open(database, server=addresses[1]) as memory:
            assert len(memory.journal.steps("run")) == 1
            assert memory.search("decode a document").hits
