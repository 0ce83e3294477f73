"""What makes a cache stale, or unusable: the server answers itself, as without a cache, and writes a new one."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from aurora.trust import FolderTrust

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def mode() -> str:
    return "legacy"


def expect_fresh(starts: Any, how: dict[str, Any] | None = None) -> Any:
    """The next start asks the server, and the one after it has the same answers from the cache."""
    lines, how = starts.ask_lists("legacy"), how or {}
    fresh = starts.start(*lines, **how)
    assert not fresh.is_quick
    assert (fresh.code, fresh.log.count("Traceback")) == (0, 0)
    again = starts.start(*lines, **how)
    assert again.is_quick
    assert again.answers == fresh.answers
    return fresh


def test_a_workflow_that_is_added_edited_or_removed(warm: Any) -> None:
    file = warm.write(".aurora/workflows/tea.yaml", warm.TEA)
    assert "tea" in expect_fresh(warm).prompts
    file.write_text(warm.TEA.replace("name: tea", "name: mate"), encoding="utf-8")
    found = expect_fresh(warm).prompts
    assert "mate" in found
    assert "tea" not in found
    file.unlink()
    assert "mate" not in expect_fresh(warm).prompts


def test_an_edit_that_keeps_the_size_and_the_time_of_a_file(warm: Any) -> None:
    file = warm.write(".aurora/workflows/tea.yaml", warm.TEA)
    before = file.stat()
    expect_fresh(warm)
    file.write_text(warm.TEA.replace("tea", "pie"), encoding="utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "pie" in expect_fresh(warm).prompts


def test_the_trust_in_the_project_and_in_its_contents(starts: Any, trust_contents: Callable[..., None]) -> None:
    starts.environ["AURORA_TRUST"] = ""
    file = starts.write(".aurora/workflows/tea.yaml", starts.TEA)
    starts.start(*starts.ask_lists("legacy"))
    assert "tea" not in starts.start(*starts.ask_lists("legacy")).prompts
    trust_contents(starts.root, starts.environ)
    assert "tea" in expect_fresh(starts).prompts
    file.write_text(starts.TEA.replace("Make tea", "Make it"), encoding="utf-8")
    assert "tea" not in expect_fresh(starts).prompts
    trust_contents(starts.root, starts.environ)
    assert "tea" in expect_fresh(starts).prompts
    FolderTrust(starts.root, starts.environ).revoke()
    assert "tea" not in expect_fresh(starts).prompts
    assert "tea" in expect_fresh(starts, {"AURORA_TRUST": "1"}).prompts


@pytest.mark.parametrize(
    "how",
    [
        {"options": ("--toolsets", "runs")},
        {"AURORA_TOOLSETS": "runs"},
        {"options": ("--read-only",)},
    ],
    ids=str,
)
def test_the_options_and_the_environment(warm: Any, how: dict[str, Any]) -> None:
    usual = warm.start(*warm.ask_lists("legacy"))
    assert expect_fresh(warm, how).answers["tools/list"] != usual.answers["tools/list"]
    assert warm.start(*warm.ask_lists("legacy")).is_quick, "each has a cache of its own"


def test_a_wrong_variable_is_reported_as_without_a_cache(warm: Any) -> None:
    found = warm.start(*warm.ask_lists("legacy"), AURORA_LOG="loud")
    assert found.code == 2
    assert found.answers == {}


def test_the_project_of_the_folder(warm: Any) -> None:
    """Another folder around this one becomes the project, or this one no longer is one."""
    (warm.root / ".aurora").rmdir()
    (warm.root.parent / ".aurora" / "workflows").mkdir(parents=True)
    (warm.root.parent / ".aurora" / "workflows" / "tea.yaml").write_text(warm.TEA, encoding="utf-8")
    assert "tea" not in expect_fresh(warm).prompts, "the home folder is no project"
    (warm.root / ".git").mkdir()
    expect_fresh(warm)


def test_another_version_interpreter_or_path_of_modules(warm: Any) -> None:
    for name, value in (("aurora", "0.0.9"), ("python", ["3.11.0"]), ("path", ["/elsewhere"]), ("format", 0)):
        document = json.loads(warm.cache.read_bytes())
        assert document["key"][name] != value
        document["key"][name] = value
        warm.cache.write_text(json.dumps(document), encoding="utf-8")
        expect_fresh(warm)


def test_the_code_of_aurora_itself(warm: Any) -> None:
    document = json.loads(warm.cache.read_bytes())
    (code,) = (path for path in document["stamps"] if path.endswith("tools/mcp/listing.py"))
    document["stamps"][code][3] -= 1
    warm.cache.write_text(json.dumps(document), encoding="utf-8")
    expect_fresh(warm)


def test_the_database_makes_only_the_list_of_resources_stale(warm: Any) -> None:
    asking = [line for line in warm.ask_lists("legacy") if line.get("id") != "resources/list"]
    (warm.root / ".aurora" / "memory.db").write_bytes(b"x")
    assert warm.start(*asking).is_quick
    assert not warm.start(*warm.ask_lists("legacy")).is_quick


def test_a_damaged_or_hostile_cache_is_not_used(warm: Any) -> None:
    expected = warm.start(*warm.ask_lists("legacy"))
    assert expected.is_quick
    for content in (b"[" * 1_000_000, b"\xff", warm.cache.read_bytes()[:-100]):
        warm.cache.write_bytes(content)
        assert expect_fresh(warm).answers == expected.answers


def test_without_a_folder_for_caches_every_start_asks_the_server(starts: Any) -> None:
    for environ in ({"HOME": "", "XDG_CACHE_HOME": ""}, {"XDG_CACHE_HOME": "/dev/null"}):
        found = starts.start(*starts.ask_lists("legacy"), **environ)
        assert not found.is_quick
        assert len(found.answers) == 6
        assert "Traceback" not in found.log


def test_the_file_is_private_and_in_a_private_folder(warm: Any) -> None:
    assert warm.cache.stat().st_mode & 0o777 == 0o600
    assert warm.cache.parent.stat().st_mode & 0o777 == 0o700
