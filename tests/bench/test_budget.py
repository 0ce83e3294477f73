"""Budgets of the code: what is counted in small sources."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import budget

if TYPE_CHECKING:
    import pytest


def make_source(path: str, text: str) -> budget.Source:
    return budget.Source(Path(path), text, ast.parse(text))


def find(name: str, *sources: budget.Source) -> budget.Measured:
    (found,) = (one for one in budget.measure_budgets(sources) if one.name.startswith(name))
    return found


def test_a_package_over_one_of_its_budgets_is_named_with_what_it_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "PACKAGES", {"pots": budget.Budget(10, 1, 1)})
    small = make_source("pots/tea.py", "tea = 1\n" * 10)
    assert find("pots/", small).violations == []

    found = find("pots/", small, make_source("pots/green/tea.py", "tea = 1\n"))

    assert found.value == "11 / 2 / 2"
    assert found.violations == ["11 lines, at most 10", "2 files, at most 1", "2 folders, at most 1"]


def test_the_head_of_a_module_and_the_whole_of_a_face_are_headers() -> None:
    module = make_source("pots/tea.py", '"""Tea."""\n\nimport os\n\nTEA = os.sep\n' + "tea = 1\n" * 5)
    face = make_source("pots/__init__.py", '"""Pots."""\n\nfrom .tea import TEA\n\n__all__ = ["TEA"]\n')
    assert find("headers", module).value == "40.0%"
    assert find("headers", module, face).value == "60.0%"


def test_a_comment_of_words_is_a_reason_and_a_pragma_is_none() -> None:
    words = make_source("pots/tea.py", "# Green tea is bitter when it is boiled.\ntea = 1\n")
    pragma = make_source("pots/tea.py", "import os  # noqa: F401 - the door of the package\ntea = 1\n")
    assert find("comments", words).value == "50.00%"
    assert find("comments", pragma).violations == ["0 in 2 lines"]


def test_a_module_that_one_sibling_imports_is_counted_and_one_that_others_import_too_is_not() -> None:
    sources = [
        make_source("pots/tea.py", "tea = 1\n"),
        make_source("pots/cup.py", "from .tea import tea\n"),
        make_source("pots/mug.py", "from .cup import tea\n"),
        make_source("pots/glass.py", "from aurora.pots.cup import tea\n"),
    ]
    assert find("modules that one sibling", *sources).value == "1"


def test_a_function_of_one_call_forwards_and_one_with_an_expression_does_not() -> None:
    text = 'def brew():\n    """Brew."""\n    return pour()\n\n\ndef pour():\n    return 1 + 1\n'
    assert find("functions that only forward", make_source("pots/tea.py", text)).value == "50.0%"
