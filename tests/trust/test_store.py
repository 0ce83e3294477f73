"""The list of trusted folders survives two writers, and trusts nothing when anything is wrong with it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.trust import FolderTrust

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WRITER = """
import sys
from pathlib import Path
from aurora.trust import FolderTrust

base, name = Path(sys.argv[1]), sys.argv[2]
for number in range(20):
    folder = base / f"{name}-{number}"
    folder.mkdir()
    FolderTrust(folder).grant()
FolderTrust(base / f"{name}-0").revoke()
"""


@pytest.fixture
def listed(project: Path, state: Path) -> Path:
    """The list, which has one folder."""
    assert FolderTrust(project).is_trusted()
    return state / "aurora" / "trusted-folders.json"


def _edit(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        document = json.loads(path.read_text(encoding="utf-8"))
        change(document)
        path.write_text(json.dumps(document), encoding="utf-8")

    return damage


def _set(key: str, value: Any) -> Callable[[Path], None]:
    return _edit(lambda document: document["folders"][0].update({key: value}))


def _write(data: bytes) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        path.write_bytes(data)

    return damage


def _make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _make_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


DAMAGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "empty": (_write(b""), "is damaged"),
    "cut": (lambda path: path.write_bytes(path.read_bytes()[:-20]) and None, "is damaged"),
    "not text": (_write(b"\xff\xfe\x00"), "is damaged"),
    "not an object": (_write(b"[]"), "is damaged"),
    "nested": (_write(b"[" * 100_000), "is damaged"),
    "a long number": (_write(b'{"version": 1, "folders": [' + b"9" * 10_000 + b"]}"), "is damaged"),
    "folders no list": (_edit(lambda document: document.update(folders=7)), "is damaged"),
    "folder a number": (_set("folder", 7), "is damaged"),
    "inode a text": (_set("inode", "1"), "is damaged"),
    "mark of booleans": (_set("mark", [True, False]), "is damaged"),
    "mark too short": (_set("mark", [1]), "is damaged"),
    "no time": (_edit(lambda document: document["folders"][0].pop("since")), "is damaged"),
    "later version": (_edit(lambda document: document.update(version=3)), "another version of Aurora"),
    "too large": (_write(b" " * 16_000_001), "is not a file of at most 16 MB"),
    "a folder": (_make_folder, "cannot be read (Is a directory)"),
    "a pipe": (_make_pipe, "is not a file of at most 16 MB"),
    "writable by everyone": (lambda path: path.chmod(0o666), "can be written by others"),
    "writable by the group": (lambda path: path.chmod(0o660), "can be written by others"),
}


@pytest.mark.parametrize(("damage", "said"), DAMAGES.values(), ids=DAMAGES)
def test_a_list_with_anything_wrong_trusts_nothing_says_so_and_is_left_alone(
    project: Path, listed: Path, damage: Callable[[Path], None], said: str
) -> None:
    opened = FolderTrust(project)
    assert opened.is_trusted()
    damage(listed)
    before = listed.read_bytes() if listed.is_file() else b""
    for trust in (opened, FolderTrust(project)):
        assert not trust.is_trusted()
        status = trust.read_status()
        assert (status.trusted, status.reason) == (False, "unreadable")
        assert status.fault is not None
        assert said in status.fault.message
        assert status.fault.help
        for change in (trust.grant, trust.revoke):
            with pytest.raises(Fault, match=re.escape(said)):
                change()
    assert (listed.read_bytes() if listed.is_file() else b"") == before


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file away")
def test_a_list_of_another_user_is_not_believed(project: Path, listed: Path) -> None:
    os.chown(listed, 12345, -1)
    status = FolderTrust(project).read_status()
    assert status.fault is not None
    assert "belongs to another user" in status.fault.message


def test_a_deleted_list_trusts_nothing_and_begins_again(project: Path, listed: Path) -> None:
    opened = FolderTrust(project)
    assert opened.is_trusted()
    listed.unlink()
    assert not opened.is_trusted()
    opened.grant()
    assert opened.is_trusted()


def test_a_state_folder_that_cannot_be_written_is_an_error_with_a_remedy(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", "/proc/nowhere"):
        monkeypatch.setenv("XDG_STATE_HOME", str(folder))
        trust = FolderTrust(project)
        assert trust.read_status().reason == "unlisted"
        with pytest.raises(Fault, match=r"the list of trusted folders .* cannot be written") as caught:
            trust.grant()
        assert caught.value.code is Code.FORBIDDEN
        assert "AURORA_TRUST=1" in caught.value.help


def test_an_account_without_a_home_trusts_nothing_and_says_so(project: Path) -> None:
    environ = {"HOME": "~nobody-has-this-name", "XDG_STATE_HOME": ""}
    trust = FolderTrust(project, environ)
    assert trust.read_status().reason == "unlisted"
    with pytest.raises(Fault, match="there is no home folder"):
        trust.grant()


def test_two_processes_at_once_lose_nothing(tmp_path: Path, project: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), name], env=dict(os.environ))
        for name in ("one", "two")
    ]
    assert [writer.wait(120) for writer in writers] == [0, 0]
    names = {entry.root.rpartition("/")[2] for entry in FolderTrust(project).list_entries()}
    assert names == {"project", *(f"{name}-{number}" for name in ("one", "two") for number in range(1, 20))}


def test_a_folder_whose_name_is_no_text_can_be_trusted(tmp_path: Path) -> None:
    root = tmp_path / os.fsdecode(b"caf\xe9-\n")
    root.mkdir()
    FolderTrust(root).grant()
    assert FolderTrust(root).is_trusted()
    assert [entry.root for entry in FolderTrust(root).list_entries()] == [str(root)]


def test_trusting_again_keeps_one_entry(project: Path) -> None:
    for _ in range(3):
        FolderTrust(project).grant()
    assert len(FolderTrust(project).list_entries()) == 1
