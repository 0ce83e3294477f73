"""Hostile inputs: read the cases, run each in a clone of its own, compare with what is expected.

A case is an entry of a file in `cases/`: a title of the attack, the files that the clone brings, the commands or
calls, and the outcome. Common to all of them: no process ends by a signal, prints a traceback or reports a bug in
Aurora, or runs longer than `PATIENCE`; the fact in the project's memory, the files outside of the clone and the
person's own files are as before.

`tests/hostile/test_cases.py` runs each case as a test. `python bench/hostile.py [WORD ...]` runs the cases whose names
contain one of the words, all without any, and prints how many inputs of each guarantee were tried and how many had
another outcome.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import shlex
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML

from aurora.system.files import identify_place

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

CASES = Path(__file__).resolve().parents[1] / "tests" / "hostile" / "cases"
PATIENCE = 60.0
"""Seconds after which a command counts as hanging; the slowest takes a few."""
AUR = (sys.executable, "-P", "-m", "aurora")  # -P: the clone is the current folder, and may hold an `aurora` of its own
MAX_MEMORY = 4 << 30
"""Bytes of address space of a command; a start alone reserves more than one GB."""

FACT = "The deployment code word is heron."
CANARY = "nobody may change this line\n"


@dataclass(frozen=True, slots=True)
class Case:
    """A hostile input with the outcome that is expected.

    Attributes:
        guarantee: the key of the guarantee in the security page; the name of the case's file.
        name: unique; the test's id.
        attack: what it tries, in one line.
        data: the rest of the entry as it is written.
    """

    guarantee: str
    name: str
    attack: str
    data: Mapping[str, Any]


@dataclass(slots=True)
class Place:
    """Folders of one walk: the clone, the person's home, and files outside of the clone; and the command `aur`."""

    aur: Sequence[str]
    clone: Path
    home: Path
    outside: Path
    environ: dict[str, str]
    failures: list[str] = field(default_factory=list)


def load_cases() -> list[Case]:
    """Read all cases, in the order of their files."""
    found: list[Case] = []
    for path in sorted(CASES.glob("*.yaml")):
        entries = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
        found += [Case(path.stem, entry["name"], entry["attack"], entry) for entry in entries]
    return found


def prepare_memory(folder: Path, aur: Sequence[str] = AUR) -> Path:
    """Make a memory with one fact, which every case gets a copy of.

    Returns:
        The database file.
    """
    place = _make_place(folder, aur)
    result = _run(place, [*aur, "mem", "add", FACT, "--subject", "code word"])
    if result.returncode:
        raise RuntimeError(result.stdout + result.stderr)
    return place.clone / ".aurora" / "memory.db"


def run_case(case: Case, folder: Path, memory: Path, aur: Sequence[str] = AUR) -> list[str]:
    """Run one case in an empty folder and list what differs from its outcome."""
    place = _make_place(folder, aur)
    if case.data.get("memory", True):
        (place.clone / ".aurora").mkdir()
        shutil.copy(memory, place.clone / ".aurora" / "memory.db")
        if not case.data.get("foreign", False):  # else another account made the memory
            shutil.copytree(memory.parents[2] / "home" / ".local", place.home / ".local")
    _write_clone(case, place)
    for step in case.data.get("damage", ()):
        _damage_file(step, place)
    before = _list_files(place.clone)
    place.environ.update({name: str(value) for name, value in case.data.get("env", {}).items()})
    for step in case.data.get("commands", ()):
        _run_command(step, place)
    if "calls" in case.data:
        _run_calls(case.data["calls"], place)
    _compare_files(case, place, before)
    return place.failures


_GIT = shutil.which("git") or "git"


def _make_place(folder: Path, aur: Sequence[str]) -> Place:
    clone, home, outside = folder / "clone", folder / "home", folder / "outside"
    for each in (clone, home, outside):
        each.mkdir(parents=True)
    (outside / "canary.txt").write_text(CANARY, encoding="utf-8")
    (home / ".claude.json").write_text('{"own": true}\n', encoding="utf-8")
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT", "PYTHONPATH") if name in os.environ}
    environ = {**kept, "HOME": str(home), "AURORA_TEST_OUTSIDE": str(outside), "PYTHONDONTWRITEBYTECODE": ""}
    subprocess.run([_GIT, "init", "-q", str(clone)], check=True, env=environ)
    return Place(aur, clone, home, outside, environ)


