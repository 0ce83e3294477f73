"""A server that forks a process for each `aur` that a test starts, and the small program that asks it to.

A new interpreter spends most of its time on imports, and the tests start some thousand. Here they are paid once: each
`aur` is a child of a process that has imported the packages. It is a process of its own all the same: with the
arguments, working folder, environment, limits, standard streams, signals and exit code of the program that asked.

`python tests/fork_server.py FOLDER` serves FOLDER/socket until its standard input ends; FOLDER/aur is the program.
Tests of the start itself, of imports and of SIGKILL start a new interpreter.
"""

from __future__ import annotations

import array
import contextlib
import gc
import importlib
import io
import marshal
import os
import pkgutil
import resource
import selectors
import signal
import socket
import struct
import sys
from pathlib import Path
from typing import Any, NoReturn

CLIENT = """#!{python} -IS
import _signal as signal, _socket as socket, _struct as struct, array, marshal, os, resource, sys

LIMITS = (resource.RLIMIT_AS, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE, resource.RLIMIT_CORE)
mask = os.umask(0)
os.umask(mask)
open_streams = [number for number in (0, 1, 2) if os.path.exists("/dev/fd/%d" % number)]
ignored = [int(number) for number in (signal.SIGINT, signal.SIGHUP) if signal.getsignal(number) is signal.SIG_IGN]
request = marshal.dumps((sys.argv[1:], dict(os.environ), [resource.getrlimit(each) for each in LIMITS],
                         mask, open_streams, ignored))
server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
server.connect({address!r})
numbers = array.array("i", [*open_streams, os.open(".", os.O_RDONLY)])
server.sendmsg([struct.pack("I", len(request))], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, numbers)])
server.sendall(request)
child = struct.unpack("i", server.recv(4))[0]
for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    if each not in ignored:
        signal.signal(each, lambda number, _: os.kill(child, number))
code = struct.unpack("i", server.recv(4))[0]
if code < 0:
    signal.signal(-code, signal.SIG_DFL) if -code != signal.SIGKILL else None
    os.kill(os.getpid(), -code)
os._exit(code)
"""
LIMITS = (resource.RLIMIT_AS, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE, resource.RLIMIT_CORE)
# These are imported by most commands, or take long.
LIBRARIES = (
    *("apsw", "jmespath", "jsonschema_rs", "mcp.server.lowlevel", "mcp.server.stdio", "minijinja", "numpy", "orjson"),
    *("pydantic", "rich.console", "rich.progress", "rich.table", "ruamel.yaml", "tree_sitter"),
)


class Request:
    """What a program sent: its words and surroundings, and the numbers of its open files here."""

    def __init__(self, connection: socket.socket) -> None:
        head, ancillary, _, _ = connection.recvmsg(4, socket.CMSG_SPACE(16))
        self.numbers = array.array("i")
        for _, _, data in ancillary:
            self.numbers.frombytes(data)
        left, parts = struct.unpack("I", head)[0], []
        while left:
            parts.append(connection.recv(left))
            left -= len(parts[-1])
        values = marshal.loads(b"".join(parts))  # noqa: S302 - from the program above, in a folder of its own
        self.words, self.environ, self.limits, self.mask, self.streams, self.ignored = values

    def close(self) -> None:
        for number in self.numbers:
            os.close(number)


