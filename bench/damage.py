"""Random damages of a database, each followed by a check and a repair: `damage.py 1000 [FIRST_SEED [log]]`.

With `log`, the write-ahead log that a killed process left is damaged instead of the database. Every record is intact
afterwards or named as lost; a wrong record, a traceback or a silent loss is a failure.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault
from aurora.memory import Memory
from aurora.memory.indexing import ignore_progress
from aurora.memory.maintenance import check_memory, repair_memory
from aurora.memory.sqlite.file import record_own

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE, FRAME = 4096, 4096 + 24
FACTS, RUNS, STEPS = 60, 8, 4
Records = dict[tuple[str, str], Any]


def build_memory(database: Path) -> None:
    """Create a memory of facts, uses and runs."""
    with Memory.open(database) as memory:
        for number in range(FACTS):
            text = f"Rule {number}: before release {number * 7}, check the logs. " + "More words. " * (number % 40)
            id_, _ = memory.remember(
                type="know", kind="fact", symbol=f"rule {number}", text=text, metadata={"n": number}
            )
            memory.record_use([id_])
        for number in range(RUNS):
            steps = [("assess", {"step": step, "text": "x" * 700}) for step in range(STEPS)]
            memory.journal.create(f"run{number}", "soar", {"run": number}, steps)


def read_records(database: Path) -> Records:
    """Read all facts and runs; a run has the documents of its steps."""
    with Memory.open(database) as memory:
        found: Records = {("chunks", chunk.id): chunk for chunk in memory.iter_chunks()}
        for run in memory.journal.runs(1000):
            steps = tuple(str(step.document) for step in memory.journal.steps(run.run))
            found["runs", run.run] = (run.workflow, run.created_at, str(run.document), steps)
        with memory.store.begin_read() as db:
            found |= {("accesses", id_): tuple(times) for id_, times in db.usage.iter_all()}
    return found


def _flip_byte(body: bytearray, draw: random.Random) -> None:
    body[draw.randrange(len(body))] ^= draw.randrange(1, 256)


def _flip_page(body: bytearray, draw: random.Random) -> None:
    at = draw.randrange(len(body) // PAGE) * PAGE
    body[at : at + PAGE] = draw.randbytes(PAGE)


def _zero_page(body: bytearray, draw: random.Random) -> None:
    at = draw.randrange(len(body) // PAGE) * PAGE
    body[at : at + PAGE] = bytes(PAGE)


def _swap_pages(body: bytearray, draw: random.Random) -> None:
    one, other = (at * PAGE for at in draw.sample(range(len(body) // PAGE), 2))
    body[one : one + PAGE], body[other : other + PAGE] = body[other : other + PAGE], body[one : one + PAGE]


def _truncate(body: bytearray, draw: random.Random) -> None:
    del body[draw.randrange(1, len(body)) :]


def _append_noise(body: bytearray, draw: random.Random) -> None:
    body += draw.randbytes(draw.randrange(1, 3 * PAGE))


def _flip_header(body: bytearray, draw: random.Random) -> None:
    body[draw.randrange(100)] ^= draw.randrange(1, 256)


DAMAGES: dict[str, Callable[[bytearray, random.Random], None]] = {
    "one byte": _flip_byte,
    "a page of noise": _flip_page,
    "a page of zeros": _zero_page,
    "two pages swapped": _swap_pages,
    "truncated": _truncate,
    "noise at the end": _append_noise,
    "a byte of the header": _flip_header,
}


def _flip_log_header(body: bytearray, draw: random.Random) -> None:
    body[draw.randrange(32)] ^= draw.randrange(1, 256)


def _flip_frame_header(body: bytearray, draw: random.Random) -> None:
    body[32 + draw.randrange(len(body) // FRAME) * FRAME + draw.randrange(24)] ^= draw.randrange(1, 256)


def _make_noise(body: bytearray, draw: random.Random) -> None:
    body[:] = draw.randbytes(len(body))


LOG_DAMAGES: dict[str, Callable[[bytearray, random.Random], None]] = {
    "one byte": _flip_byte,
    "a page of noise": _flip_page,
    "truncated": _truncate,
    "a byte of the header": _flip_log_header,
    "a byte of a frame's header": _flip_frame_header,
    "noise": _make_noise,
}


def harm_and_repair(template: Path, records: Records, folder: Path, seed: int) -> tuple[str, str, str]:
    """Damage a copy of the template, repair it, and compare the records.

    Returns:
        The kind of damage; `whole`, `named`, `refused` or `FAILED`; and an explanation.
    """
    draw = random.Random(seed)  # noqa: S311 - noise, not secrets
    log = template.with_name("memory.db-wal")
    damages, harmed = (LOG_DAMAGES, log) if log.exists() else (DAMAGES, template)
    kind = list(damages)[seed % len(damages)]
    database = folder / f"p{seed}" / ".aurora" / "memory.db"
    database.parent.mkdir(parents=True)
    shutil.copyfile(template, database)
    record_own(database)  # damage comes to a file that this account made
    body = bytearray(harmed.read_bytes())
    damages[kind](body, draw)
    database.with_name(harmed.name).write_bytes(body)
    try:
        found = check_memory(database)
        done = repair_memory(database, database.parent.parent, ignore_progress)
        left = [finding.message for finding in done.remaining if not finding.unfinished]
        lost = [*done.lost, *(one.message for one in found if one.unfinished and "log" in one.message)]
        after = read_records(database)
    except Fault as fault:
        if fault.code is Code.CONFLICT:
            return kind, "refused", fault.message
        return kind, "FAILED", f"{fault.code.value}: {fault.message}"
    except Exception as error:  # noqa: BLE001 - a traceback is what this script looks for
        return kind, "FAILED", f"{type(error).__name__}: {error}"
    finally:
        shutil.rmtree(folder / f"p{seed}")
    if left:
        return kind, "FAILED", f"left: {left}"
    return (kind, *_compare(records, after, lost, found=bool(found)))


def _compare(records: Records, after: Records, lost: list[str], *, found: bool) -> tuple[str, str]:
    if stranger := [key for key in after if key not in records]:
        return "FAILED", f"made up: {stranger}"
    changed = [key for key, value in records.items() if after.get(key) != value]
    if changed and not found:
        return "FAILED", f"not noticed: {changed}"
    said = "\n".join(lost)
    everything = "everything" in said or "in the log" in said or "of the log" in said
    for key in changed:
        table, name = key
        if key in after and table != "accesses" and not _is_shortened_run(table, records[key], after[key]):
            return "FAILED", f"wrong: {key}"
        is_named = f'"{name}"' in said or f'of "{table}"' in said or (table == "runs" and 'of "steps"' in said)
        if not (is_named or everything):
            return "FAILED", f"silently lost: {key}, said {lost}"
    return ("named" if lost else "whole"), f"{len(changed)} changed, {len(lost)} named"


def _is_shortened_run(table: str, before: Any, after: Any) -> bool:
    return table == "runs" and before[:3] == after[:3] and before[3][: len(after[3])] == after[3]


def build_log(template: Path, folder: Path) -> Path:
    """Copy a memory, and add facts and runs that are in the log only, as a killed process leaves them."""
    living, killed = (folder / name / ".aurora" / "memory.db" for name in ("living", "killed"))
    for path in (living, killed):
        path.parent.mkdir(parents=True)
    shutil.copyfile(template, living)
    with Memory.open(living) as memory:
        for number in range(20):
            memory.remember(type="know", kind="fact", symbol=f"late {number}", text=f"Late {number}.", metadata={})
            memory.journal.create(f"late{number}", "soar", {}, [("assess", {"text": "x" * 900})])
        for ending in ("", "-wal"):
            shutil.copyfile(f"{living}{ending}", f"{killed}{ending}")
    return killed


def main() -> None:
    """Run the damages of a range of seeds, and print a table of the outcomes."""
    count, first = (int(word) for word in [*sys.argv[1:3], "0"][:2])
    table: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory(prefix="aurora-damage-") as folder:
        template = Path(folder) / "template" / ".aurora" / "memory.db"
        build_memory(template)
        if "log" in sys.argv:
            template = build_log(template, Path(folder))
        copy = shutil.copytree(template.parent, Path(folder) / "copy")
        records = read_records(copy / "memory.db")
        for seed in range(first, first + count):
            kind, outcome, why = harm_and_repair(template, records, Path(folder), seed)
            table[kind, outcome] += 1
            if outcome == "FAILED":
                print(f"seed {seed}: {kind}: {why}", flush=True)
    for (kind, outcome), number in sorted(table.items()):
        print(f"{kind:22} {outcome:8} {number:5}")


if __name__ == "__main__":
    main()
