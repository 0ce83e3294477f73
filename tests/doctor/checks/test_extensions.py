"""The doctor names a broken tool of an installed distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.tools.extensions import list_entries

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SHOWN = {"system.extensions.broken"}


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
