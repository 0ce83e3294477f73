"""Check of claims about files: what a test, a command and a fix show without being run."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from aurora.tools.runtime.dispatch import call_tool

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.tools.runtime.workspace import Workspace

FILES = {
    "cart.py": "def total(prices):\n    if prices:\n        add(1)\n        # each once\n        return sum(prices)\n",
    "cart.ts": "export const total = (a: number[]) => `${a} ${a}`; // all\n",
    "run.sh": "#!/bin/sh\n# all\necho $1\n",
    "cart.yaml": "a:\n  b: 1\n",
    "broken.py": "def total(:\n    # each\n    return\n",
    "docs/cart.md": "# Cart\n\nThe total.\n",
}


@pytest.fixture
def committed(workspace: Workspace) -> Path:
    """Commit the files in the folder of the workspace."""
    root = workspace.root
    for path, text in FILES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(text.encode())
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "core.autocrlf=false"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "The cart"]):
        subprocess.run([*git, *words], cwd=root, check=True)
    return root


@pytest.mark.parametrize(
    ("edit", "cosmetic"),
    [
        (("cart.py", "each once", "each one"), True),
        (("cart.py", "        # each once\n", ""), True),
        (("cart.py", "add(1)", "add( 1 )"), True),
        (("cart.py", "\n", "\r\n"), True),
        (("cart.py", "add(1)", "add(2)"), False),
        (("cart.py", "        return", "    return"), False),  # the indentation is code
        (("cart.py", "def total(prices):\n", 'def total(prices):\n    """Help."""\n'), False),  # click shows it
        (("cart.ts", "// all", "/* each */"), True),
        (("cart.ts", "${a} ${a}", "${a}${a}"), False),
        (("run.sh", "# all", "# each"), True),
        (("run.sh", "#!/bin/sh", "#!/bin/bash"), False),
        (("cart.yaml", "a:\n", "a:\n\n"), True),
        (("cart.yaml", "  b", "    b"), False),
        (("broken.py", "\n    # each\n", "\n\n    # each\n"), True),
        (("broken.py", "# each", "# all"), False),  # not parsed, so that a comment is text like any other
        (("docs/cart.md", "The total.", "The sum."), False),
    ],
)
def test_a_change_of_comments_and_white_space_is_told_from_one_of_code(
    workspace: Workspace, committed: Path, edit: tuple[str, str, str], *, cosmetic: bool
) -> None:
    path, old, new = edit
    text = FILES[path].replace(old, new)
    assert text != FILES[path]
    (committed / path).write_bytes(text.encode())
    found = call_tool(workspace, "evidence.check", {"changed": [path]})
    assert (found["cosmetic"], found["unchanged"], found["holds"]) == ([path] if cosmetic else [], [], not cosmetic)


def test_a_comment_beside_a_real_change_is_no_objection(workspace: Workspace, committed: Path) -> None:
    (committed / "cart.py").write_text(FILES["cart.py"].replace("each once", "each"), encoding="utf-8")
    (committed / "cart.yaml").write_text("a:\n  b: 2\n", encoding="utf-8")
    found = call_tool(workspace, "evidence.check", {"changed": ["cart.py", "cart.yaml"]})
    assert (found["cosmetic"], found["holds"]) == ([], True)


def test_a_new_and_a_deleted_file_are_changes(workspace: Workspace, committed: Path) -> None:
    (committed / "new.py").write_text("# only a comment\n", encoding="utf-8")
    (committed / "run.sh").unlink()
    assert call_tool(workspace, "evidence.check", {"changed": ["new.py", "run.sh"]})["holds"] is True


@pytest.mark.parametrize("path", ["crat.py", "cart.py::test_total", "../cart.py"])
@pytest.mark.usefixtures("committed")
def test_a_file_that_never_was_is_missing_and_not_unchanged(workspace: Workspace, path: str) -> None:
    for claim in ({"files": [path], "changed": [path]}, {"changed": [path, "cart.py"]}):
        found = call_tool(workspace, "evidence.check", claim)
        others = [one for one in claim["changed"] if one != path]
        assert (found["missing"], found["unchanged"], found["holds"]) == ([path], others, False)


@pytest.mark.parametrize(
    ("command", "idle"),
    [
        ("true", True),
        (":", True),
        ("echo tests/test_cart.py", True),
        ("sleep 3; exit 1", True),
        ("cat tests/test_cart.py | grep total", True),
        ("X=1 true && false", True),
        ("python -c pass", True),
        ("git status", True),
        ("pytest", False),
        ("python -m pytest -q", False),
        ("python -m unittest", False),
        ("cd app && npm test -- cart", False),
        ("PYTHONPATH=. pytest tests/test_cart.py::test_total", False),
        ("mvn -Dtest=CartTest verify", False),
        ("go test ./...", False),
        ("./check.sh", False),
        ("make check ONLY=cart", False),
        ("echo running; pytest -k total", False),
    ],
)
def test_a_command_that_runs_nothing_of_the_test_is_named(workspace: Workspace, command: str, *, idle: bool) -> None:
    tests = workspace.root / "tests"
    tests.mkdir()
    (tests / "test_cart.py").write_text("def test_total():\n    assert total([2]) == 2\n", encoding="utf-8")
    found: dict[str, Any] = call_tool(
        workspace, "evidence.check", {"files": ["tests/test_cart.py"], "command": command}
    )
    assert (found["idle"], found["holds"]) == (command if idle else "", not idle)


FAILING = {
    "pytest": "FAILED tests/test_a.py::TestA::test_one[x y] - assert 1 == 2\n1 failed, 3 passed in 0.1s",
    "unittest": "FAIL: test_one (test_a.TestA.test_one)\nRan 3 tests",
    "go test": "--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/test_one (0.00s)\nFAIL\texample.org/a",
    "cargo test": "test a::test_one ... FAILED\ntest a::other ... ok",
    "jest": "  ✓ adds (2 ms)\n  ✕ test_one (3 ms)",
    "vitest": " \x1b[31mFAIL\x1b[0m  src/a.test.ts > suite > test_one\n ✓ src/b.test.ts (3)",
    "TAP": "ok 1 - adds\nnot ok 2 - test_one",
    "maven": "[ERROR]   ATest.test_one:12 expected 1",
    "dotnet": "  Failed Shop.ATest.test_one [3 ms]",
}


@pytest.mark.parametrize("runner", FAILING)
def test_a_test_that_fails_and_did_not_before_is_named(workspace: Workspace, runner: str) -> None:
    def find(**claim: Any) -> list[str]:
        found: dict[str, Any] = call_tool(workspace, "evidence.check", {"failing": FAILING[runner], **claim})
        assert found["holds"] is not bool(found["new_failures"])
        return found["new_failures"]

    assert any("test_one" in name for name in find())
    assert find(known=["test_one", "TestA"]) == []
    assert find(failing_before=FAILING[runner]) == []
    assert any("test_one" in name for name in find(failing_before="3 passed"))


def test_the_reproducing_test_may_not_fail_although_it_did_before(workspace: Workspace) -> None:
    (workspace.root / "test_a.py").write_text("def test_one():\n    assert add(1) == 2\n", encoding="utf-8")
    other = "FAILED test_b.py::test_two"
    both = f"FAILED test_a.py::test_one\n{other}"
    claim = {"files": ["test_a.py"], "failing_before": both}
    assert call_tool(workspace, "evidence.check", {**claim, "failing": other})["new_failures"] == []
    found = call_tool(workspace, "evidence.check", {**claim, "failing": both})
    assert found["new_failures"] == ["test_a.py::test_one"]


def test_an_output_that_names_no_test_counts_only_where_nothing_failed_before(workspace: Workspace) -> None:
    failing = {"failing": "make: *** [check] Error 1"}
    assert len(call_tool(workspace, "evidence.check", failing)["new_failures"]) == 1
    assert call_tool(workspace, "evidence.check", {**failing, "known": ["network"]})["new_failures"] == []


def test_files_are_compared_with_an_earlier_state(workspace: Workspace, committed: Path) -> None:
    (committed / "cart.yaml").write_text("a:\n  b: 2\n", encoding="utf-8")
    state = call_tool(workspace, "evidence.check", {})["state"]
    assert [one["path"] for one in state["files"]] == ["cart.yaml"]
    paths = ["cart.py", "cart.yaml", "new.py"]
    assert call_tool(workspace, "evidence.check", {"same": paths, "since": state})["holds"] is True
    found = call_tool(workspace, "evidence.check", {"changed": paths[:2], "since": state})
    assert found["unchanged"] == paths[:2]
    for path in paths:
        (committed / path).write_text("total = 3\n", encoding="utf-8")
    assert call_tool(workspace, "evidence.check", {"changed": paths, "since": state})["holds"] is True
    assert call_tool(workspace, "evidence.check", {"same": paths, "since": state})["differing"] == paths


def test_without_git_the_named_files_are_compared(workspace: Workspace) -> None:
    (workspace.root / "cart.py").write_text("total = 1\n", encoding="utf-8")
    state = call_tool(workspace, "evidence.check", {"changed": ["cart.py"]})["state"]
    assert call_tool(workspace, "evidence.check", {"same": ["cart.py"], "since": state})["holds"] is True
    (workspace.root / "cart.py").unlink()
    assert call_tool(workspace, "evidence.check", {"same": ["cart.py"], "since": state})["differing"] == ["cart.py"]
