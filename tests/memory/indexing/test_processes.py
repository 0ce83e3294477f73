"""Indexing with several processes: killed at any moment, two at once, a dying worker."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from pathlib import Path

import apsw
import pytest

from aurora.memory import Memory
from aurora.memory.files.discover import SourceFile
from aurora.memory.indexing.parse import ParsedFile, ParseJob, parse_files
from aurora.memory.indexing.workers import jobs as index_workers
from aurora.memory.indexing.workers import jobs as waiting
from aurora.memory.indexing.workers import process as index_process
from aurora.memory.indexing.workers.jobs import TimeLimits
from aurora.memory.maintenance.check import check_memory
from aurora.memory.sqlite import build_tables
from aurora.memory.text_index import write as lexicon_verify

_INDEX = """
import sys
from pathlib import Path
from aurora.memory import Memory

with Memory.open(Path(sys.argv[1])) as memory:
    memory.index(Path(sys.argv[2]), progress=lambda done, total, message: print(done, flush=True))
"""

# Search until a line arrives on stdin, and once more; an exception ends the process with a traceback.
_SEARCH = """
import sys, threading
from pathlib import Path
from aurora.memory import Memory

stopped = threading.Event()
threading.Thread(target=lambda: (sys.stdin.readline(), stopped.set()), daemon=True).start()
with Memory.open(Path(sys.argv[1])) as memory:
    while not stopped.is_set():
        print(len(memory.search("parse the header of a message").hits))
    print(len(memory.search("parse the header of a message").hits))
"""

# Kill the process after this many batches of vectors; the progress callback runs after each.
_EMBED_AND_DIE = """
import os, signal, sys
from pathlib import Path
from aurora.memory import Memory
from aurora.memory.indexing import run

run.BATCH_CHUNKS = 500
left = int(sys.argv[3])

def watch(done, total, message):
    global left
    if message.startswith("embedded"):
        left -= 1
    if not left and (message.startswith("embedded") or done == total and int(sys.argv[3]) == 0):
        os.kill(os.getpid(), signal.SIGKILL)

with Memory.open(Path(sys.argv[1])) as memory:
    memory.index(Path(sys.argv[2]), progress=watch)
