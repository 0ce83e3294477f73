"""A secret in the tree reaches neither the database file nor its log, an export, a backup, or a line that is logged."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aurora.errors import Fault
from aurora.memory import Memory
from aurora.memory.records.export import export_records
from aurora.memory.sqlite.backup import backup

if TYPE_CHECKING:
    from collections.abc import Iterator

# In two parts each, or this file would be one that holds a secret.
TOKEN = "AKIA" + "Q3EGRD7XV5TZLMNP"
PASSWORD = "hT7kQ2vL" + "9xWp3ZbR"
OUTSIDE = "a_function_of_somebody_else"
KEY = "MIIEpAIBAAKCAQEA" + "x7Yd0PqTz3WnJ5RkVb"

FILES = {
    ".env": f"API={PASSWORD}\n",
    "config/settings.py": f'import os\n\nPASSWORD = "{PASSWORD}"\n',
    "deploy.sh": f"#!/bin/sh\nexport AWS_ACCESS_KEY_ID={TOKEN}\n",
    "docs/setup.md": f"# Setup\n\nUse the key `{TOKEN}` for now.\n",
    "id_rsa": f"-----BEGIN RSA {'PRIVATE'} KEY-----\n{KEY}\n-----END RSA {'PRIVATE'} KEY-----\n",
    "data.json": f'{{"password": "{PASSWORD}"}}\n',
    "broken.py": f'def f(:\n    (((\n    token = "{TOKEN}"\n',
    f"{TOKEN}.py": "def named_for_it():\n    return 1\n",
    "sound.py": "def sound():\n    return 1\n",
}


def write(root: Path) -> None:
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def bodies(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file under the folder, the database's log among them."""
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            yield file.name, file.read_bytes()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    write(root)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "other.py").write_text(f"def {OUTSIDE}():\n    return 1\n", encoding="utf-8")
    (root / "linked.py").symlink_to(tmp_path / "outside" / "other.py")
    (root / "linked").symlink_to(tmp_path / "outside")
    return root


def test_no_byte_of_a_secret_or_of_a_file_outside_is_anywhere_that_aurora_writes(
    project: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kept, told = tmp_path / "kept", list[str]()
    with caplog.at_level(logging.DEBUG), Memory.open(kept / "memory.db") as memory:
        report = memory.index(project, progress=lambda _done, _total, message: told.append(message))
        assert memory.search("sound").hits
        for query in (TOKEN, PASSWORD, OUTSIDE):
            assert not [hit for hit in memory.search(f'"{query}"').hits if query in hit.chunk.text]
        masked = {"config/settings.py", "deploy.sh", "docs/setup.md", "data.json", "broken.py"}
        assert {line.path for line in report.left_out} == masked
        assert {skip.path for skip in report.skipped} == {*FILES, "linked.py", "linked"} - {"sound.py"} - masked
        assert [hit.chunk.path for hit in memory.search("Setup for now").hits][:1] == ["docs/setup.md"]
        backup.create_backup(memory.path)
        (kept / "export.jsonl").write_text(export_records(memory.store, code=True).to_text(), encoding="utf-8")
        (kept / "log.txt").write_text(
            "\n".join([*told, caplog.text, *(skip.detail for skip in report.skipped)]), encoding="utf-8"
        )
        names = {name for name, _ in bodies(kept)}
        assert names >= {"memory.db", "memory.db-wal", "export.jsonl", "log.txt"}
        for name, body in bodies(kept):
            for secret in (TOKEN, PASSWORD, KEY, OUTSIDE):
                assert secret.encode() not in body, name
    for name, body in bodies(kept):
        assert TOKEN.encode() not in body, name


def test_a_file_that_turns_into_a_secret_or_a_way_out_leaves_the_index(memory: Memory, project: Path) -> None:
    file, folder = project / "sound.py", project / "part"
    folder.mkdir()
    (folder / "other.py").write_text("def inside():\n    return 1\n", encoding="utf-8")
    memory.index(project)
    assert memory.search("inside").hits
    file.write_text(f'def sound():\n    return "{TOKEN}"\n', encoding="utf-8")
    shutil.rmtree(folder)
    folder.symlink_to(project.parent / "outside")
    report = memory.index(project)
    assert ("sound.py", 2) in {(one.path, one.line) for one in report.left_out}
    assert ("part", "outside") in {(skip.path, skip.reason) for skip in report.skipped}
    assert not [one for one in memory.iter_chunks() if one.path == "part/other.py"]
    (chunk,) = [one for one in memory.iter_chunks() if one.path == "sound.py"]
    assert chunk.text == "def sound():\n[line left out: an AWS access key]"
    for name, body in bodies(memory.path.parent):
        assert TOKEN.encode() not in body, name
        assert OUTSIDE.encode() not in body, name


@pytest.mark.parametrize("path", ["../outside", "linked", "linked/other.py", "linked.py", "/etc", "part/../../outside"])
def test_a_path_that_leads_outside_is_refused_and_nothing_of_it_is_held(
    memory: Memory, project: Path, path: str
) -> None:
    with pytest.raises(Fault, match="outside"):
        memory.index(project, paths=[Path(path)])
    for name, body in bodies(memory.path.parent):
        assert OUTSIDE.encode() not in body, name
