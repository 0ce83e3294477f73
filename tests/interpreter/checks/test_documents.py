"""Documents under `tests/documents`: good ones have no problem, bad ones the expected."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aurora.errors import Code, Fault
from aurora.interpreter.problems import codes
from aurora.interpreter.problems.problem import select_errors
from aurora.interpreter.problems.render import render_problems
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aurora.interpreter import Catalog, Problem

    Find = Callable[[str, str], tuple[Problem, ...]]

DOCUMENTS = Path(__file__).resolve().parents[2] / "documents"


def _named(kind: str) -> list[str]:
    folder = DOCUMENTS / kind
    return sorted(path.name for path in folder.iterdir() if path.suffix in (".yaml", ".yml"))


@pytest.fixture(scope="module")
def catalogs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Catalog]]:
    """A project for the good documents and one for the bad ones, each with all of them as its own workflows."""
    roots = {kind: tmp_path_factory.mktemp(kind) for kind in ("ok", "err")}
    for kind, root in roots.items():
        shutil.copytree(DOCUMENTS / kind, root / ".aurora" / "workflows", symlinks=True)
    with Workspace(roots["ok"]) as ok, Workspace(roots["err"]) as err:
        yield {"ok": ok.workflows, "err": err.workflows}


@pytest.fixture
def problems(catalogs: dict[str, Catalog], monkeypatch: pytest.MonkeyPatch) -> Find:
    """The problems of one document, with its path relative to its own folder."""

    def find(kind: str, name: str) -> tuple[Problem, ...]:
        catalog = catalogs[kind]
        folder = catalog._workflow_paths.folders[0][1]
        monkeypatch.chdir(folder)
        return catalog.find_problems(str(folder / name))

    return find


@pytest.mark.parametrize("name", _named("ok"))
def test_a_good_document_has_no_problem(problems: Find, name: str) -> None:
    assert render_problems(problems("ok", name)) == ""


@pytest.mark.parametrize("name", _named("err"))
def test_a_bad_document_has_exactly_the_expected_problems(
    problems: Find, name: str, request: pytest.FixtureRequest
) -> None:
    """The problems of `err/tab.yaml` are in `err/tab.txt`; `--snapshot-update` rewrites them."""
    told = render_problems(problems("err", name)) + "\n"
    expected = (DOCUMENTS / "err" / name).with_suffix(".txt")
    if request.config.getoption("update_snapshots"):
        expected.write_text(told, encoding="utf-8")
    assert told == expected.read_text(encoding="utf-8")


def test_every_expected_text_has_its_document() -> None:
    texts = {path.stem for path in (DOCUMENTS / "err").glob("*.txt")}
    assert texts == {Path(name).stem for name in _named("err")}


@pytest.mark.parametrize("name", _named("err"))
def test_problems_are_in_file_order_without_duplicates(problems: Find, name: str) -> None:
    found = problems("err", name)
    assert [(one.path, one.line, one.column) for one in found] == sorted(
        (one.path, one.line, one.column) for one in found
    )
    assert len(set(found)) == len(found)


def test_every_code_has_a_bad_document_that_produces_it(problems: Find) -> None:
    kinds = {kind.code: kind.name for kind in vars(codes).values() if isinstance(kind, codes.ProblemKind)}
    produced = {one.code for name in _named("err") for one in problems("err", name)}
    assert kinds.keys() - produced == set()


def test_no_two_kinds_share_a_code_or_a_name() -> None:
    kinds = [kind for kind in vars(codes).values() if isinstance(kind, codes.ProblemKind)]
    assert len({kind.code for kind in kinds}) == len({kind.name for kind in kinds}) == len(kinds)
    assert all((kind.code[0] == "W") is (kind.severity == "warning") for kind in kinds)


@pytest.mark.parametrize("name", _named("err"))
def test_a_document_with_errors_does_not_run_and_names_the_first_error(
    catalogs: dict[str, Catalog], problems: Find, name: str
) -> None:
    found = select_errors(problems("err", name))
    called = catalogs["err"]._workflow_paths.get_name(catalogs["err"]._workflow_paths.folders[0][1] / name)
    if not found:
        assert catalogs["err"].load(called).workflow.name == called
        return
    with pytest.raises(Fault) as raised:
        catalogs["err"].load(called)
    assert raised.value.code is Code.INVALID_INPUT
    assert called in raised.value.message
    assert json.dumps(raised.value.to_json())
