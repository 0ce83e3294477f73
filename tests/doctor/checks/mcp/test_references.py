"""A skill that many assistants read concerns those in use, and sets up none that nobody chose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

SHARED = ".agents/skills/find/SKILL.md"
TEXT = "In Claude Code, call mcp__aurora__aurora_query first.\n"
SHOWN = frozenset({"mcp.references.server"})
COMMAND = "Call mcp__aurora__aurora_query first.\n"
SETTINGS = '{"permissions": {"allow": ["mcp__aurora__aurora_query"]}}'


def _find_readers(it: Any) -> list[tuple[str, bool]]:
    (group,) = it.look("mcp.references")["groups"]
    found = [one for one in group["findings"] if one["status"] == "warn"]
    assert {one["kind"] for one in found} <= SHOWN
    return [(one["message"].rpartition(" of ")[2], one["fixable"]) for one in found]


def _list_files(it: Any) -> set[Path]:
    return {path for folder in (it.root, it.home) for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def shared(bare: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.setenv("PATH", str(tmp_path / "no-programs"))
    bare.write(SHARED, TEXT)
    return bare


def test_a_text_of_a_connected_assistant_concerns_no_other(shared: Any) -> None:
    shared.tool("init.run", hosts=["opencode"])
    (shared.root / ".cursor").mkdir()

    assert _find_readers(shared) == []


def test_a_text_sets_up_no_assistant_that_is_not_in_use(shared: Any) -> None:
    before = _list_files(shared)

    assert _find_readers(shared) == []
    shared.fix("mcp.references")

    assert _list_files(shared) == before


def test_a_text_connects_the_assistant_that_the_project_is_set_up_for(shared: Any) -> None:
    (shared.root / ".cursor").mkdir()
    (shared.home / ".codex").mkdir()

    assert _find_readers(shared) == [("Cursor", True), ("Codex", False)]


@pytest.mark.requirement("prd-16", "prd-18", "prd-20", "prd-44")
@pytest.mark.parametrize(
    ("place", "text"), [(".claude/commands/find.md", COMMAND), (".claude/settings.json", SETTINGS)]
)
def test_a_text_that_names_aurora_in_a_project_without_an_entry_contradicts_no_other_line(
    bare: Any, place: str, text: str
) -> None:
    bare.write(place, text)
    (group,) = bare.look("mcp")["groups"]
    bad = [one for one in group["findings"] if one["status"] == "warn"]

    assert [one["kind"] for one in bad] == ["mcp.config.unconnected", "mcp.references.server"]
    assert f"{place}: the " in bad[1]["message"]
    assert [one["steps"] for one in bad] == [["Run `aur init --hosts claude-code`."]] * 2
