"""Names of pushed files: which two cannot be kept together, and how much a hostile list costs."""

from __future__ import annotations

import json
import tracemalloc
import unicodedata
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.faults import Fault
from aurora.serve.push.collect import collect_tree
from aurora.serve.push.manifest import MAX_FOLDERS, Manifest, unpack_manifest
from aurora.serve.push.names import MAX_LEVELS, count_folders, describe_bad_path, find_collisions
from aurora.serve.push.packing import pack

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

NAMES = st.text(
    st.sampled_from("aAbB\u017fs-!.\u0301\u0338\u1161\u1100éÉeßﬁfi\u2100c\u00c5\u212bKk\U00010400\U00010428"),
    min_size=1,
    max_size=3,
)
"""Characters that are equal to others without case or accents, that combine, and that become several."""
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


def find_collisions_simply(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Compare each path with all folders and files of those before."""
    kept: list[str] = []
    for path in sorted(paths):
        clash = find_clash_simply(path, kept)
        if clash:
            yield path, f'it cannot be kept next to "{clash}" on every system'
        else:
            kept.append(path)


def find_clash_simply(path: str, kept: list[str]) -> str:
    spelt: dict[str, str] = {}
    for one in kept:
        for level in list_levels(one):
            spelt.setdefault(fold(level), level)
    if fold(path) in spelt:
        return spelt[fold(path)]
    files = {fold(one) for one in kept}
    for folder in list_levels(path)[:-1]:
        other = spelt.get(fold(folder))
        if other is not None and (other != folder or fold(folder) in files):
            return other
    return ""


def list_levels(path: str) -> list[str]:
    names = path.split("/")
    return ["/".join(names[:count]) for count in range(1, len(names) + 1)]


def fold(path: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", path).casefold())


@given(st.lists(PATHS, unique=True, max_size=12))
@settings(max_examples=500)
def test_the_collisions_are_those_of_the_simple_definition(paths: list[str]) -> None:
    assert list(find_collisions(paths)) == list(find_collisions_simply(paths))


@given(st.lists(PATHS, unique=True, max_size=12))
def test_each_folder_is_counted_once(paths: list[str]) -> None:
    assert count_folders(paths) == len({level for path in paths for level in list_levels(path)[:-1]})


def make_document(rows: Any) -> Any:
    return {"commit": "", "branch": "", "clean": True, "files": rows}


def test_a_path_of_too_many_names_is_refused() -> None:
    deepest = "a/" * (MAX_LEVELS - 1) + "x.py"
    assert describe_bad_path(deepest) == ""
    assert describe_bad_path(f"a/{deepest}") == "its path has more than 64 names"


def test_a_hostile_list_of_deep_paths_takes_no_more_memory_than_its_text() -> None:
    rows = [[f"{number:05d}/{'a/' * 270}x.py", "0" * 64, 1] for number in range(1_000)]
    tracemalloc.start()
    try:
        with pytest.raises(Fault, match="its path has more than 64 names"):
            Manifest.from_json(make_document(rows))
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_a_list_with_too_many_folders_is_refused() -> None:
    rows = [[f"{number:05d}/{'a/' * 60}x.py", "0" * 64, 1] for number in range(MAX_FOLDERS // 61 + 1)]
    with pytest.raises(Fault, match="its files are in more than 100,000 folders"):
        Manifest.from_json(make_document(rows))
    assert len(Manifest.from_json(make_document(rows[:-1])).files) == MAX_FOLDERS // 61


def test_a_text_that_would_become_millions_of_values_is_not_read() -> None:
    text = json.dumps(make_document([])).replace("[]", f"[{'[],' * 1_000_000}[]]")
    with pytest.raises(Fault, match="it has more than 1,000,000 values"):
        unpack_manifest(pack(text.encode()))


def test_the_client_leaves_out_a_file_that_is_too_deep(tmp_path: Path) -> None:
    for depth in (MAX_LEVELS - 1, MAX_LEVELS):
        folder = tmp_path.joinpath("shop", *["d"] * depth)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "deep.py").write_text("deep = 1\n", "utf-8")
    tree = collect_tree(tmp_path / "shop", [].append)
    assert list(tree.manifest.files) == ["d/" * (MAX_LEVELS - 1) + "deep.py"]
    (left_out,) = tree.left_out
    assert (left_out.path, left_out.reason) == ("d/" * MAX_LEVELS + "deep.py", "name")
    assert left_out.detail == "its path has more than 64 names"
