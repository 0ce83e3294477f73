"""An atomic write leaves the old content or the new one, whatever happens to the process, the folder or the disk."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from aurora.errors import Cancelled, CancelScope
from aurora.system.files import commit_file, write_atomically

OLD = b"old " * 1_000
NEW = b"new " * 300_000
KILLED_AT = """
import os, signal, sys
from pathlib import Path
from aurora.system.files import write_atomically

step, target = sys.argv[1], Path(sys.argv[2])

def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)

def audit(event, args):
    text = " ".join(str(one) for one in args)
    if event == step and target.name in text:
        die()

data = b"new " * 300_000
if step == "check":
    write_atomically(target, data, check=die)
elif step == "after":
    write_atomically(target, data)
    die()
else:
    sys.addaudithook(audit)
    write_atomically(target, data)
"""
LIMITED = """
import resource, signal, sys
from pathlib import Path
from aurora.system.files import write_atomically

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    write_atomically(Path(sys.argv[1]), b"new " * 300_000)
except OSError as error:
    print(error.strerror)
"""
WITHOUT_PERMISSION = """
import os, sys
from pathlib import Path
from aurora.system.files import write_atomically

Path.cwd().chmod(0o555)
if os.geteuid() == 0:
    os.seteuid(65534)  # root may write into any folder
try:
    write_atomically(Path("settings.json"), b"new")
except PermissionError as error:
    print(error.strerror)
