"""Reports of the stages of an indexing: they agree with it, and change nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.memory import open_store
from aurora.memory.indexing.run import index_tree
from aurora.tools.runtime.dispatch import call_tool

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.tools.runtime.workspace import Workspace

STAGES = ("mem.normalize", "mem.extract", "mem.link")


@pytest.fixture
def foreign(root: Path) -> Path:
    """Add a file with other line ends, one in another encoding, one with a secret, and a binary one."""
    (root / "src" / "windows.py").write_bytes(b"def close():\r\n    return 1\r\n")
    (root / "docs" / "alt.md").write_bytes("# Übergröße\n\nGrüße an alle, möglichst für Käufer.".encode("iso8859-1"))
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (root / "src" / "token.py").write_text(f'A = 1\nTOKEN = "{token}"\n', encoding="utf-8")
    (root / "logo.bin").write_bytes(b"\0\1\2" * 100)
    return root


@pytest.mark.requirement("auditgraph-21")
def test_normalize_reports_the_encoding_and_the_text_of_each_file(foreign: Path, workspace: Workspace) -> None:
    found = call_tool(workspace, "mem.normalize", {})
    texts = {one["path"]: one for one in found["texts"]}
    windows, german = texts["src/windows.py"], texts["docs/alt.md"]
    assert (windows["line_ends"], windows["bytes"], windows["characters"], windows["lines"]) == ("crlf", 28, 26, 2)
    assert (german["encoding"], german["characters"], german["lines"]) == ("iso8859-1", 49, 3)
    assert texts["src/token.py"]["left_out"] == found["left_out"] == 1
    assert found["encodings"] == {"iso8859-1": 1, "utf-8": 4}
    assert (found["files"], found["skipped"]) == (5, {"binary": 1})
    assert found["bytes"] == sum((foreign / path).stat().st_size for path in texts)


@pytest.mark.requirement("auditgraph-21", "auditgraph-29")
def test_extract_reports_what_an_indexing_then_stores(foreign: Path, workspace: Workspace) -> None:
    found = call_tool(workspace, "mem.extract", {})
    part = next(one for one in found["parts"] if one["path"] == "src/parser.py")
    assert part["definitions"] == {"class": 2, "method": 2}
    call_tool(workspace, "mem.index", {})
    stats = workspace.memory.stats()
    assert found["chunks"] == sum(stats.chunks.values())
    assert sum(found["definitions"].values()) == stats.nodes - found["files"]
    assert foreign == workspace.root


@pytest.mark.requirement("auditgraph-21")
def test_link_reports_the_links_that_an_indexing_then_makes(root: Path, workspace: Workspace) -> None:
    (root / "src" / "main.py").write_text(
        "from parser import OptionParser\n\nimport json\n\n\ndef run():\n    return OptionParser(json.loads)\n",
        encoding="utf-8",
    )
    found = call_tool(workspace, "mem.link", {})
    call_tool(workspace, "mem.index", {})
    with workspace.memory.store.begin_read() as db:
        rows = db.references.count_by_file()
        linked = {(row[0], row[1]) for row in rows if row[3]}
    assert found["total"]["references"] == sum(row[2] for row in rows)
    assert found["total"]["resolved"] == sum(row[3] for row in rows) > 0
    assert found["total"]["unresolved"] > 0  # json is not in the project
    assert ("src/main.py", 0) in linked
    assert {one["path"] for one in found["links"]} >= {"src/main.py", "src/parser.py"}


@pytest.mark.parametrize("name", STAGES)
def test_a_stage_leaves_the_project_without_a_memory(workspace: Workspace, name: str) -> None:
    assert call_tool(workspace, name, {"limit": 0})["files"] > 0
    assert not (workspace.root / ".aurora" / "memory.db").exists()


def test_a_temporary_database_of_links_is_removed(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    call_tool(workspace, "mem.link", {})
    assert list(scratch.iterdir()) == []


def test_a_stage_of_one_folder_reads_only_this_folder(workspace: Workspace) -> None:
    for name, list_name in (("mem.normalize", "texts"), ("mem.extract", "parts")):
        listed: list[dict[str, Any]] = call_tool(workspace, name, {"path": "docs"})[list_name]
        assert [one["path"] for one in listed] == ["docs/guide.md"]
        assert call_tool(workspace, name, {"limit": 1})["files"] == 2


@pytest.mark.parametrize("name", ["mem.normalize", "mem.extract"])
@pytest.mark.parametrize(("path", "code"), [("../elsewhere", Code.FORBIDDEN), ("nowhere", Code.NOT_FOUND)])
def test_a_path_that_is_not_in_the_project_is_refused(workspace: Workspace, name: str, path: str, code: Code) -> None:
    with pytest.raises(Fault) as caught:
        call_tool(workspace, name, {"path": path})
    assert caught.value.code is code


def test_a_tree_without_embeddings_has_words_and_links(root: Path, tmp_path: Path) -> None:
    store = open_store(tmp_path / "scratch.db")
    report = index_tree(store, root, purpose="scratch")
    assert (report.embedded, report.chunks > 0) == (0, True)
    store.close()
