"""The fast reader of documents gives the values and lines of the tree, or leaves a document to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from aurora.interpreter.problems import Place
from aurora.interpreter.yaml import build_tree, read_plain, read_yaml

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = ("tests/documents", "workflows", "examples")
FILES = sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.yaml") if file.is_file())
HEAD = "aurora: 1\nname: x\n"
UNUSUAL = {
    "an anchor": "a: &b 1\nc: 2\n",
    "an alias": "a: &b 1\nc: *b\n",
    "a tag": "a: !!str 1\n",
    "an unknown tag": "a: !b 1\n",
    "a tag of a mapping": "a: !!map { b: 1 }\n",
    "a merge key": "a: { <<: { b: 1 } }\n",
    "a key that is there twice": "a: 1\nb: 2\na: 3\n",
    "keys of one text": "1: a\n'1': b\n",
    "a key that is a list": "? [a]\n: 1\n",
    "a key that is a mapping": "a: { { b: 1 }: 2 }\n",
    "a second document": "a: 1\n---\nb: 2\n",
    "a list": "- a\n",
    "a text": "a\n",
    "nothing": "",
    "a syntax error": "a: [1\n",
    "a template without quotes": "a: {{ b }}\n",
    "a depth": f"a: {'[' * 70}{']' * 70}\n",
    "many values": f"a: [{'1,' * 100_001}]\n",
    "many directives": "%A\n" * 200 + "---\na: 1\n",
}
VALUES = """null: ~
1: true
2.5: -3.25
'on': yes
b: |
  text
  text
c: >-
  text

  text
d: "a\\tb"
e: [1, {f: [ ]}]
"""


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_document_has_the_values_and_lines_of_its_tree(file: Path) -> None:
    content = file.read_bytes()
    found = read_plain(content)
    root, problems = read_yaml(content, "x.yaml")
    if found is None:
        return
    assert root is not None
    assert problems == ()
    assert repr(found.data) == repr(root.to_data())
    phases = root.get("phases")
    for name, phase in found.data["phases"].items() if isinstance(found.data.get("phases"), dict) else ():
        node = phases.get(name) if phases else None
        if node is not None and isinstance(phase, dict):
            assert found.lines[id(phase)] == [value.place.line for _, value in node.items]


def test_most_documents_are_ordinary() -> None:
    ordinary = [file for file in FILES if read_plain(file.read_bytes()) is not None]
    assert len(ordinary) > len(FILES) / 2


@pytest.mark.parametrize("text", UNUSUAL.values(), ids=UNUSUAL)
def test_an_unusual_document_is_left_to_the_reader_of_trees(text: str) -> None:
    assert read_plain(text) is None
    assert read_plain(HEAD + text if text.startswith("a") and "---" not in text else text) is None


def test_values_of_every_kind_are_those_of_the_tree() -> None:
    found = read_plain(VALUES)
    root, _ = read_yaml(VALUES, "x.yaml")
    assert found is not None
    assert root is not None
    assert repr(found.data) == repr(root.to_data())


@pytest.mark.parametrize("content", [b"a: \xff\n", "a: 1\n".encode("utf-16"), b"a: \x00\n", b"a: 1\n" * 300_000])
def test_bytes_that_are_no_document_are_left_to_the_reader_of_trees(content: bytes) -> None:
    assert read_plain(content) is None


def test_a_tree_of_values_has_them_all_at_one_place() -> None:
    found = read_plain(VALUES)
    assert found is not None
    place = Place("x.yaml", 1, 1, 1, 2)
    tree = build_tree(found.data, place)
    assert repr(tree.to_data()) == repr(found.data)
    assert {value.place for _, value in tree.items} == {place}
