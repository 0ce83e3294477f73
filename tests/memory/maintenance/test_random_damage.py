"""A changed byte in a record is found, and a repair after any damage leaves each record intact or named as lost.

`bench/damage.py 1000` runs more of them by hand.
"""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from typing import Any

import pytest

from aurora.faults import Code, Fault
from aurora.memory import Memory
from aurora.memory.indexing import ignore_progress
from aurora.memory.maintenance import check_memory, repair_memory

SCRIPT = Path(__file__).parents[3] / "bench" / "damage.py"
SEEDS = 63


@pytest.fixture(scope="module")
def bench() -> Any:
    spec = importlib.util.spec_from_file_location("damage", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def template(bench: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    database: Path = tmp_path_factory.mktemp("template") / ".aurora" / "memory.db"
    bench.build_memory(database)
    return database


def test_random_damages_leave_each_record_intact_or_named(bench: Any, template: Path, tmp_path: Path) -> None:
    records = bench.read_records(template)
    outcomes = [bench.harm_and_repair(template, records, tmp_path, seed) for seed in range(SEEDS)]

    assert [(seed, *outcome) for seed, outcome in enumerate(outcomes) if outcome[1] == "FAILED"] == []
    assert {outcome[1] for outcome in outcomes} >= {"whole", "named"}


@pytest.mark.parametrize(
    ("seed", "outcome"),
    [
        pytest.param(3, "whole", id="the page of an empty table in the place of the uses"),
        pytest.param(332, "whole", id="damage that only indexing meets"),
        pytest.param(738, "whole", id="rows of one table on a page of another"),
        pytest.param(528, "whole", id="two pages of seed 528"),
        pytest.param(703, "named", id="two pages of seed 703"),
    ],
)
def test_pages_in_the_place_of_others_lose_no_row(
    bench: Any, template: Path, tmp_path: Path, seed: int, outcome: str
) -> None:
    assert bench.harm_and_repair(template, bench.read_records(template), tmp_path, seed)[1] == outcome


def test_random_damages_of_the_log_leave_each_record_intact_or_named(
    bench: Any, template: Path, tmp_path: Path
) -> None:
    killed = bench.build_log(template, tmp_path)
    copy = shutil.copytree(killed.parent, tmp_path / "copy")
    records = bench.read_records(copy / "memory.db")
    outcomes = [bench.harm_and_repair(killed, records, tmp_path, seed) for seed in range(len(bench.LOG_DAMAGES))]

    assert [(seed, *outcome) for seed, outcome in enumerate(outcomes) if outcome[1] == "FAILED"] == []
    assert {outcome[1] for outcome in outcomes} == {"whole", "named"}


@pytest.mark.parametrize("text", [b"Rule 17: before", b'{"n":17}', b'{"run":3}', b'{"step":2,', b"soar"])
@pytest.mark.parametrize("value", [1, 0x20, 0xFF])
def test_a_changed_byte_of_a_record_is_found_and_its_loss_is_named(
    template: Path, tmp_path: Path, text: bytes, value: int
) -> None:
    database = tmp_path / ".aurora" / "memory.db"
    database.parent.mkdir()
    changed = bytearray(text)
    changed[len(text) // 2] ^= value
    body = template.read_bytes()
    assert text in body
    database.write_bytes(body.replace(text, changed))  # all of them: unused parts of pages have copies

    found = check_memory(database)
    done = repair_memory(database, tmp_path, ignore_progress)

    assert [finding.part for finding in found if not finding.unfinished] != []
    assert done.lost
    assert [finding for finding in done.remaining if not finding.unfinished] == []


def test_a_damaged_record_is_never_read_as_a_good_one(template: Path, tmp_path: Path) -> None:
    database = tmp_path / "memory.db"
    body = template.read_bytes()
    database.write_bytes(body.replace(b"Rule 17: before", b"Rule 71: before").replace(b'{"run":3}', b'{"run":4}'))

    with Memory.open(database) as memory:
        for read in (lambda: list(memory.iter_chunks()), lambda: memory.journal.head("run3")):
            with pytest.raises(Fault, match="does not match its checksum") as refused:
                read()
            assert refused.value.code is Code.UPSTREAM_ERROR
            assert "aur mem repair" in str(refused.value.help)
