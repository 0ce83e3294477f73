"""The classes of both databases implement every member of the storage protocols, with the same signature."""

from __future__ import annotations

import inspect
from functools import cached_property
from typing import TYPE_CHECKING, Any

import apsw
import pytest

from aurora.memory import storage
from aurora.memory.postgres import tables as postgres_tables
from aurora.memory.postgres.store import PostgresStore, PostgresTables
from aurora.memory.sqlite import SqliteStore
from aurora.memory.sqlite import tables as sqlite_tables
from aurora.memory.sqlite.schema import create_schema
from aurora.memory.sqlite.transaction import SqliteTables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_TABLES = {
    "Chunks": "ChunkTable",
    "Contents": "ContentTable",
    "Damage": "DamageQueries",
    "Files": "FileTable",
    "Integrity": "IntegrityQueries",
    "Links": "LinkTable",
    "Meta": "MetaTable",
    "Nodes": "NodeTable",
    "Postings": "PostingTable",
    "Records": "RecordTable",
    "References": "ReferenceTable",
    "Runs": "RunTable",
    "Sizes": "SizeQueries",
    "Usage": "UsageTable",
    "Vectors": "VectorTable",
}
IMPLEMENTATIONS: dict[str, Any] = {
    **{protocol: getattr(sqlite_tables, name) for protocol, name in _TABLES.items()},
    "Store": SqliteStore,
    "Tables": SqliteTables,
}
ON_A_SERVER: dict[str, Any] = {
    **{protocol: getattr(postgres_tables, name) for protocol, name in _TABLES.items()},
    "Store": PostgresStore,
    "Tables": PostgresTables,
}
BOTH = pytest.mark.parametrize("implementations", [IMPLEMENTATIONS, ON_A_SERVER], ids=["sqlite", "postgres"])


def list_members(class_: type) -> dict[str, Any]:
    """The public members that a class itself defines."""
    return {name: member for name, member in vars(class_).items() if not name.startswith("_")}


METHODS = [
    (protocol, name)
    for protocol in storage.__all__
    for name, member in list_members(getattr(storage, protocol)).items()
    if inspect.isfunction(member)
]
PROPERTIES = [
    (protocol, name)
    for protocol in storage.__all__
    for name, member in list_members(getattr(storage, protocol)).items()
    if isinstance(member, property)
]


@pytest.fixture
def opened() -> Iterator[SqliteTables]:
    """The tables of an empty database in memory."""
    db = apsw.Connection(":memory:")
    create_schema(db)
    yield SqliteTables(db)
    db.close()


def test_every_protocol_has_an_implementation() -> None:
    assert sorted(IMPLEMENTATIONS) == sorted(ON_A_SERVER) == sorted(storage.__all__)
    assert len(METHODS) > 100


@pytest.mark.parametrize(("protocol", "name"), METHODS)
@BOTH
def test_a_method_has_the_signature_of_its_protocol(protocol: str, name: str, implementations: dict[str, Any]) -> None:
    promised = getattr(getattr(storage, protocol), name)
    implemented = getattr(implementations[protocol], name)

    given, expected = inspect.signature(implemented).parameters, inspect.signature(promised).parameters
    assert [(one.name, one.kind, one.default) for one in given.values()] == [
        (one.name, one.kind, one.default) for one in expected.values()
    ]
    assert {name: one.annotation for name, one in given.items()} == {
        name: one.annotation for name, one in expected.items()
    }


@pytest.mark.parametrize(("protocol", "name"), PROPERTIES)
@BOTH
def test_a_property_of_a_protocol_is_one_of_its_implementation(
    protocol: str, name: str, implementations: dict[str, Any]
) -> None:
    member = inspect.getattr_static(implementations[protocol], name)

    assert isinstance(member, property | cached_property)


@pytest.mark.parametrize("protocol", [name for name in IMPLEMENTATIONS if name not in {"Store", "Tables"}])
@BOTH
def test_a_table_offers_nothing_that_its_protocol_does_not_promise(
    protocol: str, implementations: dict[str, Any]
) -> None:
    offered = list_members(implementations[protocol])

    assert sorted(offered) == sorted(list_members(getattr(storage, protocol)))


@pytest.mark.parametrize(("protocol", "name"), [*METHODS, *PROPERTIES])
def test_every_member_of_a_protocol_is_documented(protocol: str, name: str) -> None:
    documentation = inspect.getdoc(getattr(getattr(storage, protocol), name)) or ""

    assert documentation.partition("\n")[0].endswith(".")


def test_a_transaction_gives_each_table_its_class(opened: SqliteTables) -> None:
    for name, member in list_members(storage.Tables).items():
        if isinstance(member, property):
            protocol = member.fget.__annotations__["return"]
            assert type(getattr(opened, name)) is IMPLEMENTATIONS[protocol], name


def test_a_table_of_a_transaction_is_made_once(opened: SqliteTables) -> None:
    assert opened.files is opened.files
    assert opened.chunks is opened.chunks


def test_the_attributes_of_a_store_are_those_of_its_protocol(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    try:
        promised = {*storage.Store.__annotations__, *list_members(storage.Store)}
        public = {name for name in dir(store) if not name.startswith("_")}
        assert public == promised
        assert (store.path, store.read_only, store.epoch) == (tmp_path / "memory.db", False, 0)
    finally:
        store.close()


def test_every_table_of_an_empty_database_answers_without_rows(opened: SqliteTables) -> None:
    assert opened.files.get_known() == {}
    assert opened.files.list_languages() == []
    assert not opened.files.has_path("a.py")
    assert list(opened.nodes.iter_numbers()) == []
    assert not opened.references.has_pending()
    assert list(opened.links.iter_with_nesting()) == []
    assert opened.links.load_packed(0) is None
