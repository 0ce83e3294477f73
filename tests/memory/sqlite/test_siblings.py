"""A process that reads a memory read-only can also write it, whichever of the two it opened first."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import pytest

from aurora.errors import Code, Fault
from aurora.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OPENED_ELSEWHERE = """
import sys
from pathlib import Path
from aurora.memory import Memory
memory = Memory.open(Path(sys.argv[1]))
memory.remember(type="know", kind="fact", symbol="first", text="of another process", metadata={})
print(flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    """A memory that another process has open, with its log and the log's index."""
    path = tmp_path / "memory.db"
    with subprocess.Popen(
        [sys.executable, "-c", OPENED_ELSEWHERE, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        yield path
        assert other.stdin is not None
        other.stdin.close()


def remember(memory: Memory, name: str) -> None:
    memory.remember(type="know", kind="fact", symbol=name, text=f"about {name}", metadata={})


@contextmanager
def reading(memory: Memory, seconds: float) -> Iterator[None]:
    """Read in another thread for some time."""
    begun = threading.Event()
    ended = threading.Event()

    def read() -> None:
        with memory.store.begin_read() as db:
            db.meta.get("generation")
            begun.set()
            ended.wait(seconds)

    thread = threading.Thread(target=read)
    thread.start()
    assert begun.wait(10)
    yield
    ended.set()
    thread.join()


def test_a_reader_that_was_first_does_not_stop_a_writer(path: Path) -> None:
    with Memory.open(path, read_only=True) as reader, Memory.open(path) as writer:
        remember(writer, "second")
        remember(writer, "third")
        assert reader.search("about third").hits[0].chunk.symbol == "third"


def test_a_writer_waits_for_readers_in_use(path: Path) -> None:
    with Memory.open(path, read_only=True) as reader, Memory.open(path) as writer, reading(reader, 0.3):
        remember(writer, "second")


def test_a_reader_that_never_ends_is_reported(path: Path) -> None:
    with ExitStack() as stack:
        reader = stack.enter_context(Memory.open(path, read_only=True))
        writer = stack.enter_context(Memory.open(path, busy_timeout=0.2))
        stack.enter_context(reading(reader, 30))
        with pytest.raises(Fault) as caught:
            remember(writer, "second")
    assert caught.value.code is Code.FORBIDDEN


def test_many_readers_and_writers_of_one_process_do_not_disturb_each_other(path: Path) -> None:
    with ExitStack() as stack:
        readers = [stack.enter_context(Memory.open(path, read_only=True)) for _ in range(3)]
        writers = [stack.enter_context(Memory.open(path)) for _ in range(3)]
        failures: list[BaseException] = []

        def work(number: int) -> None:
            try:
                for turn in range(10):
                    remember(writers[number], f"n{number}x{turn}")
                    assert readers[number].search(f"n{number}x{turn}").hits
            except BaseException as error:  # noqa: BLE001 - raised in the thread of the test
                failures.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failures == []
