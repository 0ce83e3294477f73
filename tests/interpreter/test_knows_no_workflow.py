"""The interpreter is generic: nothing in it names a workflow, a phase or an alias that we ship."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from aurora.interpreter import Catalog

INTERPRETER = Path(__file__).resolve().parents[2] / "interpreter"


def _texts(path: Path) -> set[str]:
    """Every string constant of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


@pytest.mark.parametrize(
    "path", sorted(INTERPRETER.rglob("*.py")), ids=lambda path: path.relative_to(INTERPRETER).as_posix()
)
def test_no_text_in_the_interpreter_is_the_name_of_soar_or_of_a_phase_of_it(path: Path) -> None:
    soar = Catalog(None).open("soar").workflow
    names = {soar.name, *soar.map_phase_names()}
    assert names > {"soar", "assess", "retrieve_and_respond"}
    assert not _texts(path) & names
