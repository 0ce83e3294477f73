"""Hook of an assistant: answer with context from the running server, or nothing, in time."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import sys
import time
from zlib import crc32

TYPE_CHECKING = False  # `typing` takes longer to import than this package
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import FrameType
    from typing import Any, NoReturn

NOTE_END = ".json"
SOCKET_END = ".sock"
MAX_MESSAGE_BYTES = 65_536
"""Size limit of a request, of an answer and of a note, in bytes."""
SESSION_START = "session-start"
USER_PROMPT = "user-prompt"
FILE_USE = "file-use"
HOOK_SECONDS = 0.2
"""Seconds of a hook from the start of its process; a later one prints nothing."""
_HOST_EVENTS = {
    SESSION_START: ("SessionStart",),
    USER_PROMPT: ("UserPromptSubmit", "BeforeAgent"),
    FILE_USE: ("PreToolUse", "AfterTool"),
}
"""Names of the events in the hosts' requests, which the answer repeats; the first is the default."""
_INPUT_KEYS = ("tool_input", "toolArgs")
_PATH_KEYS = ("file_path", "path", "notebook_path")
"""Keys of the file in the arguments of the hosts' own tools."""
_MAX_REQUEST_BYTES = 4_000_000
"""Size limit of a host's request, which may have the content of a file."""
_MAX_SOCKETS = 3
"""Servers of one project that are asked, the newest first."""
_PROJECT_OPTION = "--project"
_WORDS_WITH_PROJECT = 3
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


# ── where a server and the hooks of its project meet ──


def find_hook_folder(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> str | None:
    """Return the folder of the notes and sockets; None without a home folder.

    It is `aurora/hooks` in XDG_CACHE_HOME or in `~/.cache`, on macOS in `~/Library/Caches`. A relative
    XDG_CACHE_HOME is ignored, as the XDG standard says.
    """
    configured = environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(configured) or platform == "darwin":
        home = environ.get("HOME", "")
        if not os.path.isabs(home):
            return None
        configured = f"{home}/Library/Caches" if platform == "darwin" else f"{home}/.cache"
    return f"{configured}/aurora/hooks"


# Whoever can write there could put a text of their own into the assistant's context.
def is_private_folder(folder: str) -> bool:
    """Return True if it is a folder of this user that nobody else can enter."""
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & _OTHERS


def name_project(root: str) -> str:
    """Return the start of the names of a project's files; whoever reads one compares the whole path in it."""
    data = root.encode("utf-8", "surrogateescape")
    return f"{crc32(data):08x}{crc32(data[::-1]):08x}"


# ── the process ──


def begin_hook(words: Sequence[str]) -> None:
    """Answer a hook and end the process; return if the words are none that a host runs.

    The process ends with exit code 0 whatever happens, and prints nothing unless the whole answer is ready in time.

    Args:
        words: the command line behind `hook`: an event, and possibly `--project` with a folder.
    """
    if os.name != "posix" or not _is_host_command(words):
        return
    _end_in_time()
    try:
        answer = _answer_hook(words[0], words[2] if len(words) == _WORDS_WITH_PROJECT else "")
    except Exception:  # noqa: BLE001 - a hook must not disturb the host
        os._exit(0)
    # From here on the timer must not strike: the host would get half an answer.
    signal.setitimer(signal.ITIMER_REAL, 0)
    if answer:
        os.write(1, answer)
    os._exit(0)


def _is_host_command(words: Sequence[str]) -> bool:
    has_project = len(words) == _WORDS_WITH_PROJECT and words[1] == _PROJECT_OPTION
    return bool(words) and words[0] in _HOST_EVENTS and (len(words) == 1 or has_project)


def _end_in_time() -> None:
    """End the process silently when its time is over."""
    signal.signal(signal.SIGALRM, _end_process)
    # Python has used up a part of the time before the first line of this file runs.
    left = HOOK_SECONDS - _measure_age()
    if left <= 0:
        os._exit(0)
    signal.setitimer(signal.ITIMER_REAL, left)


def _end_process(_number: int, _frame: FrameType | None) -> NoReturn:
    os._exit(0)


def _measure_age() -> float:
    """Return the seconds since the start of this process; its processor time where they are not known."""
    try:
        with open("/proc/self/stat", "rb") as file:
            # The second field is the program's name in brackets, and may contain blanks and brackets itself.
            fields = file.read().rpartition(b")")[2].split()
        began = int(fields[19]) / os.sysconf("SC_CLK_TCK")
        # The kernel counts from the boot, and goes on while the
        # machine sleeps, as no other clock of Python does.
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - began)
    except (OSError, ValueError, IndexError, AttributeError):
        return time.process_time()


