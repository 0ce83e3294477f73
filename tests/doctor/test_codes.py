"""Every finding of the doctor has a stable code, and a broken project in these tests."""

from __future__ import annotations

import ast
import importlib.util
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import aurora.doctor
from aurora.doctor import FINDING_CODES, GROUPS
from aurora.tools.runtime import Workspace
from aurora.tools.trust import read_contents
from aurora.trust import FolderTrust

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).parent
SHOWING = (
    "test_broken",
    "checks/test_machine",
    "checks/test_trust",
    "checks/test_usable",
    "checks/test_worktrees",
    "test_manual",
    "test_runner",
    "checks/mcp/test_hooks",
    "checks/mcp/test_servers",
)
"""Test files whose `SHOWN` lists the codes that their tests produce."""


def _bare(it: Any) -> None:
    shutil.rmtree(it.root / ".aurora")


def _beside(it: Any) -> None:
    (it.root / ".zed").mkdir()


def _own_text(it: Any) -> None:
    (it.root / ".mcp.json").unlink()
    it.write("~/.claude/agents/finder.md", "---\nname: finder\ntools: mcp__aurora__aurora_search\n---\n")


def _address(it: Any) -> None:
    headers = '{"Authorization": "Bearer ${NOT_SET_TOKEN}"}'
    it.write(
        ".mcp.json",
        f'{{"mcpServers": {{"aurora": {{"type": "http", "url": "https://a.example.org/mcp", "headers": {headers}}}}}}}',
    )


def _untrusted(it: Any) -> None:
    FolderTrust(it.root).revoke()
    _address(it)


def _seen_address(it: Any) -> None:
    _address(it)
    with Workspace(it.root) as workspace:
        workspace.trust.grant(shown=read_contents(workspace).definitions)


SKIPPED = [
    ("mcp.config.absent", _beside, "Zed is in use, and has no entry for Aurora"),
    ("mcp.database.elsewhere", _address, "https://a.example.org/mcp has its own memory"),
    ("mcp.http.token", _seen_address, "is not called, since NOT_SET_TOKEN is not set here, for Claude Code"),
    ("mcp.http.untrusted", _untrusted, "is not called, since this folder is not trusted"),
    ("mcp.http.untrusted", _address, "is not called, since the file is new or changed since you trusted this folder"),
    ("mcp.references.server-own", _own_text, 'finder.md: the agent refers to the MCP server "aurora"'),
    ("memory.whole.none", _bare, "there is no memory to check yet"),
    ("memory.fresh.none", _bare, "there is no memory to compare with the files yet"),
    ("project.rights.none", _bare, "there is nothing in .aurora/ yet"),
]


@pytest.mark.parametrize(("kind", "harm", "said"), SKIPPED, ids=[kind for kind, *_ in SKIPPED])
def test_a_check_that_does_not_apply_is_skipped_with_a_message(
    healthy: Any, kind: str, harm: Callable[[Any], None], said: str
) -> None:
    harm(healthy)
    found = healthy.look(kind.rpartition(".")[0])["groups"][0]["findings"]
    told = [one for one in found if one["kind"] == kind]
    assert {one["status"] for one in told} == {"skip"}
    assert all(said in one["message"] and not one["fixable"] for one in told)


NOTHING = {
    "mcp.hooks",
    "mcp.http",
    "memory.worktrees",
    "project.agents",
    "project.commands",
    "project.trust",
    "system.extensions",
}
"""Checks that have nothing to look at in a healthy project, and say so."""
CHECKS = [check.name for group in GROUPS for check in group.checks]


@pytest.mark.requirement("prd-52")
@pytest.mark.parametrize("name", CHECKS)
def test_each_check_passes_in_a_healthy_project(healthy: Any, name: str) -> None:
    (group,) = healthy.look(name)["groups"]
    expected = ("skip", "check.nothing") if name in NOTHING else ("pass", "")
    assert {(one["status"], one["kind"]) for one in group["findings"]} == {expected}


def _named() -> Iterator[str]:
    """Yield the codes in the doctor's source: the first argument of each call that creates a finding."""
    for path in sorted(Path(aurora.doctor.__file__).parent.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if isinstance(call.func, ast.Name) and call.func.id in {"report_failure", "report_warning", "report_skip"}:
                yield from _texts(call.args[0], tree)


def _texts(first: ast.expr, tree: ast.Module) -> Iterator[str]:
    """Yield a literal, or those that its file assigns to that name."""
    if isinstance(first, ast.Constant):
        yield str(first.value)
        return
    assert isinstance(first, ast.Name), ast.unparse(first)
    found = [one for one in ast.walk(tree) if isinstance(one, ast.Assign) and first.id in ast.unparse(one.targets[0])]
    texts = {node.value for one in found for node in ast.walk(one) if isinstance(node, ast.Constant)}
    kinds = {text for text in texts if isinstance(text, str) and re.fullmatch(r"[a-z]+(\.[a-z-]+){2}", text)}
    assert kinds, f"no literal is given to {first.id}"
    yield from kinds


def _shown() -> Iterator[str]:
    for name in SHOWING:
        spec = importlib.util.spec_from_file_location(f"shown_{Path(name).name}", HERE / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield from module.SHOWN
    yield from (kind for kind, *_ in SKIPPED)
    yield "check.nothing"  # of the checks in NOTHING


def test_each_finding_that_the_source_can_make_is_in_the_list_and_no_other() -> None:
    assert sorted(set(_named())) == sorted(FINDING_CODES)


def test_each_kind_is_named_after_the_check_that_tells_it() -> None:
    checks = {check.name for group in GROUPS for check in group.checks}
    assert {kind for kind in FINDING_CODES if kind.rpartition(".")[0] not in {*checks, "check"}} == set()


@pytest.mark.requirement("prd-52")
def test_each_kind_of_finding_has_a_broken_project() -> None:
    assert sorted(set(_shown())) == sorted(FINDING_CODES)
