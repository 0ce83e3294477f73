"""The interpreter is generic: it names no shipped workflow, phase or alias."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from aurora.interpreter import Catalog

INTERPRETER = Path(__file__).resolve().parents[2] / "interpreter"


def _list_texts(path: Path) -> set[str]:
    """Return every string constant of a module, without the names of modules that a package exports lazily."""
    found: set[str] = set()
    todo: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
        elif not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "export_lazily"):
            todo.extend(ast.iter_child_nodes(node))
    return found


@pytest.mark.parametrize(
    "path", sorted(INTERPRETER.rglob("*.py")), ids=lambda path: path.relative_to(INTERPRETER).as_posix()
)
def test_no_text_in_the_interpreter_is_the_name_of_soar_or_of_a_phase_of_it(path: Path) -> None:
    soar = Catalog(None).open("soar").workflow
    names = {soar.name, *soar.map_phase_names()}
    assert names > {"soar", "assess", "retrieve_and_respond"}
    assert not _list_texts(path) & names