class Server:
    """Fork a child for each request, report its exit code, and kill it when the program that asked is killed."""

    def __init__(self, folder: Path) -> None:
        self._children: dict[int, socket.socket] = {}
        self._selector = selectors.DefaultSelector()
        self._ended, self._wake = socket.socketpair()
        self._ended.setblocking(False)  # noqa: FBT003 - the socket takes no name for it
        self._wake.setblocking(False)  # noqa: FBT003 - as above
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake.fileno(), warn_on_full_buffer=False)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / "socket"))
        self._listener.listen(64)

    def serve(self) -> Request:
        """Serve until standard input ends; return in each child, and never in the server."""
        for source in (0, self._ended, self._listener):
            self._selector.register(source, selectors.EVENT_READ)
        os.write(1, b"ready\n")
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._listener:
                    if (request := self._fork()) is not None:
                        return request
                elif key.fileobj is self._ended:
                    self._report_ended()
                elif key.data in self._children:
                    self._selector.unregister(key.fileobj)
                    os.kill(key.data, signal.SIGKILL)
                elif key.fileobj == 0 and not os.read(0, 1024):
                    os._exit(0)

    def _fork(self) -> Request | None:
        """Return the request in the child, None in the server."""
        connection, _ = self._listener.accept()
        request = Request(connection)
        process = os.fork()
        if process == 0:
            signal.set_wakeup_fd(-1)
            self._selector.close()
            for each in (self._ended, self._wake, self._listener, connection, *self._children.values()):
                each.close()
            return request
        request.close()
        connection.sendall(struct.pack("i", process))
        self._children[process] = connection
        self._selector.register(connection, selectors.EVENT_READ, process)
        return None

    def _report_ended(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._ended.recv(64):
                pass
        with contextlib.suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                connection = self._children.pop(found[0])
                with contextlib.suppress(KeyError):
                    self._selector.unregister(connection)
                with contextlib.suppress(OSError):  # it was killed, and its process after it
                    connection.sendall(struct.pack("i", os.waitstatus_to_exitcode(found[1])))
                connection.close()


def become(request: Request) -> None:
    """Take over the surroundings of the program that asked."""
    for number in (0, 1, 2):
        os.close(number)
    for number, stream in zip(request.numbers, request.streams, strict=False):
        os.dup2(number, stream)
    os.fchdir(request.numbers[-1])
    request.close()
    os.environ.clear()
    os.environ.update(request.environ)
    os.umask(request.mask)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number in (signal.SIGINT, signal.SIGHUP):
        usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        signal.signal(number, signal.SIG_IGN if number in request.ignored else usual)
    for limit, values in zip(LIMITS, request.limits, strict=True):
        resource.setrlimit(limit, values)
    streams = [_open_stream(number) if number in request.streams else None for number in (0, 1, 2)]
    sys.stdin, sys.stdout, sys.stderr = sys.__stdin__, sys.__stdout__, sys.__stderr__ = streams  # type: ignore[misc]
    sys.argv = [sys.argv[0], *request.words]


def _open_stream(number: int) -> Any:
    """Return standard stream `number` as a new interpreter with UTF-8 opens it."""
    raw = io.FileIO(number, "rb" if number == 0 else "wb", closefd=False)
    is_terminal = raw.isatty()
    unbuffered = bool(os.environ.get("PYTHONUNBUFFERED"))
    return io.TextIOWrapper(
        io.BufferedReader(raw) if number == 0 else io.BufferedWriter(raw),
        encoding="utf-8",
        errors="backslashreplace" if number == 2 else "strict",
        newline=None if number == 0 else "\n",
        line_buffering=is_terminal or number == 2,
        write_through=unbuffered and number > 0,
    )


def import_packages() -> None:
    """Import Aurora and what it uses, once for all children; no thread may be running afterwards."""
    for name in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    package = importlib.import_module("aurora")
    outside = ("aurora.tests", "aurora.bench", "aurora.examples", "aurora.build", "aurora.setup", "aurora.__main__")
    for found in pkgutil.walk_packages(package.__path__, "aurora.", onerror=lambda _: None):
        if not found.name.startswith(outside) and found.name.isascii() and "-" not in found.name:
            importlib.import_module(found.name)


def main() -> NoReturn:
    """Serve, and in each child run `aur`."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    folder = Path(sys.argv[1])
    import_packages()
    client = folder / "aur"
    client.write_text(CLIENT.format(python=sys.executable, address=str(folder / "socket")), encoding="utf-8")
    client.chmod(0o755)
    gc.collect()
    gc.freeze()
    become(Server(folder).serve())
    from aurora.cli.entry import main as aur  # noqa: PLC0415 - imported before the fork

    sys.exit(aur())


if __name__ == "__main__":
    main()