def _write_clone(case: Case, place: Place) -> None:
    for name, content in case.data.get("files", {}).items():
        path = place.clone / _expand(name, place)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_expand(content, place).encode("utf-8", "surrogatepass"))
    if (config := case.data.get("config")) is not None:
        path = place.home / ".config" / "aurora" / "config.toml"
        path.parent.mkdir(parents=True)
        path.write_text(_expand(config, place), encoding="utf-8")
        path.chmod(0o600)
    if (many := case.data.get("many")) is not None:
        for number in range(many["times"]):
            path = place.clone / many["name"].format(number)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(many["text"].replace("w{}", f"w{number}"), encoding="utf-8")
    for name, target in case.data.get("links", {}).items():
        (place.clone / name).parent.mkdir(parents=True, exist_ok=True)
        (place.clone / name).symlink_to(_expand(target, place))
    for name, target in case.data.get("hard_links", {}).items():
        (place.clone / name).parent.mkdir(parents=True, exist_ok=True)
        os.link(_expand(target, place), place.clone / name)
    for name in case.data.get("pipes", ()):
        (place.clone / name).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(place.clone / name)
    for name in case.data.get("sockets", ()):
        (place.clone / name).parent.mkdir(parents=True, exist_ok=True)
        # a socket's path has at most 107 bytes, and its file may have more
        with socket.socket(socket.AF_UNIX) as bound, tempfile.TemporaryDirectory() as short:
            bound.bind(f"{short}/socket")
            Path(short, "socket").rename(place.clone / name)
    for arguments in case.data.get("git", ()):
        words = [_expand(word, place) for word in shlex.split(arguments)]
        subprocess.run(
            [_GIT, "-c", "user.name=a", "-c", "user.email=a@b.c", *words],
            check=True,
            cwd=place.clone,
            env=place.environ,
            capture_output=True,
        )


def _damage_file(step: Mapping[str, Any], place: Place) -> None:
    """Damage a file of the memory.

    One of `truncate`, `write` with `at`, `flip`, `sql` for the statements of a database, `journal` for a hot journal
    that names a file, `log` for the log of a process that was killed, `hole` for a file that is extended to so many
    bytes without content.
    """
    path = place.clone / step.get("file", ".aurora/memory.db")
    if "sql" in step:
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.executescript(step["sql"])
        return
    if "journal" in step:
        path.with_name(f"{path.name}-journal").write_bytes(build_journal(path, _expand(step["journal"], place)))
        return
    if "log" in step:
        _leave_log(path)
        return
    if "hole" in step:
        os.truncate(path, step["hole"])
        return
    body = bytearray(path.read_bytes())
    if "truncate" in step:
        del body[step["truncate"] :]
    if "write" in step:
        body[step["at"] : step["at"] + len(step["write"])] = step["write"].encode("latin-1")
    draw = random.Random(step.get("seed", 0))  # noqa: S311 - noise, not secrets
    for _ in range(step.get("flip", 0)):
        body[draw.randrange(len(body))] ^= draw.randrange(1, 256)
    path.write_bytes(body)


def _leave_log(database: Path) -> None:
    """Write to a database without changing it, and leave its log, as a process does that is killed."""
    copies = [
        (database.with_name(f"copy{end}"), database.with_name(f"{database.name}{end}")) for end in ("-wal", "-shm")
    ]
    with contextlib.closing(sqlite3.connect(database)) as db:
        db.execute("INSERT OR REPLACE INTO facts (key, value) VALUES ('left', '1')")
        db.commit()
        for copy, place in copies:
            shutil.copy(place, copy)
    for copy, place in copies:
        copy.rename(place)


