"""A publisher of pushes answers each request, whatever happens in its thread."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from aurora.faults import Code, Fault
from aurora.serve.push.manifest import Manifest, PushedFile
from aurora.serve.push.project import PushedProject
from aurora.serve.push.publisher import Publisher

if TYPE_CHECKING:
    from pathlib import Path

TEXT = b"def open_session():\n    return 1\n"


def test_an_index_that_breaks_is_a_fault_and_the_next_request_goes_on(tmp_path: Path) -> None:
    project = PushedProject(tmp_path / "shop")
    project.prepare()
    sha256 = hashlib.sha256(TEXT).hexdigest()
    manifest = Manifest({"a.py": PushedFile(sha256, len(TEXT))})
    assert project.begin("Ann", manifest) == [sha256]
    project.add_contents("Ann", manifest.id, {sha256: TEXT})
    indexed: list[Path] = []

    def index(_: str, folder: Path) -> None:
        indexed.append(folder)
        if len(indexed) == 1:
            raise LookupError

    publisher = Publisher(index)
    with pytest.raises(Fault, match=r"could not be finished \(LookupError\)") as raised:
        publisher.finish("shop", project, "Ann", manifest.id)
    assert raised.value.code is Code.INTERNAL_ERROR
    assert publisher.finish("shop", project, "Ann", manifest.id) == {"is_base": True, "commit": "", "files": 1}
    assert indexed == [project.base, project.base]
    assert (project.base / "a.py").read_bytes() == TEXT
