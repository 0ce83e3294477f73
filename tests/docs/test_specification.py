"""The page of the requirements claims only what tests with their marks show."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def page() -> Any:
    """The module that makes the page; it lies beside the tests and is no package."""
    spec = importlib.util.spec_from_file_location(
        "specification_page", Path(__file__).with_name("specification_page.py")
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_row_claims_more_than_a_test_shows_and_no_mark_names_no_row(page: Any) -> None:
    assert page.find_wrong_claims(page.read_requirements(), page.collect_marks(), page.collect_skippable()) == []
    assert page.find_weak_marks() == []


def test_the_page_is_up_to_date(page: Any) -> None:
    assert page.PAGE.read_text(encoding="utf-8") == page.format_page(page.read_requirements(), page.collect_marks())


def test_a_wrong_claim_is_found(page: Any) -> None:
    def row(id_: str, state: str, note: str = "") -> Any:
        return page.Requirement(id_, "a", "1", "It works.", state, note)

    rows = [row("a-1", "works"), row("a-2", "works"), row("a-3", "missing"), row("a-4", "fine"), row("a-1", "works")]
    rows += [row("a-5", "different", "In a list."), row("a-6", "different", "In a list; no test shows it.")]
    marks = {"a-1": ["tests/x.py::test_x"], "b-1": ["tests/y.py::test_y"]}
    assert page.find_wrong_claims(rows, marks) == [
        "a-1 is in two rows",
        "a-2 claims to work, and no test carries its mark",
        "a-3 is missing, and no note says how",
        'a-4 has the state "fine"',
        "a-5 is different, no test carries its mark, and no note says that there is no test",
        "tests/y.py::test_y names b-1, which is no row",
    ]


def test_a_row_whose_tests_may_all_be_skipped_says_how_they_are_run(page: Any) -> None:
    notes = ("", "", "", "By `make editor`.")
    rows = [page.Requirement(f"a-{at}", "a", "1", "It works.", "works", note) for at, note in enumerate(notes)]
    marks = {"a-0": ["x"], "a-1": ["x", "y"], "a-2": ["y"], "a-3": ["x"]}
    assert page.find_wrong_claims(rows, marks, {"x"}) == [
        "a-0 claims to work, its tests may be skipped, and no note says how to run them"
    ]


WEAK = """
import pytest
@pytest.mark.requirement("a-1")
@pytest.mark.skipif(True, reason="x")
def test_skipped(): assert True
@pytest.mark.requirement("a-2")
def test_empty(): walk()
@pytest.mark.requirement("a-3")
def test_by_a_helper(): check()
@pytest.mark.requirement("a-4")
def test_raises():
    with pytest.raises(ValueError): walk()
def walk(): return walk
def check(): walk(); follow()
def follow(): assert True
class TestIt:
    @pytest.mark.requirement("a-5")
    def test_it(self): assert True
@pytest.fixture
def program(): pytest.skip("not here")
@pytest.mark.requirement("a-6")
def test_with_a_fixture_that_skips(program): assert program
"""


def test_a_mark_without_a_test_or_an_assertion_is_found(
    page: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "test_x.py").write_text(WEAK, encoding="utf-8")
    monkeypatch.setattr(page, "ROOT", tmp_path)
    assert page.collect_skippable(tmp_path) == {
        "test_x.py::test_skipped",
        "test_x.py::test_with_a_fixture_that_skips",
    }
    assert page.find_weak_marks(tmp_path) == [
        "test_x.py has a mark that is not on a test function of the module",
        "test_x.py::test_empty asserts nothing",
    ]


def test_marks_are_read_from_test_functions_only(page: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "test_x.py").write_text(
        "import pytest\n"
        '@pytest.mark.requirement("a-1", "a-2")\n@pytest.mark.slow\ndef test_it(): ...\n'
        '@pytest.mark.requirement("a-3")\ndef helper(): ...\n'
        '@pytest.mark.requirement("a-4")\nasync def test_that(): ...\n',
        encoding="utf-8",
    )
    monkeypatch.setattr(page, "ROOT", tmp_path)
    found = page.collect_marks(tmp_path)
    assert found == {"a-1": ["test_x.py::test_it"], "a-2": ["test_x.py::test_it"], "a-4": ["test_x.py::test_that"]}
