"""Readiness check in a real project, with its bounds."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from ruamel.yaml import YAML

from aurora.tools.reasoning.review.readiness import Params, find_untested
from aurora.tools.reasoning.review.readiness import TestParams as Named
from aurora.tools.runtime.dispatch import call_tool

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.tools.runtime.workspace import Workspace

FEATURE = Path(__file__).resolve().parents[4] / "workflows" / "feature.yaml"
SHIPPED: dict[str, Any] = YAML(typ="safe").load(FEATURE)["phases"]["ready"]["params"]


@pytest.fixture
def check(root: Path, workspace: Workspace) -> Callable[..., dict[str, Any]]:
    """Run the check in a project with one commit, with the shipped settings or other ones."""
    who = {f"GIT_{one}_{what}": "ada@example.org" for one in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    (root / "old.py").write_text("# TODO: an old debt\n", encoding="utf-8")
    for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "first")):
        subprocess.run(["git", *words], cwd=root, env=environment, check=True)
    return lambda given=None, **params: call_tool(
        workspace, "readiness.check", given or {}, params={**SHIPPED, **params}
    )


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        (root / f"{name}.py").write_text(text, encoding="utf-8")


def failed(output: dict[str, Any]) -> list[str]:
    return [gate["name"] for gate in output["gates"] if not gate["passed"]]


def test_finished_work_with_a_test_is_ready(root: Path, check: Callable[..., Any]) -> None:
    write(root, cart="def total(): return 0\n", test_cart="def test_total(): assert total() == 0\n")
    output = check()
    assert (output["verdict"], output["blockers"]) == ("READY", [])


@pytest.mark.requirement("triads-36")
def test_without_params_the_settings_of_the_shipped_workflow_count(workspace: Workspace) -> None:
    assert Params().model_dump(mode="json") == SHIPPED
    output = call_tool(workspace, "check_deployment_readiness", {})
    assert output["verdict"] in {"READY", "NOT_READY"}
    assert [gate["name"] for gate in output["gates"]] == ["debt", "tests", "questions", "checks"]


def test_without_a_base_the_whole_branch_counts(root: Path, check: Callable[..., Any]) -> None:
    def run_git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=Ada", "-c", "user.email=a@example.org", *words], cwd=root, check=True)

    run_git("branch", "-M", "main")
    run_git("checkout", "-q", "-b", "feature")
    write(root, cart="# TODO: later\n")
    run_git("add", ".")
    run_git("commit", "-q", "-m", "second")
    write(root, order="x = 1\n")

    output = check()

    assert (output["changed"], failed(output)) == (2, ["debt", "tests"])
    assert output["untested"] == ["cart.py", "order.py"]
    assert check({"base": "HEAD"})["changed"] == 1


def test_unchanged_work_is_not_ready(check: Callable[..., Any]) -> None:
    assert failed(check()) == ["change"]
    assert check(must_change=False)["verdict"] == "READY"


def test_debt_counts_in_new_lines_and_not_in_old_ones(root: Path, check: Callable[..., Any]) -> None:
    write(root, old="# TODO: an old debt\nx = 1  # FIXME: a new one\n", test_old="assert True\n")
    output = check()
    assert output["debt"] == [{"path": "old.py", "line": 2, "text": "x = 1 # FIXME: a new one"}]
    assert failed(output) == ["debt"]
    assert "old.py:2" in output["blockers"][0]
    assert check(debt={"markers": ["FIXME"], "most": 1})["verdict"] == "READY"


@pytest.mark.parametrize("line", ["TODOLIST = 1", "todo = 1", "METODO = 1", "HACKS = 2", "x = XXXL"])
def test_a_marker_inside_a_word_does_not_count(root: Path, check: Callable[..., Any], line: str) -> None:
    write(root, cart=line + "\n", test_cart="assert True\n")
    assert check()["debt"] == []


def test_reported_questions_and_failures_count(root: Path, check: Callable[..., Any]) -> None:
    write(root, cart="x = 1\n", test_cart="assert True\n")
    output = check({"questions": ["Who pays?"], "failing": ["make lint"]})
    assert failed(output) == ["questions", "checks"]
    assert any("Who pays?" in one for one in output["blockers"])
    assert any("make lint" in one for one in output["blockers"])


def test_without_git_only_the_input_counts(workspace: Workspace) -> None:
    output = call_tool(workspace, "readiness.check", {"failing": ["make test"]}, params=SHIPPED)
    assert (output["versioned"], failed(output)) == (False, ["checks"])
    assert {"tests": "no source file is known to have changed"}.items() <= {
        gate["name"]: gate["found"] for gate in output["gates"]
    }.items()


def test_binary_and_deleted_files_are_ignored(root: Path, check: Callable[..., Any]) -> None:
    (root / "old.py").unlink()
    (root / "data.bin").write_bytes(b"TODO\0")
    (root / "latin.txt").write_bytes(b"\xff TODO \xfe")
    output = check()
    assert [one["path"] for one in output["debt"]] == ["latin.txt"]


@pytest.mark.parametrize(
    ("source", "test"),
    [
        ("shop/cart.py", "tests/test_cart.py"),
        ("shop/cart.py", "shop/test_cart_totals.py"),
        ("src/cart.ts", "src/cart.test.ts"),
        ("src/cart.ts", "src/__tests__/cart.ts"),
        ("cart.go", "cart_test.go"),
        ("src/Cart.java", "test/CartTest.java"),
        ("lib/cart_items.rb", "spec/cart_items_spec.rb"),
        ("shop/cart/__init__.py", "tests/test_cart.py"),
        ("src/cart/index.ts", "src/cart.spec.ts"),
    ],
)
def test_a_test_has_the_name_of_its_file(source: str, test: str) -> None:
    params = Named.model_validate_json(json.dumps(SHIPPED["tests"]))
    assert find_untested([source], [source, test], [], params) == ()
    assert find_untested([source], [source], [], params) == (source,)


def test_a_changed_test_that_names_the_file_counts_too() -> None:
    params = Named.model_validate_json(json.dumps(SHIPPED["tests"]))
    line = ("tests/test_all.py", 1, "from shop.cart import total")
    assert find_untested(["shop/cart.py"], ["tests/test_all.py"], [line], params) == ()
    assert find_untested(["shop/order.py"], ["tests/test_all.py"], [line], params) == ("shop/order.py",)
