"""What needs a person: each finding is told with exact steps, and `--fix` leaves everything as it is."""

from __future__ import annotations

import json
import re
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable


def servers(**entry: Any) -> str:
    return json.dumps({"mcpServers": {"aurora": {"command": "aur", "args": ["mcp"], **entry}}})


def _no_json(it: Any) -> None:
    it.write(".mcp.json", '{\n  "mcpServers": {\n')


def _taken(it: Any) -> None:
    it.write(".mcp.json", servers(command="node", args=["x.js"]))


def _switched_off(it: Any) -> None:
    it.write(".kiro/settings/mcp.json", servers(disabled=True, autoApprove=[]))


def _nobody(it: Any) -> None:
    for name in (".mcp.json", "CLAUDE.md"):
        (it.root / name).unlink()
    for path in sorted((it.root / ".claude").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (it.root / ".claude").rmdir()


def _other_database(it: Any) -> None:
    it.write(".mcp.json", servers(env={"AURORA_DB": "other.db"}))


def _unknown_server(it: Any) -> None:
    it.write(".claude/agents/finder.md", "---\nname: finder\ntools: mcp__aurora_old__aurora_search\n---\n")


def _unknown_tool(it: Any) -> None:
    it.write(".claude/commands/find.md", "Call mcp__aurora__aurora_find with the name.\n")


def _removed_in_text(it: Any) -> None:
    it.write(".claude/commands/agents.md", "\nCall `aurora_list_agents` first.\n")


def _in_the_way(it: Any) -> None:
    (it.root / ".claude/commands/aurora.md").unlink()
    (it.root / ".claude/commands").rmdir()
    it.write(".claude/commands", "not a folder\n")


def _workflow(it: Any) -> None:
    it.write(".aurora/workflows/soar.yaml", "extends: soar\nphases:\n  assess:\n    uses: complexity.asess\n")


def _torn(it: Any) -> None:
    for end in ("-wal", "-shm"):
        (it.root / f".aurora/memory.db{end}").unlink(missing_ok=True)
    with (it.root / ".aurora/memory.db").open("r+b") as file:
        file.truncate(5000)


def _words_gone(it: Any) -> None:
    with sqlite3.connect(it.root / ".aurora/memory.db") as db:
        db.execute("DELETE FROM vectors")
        db.execute("INSERT INTO vectors (n, type, body) VALUES (999999, 'code', x'00')")
    db.close()


def _foreign(it: Any) -> None:
    for path in (it.root / ".aurora").glob("memory.db*"):
        path.unlink()
    with sqlite3.connect(it.root / ".aurora/memory.db") as db:
        db.execute("CREATE TABLE tea (leaf)")
    db.close()


MANUAL = [
    (_no_json, "mcp.config", r"\.mcp\.json:3:1: a key in quotation marks", "Mend .mcp.json. Run `aur init"),
    (_taken, "mcp.config", r'the entry "aurora" starts another server', "something else. Run `aur init"),
    (_switched_off, "mcp.config", r'the entry "aurora" is switched off', 'Switch "aurora" on in .kiro'),
    (_nobody, "mcp.config", "no assistant starts Aurora in this project", "Run `aur init"),
    (_other_database, "mcp.database", r'the server opens ".*other\.db", and the command line', "Take AURORA_DB out of"),
    (
        _unknown_server,
        "mcp.references",
        r'finder\.md: the agent refers to the MCP server "aurora_old"',
        "Call the server",
    ),
    (_unknown_tool, "mcp.references", r'find\.md: the slash command refers to the tool "aurora_find"', "Name one of"),
    (_removed_in_text, "mcp.leftovers", r'agents\.md:2: the slash command sends for "aurora_list', "`aur agents list`"),
    (
        _in_the_way,
        "mcp.references",
        r"aurora\.md: what should be a folder on the way to it is a file",
        "Put .claude",
    ),
    (_workflow, "workflows.valid", r"soar\.yaml:4:11: error: .*complexity\.asess", "Run `aur workflow validate soar`"),
    (_workflow, "workflows.tools", r'soar: phase "assess" uses the tool "complexity.asess"', "`aur tools list`"),
    (_workflow, "mcp.phases", r'workflow "soar" has', "`aur workflow validate soar`"),
    (_torn, "memory.opens", r"is damaged or not a database", "aur mem repair"),
    (_foreign, "memory.opens", r"is a database of another program", "AURORA_DB"),
    (_words_gone, "memory.whole", r"vectors are of chunks that are gone", "aur mem repair"),
]


@pytest.mark.parametrize(("harm", "check", "line", "step"), MANUAL, ids=lambda one: getattr(one, "__name__", None))
def test_what_needs_a_person_is_told_with_its_steps_and_left_as_it_is(  # noqa: PLR0913, PLR0917 - a row of the table
    healthy: Any,
    harm: Callable[[Any], None],
    check: str,
    line: str,
    step: str,
    wrong: Callable[..., list[str]],
    tree: Callable[..., dict[str, bytes]],
) -> None:
    assert wrong(healthy.look(check)) == []
    harm(healthy)
    before = tree(healthy.root)
    found = [one for one in healthy.look(check)["groups"][0]["findings"] if one["status"] in {"warn", "fail"}]
    told = [one for one in found if re.search(line, one["message"])]
    assert told, found
    assert step in " ".join(told[0]["steps"])
    assert not told[0]["fixable"]
    if not any(one["fixable"] for one in found):
        assert healthy.fix(check)["fixed"] == []
        assert tree(healthy.root) == before


ENVIRONMENT = {
    "AURORA_DB": ("other.db", r'AURORA_DB is "other\.db" in this shell, and overrides where the memory lies'),
    "AURORA_TOOLSETS": ("all", "AURORA_TOOLSETS .* overrides which tools a server offers"),
    "AURORA_WATCH": ("0", "AURORA_WATCH .* overrides whether a server keeps the memory up to date"),
    "AURORA_DBB": ("x", 'AURORA_DBB is set, and nothing reads it; did you mean "AURORA_DB"'),
    "READ_ONLY": ("1", "READ_ONLY .* overrides whether anything may be written"),
}


@pytest.mark.parametrize("name", sorted(ENVIRONMENT))
def test_a_variable_that_overrides_something_is_told_by_its_name(
    bare: Any, monkeypatch: pytest.MonkeyPatch, name: str, wrong: Callable[..., list[str]]
) -> None:
    value, line = ENVIRONMENT[name]
    assert wrong(bare.look("system.environment")) == []
    monkeypatch.setenv(name, value)
    report = bare.look("system.environment")
    assert len(wrong(report)) == 1
    assert re.search(line, wrong(report)[0])
    assert f"`unset {name}`" in report["groups"][0]["findings"][0]["steps"][0]
    assert report["ok"]


def test_a_disk_without_room_fails(bare: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AURORA_DB", "/proc/memory.db")  # of this file system nothing is free
    report = bare.look("system.space")
    assert not report["ok"]
    assert report["groups"][0]["findings"][0]["message"] == "0 MB are free where the memory lies"
