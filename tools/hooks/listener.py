"""Answers to the hooks of a project: a private socket, and a note for the next session."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import socket
import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aurora import hook, hosts
from aurora.hosts import UserPaths
from aurora.memory import has_memory
from aurora.system.files import is_process_running, write_atomically

from .context import find_file_context, find_prompt_context, find_session_context

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.tools.core import Project

    from .context import HookContext

_NOTE_SECONDS = 10.0
"""Seconds between two looks at the memory: the note for the next session is written again after a change."""
_REQUEST_SECONDS = 0.2
"""Seconds that a request may take to arrive; a hook has no more itself."""
_BACKLOG = 8
_PRIVATE_FOLDER = 0o700
_MAX_SESSIONS = 32
"""Sessions of assistants of which is known what they were given."""
_NEW_END = ".new"
"""End of the name of a socket that does not listen yet."""
_log = logging.getLogger("aurora.hooks")


class HookListener:
    """Listener in its own thread, until `stop`.

    It does nothing unless an assistant has hooks of this project.

    Args:
        project: the open project.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self._stop = threading.Event()
        self._path: Path | None = None
        self._written: Any = None
        self._known: OrderedDict[str, set[str]] = OrderedDict()

    def start(self) -> None:
        """Start the thread, where the system has such sockets."""
        if hasattr(socket, "AF_UNIX") and os.name == "posix":
            threading.Thread(target=self._run, name="hooks", daemon=True).start()

    def stop(self) -> None:
        """Remove the socket, and leave a note for the next session."""
        self._stop.set()
        if self._path is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()
            self._write_note()

    def _run(self) -> None:
        try:
            if not hosts.find_hooked_hosts(self._project.root, UserPaths.from_environment()):
                return
            with _open_socket(self._project.root) as (listening, path):
                self._path = path
                self._serve(listening)
        except Exception as error:  # noqa: BLE001 - hooks must not end the server
            _log.warning("hooks are not answered: %s: %s", type(error).__name__, error)

    def _serve(self, listening: socket.socket) -> None:
        listening.settimeout(_NOTE_SECONDS)
        while not self._stop.is_set():
            self._write_note()
            with contextlib.suppress(TimeoutError):
                connection, _ = listening.accept()
                with connection, contextlib.suppress(OSError):
                    self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        """Answer one hook; a fault adds nothing, and is logged."""
        connection.settimeout(_REQUEST_SECONDS)
        found = None
        request = _read_request(connection)
        # The name of the socket is a checksum of the folder, which another folder may share.
        if request.get("root") != str(self._project.root):
            return
        try:
            found = self._find_context(request)
        except Exception as error:  # noqa: BLE001 - a memory that cannot be read adds nothing
            _log.warning("a hook is not answered: %s: %s", type(error).__name__, error)
        connection.sendall(_encode_answer(self._project.root, found))
        if found is not None:
            _log.info("%s", found.message)

    def _find_context(self, request: dict[str, Any]) -> HookContext | None:
        if request.get("event") == hook.SESSION_START:
            return find_session_context(self._project)
        if request.get("event") == hook.FILE_USE:
            path, session = request.get("path"), request.get("session")
            if isinstance(path, str) and isinstance(session, str):
                return find_file_context(self._project, path, self._find_known(session))
            return None
        prompt = request.get("prompt")
        return find_prompt_context(self._project, prompt) if isinstance(prompt, str) else None

    def _find_known(self, session: str) -> set[str]:
        """Return the ids of the records that a session has been given; the oldest sessions are forgotten."""
        if not session:  # the host does not name its sessions: a record may be given again
            return set()
        known = self._known.setdefault(session, set())
        self._known.move_to_end(session)
        if len(self._known) > _MAX_SESSIONS:
            self._known.popitem(last=False)
        return known

    def _write_note(self) -> None:
        """Write the note again if the memory or the newest run has changed."""
        with contextlib.suppress(Exception):  # the note is a convenience, and the memory may be busy
            state = _read_state(self._project)
            # The note is also all that is left when the server is killed, so it is kept up to date instead of written
            # at the end.
            if state != self._written:
                write_note(self._project)
                self._written = state


