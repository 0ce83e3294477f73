"""The file of a cache: what is not exactly a cache of this key, in a private place, is not used."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from aurora.startup import StartCache, StartKey, encode_cache, read_cache, stamp_path

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ANSWERS = {"stateless": {"ping {}": '{"a":1}', "tools/list {}": '{"tools":[]}', "prompts/list {}": '{"a":1}'}}


@pytest.fixture
def key(tmp_path: Path) -> StartKey:
    folder = tmp_path / "start"
    folder.mkdir(mode=0o700)
    return StartKey({"words": ["mcp"], "version": "1"}, str(tmp_path), str(folder / "one.json"))


@pytest.fixture
def path(key: StartKey, tmp_path: Path) -> Path:
    """The file of a valid cache."""
    stamps = {str(tmp_path): stamp_path(str(tmp_path)), "/no/such": None}
    file = tmp_path / "start" / "one.json"
    file.write_bytes(encode_cache(key, StartCache(stamps, {}, {"tools/list": {"/no/such": None}}, ANSWERS)))
    file.chmod(0o600)
    return file


def test_a_cache_is_read_as_it_was_written(key: StartKey, path: Path) -> None:
    found = read_cache(key)
    assert found is not None
    assert found.answers == ANSWERS
    assert found.is_current()
    assert found.is_method_current("tools/list")
    assert path.read_bytes() == encode_cache(key, found)


def test_a_cache_of_another_key_is_not_used(key: StartKey, path: Path) -> None:
    assert path.exists()
    assert read_cache(StartKey({**key.fields, "version": "2"}, key.folder, key.path)) is None


def damage(change: Callable[[Any], Any]) -> Callable[[Path], None]:
    """Change the document in the file of a cache."""

    def write(path: Path) -> None:
        document = json.loads(path.read_bytes())
        changed = change(document)
        path.write_text(json.dumps(document if changed is None else changed), encoding="utf-8")

    return write


def replace_by_link(path: Path) -> None:
    path.rename(path.with_suffix(".old"))
    path.symlink_to(path.with_suffix(".old"))


def replace_by_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


HOSTILE: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "no JSON": lambda path: path.write_bytes(b"\xff\x00" * 100),
    "deep": lambda path: path.write_bytes(b"[" * 1_000_000),
    "too large": lambda path: path.write_bytes(path.read_bytes() + b" " * 5_000_000),
    "a link": replace_by_link,
    "a pipe": replace_by_pipe,
    "written by others": lambda path: path.chmod(0o666),
    "in a folder of others": lambda path: path.parent.chmod(0o777),
    "a list": damage(lambda _: []),
    "no texts": damage(lambda document: document.pop("texts") and None),
    "a number as text": damage(lambda document: document["texts"].insert(0, 5)),
    "two lines": damage(lambda document: document["texts"].insert(0, '{"a":1}\n{"b":2}')),
    "half a character": damage(lambda document: document["texts"].insert(0, '{"a":"\ud800"}')),
    "a number too large": damage(lambda document: document["answers"].update({"scope": {"ping {}": 99}})),
    "a number below zero": damage(lambda document: document["answers"].update({"scope": {"ping {}": -1}})),
    "answers of another kind": damage(lambda document: document.update(answers=[1])),
    "stamps of another kind": damage(lambda document: document.update(stamps={"/": "x"})),
    "many stamps": damage(lambda document: document["stamps"].update({f"/{n}": None for n in range(20_000)})),
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_a_damaged_or_hostile_file_is_not_used(key: StartKey, path: Path, change: Callable[[Path], object]) -> None:
    assert read_cache(key) is not None
    change(path)
    assert read_cache(key) is None


def test_a_stamp_of_an_impossible_path_is_not_current(key: StartKey, path: Path) -> None:
    damage(lambda document: document["stamps"].update({"/a\0b": [1, 2, 3, 4]}))(path)
    found = read_cache(key)
    assert found is not None
    assert not found.is_current()
