"""Session: an isolated git folder that shares only the objects and refs of a repository."""

from __future__ import annotations

import os
import re
import shutil
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.errors import Code, Fault, check_cancelled
from aurora.system.files import open_temporary_folder
from aurora.system.paths.read import read_plain

from .process import (
    GIT_TIMEOUT,
    MAX_OUTPUT_BYTES,
    Command,
    build_environment,
    find_program,
    run_command,
    stream_command,
)
from .repository import build_linked_fault, read_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .process import RunningGit
    from .repository import Repository, Setting

# The index is copied and never given to git in its place: it could be replaced by a link after it was checked.
_COPIED_HERE = ("ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD", "info/sparse-checkout", "logs/HEAD")
"""Files of the work tree's own git folder that a revision or the index may need."""
_COPIED_COMMON = ("shallow", "info/exclude")
_LINKED_COMMON = ("refs", "packed-refs", "logs/refs", "reftable")
_MAX_COPIED_BYTES = 64_000_000
_MAX_INDEX_BYTES = 200_000_000
_MAX_LISTED_BYTES = 200_000_000
"""Size limits in bytes of a copied file, of the index with its shared part, and of the names in it.

The index of Linux, with 90,000 files, has 10 MB.
"""
_SHARED_INDEX = "sharedindex."
_SHARED_INDEX_LINK = re.compile(rb"link(?=[\0-\xff]{4}([\0-\xff]{20})([\0-\xff]{12})?)")
"""Start of the part of a split index that names its shared index: a size, and a hash of 20 or 32 bytes."""