"""


def list_names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def run_program(program: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("step", "expected"),
    [("open", OLD), ("os.chmod", OLD), ("check", OLD), ("os.rename", OLD), ("after", NEW)],
)
def test_a_process_killed_at_a_step_leaves_the_old_or_the_new_content(
    tmp_path: Path, step: str, expected: bytes
) -> None:
    target = tmp_path / "settings.json"
    target.write_bytes(OLD)

    done = run_program(KILLED_AT, step, str(target))

    assert done.returncode == -signal.SIGKILL, done.stderr
    assert target.read_bytes() == expected


def test_what_a_killed_write_leaves_behind_is_hidden_and_removed_by_the_next_one(tmp_path: Path) -> None:
    target = tmp_path / "settings.json"
    run_program(KILLED_AT, "check", str(target))
    left = list_names(tmp_path)

    write_atomically(target, NEW)

    assert len(left) == 1
    assert left[0].startswith(".settings.json.")
    assert target.read_bytes() == NEW
    assert list_names(tmp_path) == ["settings.json"]


def test_a_write_that_exceeds_the_space_keeps_the_old_content_and_removes_its_own_file(tmp_path: Path) -> None:
    target = tmp_path / "settings.json"
    target.write_bytes(OLD)

    done = run_program(LIMITED, str(target))

    assert done.stdout == "File too large\n"
    assert target.read_bytes() == OLD
    assert list_names(tmp_path) == ["settings.json"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_finished_file_that_the_system_cannot_sync_is_not_moved(tmp_path: Path) -> None:
    partial = tmp_path / "partial"
    partial.symlink_to("/dev/full")
    target = tmp_path / "settings.json"
    target.write_bytes(OLD)

    with pytest.raises(OSError, match="argument"):
        commit_file(partial, target)

    assert target.read_bytes() == OLD


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o755, 0o400])
def test_an_existing_file_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    target = tmp_path / "run.sh"
    target.write_bytes(OLD)
    target.chmod(mode)

    write_atomically(target, NEW, 0o666)

    assert stat.S_IMODE(target.stat().st_mode) == mode
    assert target.read_bytes() == NEW


@pytest.mark.parametrize(("wanted", "umask", "given"), [(None, 0o027, 0o640), (None, 0, 0o666), (0o600, 0, 0o600)])
def test_a_new_file_has_the_wanted_mode_or_that_of_the_umask(
    tmp_path: Path, wanted: int | None, umask: int, given: int
) -> None:
    before = os.umask(umask)
    try:
        write_atomically(tmp_path / "new", b"x", wanted)
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == given


def test_a_private_file_is_private_before_its_content_is_complete(tmp_path: Path) -> None:
    modes = []

    def observe() -> None:
        modes.extend(stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir())

    write_atomically(tmp_path / "key", b"secret", 0o600, check=observe)

    assert modes == [0o600]


def test_missing_folders_are_created(tmp_path: Path) -> None:
    target = tmp_path / "one" / "two" / "three.txt"

    write_atomically(target, b"")

    assert target.read_bytes() == b""


def test_a_file_in_place_of_the_folder_is_an_error_that_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(OLD)

    with pytest.raises(OSError, match="one"):
        write_atomically(tmp_path / "one" / "two.txt", NEW)

    assert (tmp_path / "one").read_bytes() == OLD


def test_a_folder_in_place_of_the_file_is_an_error_that_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()

    with pytest.raises(OSError, match="one"):
        write_atomically(tmp_path / "one", NEW)

    assert list_names(tmp_path) == ["one"]
    assert list_names(tmp_path / "one") == []


def test_a_read_only_folder_keeps_the_old_content(tmp_path: Path) -> None:
    target = tmp_path / "settings.json"
    target.write_bytes(OLD)
    try:
        done = subprocess.run(
            [sys.executable, "-c", WITHOUT_PERMISSION], cwd=tmp_path, capture_output=True, text=True, check=True
        )
    finally:
        tmp_path.chmod(0o700)

    assert done.stdout == "Permission denied\n"
    assert target.read_bytes() == OLD
    assert list_names(tmp_path) == ["settings.json"]


def test_a_failed_check_keeps_the_old_content_and_removes_the_new_one(tmp_path: Path) -> None:
    target = tmp_path / "settings.json"
    target.write_bytes(OLD)

    def refuse() -> None:
        raise RuntimeError("edited meanwhile")

    with pytest.raises(RuntimeError, match="edited meanwhile"):
        write_atomically(target, NEW, check=refuse)

    assert target.read_bytes() == OLD
    assert list_names(tmp_path) == ["settings.json"]


def test_the_check_sees_the_old_content_next_to_the_whole_new_one(tmp_path: Path) -> None:
    target = tmp_path / "settings.json"
    target.write_bytes(OLD)
    seen: list[bytes] = []

    write_atomically(target, NEW, check=lambda: seen.extend(path.read_bytes() for path in sorted(tmp_path.iterdir())))

    assert seen == [NEW, OLD]


def test_a_link_is_replaced_by_a_file_and_its_target_is_left_alone(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(OLD)
    target.chmod(0o640)
    link.symlink_to(target)

    write_atomically(link, NEW)

    assert not link.is_symlink()
    assert link.read_bytes() == NEW
    assert stat.S_IMODE(link.stat().st_mode) == 0o640
    assert target.read_bytes() == OLD


def test_a_link_to_nothing_is_replaced_too(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nowhere")

    write_atomically(link, NEW)

    assert link.read_bytes() == NEW
    assert list_names(tmp_path) == ["link"]


def test_cancelled_work_writes_nothing(tmp_path: Path) -> None:
    scope = CancelScope()
    with scope.activate():
        scope.cancel()
        with pytest.raises(Cancelled):
            write_atomically(tmp_path / "deep" / "file", NEW)

    assert list_names(tmp_path) == []


def test_work_cancelled_just_before_the_rename_keeps_the_old_content(tmp_path: Path) -> None:
    target = tmp_path / "settings.json"
    target.write_bytes(OLD)
    scope = CancelScope()
    with scope.activate(), pytest.raises(Cancelled):
        write_atomically(target, NEW, check=scope.cancel_nowait)

    assert target.read_bytes() == OLD
    assert list_names(tmp_path) == ["settings.json"]
    assert scope.changes == 0


def test_a_write_counts_as_one_commit_of_its_scope(tmp_path: Path) -> None:
    scope = CancelScope()
    with scope.activate():
        write_atomically(tmp_path / "one", NEW)
        write_atomically(tmp_path / "two", NEW)

    assert scope.changes == 2


def test_a_reader_never_sees_half_of_a_file_that_two_threads_write(tmp_path: Path) -> None:
    target = tmp_path / "settings.json"
    contents = {bytes([letter]) * 50_000 for letter in b"ab"}
    write_atomically(target, max(contents))

    def write_often(content: bytes) -> None:
        for _ in range(20):
            write_atomically(target, content)

    writers = [threading.Thread(target=write_often, args=(content,)) for content in contents]
    for writer in writers:
        writer.start()
    seen = set()
    while any(writer.is_alive() for writer in writers):
        seen.add(target.read_bytes())
    for writer in writers:
        writer.join()

    assert seen <= contents
    assert target.read_bytes() in contents
    assert list_names(tmp_path) == ["settings.json"]
