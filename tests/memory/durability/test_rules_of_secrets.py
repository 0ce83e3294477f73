"""A memory that was made with other rules for secrets is read again, and loses what they did not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory import Memory

TOKEN = "hf_" + "QWmXnTbYvRcKzLpDsGfHjWxEuAoIiNtMbV"  # in two parts, or this file would be one that holds a secret


def test_a_memory_made_with_older_rules_loses_the_secrets_that_they_missed(memory: Memory, tmp_path: Path) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    (root / "notes.md").write_text(f"# Kettle\n\nUse {TOKEN} here.\nIt sings.\n", encoding="utf-8")
    (root / ".auroraignore").write_text("[secrets]\n*.md\n", encoding="utf-8")
    memory.index(root)
    assert any(TOKEN in chunk.text for chunk in memory.iter_chunks())
    (root / ".auroraignore").unlink()
    report = memory.index(root)
    assert [(one.path, one.line) for one in report.left_out] == [("notes.md", 3)]
    (chunk,) = memory.iter_chunks()
    assert chunk.text == "# Kettle\n\n[line left out: a Hugging Face token]\nIt sings."
    memory.close()
    for file in memory.path.parent.iterdir():
        assert not file.is_file() or TOKEN.encode() not in file.read_bytes(), file.name


def test_a_second_index_with_the_same_rules_reads_nothing(memory: Memory, tmp_path: Path) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    (root / "notes.md").write_text(f"Use {TOKEN} here.\n", encoding="utf-8")
    memory.index(root)
    assert memory.index(root).unchanged == 1