def write_note(project: Project) -> None:
    """Write what the next session of the project is to know.

    Raises:
        OSError: it cannot be written.
        Fault: the memory cannot be read.
    """
    folder = _open_hook_folder()
    if folder is not None:
        path = folder / f"{hook.name_project(str(project.root))}{hook.NOTE_END}"
        write_atomically(path, _encode_answer(project.root, find_session_context(project)))


def remove_note(root: Path) -> None:
    """Remove the note of a project, if it has one."""
    place = hook.find_hook_folder()
    if place is not None:
        with contextlib.suppress(OSError):
            (Path(place) / f"{hook.name_project(str(root))}{hook.NOTE_END}").unlink()


def _encode_answer(root: Path, found: HookContext | None) -> bytes:
    """Return an answer as the hook reads it, also if there is nothing to add."""
    texts = {"context": found.text, "message": found.message} if found else {}
    return json.dumps({"root": str(root), **texts}).encode()


def _open_hook_folder() -> Path | None:
    """Create the folder of the hooks; return None where it cannot be private."""
    place = hook.find_hook_folder()
    if place is None or os.name != "posix":
        return None
    with contextlib.suppress(OSError):
        Path(place).mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
    return Path(place) if hook.is_private_folder(place) else None


def _read_state(project: Project) -> Any:
    if not has_memory(project.root):
        return None
    memory = project.memory
    newest = memory.journal.runs(1, 0)
    return memory.stats().indexed_at, [(run.run, run.updated_at) for run in newest]


def _read_request(connection: socket.socket) -> dict[str, Any]:
    data = bytearray()
    while len(data) <= hook.MAX_MESSAGE_BYTES:
        block = connection.recv(hook.MAX_MESSAGE_BYTES)
        if not block:
            return _parse_request(bytes(data))
        data += block
    return {}


def _parse_request(data: bytes) -> dict[str, Any]:
    try:
        request = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return request if isinstance(request, dict) else {}


@contextlib.contextmanager
def _open_socket(root: Path) -> Iterator[tuple[socket.socket, Path]]:
    """Listen for the hooks of a project; yield the socket and its path."""
    folder = _open_hook_folder()
    if folder is None:
        raise OSError("the folder of the hooks cannot be private")
    name = hook.name_project(str(root))
    _remove_dead_sockets(folder, name)
    path = folder / f"{name}-{os.getpid()}{hook.SOCKET_END}"
    new = path.with_suffix(_NEW_END)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        with contextlib.suppress(OSError):
            new.unlink()
        _bind_socket(listening, new)
        try:
            listening.listen(_BACKLOG)
            new.replace(path)  # a hook that finds it is answered
            yield listening, path
        finally:
            for one in (new, path):
                with contextlib.suppress(OSError):
                    one.unlink()


def _bind_socket(listening: socket.socket, path: Path) -> None:
    """Bind a socket; on Linux also where the path is longer than the 107 bytes that an address may have."""
    try:
        listening.bind(str(path))
    except OSError as error:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            if not Path(f"/proc/self/fd/{folder}").is_dir():
                raise error from None
            listening.bind(f"/proc/self/fd/{folder}/{path.name}")
        finally:
            os.close(folder)


def _remove_dead_sockets(folder: Path, name: str) -> None:
    """Remove the sockets of servers that were killed."""
    for path in (one for end in (hook.SOCKET_END, _NEW_END) for one in folder.glob(f"{name}-*{end}")):
        number = path.stem.removeprefix(f"{name}-")
        if not (number.isdecimal() and is_process_running(int(number))):
            with contextlib.suppress(OSError):
                path.unlink()
