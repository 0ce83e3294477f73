"""Incremental linking: the graph after random edits of real code equals one from scratch."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from aurora.memory import LinkFilter, Memory

if TYPE_CHECKING:
    from pathlib import Path

_EVERY_LINK = LinkFilter(least=0.0, limit=1_000_000)


def read_graph(memory: Memory) -> list[list[tuple[Any, ...]]]:
    """All nodes, links and references, by what they say and not by their numbers."""
    with memory.store.begin_read() as db:
        paths = db.files.list_paths()
        rows = [row for path in paths for row in db.nodes.list_rows(path)]
        ids: dict[int | None, str | None] = {None: None} | {row[0]: row[1] for row in rows}
        nodes = [(*row[1:-1], ids[row[-1]]) for row in rows]
        links = [
            (ids[row[0]], link.kind, link.node.id, link.confidence, link.how, link.path, link.line)
            for row in rows
            for link in db.links.list_page(row[0], "out", _EVERY_LINK)
        ]
        references = [(ids[row[0]], *row[1:4], row[5]) for path in paths for row in db.references.list_by_file(path)]
    return [sorted(nodes, key=repr), sorted(links, key=repr), sorted(references, key=repr)]


def edit_files(chance: random.Random, root: Path) -> None:
    """One thing that people do to code: rename, move or drop a definition, add or drop a file, an import, a package."""
    files = sorted(root.rglob("*.py"))
    file, other = chance.choice(files), chance.choice(files)
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    heads = [row for row, line in enumerate(lines) if line.lstrip().startswith(("def ", "class "))]
    what = chance.choice(("rename", "drop", "copy", "delete", "import", "package", "no package"))
    if what == "rename" and heads:
        row = chance.choice(heads)
        lines[row] = lines[row].replace("def ", "def x_", 1).replace("class ", "class X", 1)
    elif what == "drop" and heads:
        del lines[chance.choice(heads) :]
    elif what == "copy":
        (other.parent / f"copied_{chance.randrange(9)}.py").write_text("".join(lines), encoding="utf-8")
    elif what == "delete" and len(files) > 4:
        file.unlink()
        return
    elif what == "import":
        lines.insert(0, f"from .{other.stem} import *\nfrom {other.parent.name}.{other.stem} import helper as h\n")
    elif what == "no package":
        initializers = [each for each in files if each.name == "__init__.py"]
        if initializers and len(files) > 4:
            chance.choice(initializers).unlink()
        return
    elif what == "package":
        (file.parent / "__init__.py").write_text("from .core import *\n", encoding="utf-8")
        return
    file.write_text("".join(lines), encoding="utf-8")


@pytest.mark.parametrize("seed", range(3))
def test_after_any_edits_the_graph_equals_one_built_from_scratch(
    seed: int, memory: Memory, library: Path, tmp_path: Path
) -> None:
    chance = random.Random(seed)  # noqa: S311 - a test that can be run again
    memory.index(library)
    for _ in range(4):
        for _ in range(chance.randrange(1, 4)):
            edit_files(chance, library)
        memory.index(library)
    with Memory.open(tmp_path / "fresh.db") as fresh:
        fresh.index(library)
        kept, made = read_graph(memory), read_graph(fresh)
    assert min(map(len, made)) > 100
    for left, right in zip(kept, made, strict=True):
        assert set(left) ^ set(right) == set()
        assert left == right


def test_a_change_relinks_little_and_node_numbers_stay(memory: Memory, library: Path) -> None:
    memory.index(library)
    before = memory.graph.find_one("click/core.py::Context.invoke")
    target = library / "click" / "utils.py"
    target.write_text(
        target.read_text(encoding="utf-8") + "\n\ndef brand_new():\n    return echo('x')\n", encoding="utf-8"
    )
    memory.index(library, paths=[target])
    assert memory.graph.find_one("click/core.py::Context.invoke") == before
    callers = memory.graph.find_users(memory.graph.find_one("click/utils.py::echo"), ("calls",), LinkFilter(), 1)
    (link,) = [one for _step, one in callers if one.node.name == "brand_new"]
    assert (link.confidence, link.how) == (1.0, "same file")
