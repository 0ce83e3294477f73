"""A name finds code before headings, and the members that a class inherits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.errors import Fault
from aurora.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CODE = """
class Base:
    def run(self):
        return 1

    def stop(self):
        return 2


class Middle(Base):
    def stop(self):
        return 3


class Child(Middle):
    class Inner:
        def run(self):
            return 4


class Loop(Loop):
    pass
"""


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.py").write_text(CODE, encoding="utf-8")
    (root / "guide.md").write_text("# Guide\n\n## Child\n\nA text.\n\n## Only\n\nMore.\n", encoding="utf-8")
    with Memory.open(tmp_path / "memory.db") as opened:
        opened.index(root)
        yield opened


@pytest.mark.parametrize(
    ("name", "symbol"),
    [
        ("Child", "Child"),
        ("Child.run", "Base.run"),
        ("Child.stop", "Middle.stop"),
        ("Child::stop()", "Middle.stop"),
        ("Child.Inner", "Child.Inner"),
        ("Inner.run", "Child.Inner.run"),
    ],
)
def test_a_name_finds_its_definition(memory: Memory, name: str, symbol: str) -> None:
    assert memory.graph.find_one(name).symbol == symbol


@pytest.mark.parametrize("name", ["Loop.run", "Child.nothing", "Inner.stop"])
def test_a_member_that_no_base_class_has_is_not_found(memory: Memory, name: str) -> None:
    with pytest.raises(Fault, match="has no definition"):
        memory.graph.find_one(name)