def _answer_hook(event: str, project: str) -> bytes:
    """Return the answer for the host; empty if there is nothing to add."""
    request = _read_request()
    folder = request.get("cwd")
    if not isinstance(folder, str) or not os.path.isabs(folder):
        folder = os.getcwd()
    roots = _list_roots(os.path.realpath(folder))
    if project:
        # A host runs the hooks of all projects in each of them: one
        # that was installed for another project is silent.
        roots = [root for root in roots if root == os.path.realpath(project)]
    place = find_hook_folder()
    if place is None or not is_private_folder(place):
        return b""
    os.chdir(place)  # the address of a socket is short; the path of the folder need not be
    found = _find_context(_read_question(event, request, folder), roots)
    if not found:
        return b""
    return json.dumps(_format_answer(event, request, found)).encode() + b"\n"


def _list_roots(folder: str) -> list[str]:
    """List a folder and those around it, each of which may be the project; the nearest first."""
    roots = [folder]
    while (parent := os.path.dirname(roots[-1])) != roots[-1]:
        roots.append(parent)
    return roots


def _format_answer(event: str, request: Mapping[str, Any], found: Mapping[str, str]) -> dict[str, Any]:
    """Return the answer in the form of the host that sent the request."""
    names = _HOST_EVENTS[event]
    name = request.get("hook_event_name")
    if name is None and "sessionId" in request:  # Copilot CLI, which shows no message
        return {"additionalContext": found["context"]}
    specific = {"hookEventName": name if name in names else names[0], "additionalContext": found["context"]}
    return {"hookSpecificOutput": specific, "systemMessage": found["message"]}


def _read_request() -> dict[str, Any]:
    """Read the host's request; empty if it is no JSON object of a reasonable size."""
    data = bytearray()
    while len(data) <= _MAX_REQUEST_BYTES:
        block = os.read(0, MAX_MESSAGE_BYTES)
        if not block:
            request = json.loads(bytes(data) or b"{}")
            return request if isinstance(request, dict) else {}
        data += block
    return {}


def _read_question(event: str, request: Mapping[str, Any], folder: str) -> dict[str, str] | None:
    """Return what a server is asked; None if the host's request has nothing to ask for."""
    if event == SESSION_START:
        return {"event": event}
    if event == USER_PROMPT:
        prompt = request.get("prompt")
        return {"event": event, "prompt": prompt} if isinstance(prompt, str) and prompt.strip() else None
    given = next((request[key] for key in _INPUT_KEYS if key in request), None)
    if isinstance(given, str):  # Copilot CLI documents a JSON text, and sends an object
        given = json.loads(given)
    if not isinstance(given, dict):
        return None
    path = next((value for key in _PATH_KEYS if isinstance(value := given.get(key), str) and value), None)
    session = request.get("session_id", request.get("sessionId"))
    if path is None:
        return None
    return {"event": event, "path": os.path.join(folder, path), "session": session if isinstance(session, str) else ""}


def _find_context(question: Mapping[str, str] | None, roots: Sequence[str]) -> Mapping[str, str] | None:
    """Find what to add, for the nearest project that has something."""
    if question is None:
        return None
    entries = sorted(os.listdir())
    for root in roots:
        name = name_project(root)
        sockets = [entry for entry in entries if entry.startswith(name) and entry.endswith(SOCKET_END)]
        if not sockets and f"{name}{NOTE_END}" not in entries:
            continue
        request = json.dumps({**question, "root": root}).encode()
        for address in sorted(sockets, key=_get_age, reverse=True)[:_MAX_SOCKETS]:
            answered, found = _ask_server(address, request, root)
            if answered:
                return found
        # The note tells of the project as a whole; a prompt needs a search, and so a server.
        return _read_note(f"{name}{NOTE_END}", root) if question["event"] == SESSION_START else None
    return None


def _get_age(path: str) -> float:
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return 0.0


def _ask_server(address: str, request: bytes, root: str) -> tuple[bool, Mapping[str, str] | None]:
    """Ask a server; return whether it has answered for this project, and what it adds."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(address)
            connection.sendall(request)
            # The server reads up to this end; without it both would wait.
            connection.shutdown(socket.SHUT_WR)
            data = bytearray()
            while block := connection.recv(MAX_MESSAGE_BYTES):
                data += block
                if len(data) > MAX_MESSAGE_BYTES:
                    return False, None
    except OSError:
        return False, None
    return _check_answer(bytes(data), root)


def _read_note(path: str, root: str) -> Mapping[str, str] | None:
    """Read what the last server of the project has left for the next session."""
    try:
        # A link or a pipe in the place of the note is neither followed nor waited for.
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        status = os.fstat(handle)
        is_usable = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
        data = os.read(handle, MAX_MESSAGE_BYTES) if is_usable else b""
    finally:
        os.close(handle)
    return _check_answer(data, root)[1]


def _check_answer(data: bytes, root: str) -> tuple[bool, Mapping[str, str] | None]:
    """Return whether an answer is for this project, and what it adds; None if it adds nothing."""
    try:
        answer = json.loads(data)
    except ValueError:
        return False, None
    if not isinstance(answer, dict) or answer.get("root") != root:
        return False, None
    context, message = answer.get("context"), answer.get("message")
    if not (isinstance(context, str) and context and isinstance(message, str)):
        return True, None
    return True, {"context": context, "message": message}
