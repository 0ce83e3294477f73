"""One set of rules decides which paths are inside a folder, for reading and for writing."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.system.paths import read, write
from aurora.system.paths.read import is_linked_elsewhere, open_inside, read_inside, read_plain
from aurora.system.paths.resolve import describe_odd_name, is_closed, is_plain_relative, resolve_inside
from aurora.system.paths.write import create_folder_inside, remove_inside, write_inside

if TYPE_CHECKING:
    from pathlib import Path

PRIVATE = "the content of a private file"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a file, next to a folder with a private file, and links of each kind to it."""
    made = (tmp_path / "project").resolve()
    for folder in ("src", ".git", "sub/.git", "sub/.hg", ".aurora"):
        (made / folder).mkdir(parents=True)
    for file in ("src/a.txt", ".git/config", "sub/.git/config", "sub/.hg/hgrc", "sub/.gitignore"):
        (made / file).write_text(file, encoding="utf-8")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "private.txt").write_text(PRIVATE, encoding="utf-8")
    (made / "file_out").symlink_to(outside / "private.txt")
    (made / "folder_out").symlink_to(outside)
    (made / "up").symlink_to("..")
    (made / "git_link").symlink_to("sub/.git")
    (made / "src_link").symlink_to("src")
    (made / "circle").symlink_to("circle")
    (made / "nowhere").symlink_to("gone.txt")
    (made / "dangling_out").symlink_to(outside / "new.txt")
    os.mkfifo(made / "pipe")
    (made / "null").symlink_to("/dev/null")
    (made / "process").symlink_to("/proc/self")
    return made


def shorten(path: str) -> str:
    return ascii(path)[:40]


OUTSIDE = [
    "../outside/private.txt",
    "src/../../outside/private.txt",
    "src/../..",
    "..",
    "/etc/passwd",
    "//etc/passwd",
    "/proc/self/environ",
    "file_out",
    "folder_out/private.txt",
    "folder_out",
    "up/outside/private.txt",
    "up/project/../outside/private.txt",
    "src_link/../../outside/private.txt",
    "dangling_out",
    "null",
    "process/environ",
]
CLOSED = [
    ".git",
    ".git/config",
    "./.git/config",
    "src/../.git/config",
    "sub/.git",
    "sub/.git/config",
    "sub/.git/../.gitignore",
    "git_link/config",
    "sub/.hg/hgrc",
    ".GIT/config",
    "sub/.Git/config",
    "GIT~1/config",
    "sub/git~1/config",
    ".git./config",
    ".git /config",
    ".git. . /config",
    ".git::$INDEX_ALLOCATION/config",
    ".git:x/config",
    ".g\u200cit/config",
    ".gi\ufefft/config",
    "\uff0egit/config",
    ".git\\config",
    "sub\\.git\\config",
    "src/.SVN/entries",
]
IMPOSSIBLE = ["a\0b", "\0", "x" * 256, "x/" * 2500, "\ud800", "caf\udce9.txt", "é" * 128]
ODD = [
    "src\\a.txt",
    "\\\\server\\share\\x",
    "\\\\?\\C:\\x",
    "C:x",
    "C:/x",
    "c:\\x",
    "src/a.txt::$DATA",
    "src/a.txt:stream",
    "CON",
    "con.txt",
    "nul",
    "NUL .txt",
    "aux.c",
    "COM1",
    "lpt9.log",
    "COM\u00b9",
    "CONIN$",
    "a.",
    "a ",
    "a./b",
    "...",
    "src\uff0fa.txt",
    "src\u2215a.txt",
    "src\u2044a.txt",
    "src\uff3ca.txt",
    "\uff0e\uff0e/a",
    "\u2024\u2024/a",
    "a\nb",
    "a\x1b[31mb",
    "a\x85b",
    "a\u202eb",
    "a\u200bb",
]
SPECIAL = ["pipe"]
MISSING = ["gone.txt", "src/gone.txt", "src/a.txt/x", "circle", "circle/x", "nowhere", "~/x", "$HOME/x", "%2e%2e/x"]
CODES = {
    **dict.fromkeys(OUTSIDE + CLOSED + SPECIAL, Code.FORBIDDEN),
    **dict.fromkeys(IMPOSSIBLE + ODD, Code.INVALID_INPUT),
    **dict.fromkeys(MISSING, Code.NOT_FOUND),
}


