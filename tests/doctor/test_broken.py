"""One broken project per finding: its message, and the result of `--fix`."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from aurora.hosts.install import add_stamp, insert_block
from aurora.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Callable

ENTRY = {"command": "aur", "args": ["mcp"]}


def servers(**entry: Any) -> str:
    return json.dumps({"mcpServers": {"aurora": {**ENTRY, **entry}}}, indent=2)


def _without_entry(it: Any) -> None:
    it.write(".mcp.json", '{"mcpServers": {"other": {"command": "sh"}}}\n')


def _gone_program(it: Any) -> None:
    it.write(".mcp.json", servers(command="/no/such/aur"))


def _lacking(it: Any) -> None:
    it.write(".mcp.json", '{"mcpServers": {"aurora": {"args": ["mcp"]}}}')


def _without_ignore(it: Any) -> None:
    (it.root / ".aurora/.gitignore").unlink()


def _edited(it: Any) -> None:
    it.write("parser.py", "def other():\n    return 1\n")
    it.write("new.py", "def more():\n    return 2\n")


def _forgotten(it: Any) -> None:
    for path in (it.root / ".aurora").glob("memory.db*"):
        path.unlink()


def _closed(it: Any) -> None:
    (it.root / ".aurora/memory.db").chmod(0o044)


def _open_to_all(it: Any) -> None:
    (it.root / ".aurora").chmod(0o777)


def _no_skill(it: Any) -> None:
    (it.root / ".claude/skills/aurora/SKILL.md").unlink()


def _no_note(it: Any) -> None:
    it.write("CLAUDE.md", "# Mine alone\n")


def _former_command(it: Any) -> None:
    it.write(".claude/commands/aurora.md", add_stamp("Call `aurora_query` and see.\n", ".claude/commands/aurora.md"))


def _older_skill(it: Any) -> None:
    it.write(".claude/skills/aurora/SKILL.md", add_stamp("---\nname: aurora\n---\n\nSearch.\n", "SKILL.md"))


def _older_note(it: Any) -> None:
    it.write("CLAUDE.md", insert_block("# Mine\n", "Ask `aurora_search` first."))


def _never_indexed(it: Any) -> None:
    _forgotten(it)
    with Memory.open(it.root / ".aurora/memory.db") as memory:
        memory.remember(type="reas", kind="pattern", symbol="tea", text="tea is hot", metadata={})


def _stopped(it: Any) -> None:
    with sqlite3.connect(it.root / ".aurora/memory.db") as db:
        db.execute("UPDATE facts SET value = 'running' WHERE key = 'index_state'")
        db.execute("DELETE FROM vectors")
    db.close()


def _no_folder(it: Any) -> None:
    shutil.rmtree(it.root / ".aurora")


EDITION = "is of an earlier version"
FIXED = [
    ("mcp.references.server", _without_entry, r'skill refers to the MCP server "aurora", which is not in'),
    ("mcp.config.unconnected", _without_entry, r"Claude Code is in use in this project, and has no entry for Aurora"),
    (
        "mcp.config.stale",
        _gone_program,
        r'\.mcp\.json: the entry "aurora" starts "/no/such/aur", which is not an executable',
    ),
    ("mcp.config.incomplete", _lacking, r'\.mcp\.json: the entry "aurora" names no program to start'),
    ("mcp.references.missing", _no_skill, r"aurora/SKILL\.md: the skill for Claude Code is missing"),
    ("mcp.references.missing", _no_note, r"CLAUDE\.md: the agents' note is missing"),
    ("mcp.references.older", _former_command, rf"commands/aurora\.md: the skill is .* for Claude Code now {EDITION}"),
    ("mcp.references.older", _older_skill, rf"aurora/SKILL\.md: the skill for Claude Code {EDITION}"),
    ("mcp.references.older", _older_note, rf"CLAUDE\.md: the agents' note {EDITION}"),
    ("memory.fresh.behind", _edited, r"the memory is out of date: 1 changed, 1 new"),
    ("memory.fresh.never", _never_indexed, r"the project has not been indexed yet"),
    ("memory.whole.unfinished", _stopped, r"."),
    ("memory.opens.none", _forgotten, r'there is no memory yet: "\.aurora/memory\.db" does not exist'),
    ("project.folder.missing", _no_folder, r'the folder "\.aurora" is missing'),
    ("project.folder.unignored", _without_ignore, r'"\.aurora/\.gitignore" is missing'),
    ("project.rights.closed", _closed, r"\.aurora/memory\.db is not readable and writable by its owner"),
    ("project.rights.open", _open_to_all, r"\.aurora is writable by everyone"),
]
SHOWN = {kind for kind, *_ in FIXED}
"""The kinds of findings that the test below brings about."""


@pytest.mark.requirement("prd-15", "prd-17", "prd-47", "prd-48", "prd-64")
@pytest.mark.parametrize(("kind", "harm", "line"), FIXED, ids=lambda one: getattr(one, "__name__", None))
def test_a_safe_fix_is_reported_and_applied(
    healthy: Any, kind: str, harm: Callable[[Any], None], line: str, wrong: Callable[..., list[str]]
) -> None:
    check = kind.rpartition(".")[0]
    assert wrong(healthy.look(check)) == []
    harm(healthy)
    told = [one for one in healthy.look(check)["groups"][0]["findings"] if one["kind"] == kind]
    assert [one for one in told if re.search(line, one["message"])], told
    assert all(one["fixable"] and one["steps"] for one in told)
    if kind == "project.folder.unignored":
        assert "in this order: `*`, `!.gitignore`, " in told[0]["steps"][0]
    done = healthy.fix(check)
    assert {step["done"] for step in done["fixed"]} == {True}
    assert wrong(done) == []
    assert healthy.fix(check)["fixed"] == []
