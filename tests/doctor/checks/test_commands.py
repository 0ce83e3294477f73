"""The doctor lists what phases may run, and says what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

SHOWN = {"project.commands.missing", "project.commands.unreadable"}


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