def build_journal(database: Path, name: str) -> bytes:
    """Build a hot rollback journal of a database, with its first page, that names a super-journal: any file."""
    page, magic = database.read_bytes()[:4096], bytes.fromhex("d9d505f920a163d7")
    head = (magic + struct.pack(">5I", 1, 1234, database.stat().st_size // 4096, 512, 4096)).ljust(512, b"\0")
    total = 1234 + sum(page[place] for place in range(4096 - 200, 0, -200))
    record = struct.pack(">I", 1) + page + struct.pack(">I", total & 0xFFFFFFFF)
    body = name.encode()
    tail = struct.pack(">2I", len(body), sum(body) & 0xFFFFFFFF) + magic
    return head + record + struct.pack(">I", 0x40000000 // 4096 + 1) + body + tail


def _expand(content: Any, place: Place) -> str:
    """Return the text of a file: as written, or `{before, repeat, times, after}`, or a list of these."""
    if isinstance(content, list):
        return "".join(_expand(part, place) for part in content)
    if isinstance(content, dict):
        return f"{content.get('before', '')}{content['repeat'] * content['times']}{content.get('after', '')}"
    text = str(content)
    for word, value in (("OUTSIDE", place.outside), ("HOMEFOLDER", place.home), ("MACHINE", identify_place())):
        text = text.replace(word, str(value))
    return text


def _run_command(step: Mapping[str, Any], place: Place) -> None:
    words = [_expand(word, place) for word in shlex.split(step["run"])]
    if words[0] != "aur":
        raise ValueError(f"a case runs `aur` only: {step['run']}")
    result = _run(place, [*place.aur, *words[1:]], step.get("input", ""), step.get("output"))
    if result is None:
        place.failures.append(f"{step['run']}: no end after {PATIENCE:.0f} s")
        return
    said = (result.stdout or "") + result.stderr
    expected = step.get("exit", 0)
    wanted = expected if isinstance(expected, list) else [expected]
    if result.returncode not in wanted:
        place.failures.append(f"{step['run']}: exit code {result.returncode}, not {wanted}: {said[-600:]}")
    _check_words(step, said, step["run"], place)


def _check_words(step: Mapping[str, Any], said: str, where: str, place: Place) -> None:
    for word in step.get("says", ()):
        if _expand(word, place) not in said:
            place.failures.append(f'{where}: does not say "{word}": {said[-600:]}')
    for word in (*step.get("hides", ()), "Traceback (most recent call last)", "failed inside Aurora"):
        if _expand(word, place) in said:
            place.failures.append(f'{where}: says "{word}": {said[-600:]}')


def _run(place: Place, words: Sequence[str], text: str = "", output: str | None = None) -> Any:
    """Run a command; its output is captured, or goes to a file such as `/dev/full`."""
    try:
        with Path(output or os.devnull).open("w", encoding="utf-8") as file:
            return subprocess.run(
                words,
                cwd=place.clone,
                env=place.environ,
                input=text,
                stdout=file if output else subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="backslashreplace",
                timeout=PATIENCE,
                check=False,
                preexec_fn=_limit_memory,
            )
    except subprocess.TimeoutExpired:
        return None


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _run_calls(calls: Sequence[Mapping[str, Any]], place: Place) -> None:
    """Send the calls to one server, each followed by a ping, and compare the answers."""
    lines: list[Any] = [
        {
            "jsonrpc": "2.0",
            "id": "hello",
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "hostile", "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]
    for number, call in enumerate(calls):
        params = {"name": call["tool"], "arguments": call["arguments"]}
        lines.append({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
        lines.append({"jsonrpc": "2.0", "id": f"ping {number}", "method": "ping"})
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    answers, failure = _talk(place, _expand(text, place), sum("id" in line for line in lines))
    if failure:
        place.failures.append(f"aur mcp: {failure}")
        return
    for number, call in enumerate(calls):
        if "result" not in answers.get(f"ping {number}", {}):
            place.failures.append(f"{call['tool']}: the server does not answer a ping")
        said = json.dumps(answers.get(number), ensure_ascii=False)
        _check_words(call, said, call["tool"], place)
        failed = "error" in answers.get(number, {}) or answers.get(number, {}).get("result", {}).get("isError", False)
        if failed != call.get("fails", False):
            place.failures.append(f"{call['tool']}: fails={failed}: {said[-600:]}")


def _talk(place: Place, text: str, count: int) -> tuple[dict[Any, Any], str]:
    """Send lines to a server, and end its input after so many answers; return them by id, and how it failed."""
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="backslashreplace") as log,
        subprocess.Popen(
            [*place.aur, "mcp", "--toolsets", "all"],
            cwd=place.clone,
            env=place.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            encoding="utf-8",
        ) as server,
    ):
        resource.prlimit(server.pid, resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
        watch = threading.Timer(PATIENCE, server.kill)
        watch.start()
        sending = threading.Thread(target=_send, args=(server.stdin, text))
        sending.start()
        answers: dict[Any, Any] = {}
        while len(answers) < count and (line := server.stdout.readline()):
            answer = json.loads(line)
            answers |= {answer["id"]: answer} if "id" in answer and "method" not in answer else {}
        sending.join()
        with contextlib.suppress(BrokenPipeError):
            server.stdin.close()
        code = server.wait()
        watch.cancel()
        log.seek(0)
        said = log.read()[-600:]
    return answers, "" if code == 0 else "no end" if code == -signal.SIGKILL else f"exit code {code}: {said}"


def _send(stream: Any, text: str) -> None:
    with contextlib.suppress(BrokenPipeError):
        stream.write(text)
        stream.flush()


def _list_files(folder: Path) -> dict[str, bytes | str]:
    """Return every file below a folder with its bytes, links with their target."""
    found: dict[str, bytes | str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_file() and not name.startswith(".git/"):
            size = path.stat().st_size
            found[name] = path.read_bytes() if size < MAX_MEMORY else f"{size} bytes"
    return found


def _compare_files(case: Case, place: Place, before: Mapping[str, bytes | str]) -> None:
    if (place.outside / "canary.txt").read_text(encoding="utf-8") != CANARY:
        place.failures.append("a file outside of the clone was changed")
    new = sorted(path.name for path in place.outside.iterdir() if path.name != "canary.txt")
    if new != sorted(case.data.get("makes_outside", ())):
        place.failures.append(f"files appeared outside of the clone: {new}")
    if (place.home / ".claude.json").read_text(encoding="utf-8") != '{"own": true}\n':
        place.failures.append("the person's own file was changed")
    after = _list_files(place.clone)  # before the database is opened, which makes files next to it
    if case.data.get("foreign", False):
        if not case.data.get("stays", False) and not any(
            ".db.foreign-" in name and body == before[".aurora/memory.db"] for name, body in after.items()
        ):
            place.failures.append("the memory of the clone was not moved aside as it was")
    elif (
        case.data.get("memory", True)
        and case.data.get("keeps_fact", True)
        and FACT not in set(_read_facts(place.clone / ".aurora" / "memory.db"))
    ):
        place.failures.append("the fact left the memory")
    if case.data.get("unchanged", False) and after != before:
        changed = sorted(name for name in {*after, *before} if after.get(name) != before.get(name))
        place.failures.append(f"files of the clone were changed: {changed[:10]}")
    for name in case.data.get("absent", ()):
        if (place.clone / _expand(name, place)).exists():
            place.failures.append(f"{name} exists")


def _read_facts(database: Path) -> Iterator[str]:
    journal = database.with_name(f"{database.name}-journal")
    option = "immutable=1" if journal.exists() else "mode=ro"
    with sqlite3.connect(f"file:{database}?{option}", uri=True) as db:
        for (text,) in db.execute("SELECT text FROM chunks WHERE type = 'know'"):
            yield text


def main() -> int:
    """Run all cases and print one row per guarantee: tried, failed."""
    cases = load_cases()
    counts: dict[str, list[int]] = {}
    with tempfile.TemporaryDirectory(prefix="aurora-hostile-") as folder:
        memory = prepare_memory(Path(folder) / "memory")
        for case in cases:
            if len(sys.argv) > 1 and not any(word in f"{case.guarantee} {case.name}" for word in sys.argv[1:]):
                continue
            failures = run_case(case, Path(folder) / case.name, memory)
            tried = counts.setdefault(case.guarantee, [0, 0])
            tried[0] += 1
            tried[1] += bool(failures)
            for failure in failures:
                print(f"{case.name}: {failure}", file=sys.stderr)
    print("| guarantee | hostile inputs tried | failed |\n|---|---|---|")
    for guarantee, (tried_count, failed) in counts.items():
        print(f"| {guarantee} | {tried_count} | {failed} |")
    return 1 if any(failed for _, failed in counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
