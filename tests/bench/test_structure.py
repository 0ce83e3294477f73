"""The figures of the structure: what is counted in small sources, in a git repository of their own."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "bench" / "structure.py"


def load_script(path: Path) -> Any:
    """The script at this path as a module; it measures the checkout that it lies in."""
    spec = spec_from_file_location("structure_of_a_test", path)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclass looks there for the module's names
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """An empty repository with the script."""
    (tmp_path / "bench").mkdir()
    shutil.copy(SCRIPT, tmp_path / "bench" / "structure.py")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    return tmp_path


def measure(checkout: Path, figure: str, **sources: str) -> Any:
    """Write the sources into packages, add them to git, and take one figure.

    Args:
        checkout: the repository.
        figure: the name of the function.
        sources: path without `.py`, with `__` for a slash and `___init` for an `__init__` -> the text.
    """
    for name, text in sources.items():
        path = checkout / (name.replace("__", "/").replace("/_init", "/__init__") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    subprocess.run(["git", "-C", str(checkout), "add", "."], check=True)
    script = load_script(checkout / "bench" / "structure.py")
    return getattr(script, figure)(script.read_modules())


def compute_complexity(body: str, name: str = "brew") -> int:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    (function,) = ast.parse(f"def {name}(tea):\n{lines}\n").body
    complexity: int = load_script(SCRIPT).compute_complexity(function)
    return complexity


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if tea:\n    return 1\nreturn 2", 2),
        ("if tea:\n    return 1\nelif not tea:\n    return 2\nelse:\n    return 3", 3),
        ("return {a: b for a in tea for b in a}", 3),
        ("try:\n    tea()\nexcept ValueError:\n    pass\nexcept KeyError:\n    pass", 3),
        ("match tea:\n    case 1:\n        return 1\n    case _:\n        return 2", 3),
        ("def inner():\n    if tea:\n        return 1\nreturn inner", 1),
    ],
)
def test_the_complexity_is_one_more_than_the_branches(body: str, expected: int) -> None:
    assert compute_complexity(body) == expected


def test_a_function_over_the_bound_is_named_with_its_line(checkout: Path) -> None:
    branches = "\n".join(f"    if tea == {number}:\n        return {number}" for number in range(10))

    figure = measure(checkout, "measure_complexity", tools__pot=f"\n\ndef brew(tea):\n{branches}\n")

    assert figure.value == "11"
    assert figure.violations == ["tools/pot.py:3: brew has 11"]


@pytest.mark.parametrize(
    ("expression", "is_found"),
    [
        ("[[leaf for leaf in cup] for cup in tea]", False),
        ("[[leaf for leaf in cup if leaf] for cup in tea]", True),
        ("{cup: sum(leaf for leaf in cup if leaf) for cup in tea}", True),
        ("[leaf for cup in tea if cup for leaf in cup]", False),
    ],
)
def test_a_comprehension_in_another_is_found_where_one_has_a_condition(
    checkout: Path, expression: str, *, is_found: bool
) -> None:
    figure = measure(checkout, "measure_comprehensions", memory__pot=f"tea = []\nfound = {expression}\n")

    assert figure.violations == (["memory/pot.py:2"] if is_found else [])


FACE = '"""A room for tea, with a pot."""\n\n__all__ = ["brew"]\n'


@pytest.mark.parametrize(
    ("statement", "violations"),
    [
        ("from aurora.tools.room import brew", []),
        ("from aurora.tools.room.pot import brew", ["cli/main.py:1: aurora.tools.room.pot"]),
        ("from aurora.cli.entry import main", []),
        ("def late():\n    from aurora.tools.room.pot import brew", ["cli/main.py:2: aurora.tools.room.pot"]),
    ],
)
def test_an_import_past_the_face_of_another_package_is_found(
    checkout: Path, statement: str, violations: list[str]
) -> None:
    figure = measure(
        checkout,
        "measure_faces",
        tools___init=FACE,
        tools__room___init=FACE,
        tools__room__pot="def brew(): ...\n",
        cli__entry="def main(): ...\n",
        cli__main=statement + "\n",
    )

    assert figure.violations == violations


def test_a_module_may_import_its_siblings_and_those_of_the_packages_around_it(checkout: Path) -> None:
    figure = measure(
        checkout,
        "measure_faces",
        tools___init=FACE,
        tools__room___init="from .pot import brew\n",
        tools__leaf="LEAF = 1\n",
        tools__room__pot="from ..leaf import LEAF\nfrom aurora.tools.leaf import LEAF as SAME\n",
    )

    assert figure.violations == []


def test_a_package_without_exported_names_or_with_an_empty_docstring_is_found(checkout: Path) -> None:
    figure = measure(
        checkout,
        "measure_package_faces",
        tools___init=FACE,
        cli___init='"""The command line, at last."""\n',
        hosts___init='"""Hosts."""\n\n__all__: list[str] = []\n',
    )

    assert figure.violations == ["cli/__init__.py: no __all__", "hosts/__init__.py: docstring 'Hosts.'"]


def test_a_folder_is_measured_with_its_face(checkout: Path) -> None:
    modules = {f"tools__pot_{number}": "" for number in range(20)}

    figure = measure(checkout, "measure_folders", **modules, tools___init=FACE, cli__main="")

    assert figure.value == "21 (tools)"
    assert figure.violations == ["tools: 21 modules"]


def test_a_long_function_is_named_with_its_length(checkout: Path) -> None:
    body = "        tea = 1\n" * 60

    figure = measure(checkout, "measure_functions", tools__pot=f"class Pot:\n    async def brew(self):\n{body}")

    assert figure.value == "61"
    assert figure.violations == ["tools/pot.py:2: brew has 61 lines"]


QUESTIONS = f'''"""Where the tea is."""


def brew():
    """Whether it is hot."""


def pour():
    """{"x" * 101}"""
'''


def test_docstrings_that_ask_and_those_that_are_too_long_are_found(checkout: Path) -> None:
    asking = measure(checkout, "measure_docstrings", tools__pot=QUESTIONS)
    long = measure(checkout, "measure_summaries")

    assert asking.violations == ["tools/pot.py:1: Where the tea is.", "tools/pot.py:4: Whether it is hot."]
    assert long.violations == ["tools/pot.py:8: 101 characters"]


def test_names_of_one_word_are_counted_without_special_methods(checkout: Path) -> None:
    source = "class Pot:\n    def __init__(self): ...\n    def fill(self): ...\n    def _pour(self): ...\n"

    figure = measure(checkout, "measure_names", tools__pot=source + "def brew_tea(): ...\ndef heat_water(): ...\n")

    assert figure.value == "50.0%"
    assert figure.violations == ["50.0% of 4 function names"]


@pytest.mark.parametrize(("lines", "is_missed"), [(348, True), (349, False)])
def test_an_exception_needs_enough_lines(checkout: Path, lines: int, *, is_missed: bool) -> None:
    source = "import this  # noqa: F401\n" + "tea = 1\n" * lines

    figure = measure(checkout, "measure_exceptions", tools__pot=source)

    assert bool(figure.violations) is is_missed
