"""Links in small projects, one for each language."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aurora.errors import Fault
from aurora.memory import LinkFilter
from aurora.memory.chunking.chunk import chunk_file

if TYPE_CHECKING:
    from aurora.memory import Memory

PROJECTS = Path(__file__).with_name("projects")
"""A file for each language: the files of a project, each below its path, the links that a reader expects, and maybe the
pieces of the first file."""


def read_project(language: str) -> tuple[dict[str, str], set[str], list[str]]:
    """Read the files of a project, its links as `source kind target confidence`, and pieces as `lines kind symbol`."""
    parts = (PROJECTS / f"{language}.txt").read_text(encoding="utf-8").removeprefix("== ").split("\n== ")
    files = {path: f"{text}\n" for path, _, text in (part.partition("\n") for part in parts)}
    pieces = files.pop("pieces", "").splitlines()
    return files, set(files.pop("links").split("\n")) - {""}, pieces


def write_project(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def list_links(memory: Memory, paths: list[str]) -> set[str]:
    """Every link out of these files but `contains`, as `source kind target confidence`."""
    found = set()
    for path in paths:
        stack = [memory.graph.find_one(path)]
        while stack:
            node = stack.pop()
            stack.extend(memory.graph.list_members(node) if node.path == path else ())
            for link in memory.graph.list_neighbors(node, LinkFilter(direction="out", limit=1000)).links:
                if link.kind != "contains":
                    found.add(f"{node.id} {link.kind} {link.node.id} {round(link.confidence, 2)}")
    return found


@pytest.mark.requirement("aura-37")
@pytest.mark.parametrize("language", sorted(path.stem for path in PROJECTS.glob("*.txt")))
def test_references_are_linked_to_the_definitions_that_a_reader_expects(
    language: str, memory: Memory, tmp_path: Path
) -> None:
    files, expected, _pieces = read_project(language)
    memory.index(write_project(tmp_path / "project", files))
    found = list_links(memory, sorted(files))
    assert expected <= found, "\n".join(sorted(expected - found)) + "\n-- found:\n" + "\n".join(sorted(found))
    by_name = {one.rpartition(" ")[0] for one in expected}
    surplus = {one for one in found if one.endswith(" 1.0") and one.rpartition(" ")[0] not in by_name}
    assert {one for one in surplus if " imports " not in one} == set()


@pytest.mark.parametrize("language", sorted(path.stem for path in PROJECTS.glob("*.txt")))
def test_the_first_file_is_divided_into_the_pieces_that_a_reader_expects(language: str) -> None:
    files, _links, expected = read_project(language)
    path, text = next(iter(files.items()))
    chunked = chunk_file(path, language, text)
    assert chunked.parsed
    if expected:
        pieces = [f"{each.start_line}-{each.end_line} {each.kind} {each.symbol}".strip() for each in chunked.pieces]
        assert pieces == expected


def test_overloads_share_one_node_and_the_link_says_so(memory: Memory, tmp_path: Path) -> None:
    text = "class Pen { void draw(int x) {} void draw(String s) {} void twice() { this.draw(1); } }\n"
    memory.index(write_project(tmp_path / "project", {"Pen.java": text}))
    (link,) = memory.graph.list_neighbors(memory.graph.find_one("Pen.twice"), LinkFilter(("calls",), "out")).links
    assert (link.node.id, link.confidence) == ("Pen.java::Pen.draw", 1.0)
    assert link.how == "same class, one of 2 overloads"


def test_a_path_matches_exactly_with_or_without_a_leading_slash(memory: Memory, tmp_path: Path) -> None:
    memory.index(write_project(tmp_path / "project", {"shop/tax_rate.py": "def rate():\n    pass\n"}))
    ids = {
        memory.graph.find_one(name).id for name in ("/tax_rate.py::rate", "tax_rate.py::rate", "/shop/tax_rate.py:rate")
    }
    assert ids == {"shop/tax_rate.py::rate"}
    assert memory.graph.find_one("/tax_rate.py").id == "shop/tax_rate.py"
    for pattern in ("shop/tax%rate.py", "shop/tax-rate.py", "%"):
        with pytest.raises(Fault, match="has no definition"):
            memory.graph.find_one(pattern)


def list_links_of_file(memory: Memory, root: Path, file: str) -> set[tuple[str, str, float]]:
    """From where to where, and how sure, of the calls and mentions that one file has."""
    memory.index(root)
    links = [
        (symbol, link.node.id, link.confidence)
        for symbol in ("Shop.route", "Shop.fragment", "Shop.open_door", "Shop.close")
        for link in memory.graph.list_neighbors(
            memory.graph.find_one(f"{file}::{symbol}"), LinkFilter(direction="out")
        ).links
        if link.kind in {"calls", "mentions"}
    ]
    return set(links)


def test_a_delegating_method_does_not_call_itself_and_a_comment_does_not_mention_its_own_definition(
    memory: Memory, tmp_path: Path
) -> None:
    (tmp_path / "shop.py").write_text(
        "class Shop:\n"
        "    def route(self, inner):\n        return inner.route()\n\n"
        '    def fragment(self):\n        """The `fragment` of an address."""\n\n'
        '    def open_door(self, path):\n        """Opens `path`, as `walk_in` does."""\n\n'
        "    def close(self):\n        return self.open_door(1)\n\n\n"
        "class Other:\n    def fragment(self):\n        pass\n\n"
        "    def path(self):\n        pass\n\n    def walk_in(self):\n        pass\n",
        encoding="utf-8",
    )
    assert list_links_of_file(memory, tmp_path, "shop.py") == {
        ("Shop.open_door", "shop.py::Other.path", 0.5),
        ("Shop.open_door", "shop.py::Other.walk_in", 1.0),
        ("Shop.close", "shop.py::Shop.open_door", 1.0),
    }


def test_a_rust_standard_module_is_not_a_project_module_of_the_same_name(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "src" / "loom" / "std").mkdir(parents=True)
    (tmp_path / "src" / "loom" / "std" / "mod.rs").write_text("pub fn io() {}\n", encoding="utf-8")
    (tmp_path / "src" / "a.rs").write_text("use std::io;\npub fn a() { io::read(); }\n", encoding="utf-8")
    (tmp_path / "src" / "b.rs").write_text("use crate::loom::std::io;\npub fn b() { io(); }\n", encoding="utf-8")
    memory.index(tmp_path)
    into = memory.graph.list_neighbors(memory.graph.find_one("src/loom/std/mod.rs"), LinkFilter(direction="in")).links
    called = memory.graph.list_neighbors(
        memory.graph.find_one("src/loom/std/mod.rs::io"), LinkFilter(direction="in")
    ).links
    assert {link.node.path for link in (*into, *called)} - {"src/loom/std/mod.rs"} == {"src/b.rs"}


def _write_rust(tmp_path: Path, **files: str) -> None:
    for name, text in files.items():
        path = tmp_path / f"{name.replace('__', '/').replace('_of_', '-')}.rs"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _list_outgoing(memory: Memory, name: str) -> set[tuple[str, float]]:
    links = memory.graph.list_neighbors(
        memory.graph.find_one(name), LinkFilter(direction="out", kinds=("calls",))
    ).links
    return {(link.node.id, link.confidence) for link in links}


def test_an_unimported_rust_module_is_a_crate_or_comes_from_a_wildcard_import(memory: Memory, tmp_path: Path) -> None:
    _write_rust(
        tmp_path,
        app__src__task__spawn="pub fn spawn() {}\n",
        my_of_util__src__clock="pub fn now() {}\n",
        app__src__foreign="use tokio_test::*;\npub fn foreign() { task::spawn(f); }\n",
        app__src__globbed="use crate::*;\npub fn globbed() { task::spawn::<u8>(f); }\n",
        app__src__direct="pub fn direct() { crate::task::spawn(f); my_util::clock::now(); std::clock::now(); }\n",
    )
    memory.index(tmp_path)
    assert _list_outgoing(memory, "foreign") == set()
    assert _list_outgoing(memory, "globbed") == {("app/src/task/spawn.rs::spawn", 1.0)}
    assert _list_outgoing(memory, "direct") == {
        ("app/src/task/spawn.rs::spawn", 1.0),
        ("my-util/src/clock.rs::now", 1.0),
    }


def test_a_rust_value_named_like_a_module_is_a_value_and_an_inner_module_has_its_own_scope(
    memory: Memory, tmp_path: Path
) -> None:
    _write_rust(
        tmp_path,
        src__task="pub fn shutdown() {}\n",
        src__error="pub fn full() {}\n",
        src__list="pub fn close() { let task = next(); task.shutdown(); error::full(); }\n"
        "mod error { pub fn full() {} }\n"
        "mod tests {\n    use super::*;\n    fn closes() { super::close(); }\n}\n",
    )
    memory.index(tmp_path)
    assert _list_outgoing(memory, "src/list.rs::close") == {("src/list.rs::error.full", 1.0)}
    assert _list_outgoing(memory, "src/list.rs::tests.closes") == {("src/list.rs::close", 1.0)}