@pytest.mark.parametrize("path", CODES, ids=shorten)
def test_a_path_that_leads_elsewhere_is_refused_for_reading(root: Path, path: str) -> None:
    for find in (resolve_inside, open_inside):
        with pytest.raises(Fault) as raised:
            find(root, path)
        fault = raised.value
        assert (fault.code, bool(fault.help)) == (CODES[path], True)
        assert PRIVATE not in str(fault.to_json())
        assert len(fault.message) < 400
        assert "\0" not in fault.message
        fault.message.encode("utf-8")


@pytest.mark.parametrize(
    "path", ["src/a.txt", "./src/a.txt", "src/../src/a.txt", "src_link/a.txt", "ABSOLUTE", "up/project/src/a.txt"]
)
def test_a_file_inside_is_read_however_it_is_written(root: Path, path: str) -> None:
    named = path.replace("ABSOLUTE", str(root / "src" / "a.txt"))
    assert resolve_inside(root, named) == root / "src" / "a.txt"
    assert read_inside(root, named, 5) == b"src/a"


@pytest.mark.parametrize("name", ["aux.c", "a:b", "dev-disk-by\\x2dlabel", "tab\there.txt", "入力\uff0f出力.md", "x."])
def test_a_file_whose_name_is_odd_only_elsewhere_is_read_but_never_created(root: Path, name: str) -> None:
    (root / name).write_text(name, encoding="utf-8")
    assert read_inside(root, name, 100) == name.encode()
    assert describe_odd_name(name)
    with pytest.raises(Fault) as raised:
        write_inside(root, name, b"")
    assert raised.value.code is Code.INVALID_INPUT
    assert (root / name).read_bytes() == name.encode()


def test_names_that_only_resemble_closed_ones_are_open() -> None:
    open_names = [
        ".gitignore",
        ".github",
        ".gitattributes",
        "git",
        "x.git",
        "git~",
        "digit~1",
        ".g",
        "legit",
        ".hgignore",
    ]
    assert [name for name in open_names if is_closed([name])] == []
    assert [name for name in open_names if describe_odd_name(name)] == []
    assert is_plain_relative("a/b.c")
    for path in ("", "/a", "a//b", "a/./b", "../a", "a/..", ".git/x", "a/.GIT", "a\0b", "\udce9"):
        assert not is_plain_relative(path)


@pytest.mark.parametrize(
    "path", [*OUTSIDE, *CLOSED, *IMPOSSIBLE, *ODD, *SPECIAL, "circle", "nowhere", "", ".", "/x"], ids=shorten
)
def test_a_path_that_leads_elsewhere_is_refused_for_writing(root: Path, path: str) -> None:
    before = sorted((str(found), found.lstat().st_mtime_ns) for found in root.parent.rglob("*"))
    for work in (lambda: write_inside(root, path, b"evil"), lambda: create_folder_inside(root, path)):
        with pytest.raises((Fault, OSError)) as raised:
            work()
        assert isinstance(raised.value, FileExistsError | NotADirectoryError) or raised.value.help  # type: ignore[attr-defined]
    assert sorted((str(found), found.lstat().st_mtime_ns) for found in root.parent.rglob("*")) == before


@pytest.mark.parametrize("path", ["new.txt", "src/a.txt", "x/y/z.txt", "src_link/a.txt", "sub/.gitignore"])
def test_a_file_inside_is_written_and_deleted(root: Path, path: str) -> None:
    write_inside(root, path, b"new")
    assert (root / path).read_bytes() == b"new"
    assert not list(root.rglob(".*.????????"))
    remove_inside(root, path)
    assert not (root / path).exists()
    assert create_folder_inside(root, "x/y") == root / "x" / "y"
    assert create_folder_inside(root, "src_link") == root / "src"


