"""The key of an account: one per account, private, and the same for all processes."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from aurora.trust import is_signed, sign_words
from aurora.trust.account_key import KEY_FILE

if TYPE_CHECKING:
    from pathlib import Path

SIGN = "from aurora.trust import sign_words; print(sign_words('run', 'a'))"


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def test_a_signature_is_for_these_words_in_this_order(state: Path) -> None:
    signature = sign_words("run", "ab", "c")
    assert is_signed(signature, "run", "ab", "c")
    for words in (("run", "a", "bc"), ("run", "c", "ab"), ("run", "ab"), ("run", "ab", "c", "")):
        assert not is_signed(signature, *words)
    for wrong in ("", None, 1, signature[:-1], "ä"):
        assert not is_signed(wrong, "run", "ab", "c")
    (key,) = (path for path in (state / "aurora").iterdir())
    assert (key.name, stat.S_IMODE(key.stat().st_mode)) == (KEY_FILE, 0o600)


def test_another_account_signs_otherwise(state: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert state
    signature = sign_words("run", "a")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))
    assert not is_signed(signature, "run", "a")


def test_processes_that_begin_at_once_make_one_key(state: Path) -> None:
    environ = {**os.environ, "XDG_STATE_HOME": str(state)}
    command = [sys.executable, "-c", SIGN]
    many = [subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) for _ in range(8)]
    signatures = {process.communicate()[0].strip() for process in many}
    assert signatures == {sign_words("run", "a")}
    assert [path.name for path in (state / "aurora").iterdir()] == [KEY_FILE]


@pytest.mark.parametrize("damage", ["cut", "a folder", "written by others"])
def test_where_no_key_can_be_kept_nothing_is_signed_and_anything_is_right(state: Path, damage: str) -> None:
    folder = state / "aurora"
    folder.mkdir(parents=True)
    if damage == "a folder":
        (folder / KEY_FILE).mkdir()
    else:
        (folder / KEY_FILE).write_bytes(b"x" * (32 if damage == "written by others" else 5))
        (folder / KEY_FILE).chmod(0o666 if damage == "written by others" else 0o600)
    assert sign_words("run", "a") == ""
    assert is_signed("anything", "run", "a")