"""


@pytest.fixture(scope="module")
def large_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough of the standard library that several processes parse it, in half a dozen batches."""
    root = tmp_path_factory.mktemp("large")
    for name in ("asyncio", "email", "logging", "unittest"):
        shutil.copytree(
            Path(sysconfig.get_path("stdlib"), name), root / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    return root


def read_ids(database: Path) -> set[str]:
    db = apsw.Connection(str(database))
    assert db.pragma("integrity_check") == "ok"
    ids = {str(row[0]) for row in db.execute("SELECT id FROM chunks")}
    assert lexicon_verify.verify_index(build_tables(db)) == []
    db.close()
    return ids


def read_links(database: Path) -> list[tuple[object, ...]]:
    """The links of the code graph, without the numbers that depend on the order of indexing."""
    db = apsw.Connection(str(database))
    links = db.execute(
        "SELECT one.path, one.symbol, other.path, other.symbol, edges.kind, edges.confidence, edges.how FROM edges "
        "JOIN nodes AS one ON one.n = edges.source JOIN nodes AS other ON other.n = edges.target"
    ).fetchall()
    db.close()
    return sorted(links, key=repr)


@pytest.fixture(scope="module")
def single(large_tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database that an undisturbed run gives."""
    database = tmp_path_factory.mktemp("whole") / "memory.db"
    with Memory.open(database) as memory:
        assert memory.index(large_tree).bytes > 1_000_000
    return database


@pytest.fixture(scope="module")
def whole(single: Path) -> set[str]:
    """The ids that an undisturbed run gives."""
    return read_ids(single)


def _index_and_kill(database: Path, tree: Path, lines: int, delay: float) -> None:
    """Index in a process of its own, and kill it so many lines of progress and seconds after it began."""
    command = [sys.executable, "-c", _INDEX, str(database), str(tree)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for _ in range(lines):
            process.stdout.readline()
        try:
            process.wait(delay)
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
        process.stdout.read()


@pytest.mark.parametrize("seed", range(2))
def test_killed_at_any_moment_the_database_opens_and_a_second_index_completes_it(
    large_tree: Path, whole: set[str], tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - a moment, not a secret
    lines, delay = chance.randint(1, 4), chance.uniform(0, 0.2)
    for attempt in range(6):  # a quick machine is done before the moment comes: then an earlier one is tried
        database = tmp_path / f"memory{attempt}.db"
        _index_and_kill(database, large_tree, max(1, lines - attempt), delay / 4**attempt)
        survived = read_ids(database)
        if survived != whole:
            break
    assert survived < whole
    with Memory.open(database) as memory:
        before = memory.stats().files
        if survived:
            assert memory.search("function").hits
        assert "aur mem index" in memory.search("function").note
        assert memory.index(large_tree).unchanged == before
        assert not memory.search("function").note
    assert read_ids(database) == whole


@pytest.mark.parametrize("batches", [0, 1])
def test_killed_while_embedding_the_words_are_whole_and_a_second_index_embeds_the_rest(
    large_tree: Path, whole: set[str], tmp_path: Path, batches: int
) -> None:
    database = tmp_path / "memory.db"
    command = [sys.executable, "-c", _EMBED_AND_DIE, str(database), str(large_tree), str(batches)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert read_ids(database) == whole
    with Memory.open(database) as memory:
        vectors = memory.stats().vectors
        assert (vectors > 0) == (batches > 0)
        assert memory.search("parse the header of a message").hits
        again = memory.index(large_tree)
        assert (again.added, again.changed) == (0, 0)
        assert again.embedded == len(whole) - vectors > 0
        assert memory.stats().vectors == len(whole)


def test_two_processes_index_while_a_third_searches(
    large_tree: Path, single: Path, whole: set[str], tmp_path: Path
) -> None:
    database = tmp_path / "memory.db"
    Memory.open(database).close()
    search = [sys.executable, "-c", _SEARCH, str(database)]
    with subprocess.Popen(
        search, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as searcher:
        command = [sys.executable, "-c", _INDEX, str(database), str(large_tree)]
        indexers = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(2)]
        assert [process.communicate()[1] for process in indexers] == [b"", b""]
        output, errors = searcher.communicate("stop\n")
    assert (searcher.returncode, errors) == (0, ""), "every search was answered"
    found = [int(line) for line in output.split()]
    assert len(found) > 1
    assert found[-1] > 0
    assert read_ids(database) == whole
    assert read_links(database) == read_links(single)
    with Memory.open(database) as memory:
        assert memory.stats().vectors == len(whole)
    assert check_memory(database) == ()


@pytest.mark.skipif(sys.platform != "linux", reason="counts processes in /proc")
def test_no_worker_outlives_a_killed_indexer(large_tree: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", _INDEX, str(tmp_path / "memory.db"), str(large_tree)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        workers: list[int] = []
        while not workers and process.poll() is None:  # they are there from the end of the walk to the last batch
            workers = _list_children(process.pid)
        process.kill()
    assert workers
    for worker in workers:
        _wait_until_gone(worker)


def test_when_workers_die_at_the_start_the_parent_parses_everything(
    large_tree: Path, whole: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text("import os; os._exit(3)\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Memory.open(tmp_path / "memory.db") as memory:
        assert memory.index(large_tree).skipped == ()
    assert read_ids(tmp_path / "memory.db") == whole


# No parser dies or hangs in C on demand: this one is killed in the same way when it opens b.py.
_STOPS_AT_B = """
import os, signal, sys

def stop_at_b(event, arguments):
    if event == "open" and str(arguments[0]).endswith("b.py"):
        {stop}

sys.addaudithook(stop_at_b)
"""


@pytest.mark.parametrize("stop", ["os.kill(os.getpid(), signal.SIGSEGV)", "signal.pause()"])
def test_a_file_that_kills_or_hangs_its_worker_becomes_lines_and_the_others_are_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(_STOPS_AT_B.format(stop=stop), encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(index_process, "BATCH_TIMEOUT", 3.0)
    monkeypatch.setattr(index_process, "FILE_TIMEOUT", 3.0)
    jobs = []
    for name in ("a.py", "b.py", "c.py"):
        file = tmp_path / name
        file.write_text(f"def function_of_{name[0]}():\n    return 1\n", encoding="utf-8")
        jobs.append(ParseJob(SourceFile(name, file, file.stat().st_size, 1), None))
    batches = index_workers.parse_in_processes(tmp_path, [jobs], 1, TimeLimits())
    results = [file for batch in batches for file in batch.files]
    assert [result.path for result in results] == ["a.py", "b.py", "c.py"]
    parsed = [result for result in results if isinstance(result, ParsedFile)]
    assert [file.parsed for file in parsed] == [True, False, True]
    assert parsed[1].rows


_RANDOM = random.Random(1)  # noqa: S311 - a text, not a secret
BOMBS = {
    "bomb.py": "/*\n" * 8000,
    "Bomb.java": "# x\n" + ("<a" * 40 + "\n") * 1_000,
    "uneven.py": "".join("/*" + "\n" * (count % 3 + 1) for count in _RANDOM.choices(range(9), k=30_000)),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_that_keeps_the_parser_busy_for_minutes_is_found_by_its_lines(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(index_process, "FILE_TIMEOUT", 3.0)
    monkeypatch.setattr(index_process, "BATCH_TIMEOUT", 3.0)
    root = tmp_path / "bombs"
    root.mkdir()
    (root / name).write_text(BOMBS[name] + "zebra\n", encoding="utf-8")
    (root / "good.py").write_text("def answer():\n    return 42\n", encoding="utf-8")

    report = memory.index(root)

    assert (report.skipped, report.unparsed, report.added) == ((), 1, 2)
    assert [hit.chunk.symbol for hit in memory.search("answer").hits] == ["answer"]
    assert {hit.chunk.path for hit in memory.search("zebra").hits} == {name}
    assert memory.index(root).unchanged == 2


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit the memory of a process so")
def test_a_worker_that_takes_too_much_memory_ends(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "uneven.py"
    file.write_text(BOMBS["uneven.py"], encoding="utf-8")
    worker = index_process.Worker.start_ready()
    assert worker is not None
    with pytest.raises(EOFError):
        worker.call(
            parse_files, tmp_path, [ParseJob(SourceFile("uneven.py", file, file.stat().st_size, 1), None)], seconds=100
        )
    assert worker._process.wait() in {-signal.SIGABRT, -signal.SIGSEGV}
    worker.stop()
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(sys.platform == "win32", reason="a group of processes gets Ctrl-C, not a signal")
def test_ctrl_c_from_its_first_moment_on_leaves_a_worker_alive_and_silent(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.py"
    file.write_text("def a():\n    return 1\n", encoding="utf-8")
    worker = index_process.Worker()
    began: list[bool] = []
    start = threading.Thread(target=lambda: began.append(worker.is_ready()))
    start.start()
    while start.is_alive():  # at each moment of its imports
        os.kill(worker._process.pid, signal.SIGINT)
        start.join(0.001)
    assert began == [True]
    batch = worker.call(
        parse_files, tmp_path, [ParseJob(SourceFile("a.py", file, file.stat().st_size, 1), None)], seconds=100
    )
    assert isinstance(batch.files[0], ParsedFile)
    worker.stop()
    assert capfd.readouterr() == ("", "")
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.mark.skipif(sys.platform != "linux", reason="lists the children of a process in /proc")
def test_ctrl_c_while_the_workers_start_shows_no_traceback(large_tree: Path, tmp_path: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(large_tree, root)
    (root / ".git").mkdir()
    command = [sys.executable, "-m", "aurora", "mem", "index"]
    with subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        while not _list_children(process.pid):
            assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "aur: interrupted" in errors
    assert "Traceback" not in errors


def test_edits_after_one_another_are_parsed_in_one_process_that_ends_when_none_comes(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "edited"
    root.mkdir()
    processes = []
    for number in range(3):
        (root / "long.py").write_text(f"def function_{number}():\n    return 1\n" * 100, encoding="utf-8")
        assert memory.index(root).unparsed == 0
        ((worker, timer),) = waiting._waiting
        processes.append(worker._process)
    assert len(set(processes)) == 1
    timer.cancel()
    monkeypatch.setattr(waiting, "IDLE_SECONDS", 0.01)
    (root / "long.py").write_text("def last():\n    return 1\n" * 100, encoding="utf-8")
    memory.index(root)
    processes[0].wait(20)
    assert waiting.take_waiting() is None


def test_a_waiting_process_that_was_killed_is_replaced(memory: Memory, tmp_path: Path) -> None:
    root = tmp_path / "edited"
    root.mkdir()
    for name in ("first", "second"):
        (root / "long.py").write_text(f"def {name}():\n    return 1\n" * 100, encoding="utf-8")
        assert memory.index(root).unparsed == 0
        assert memory.search(name).hits[0].chunk.symbol == name
        ((worker, _),) = waiting._waiting
        worker._process.kill()
        worker._process.wait()
    assert waiting.take_waiting() is None


_INDEX_BRIEFLY = """
import sys
from pathlib import Path
from aurora.memory import Memory
from aurora.memory.indexing.workers import process

process.BATCH_TIMEOUT = process.FILE_TIMEOUT = 1.0
with Memory.open(Path(sys.argv[1])) as memory:
    memory.index(Path(sys.argv[2]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="lists the children of a process in /proc")
def test_a_worker_that_hangs_ends_after_its_time_when_its_parent_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = f"Path({str(tmp_path / 'hangs')!r}).touch(), signal.pause()"
    (tmp_path / "sitecustomize.py").write_text(
        "from pathlib import Path\n" + _STOPS_AT_B.format(stop=stop), encoding="utf-8"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    root = tmp_path / "project"
    root.mkdir()
    (root / "b.py").write_text("def function():\n    return 1\n" * 100, encoding="utf-8")
    command = [sys.executable, "-c", _INDEX_BRIEFLY, str(tmp_path / "memory.db"), str(root)]
    with subprocess.Popen(command) as parent:
        while not (tmp_path / "hangs").exists():
            assert parent.poll() is None
            time.sleep(0.01)
        workers = _list_children(parent.pid)
        parent.kill()
    assert workers
    for worker in workers:
        _wait_until_gone(worker)


def _list_children(pid: int) -> list[int]:
    lists = [file.read_text(encoding="ascii") for file in Path(f"/proc/{pid}/task").glob("*/children")]
    return [int(child) for children in lists for child in children.split()]


def _wait_until_gone(pid: int) -> None:
    try:
        watch = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        import select  # noqa: PLC0415 - only here, and only on Linux

        assert select.select([watch], [], [], 20)[0], f"worker {pid} is still there"
    finally:
        os.close(watch)


def test_a_worker_whose_parent_is_gone_ends_without_output() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-P", "-m", "aurora.memory.indexing.workers.worker"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")
