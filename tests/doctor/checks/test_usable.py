"""The doctor names what a project may use and cannot: agents, programs of phases, tools of distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.tools.extensions import list_entries

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SHOWN = {
    "project.agents.broken",
    "project.commands.missing",
    "project.commands.unreadable",
    "system.extensions.broken",
}


def test_a_broken_agent_is_a_warning_with_its_file(bare: Any) -> None:
    bare.write("~/.claude/agents/good.md", "---\nname: good\ndescription: Reads code.\n---\nRead.\n")
    bare.write("~/.claude/agents/torn.md", "---\nname: [torn\n---\nRead.\n")

    broken, usable = bare.look("project.agents")["groups"][0]["findings"]

    assert (broken["status"], broken["kind"]) == ("warn", "project.agents.broken")
    assert broken["message"].startswith("~/.claude/agents/torn.md: its frontmatter is not valid YAML in line 2 ")
    assert broken["steps"] == [
        "Begin the file with ---, name: and description: lines (quote a value that contains a colon), and ---."
    ]
    assert (usable["status"], usable["message"]) == ("pass", "1 agent can be used")


def test_a_person_without_agents_has_nothing_to_repair(bare: Any) -> None:
    (found,) = bare.look("project.agents")["groups"][0]["findings"]
    assert (found["status"], found["message"]) == ("skip", "neither the project nor you define an agent")


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the person's configuration, which does not exist yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config" / "aurora").mkdir(parents=True)
    return tmp_path / "config" / "aurora" / "config.toml"


def _look(it: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = it.look("project.commands")["groups"][0]["findings"]
    return found


def test_each_allowed_program_is_listed_and_a_missing_one_is_a_warning(bare: Any, config: Path) -> None:
    (nothing,) = _look(bare)
    assert (nothing["status"], nothing["message"]) == (
        "skip",
        "phases may run no program here, because your config.toml allows none",
    )
    config.write_text('[[commands]]\nprogram = "sh"\n[[commands]]\nprogram = "surely-none"\n', encoding="utf-8")
    config.chmod(0o600)

    allowed, missing = _look(bare)

    assert (allowed["status"], allowed["message"]) == ("pass", "phases may run: sh")
    assert (missing["status"], missing["kind"]) == ("warn", "project.commands.missing")
    assert missing["message"] == 'the program "surely-none" is not in PATH, outside of the project'


def test_a_wrong_configuration_is_a_failure(bare: Any, config: Path) -> None:
    config.write_text("[[commands]]\n", encoding="utf-8")
    config.chmod(0o600)

    (found,) = _look(bare)

    assert (found["status"], found["kind"]) == ("fail", "project.commands.unreadable")
    assert '"program" is missing' in found["message"]


@pytest.fixture
def _distribution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A distribution whose only tool does not exist."""
    info = tmp_path / "site" / "lost_tools-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lost-tools\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[aurora.tools]\nlost.tool = surely_lost:TOOL\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    list_entries.cache_clear()
    yield
    list_entries.cache_clear()


@pytest.mark.usefixtures("_distribution")
def test_a_tool_that_cannot_be_loaded_is_a_warning(bare: Any) -> None:
    (found,) = bare.look("system.extensions")["groups"][0]["findings"]

    assert (found["status"], found["kind"]) == ("warn", "system.extensions.broken")
    assert found["message"] == (
        'the tool "lost.tool" of lost-tools 1.0 cannot be used: there is no package "surely_lost"'
    )
