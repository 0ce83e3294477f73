"""The environment alone decides which server a memory is in, and nothing shows a password."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import psycopg
import pytest

from aurora.errors import Code, Fault
from aurora.memory import Memory, find_server, has_memory
from aurora.memory.postgres.schema import has_schema
from aurora.memory.postgres.store import PostgresStore

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory import ServerAddress
    from aurora.memory.postgres.store import Connection

PATIENCE = 60.0
PASSWORD = "s3cr3t-word"  # noqa: S105 - the word that no message may have


def count_projects(url: str, name: str) -> int:
    with psycopg.connect(url) as db:
        ((count,),) = db.execute("SELECT count(*) FROM pg_namespace WHERE nspname = %s", [f"aurora/{name}"]).fetchall()
    return int(count)


def test_a_memory_in_a_server_leaves_no_file_in_the_clone(postgres_url: str, library: Path) -> None:
    environ = {"AURORA_DATABASE": postgres_url, "AURORA_PROJECT": f"test/{uuid4().hex}"}
    before = sorted(library.rglob("*"))
    assert has_memory(library, environ)
    with Memory.open_project(library, environ) as memory:
        memory.index(library)
        assert memory.search("decode a document").hits
        assert memory.server == memory.stats().path
        assert environ["AURORA_PROJECT"] in str(memory.server)
    assert sorted(library.rglob("*")) == before
    with Memory.open_project(library, environ, read_only=True) as again:
        assert again.search("decode a document").hits


def test_reading_creates_no_project_and_the_first_write_does(
    postgres_url: str, server_address: ServerAddress, database: Path
) -> None:
    with Memory.open(database, server=server_address) as memory:
        assert not memory.search("anything").hits
        assert not memory.has_been_indexed()
        assert memory.journal.runs(5) == ()
        assert count_projects(postgres_url, server_address.project) == 0
        memory.journal.create("one", "soar", {"status": "open"}, [("assess", {})])
    assert count_projects(postgres_url, server_address.project) == 1


def test_a_memory_open_for_reading_sees_a_project_that_is_created_later(
    server_address: ServerAddress, database: Path
) -> None:
    with Memory.open(database, server=server_address, read_only=True) as reader:
        assert reader.journal.runs(5) == ()
        with Memory.open(database, server=server_address) as writer:
            writer.journal.create("one", "soar", {"status": "open"}, [("assess", {})])
        assert [run.run for run in reader.journal.runs(5)] == ["one"]


@pytest.mark.parametrize(
    "url",
    [
        f"mysql://me:{PASSWORD}@host/db",
        f"postgresql://me:{PASSWORD}@host:port/db",
        f"postgresql://me:{PASSWORD}@host/db?nonsense=1",
        f"host=h password={PASSWORD}",
        PASSWORD,
    ],
)
def test_a_wrong_url_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(Fault) as caught:
        find_server({"AURORA_DATABASE": url, "AURORA_PROJECT": "team/app"})
    assert caught.value.code is Code.INVALID_INPUT
    assert PASSWORD not in repr(caught.value.to_json())


@pytest.mark.parametrize("name", ["", "-x", "a b", "x" * 201, "a'; DROP TABLE runs; --", "é"])
def test_a_project_needs_a_plain_name(name: str) -> None:
    with pytest.raises(Fault) as caught:
        find_server({"AURORA_DATABASE": "postgresql://h/d", "AURORA_PROJECT": name})
    assert "AURORA_PROJECT" in f"{caught.value.message} {caught.value.help}"


def test_the_place_of_a_server_has_no_user_password_or_options() -> None:
    urls = {
        f"postgresql://me:{PASSWORD}@db.example/app?sslmode=require": "postgresql://db.example/app",
        f"postgres://me:{PASSWORD}@[::1]:6543/app": "postgresql://[::1]:6543/app",
        "postgresql://a:1,b:2/app?target_session_attrs=read-write": "postgresql://a:1,b:2/app",
        "postgresql:///app?host=/run/pg": "postgresql://[/run/pg]/app",
    }
    for url, place in urls.items():
        address = find_server({"AURORA_DATABASE": url, "AURORA_PROJECT": "app"})
        assert address is not None
        assert address.place == place
        assert PASSWORD not in f"{address}{address!r}"


def test_a_server_that_is_not_there_is_named_with_the_reason_and_without_the_password(database: Path) -> None:
    for host in ("/nowhere", "127.0.0.1:1"):
        place = f"localhost?host={host}" if host.startswith("/") else host
        url = f"postgresql://me:{PASSWORD}@{place}" if "?" in place else f"postgresql://me:{PASSWORD}@{place}/d"
        address = find_server({"AURORA_DATABASE": url, "AURORA_PROJECT": "app"})
        with pytest.raises(Fault) as caught:
            Memory.open(database, server=address)
        assert caught.value.code is Code.UPSTREAM_ERROR
        assert "not reachable (connection" in caught.value.message
        assert PASSWORD not in repr(caught.value.to_json())
        assert caught.value.__cause__ is None


def test_a_user_or_a_database_that_does_not_exist_is_said_to_be_missing(postgres_url: str, database: Path) -> None:
    wrong = {
        postgres_url.replace("postgres@", "nobody@"): 'role "nobody" does not exist',
        postgres_url.replace("/postgres?", "/missing?"): 'database "missing" does not exist',
    }
    for url, reason in wrong.items():
        address = find_server({"AURORA_DATABASE": url, "AURORA_PROJECT": "app"})
        with pytest.raises(Fault) as caught:
            Memory.open(database, server=address)
        assert reason in caught.value.message


def test_a_database_without_tables_is_left_alone_by_readers(postgres_url: str, database: Path) -> None:
    name = f"empty_{uuid4().hex}"
    with psycopg.connect(postgres_url, autocommit=True) as db:
        db.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        db.execute(f"CREATE DATABASE {name}_ascii TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'")
    url = postgres_url.replace("/postgres?", f"/{name}?")
    address = find_server({"AURORA_DATABASE": url, "AURORA_PROJECT": "app"})
    with pytest.raises(Fault) as caught:
        Memory.open(database, server=address, read_only=True)
    assert caught.value.code is Code.NOT_FOUND
    other = find_server({"AURORA_DATABASE": url.replace(name, f"{name}_ascii"), "AURORA_PROJECT": "app"})
    with pytest.raises(Fault) as caught:
        Memory.open(database, server=other)
    assert "encoding SQL_ASCII" in caught.value.message
    with psycopg.connect(url) as db:
        assert db.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'aurora'").fetchall() == []
    with Memory.open(database, server=address) as memory:
        assert memory.stats().files == 0


def test_a_newer_schema_is_refused(postgres_url: str, database: Path) -> None:
    name = f"newer_{uuid4().hex}"
    with psycopg.connect(postgres_url, autocommit=True) as db:
        db.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    url = postgres_url.replace("/postgres?", f"/{name}?")
    address = find_server({"AURORA_DATABASE": url, "AURORA_PROJECT": "app"})
    Memory.open(database, server=address).close()
    with psycopg.connect(url) as db:
        db.execute("UPDATE aurora.schema_version SET version = 99")
    with pytest.raises(Fault) as caught:
        Memory.open(database, server=address)
    assert caught.value.code is Code.CONFLICT
    assert "has version 99" in caught.value.message


def test_a_read_that_began_before_the_first_write_does_not_take_the_project_away_from_it(
    server_address: ServerAddress, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    has_looked, is_created, has_read = threading.Event(), threading.Event(), threading.Event()

    def look(db: Connection, name: str) -> bool:
        found = has_schema(db, name)
        if threading.current_thread() is reader:
            has_looked.set()
            assert is_created.wait(PATIENCE)
        return found

    class Store(PostgresStore):
        """Lets the read look for the project before it is created, and note what it found before the write goes on."""

        def _lock(self, *arguments: Any, **options: Any) -> None:
            is_created.set()
            assert has_read.wait(PATIENCE)
            super()._lock(*arguments, **options)

    def read() -> None:
        with store.begin_read() as tables:
            assert tables.meta.get_all() == {}
        has_read.set()

    monkeypatch.setattr("aurora.memory.postgres.store.has_schema", look)
    store = Store(server_address, database, busy_timeout=5)
    reader = threading.Thread(target=read)
    reader.start()
    assert has_looked.wait(PATIENCE)
    with store.begin_write() as tables:
        tables.meta.update(root="here")
    reader.join()
    with store.begin_read() as tables:
        assert tables.meta.get("root") == "here"
    store.close()