_BOOLEAN = "true|false|yes|no|on|off|1|0"
_ALLOWED = tuple(
    (re.compile(key), re.compile(value, re.IGNORECASE))
    for key, value in (
        (
            "core\\.(filemode|symlinks|ignorecase|precomposeunicode|trustctime|sparsecheckout|sparsecheckoutcone)",
            _BOOLEAN,
        ),
        ("core\\.repositoryformatversion", "0|1"),
        ("core\\.autocrlf", f"{_BOOLEAN}|input"),
        ("core\\.eol", "lf|crlf|native"),
        ("core\\.checkstat", "default|minimal"),
        ("extensions\\.objectformat", "sha1|sha256"),
        ("extensions\\.refstorage", "files|reftable"),
        ("branch\\..+\\.(merge|remote)", "[^\0-\x1f\x7f]{1,400}"),
        ("remote\\..+\\.fetch", "[^\0-\x1f\x7f]{1,400}"),
    )
)
"""The settings of a repository that reach git, by key and value. They say how its files and names are to be read, and
none names a program, a file or an address."""
_OWN_SETTINGS = (
    ("core.bare", "false"),
    ("core.fsmonitor", "false"),
    ("core.untrackedcache", "false"),
    ("core.hookspath", os.devnull),
    ("core.attributesfile", os.devnull),
    ("core.quotepath", "false"),
    ("core.protecthfs", "true"),
    ("core.protectntfs", "true"),
    ("core.bigfilethreshold", "16m"),
    ("protocol.allow", "never"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("submodule.recurse", "false"),
)
_PERSONAL = ("core.autocrlf", "core.eol", "core.excludesfile")
"""The settings of the user's own configuration that decide which files differ."""
_IGNORED_BY_HFS = re.compile(rb"\xe2(?:\x80[\x8b-\x8f\xaa-\xae]|\x81[\xa0-\xaf])|\xef\xbb\xbf")
_BAD_INDEX_PATH = re.compile(rb"(?:\A|[\0/])(?:\.{1,2}|\.git[. ]*(?::[^\0/]*)?|git~[0-9]+|)(?:/|\0)", re.IGNORECASE)
"""A name in the index that is absolute, leads up, or is a `.git` in any disguise."""


class GitSession:
    """Git on an isolated view of a repository.

    Attributes:
        repository: the repository.
    """

    def __init__(self, repository: Repository, program: str, folder: Path) -> None:
        self.repository = repository
        self._program = program
        self._folder = folder
        self._environ = build_environment(
            folder,
            {
                "GIT_DIR": str(folder),
                "GIT_WORK_TREE": str(repository.top),
                "GIT_OBJECT_DIRECTORY": str(repository.common / "objects"),
                "GIT_INDEX_FILE": str(folder / "index"),
            },
        )

    def run(self, *words: str, timeout: float = GIT_TIMEOUT, limit: int = MAX_OUTPUT_BYTES) -> bytes | None:
        """Run a command in the project's folder and return its output; None if git fails.

        Raises:
            Fault: TIMEOUT, or UPSTREAM_ERROR for an output longer than `limit` bytes.
        """
        return run_command(self._build_command(words, b"", timeout), limit)

    def read_line(self, *words: str) -> str:
        """Return the output of a command without its line break; empty if git fails."""
        return (self.run(*words) or b"").decode("utf-8", "replace").strip()

    @contextmanager
    def stream(self, *words: str, given: bytes, timeout: float) -> Iterator[RunningGit]:
        """Start a command and yield its output.

        Raises:
            Fault: TIMEOUT.
        """
        with stream_command(self._build_command(words, given, timeout)) as running:
            yield running

    def load_index(self) -> None:
        """Copy the index, so that commands can compare with it, and check the names in it.

        Git checks the names that it adds to an index and trusts those that it finds in one: with an entry
        `../../.ssh/id_rsa`, `git diff` shows that file.

        Raises:
            Fault: FORBIDDEN for a name outside the work tree, UPSTREAM_ERROR for an index that is too large.
        """
        data = self._copy_index("index", _MAX_INDEX_BYTES)
        if shared := _find_shared_index(self.repository.folder, data):
            self._copy_index(shared, _MAX_INDEX_BYTES - len(data))
        names = self.run("ls-files", "--full-name", "-z", "--", ":(top)", limit=_MAX_LISTED_BYTES) or b""
        names = names.replace(b"\\", b"/") if os.name == "nt" else names
        # HFS+ ignores these characters in a name, so `.g<U+200C>it` would open `.git`.
        found = _BAD_INDEX_PATH.search(_IGNORED_BY_HFS.sub(b"", names))
        if found:
            start = names.rfind(b"\0", 0, found.start() + 1) + 1
            name = names[start : start + 200].partition(b"\0")[0].decode("utf-8", "backslashreplace")
            raise Fault(
                Code.FORBIDDEN,
                f'git\'s index names "{name}", which is outside the project',
                help="Nothing was read. Someone has edited the index: clone the repository anew.",
                details={"path": name},
            )

    def _copy_index(self, name: str, room: int) -> bytes:
        """Copy one file of the index, and return its content; empty without one."""
        check_cancelled()
        data = _copy_file(self.repository.folder / name, self._folder / name, room, is_whole=True)
        if data is not None:
            return data
        raise Fault(
            Code.UPSTREAM_ERROR,
            f"git's index is larger than {_MAX_INDEX_BYTES:,} bytes",
            help="Nothing was read. Delete `.git/index` and `.git/sharedindex.*`, and run `git reset`.",
            details={"path": str(self.repository.folder / name)},
        )

    def _build_command(self, words: tuple[str, ...], given: bytes, timeout: float) -> Command:
        argv = (self._program, "--no-pager", "--no-optional-locks", *words)
        return Command(argv, self.repository.root, self._environ, given, timeout)


# Not dulwich, which needs no program to isolate: 1.2.21 takes neither `HEAD~1` nor `@{-1}` for a revision and cannot
# read a split index, so that answers would differ from what `git` shows.
@contextmanager
def open_session(repository: Repository, *, compares: bool = False) -> Iterator[GitSession]:
    """Open an isolated view of a repository, and delete it after the block.

    Git reads its configuration, hooks and drivers from the git folder that it is given. It is given a new one: with the
    repository's objects and refs, a configuration of Aurora's own, and of the repository's only settings that are on a
    list. So no program that a repository names is ever started, under whatever key.

    Args:
        repository: the repository.
        compares: the session compares the work tree with the index: copy the index, and apply the user's own settings
            for line ends and ignored files.

    Raises:
        Fault: UPSTREAM_ERROR when git is not installed; FORBIDDEN when refs are links, or the index names files outside
            the work tree.
    """
    program = find_program(repository.top)
    with open_temporary_folder("git") as folder:
        _fill_folder(folder, repository)
        # Aurora's own are last, since git takes the last value of a setting.
        settings = [*select_harmless(_read_all_settings(repository)), *_OWN_SETTINGS]
        _write_settings(folder, settings)
        session = GitSession(repository, program, folder)
        if compares:
            _write_settings(folder, [*settings, *_read_personal_settings(program, folder)])
            session.load_index()
        yield session


def _fill_folder(folder: Path, repository: Repository) -> None:
    for inner in ("info", "logs"):
        (folder / inner).mkdir()
    (folder / "HEAD").write_bytes(_read_head(repository.folder / "HEAD"))
    for name in _COPIED_HERE:
        _copy_file(repository.folder / name, folder / name, _MAX_COPIED_BYTES)
    for name in _COPIED_COMMON:
        _copy_file(repository.common / name, folder / name, _MAX_COPIED_BYTES)
    for name in _LINKED_COMMON:
        _link_checked(repository.common / name, folder / name)


def _read_head(path: Path) -> bytes:
    """Read HEAD, which old repositories have as a link to a branch that need not exist."""
    if path.is_symlink() and (target := str(path.readlink())).startswith("refs/"):
        return b"ref: " + os.fsencode(target) + b"\n"
    head = read_plain(path, 4096)
    if head is None:
        raise build_linked_fault(path)
    return head


def _copy_file(source: Path, target: Path, limit: int, *, is_whole: bool = False) -> bytes | None:
    """Copy a regular file with its time of change, which git compares; skip any other kind.

    Returns:
        The copied bytes, at most the limit; None where the whole file is required and is larger.
    """
    data = read_plain(source, limit + is_whole)
    if data is None:
        return b""
    if len(data) > limit:
        return None
    target.write_bytes(data)
    with suppress(OSError):
        found = source.lstat()
        os.utime(target, ns=(found.st_atime_ns, found.st_mtime_ns))
    return data


def _find_shared_index(folder: Path, index: bytes) -> str | None:
    """Find the name of the shared index that a split index names; None for an index of one file.

    Git keeps former shared indexes for two weeks, and a folder may contain any number of them.
    """
    try:
        names = {path.name for path in folder.iterdir() if path.name.startswith(_SHARED_INDEX)}
    except OSError:
        return None
    for match in _SHARED_INDEX_LINK.finditer(index) if names else ():
        check_cancelled()
        for digest in (match[1], match[1] + (match[2] or b"")):
            if (name := _SHARED_INDEX + digest.hex()) in names:
                return name
    return None


def _link_checked(source: Path, target: Path) -> None:
    """Link a file or folder of the repository that contains no link itself; skip a missing one.

    Raises:
        Fault: FORBIDDEN for a link, which could lead to the refs of another repository.
    """
    try:
        kind = source.lstat().st_mode
    except OSError:
        return
    if found := source if stat.S_ISLNK(kind) else _find_link(source):
        raise build_linked_fault(found)
    try:
        target.symlink_to(source, target_is_directory=stat.S_ISDIR(kind))
    except OSError:  # Windows lets only some users make links
        if stat.S_ISDIR(kind):
            shutil.copytree(source, target)
        else:
            shutil.copyfile(source, target)


def _find_link(folder: Path) -> Path | None:
    """Return a link below a folder, or None."""
    waiting = [str(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_symlink():
                        return Path(entry.path)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError:
            continue
    return None


def _read_all_settings(repository: Repository) -> list[tuple[str, str]]:
    return [*read_settings(repository.common / "config"), *read_settings(repository.folder / "config.worktree")]


def _write_settings(folder: Path, settings: list[tuple[str, str]]) -> None:
    (folder / "config").write_bytes(format_settings(settings).encode("utf-8", "surrogateescape"))


def _read_personal_settings(program: str, folder: Path) -> list[tuple[str, str]]:
    """Read what the user's own configuration says about line ends and ignored files."""
    # Only here does git see the person's own configuration, and only three values of it are taken.
    environ = {name: value for name, value in os.environ.items() if not name.upper().startswith("GIT_")}
    pattern = f"^({'|'.join(re.escape(name) for name in _PERSONAL)})$"
    environ |= {"GIT_DIR": str(folder), "LC_ALL": "C"}
    data = run_command(Command((program, "config", "--null", "--get-regexp", pattern), folder, environ)) or b""
    rows = [row.decode("utf-8", "surrogateescape").partition("\n") for row in data.split(b"\0") if row]
    found = {key: value for key, _, value in rows}
    base = Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config")
    ignored = Path(os.path.expanduser(found.get("core.excludesfile") or base / "git" / "ignore"))  # noqa: PTH111 - never raises
    ends = [(key, value) for key, value in select_harmless(found.items())]
    return [*ends, ("core.excludesfile", str(ignored))] if ignored.is_file() else ends


def select_harmless(settings: Iterable[Setting]) -> Iterator[Setting]:
    """Select the settings that reach git."""
    for key, value in settings:
        if any(allowed.fullmatch(key) and values.fullmatch(value) for allowed, values in _ALLOWED):
            yield key, value


def format_settings(settings: Iterable[Setting]) -> str:
    """Format settings as a configuration file."""
    lines: list[str] = []
    for key, value in settings:
        section, _, rest = key.partition(".")
        inner, _, name = rest.rpartition(".")
        lines.append(f'[{section} "{_escape(inner)}"]' if inner else f"[{section}]")
        lines.append(f'\t{name} = "{_escape(value)}"')
    return "\n".join(lines) + "\n"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
