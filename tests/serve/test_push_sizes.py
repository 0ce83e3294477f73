"""A request with contents costs the same in a large push as in a small one."""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING

from aurora.serve.push import PushedProject
from aurora.serve.push.manifest import Manifest, PushedFile
from aurora.serve.push.sizes import ContentSizes

if TYPE_CHECKING:
    from pathlib import Path

_REPEATS = 20


def make_hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def make_manifest(count: int) -> Manifest:
    contents = {f"f{number}.txt": f"text {number}".encode() for number in range(count)}
    return Manifest({path: PushedFile(make_hash(data), len(data)) for path, data in contents.items()})


def test_the_size_of_each_content_is_found_and_of_no_other() -> None:
    manifest = make_manifest(300)
    sizes = ContentSizes.from_files(manifest.files.values())
    assert all(sizes.find(file.sha256) == file.size for file in manifest.files.values())
    for other in (make_hash(b"other"), "0" * 64, "f" * 64, "no hash", ""):
        assert sizes.find(other) is None
    assert ContentSizes.from_files(()).find(make_hash(b"other")) is None


def test_a_request_with_contents_does_not_read_the_whole_manifest(tmp_path: Path) -> None:
    spent = {}
    for count in (500, 30_000):
        project, manifest = PushedProject(tmp_path / str(count)), make_manifest(count)
        project.begin("ann", manifest)
        began = time.process_time()
        for number in range(_REPEATS):
            data = f"text {number}".encode()
            project.add_contents("ann", manifest.id, {make_hash(data): data})
        spent[count] = time.process_time() - began
    assert spent[30_000] < 15 * spent[500]