def test_a_new_file_has_the_given_mode_and_an_existing_one_keeps_its_own(root: Path) -> None:
    write_inside(root, "new.txt", b"", 0o600)
    (root / "src" / "a.txt").chmod(0o640)
    write_inside(root, "src/a.txt", b"", 0o600)
    assert [(root / name).stat().st_mode & 0o777 for name in ("new.txt", "src/a.txt")] == [0o600, 0o640]


def test_a_failed_check_leaves_the_file_and_no_other(root: Path) -> None:
    def fail() -> None:
        raise OSError("changed")

    before = sorted(root.rglob("*"))
    with pytest.raises(OSError, match="changed"):
        write_inside(root, "src/a.txt", b"new", check=fail)
    assert (root / "src" / "a.txt").read_bytes() == b"src/a.txt"
    assert sorted(root.rglob("*")) == before


def test_writing_ends_a_hard_link_and_leaves_the_other_file(root: Path) -> None:
    private = root.parent / "outside" / "private.txt"
    (root / "linked.txt").hardlink_to(private)
    write_inside(root, "linked.txt", b"new")
    assert private.read_text(encoding="utf-8") == PRIVATE
    assert (root / "linked.txt").read_bytes() == b"new"


def test_a_hard_link_to_a_file_outside_is_told_from_one_inside(root: Path) -> None:
    (root / "linked.txt").hardlink_to(root.parent / "outside" / "private.txt")
    (root / "src" / "b.txt").hardlink_to(root / "src" / "a.txt")
    assert is_linked_elsewhere(root / "linked.txt", root)
    assert not is_linked_elsewhere(root / "src" / "b.txt", root)
    assert is_linked_elsewhere(root / "src" / "b.txt", root / "sub")
    assert not is_linked_elsewhere(root / "sub" / ".gitignore", root)
    assert not is_linked_elsewhere(root / "gone", root)


@pytest.mark.parametrize("swapped", ["src", "src/inner"])
def test_a_folder_that_becomes_a_link_after_the_check_is_not_followed(
    root: Path, monkeypatch: pytest.MonkeyPatch, swapped: str
) -> None:
    outside = root.parent / "outside"
    for place in (root / "src" / "inner", outside / "inner"):
        place.mkdir()
        (place / "private.txt").write_text(PRIVATE, encoding="utf-8")

    def swap_after(module: Any, name: str) -> None:
        original = getattr(module, name)

        def check(*given: Any) -> Any:
            checked = original(*given)
            (root / swapped).rename(root / "aside")
            (root / swapped).symlink_to(outside / "inner" if "/" in swapped else outside)
            return checked

        monkeypatch.setattr(module, name, check)

    swap_after(read, "resolve_inside")
    swap_after(write, "locate_target")
    for work in (
        lambda: read_inside(root, "src/inner/private.txt", 100),
        lambda: write_inside(root, "src/inner/private.txt", b"evil"),
        lambda: remove_inside(root, "src/inner/private.txt"),
        lambda: create_folder_inside(root, "src/inner/new"),
    ):
        with pytest.raises((Fault, OSError)):
            work()
        (root / swapped).unlink()
        (root / "aside").rename(root / swapped)
    found = {path.relative_to(outside).as_posix() for path in outside.rglob("*")}
    assert found == {"private.txt", "inner", "inner/private.txt"}
    assert (outside / "inner" / "private.txt").read_text(encoding="utf-8") == PRIVATE


def test_a_special_file_is_not_read(root: Path) -> None:
    server = socket.socket(socket.AF_UNIX)
    here = os.getcwd()  # noqa: PTH109 - a socket's path is limited to some 100 bytes
    os.chdir(root)
    try:
        server.bind("socket")
    finally:
        os.chdir(here)
    for name in ("pipe", "socket"):
        with pytest.raises(Fault, match="is a pipe, a socket or a device"):
            resolve_inside(root, name)
        assert read_plain(root / name, 10) is None
    server.close()
    assert read_plain(root / "file_out", 10) is None
    assert read_plain(root / "src", 10) is None
    with pytest.raises(Fault, match="folder"):
        open_inside(root, "src")
