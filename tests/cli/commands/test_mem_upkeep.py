"""`aur mem check`, `repair`, `rebuild`: a damaged memory, from the message that tells of it to one that is whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Any

from aurora.memory import open_store
from aurora.memory.indexing.write import begin_run

if TYPE_CHECKING:
    from pathlib import Path

Aur = Callable[..., Any]


def test_the_messages_lead_from_a_damaged_memory_to_a_repaired_one(aur: Aur, project: Path) -> None:
    aur("mem", "index")
    aur("mem", "add", "Releases are tagged on Fridays.")
    assert aur("mem", "check").returncode == 0
    database = project / ".aurora" / "memory.db"
    with database.open("rb+") as file:
        file.write(b"oh no" * 800)

    told = aur("mem", "search", "releases")
    found = aur("mem", "check", "--json")
    done = aur("mem", "repair")

    assert told.returncode == 1
    assert "`aur mem repair`" in told.stderr
    assert found.returncode == 1
    assert [row["remedy"] for row in json.loads(found.stdout)["findings"]] == ["aur mem repair"]
    assert done.returncode == 0, done.stderr
    assert "memory.db.damaged-" in done.stdout
    assert aur("mem", "check").returncode == 0
    assert "tagged on Fridays" in aur("mem", "search", "when are releases tagged").stdout


def test_a_repair_from_a_backup_asks_and_says_what_the_backup_does_not_have(aur: Aur, project: Path) -> None:
    aur("mem", "index")
    aur("mem", "backup")
    (backup,) = (project / ".aurora" / "backups").iterdir()
    aur("mem", "add", "Releases are tagged on Fridays.")

    refused = aur("mem", "repair", "--backup", backup.name)
    assert (refused.returncode, "--yes" in refused.stderr) == (1, True)
    assert "tagged on Fridays" in aur("mem", "search", "when are releases tagged").stdout

    done = aur("mem", "repair", "--backup", backup.name, "--yes")
    assert done.returncode == 0
    assert f"restored: {backup.name}\n" in done.stdout
    assert "only in it: 1 record and 0 runs\n" in done.stdout
    (before,) = {one.name for one in backup.parent.glob("*-before-restore.db")}
    assert aur("mem", "restore", before, "--yes").returncode == 0
    assert "tagged on Fridays" in aur("mem", "search", "when are releases tagged").stdout

    assert "nothing to repair" in aur("mem", "repair").stdout


def test_a_check_after_an_interrupted_index_does_not_call_the_memory_complete(aur: Aur, project: Path) -> None:
    aur("mem", "index")
    assert "the memory is complete: " in aur("mem", "check").stdout
    with closing(open_store(project / ".aurora" / "memory.db")) as store:
        begin_run(store, project, owner="")

    checked = aur("mem", "check")

    assert checked.returncode == 0
    assert "text: an indexing was cut short" in checked.stdout
    assert "the memory is intact, but unfinished: run `aur mem index` (" in checked.stdout
    assert "complete:" not in checked.stdout
    aur("mem", "index")
    assert "the memory is complete: " in aur("mem", "check").stdout


def test_in_read_only_mode_a_damaged_memory_is_reported_and_unchanged(aur: Aur, project: Path) -> None:
    aur("mem", "index")
    database = project / ".aurora" / "memory.db"
    database.write_bytes(b"some notes" * 500)

    assert aur("mem", "check", "--read-only").returncode == 1
    refused = aur("mem", "repair", "--read-only", "--json")

    assert json.loads(refused.stdout)["error"]["code"] == "FORBIDDEN"
    assert database.read_bytes() == b"some notes" * 500


def test_a_check_makes_no_memory_where_there_is_none(aur: Aur, project: Path) -> None:
    done = aur("mem", "check")

    assert done.returncode == 0
    assert "run `aur mem index` to create it" in done.stdout
    assert not (project / ".aurora").exists()


def test_a_rebuild_reads_everything_again_and_keeps_facts(aur: Aur) -> None:
    aur("mem", "index")
    aur("mem", "add", "Releases are tagged on Fridays.")

    assert "4 added" in aur("mem", "rebuild").stdout
    assert "tagged on Fridays" in aur("mem", "search", "when are releases tagged").stdout


def test_an_import_tells_what_was_known_already_only_where_something_was(aur: Aur) -> None:
    aur("mem", "add", "Releases are tagged on Fridays.")
    aur("mem", "export", "all.jsonl")

    assert aur("mem", "import", "all.jsonl").stdout.startswith(
        "imported: 0 records, 0 runs, 0 uses; 1 record known already\n"
    )
    (name,) = [hit["id"] for hit in json.loads(aur("mem", "search", "tagged", "--json").stdout)["hits"]]
    aur("mem", "forget", name)
    assert aur("mem", "import", "all.jsonl").stdout.startswith("imported: 1 record, 0 runs, 0 uses\n")
