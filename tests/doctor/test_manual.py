"""Findings that need a person: each has exact steps, and `--fix` changes nothing."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable


def servers(**entry: Any) -> str:
    return json.dumps({"mcpServers": {"aurora": {"command": "aur", "args": ["mcp"], **entry}}})


DOUBTFUL = """\
aurora: 1
name: tea
version: 1.0.0
start: choose
phases:
  choose:
    inputs:
      sure: { type: boolean, optional: true }
    prompt_template: "Which tea suits?{% if sure %} Be sure.{% endif %}"
    answer: { type: object }
    next_action:
      - { when: "inputs.sure", then: brew }
      - { then: end }
  brew:
    prompt_template: "How is it brewed?"
    answer: { type: object }
    next_action: end
"""


def _no_json(it: Any) -> None:
    it.write(".mcp.json", '{\n  "mcpServers": {\n')


def _taken(it: Any) -> None:
    it.write(".mcp.json", servers(command="node", args=["x.js"]))


def _switched_off(it: Any) -> None:
    it.write(".kiro/settings/mcp.json", servers(disabled=True, autoApprove=[]))


def _no_assistant(it: Any) -> None:
    for name in (".mcp.json", "CLAUDE.md"):
        (it.root / name).unlink()
    for path in sorted((it.root / ".claude").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (it.root / ".claude").rmdir()


def _other_database(it: Any) -> None:
    it.write(".mcp.json", servers(env={"AURORA_DB": "other.db"}))


def _other_server(it: Any) -> None:
    it.write(
        ".mcp.json", servers(env={"AURORA_DATABASE": "postgresql://ann:secret@db/aurora", "AURORA_PROJECT": "tea"})
    )


def _dead_address(it: Any) -> None:
    it.write(".mcp.json", '{"mcpServers": {"aurora": {"type": "http", "url": "http://127.0.0.1:1/mcp"}}}')


def _unknown_server(it: Any) -> None:
    it.write(".claude/agents/finder.md", "---\nname: finder\ntools: mcp__aurora_old__aurora_search\n---\n")


def _unknown_tool(it: Any) -> None:
    it.write(".claude/commands/find.md", "Call mcp__aurora__aurora_find with the name.\n")


def _in_the_way(it: Any) -> None:
    shutil.rmtree(it.root / ".claude/skills/aurora")
    it.write(".claude/skills/aurora", "not a folder\n")


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


def _sql(*statements: str) -> Callable[[Any], None]:
    """Harm to one part of the memory."""

    def harm(it: Any) -> None:
        with sqlite3.connect(it.root / ".aurora/memory.db") as db:
            for statement in statements:
                db.execute(statement)
        db.close()

    return harm


def _broken_own(it: Any) -> None:
    it.write("~/.claude.json", '{\n  "mcpServers": [1,')


def _half_a_folder(it: Any) -> None:
    shutil.rmtree(it.root / ".aurora")
    it.write(".aurora", "not a folder\n")


def _linked_logs(it: Any) -> None:
    (it.root.parent / "elsewhere").mkdir(exist_ok=True)
    shutil.rmtree(it.root / ".aurora" / "logs", ignore_errors=True)
    (it.root / ".aurora" / "logs").symlink_to(it.root.parent / "elsewhere")


def _doubtful(it: Any) -> None:
    it.write(".aurora/workflows/tea.yaml", DOUBTFUL)


def _foreign(it: Any) -> None:
    for path in (it.root / ".aurora").glob("memory.db*"):
        path.unlink()
    with sqlite3.connect(it.root / ".aurora/memory.db") as db:
        db.execute("CREATE TABLE tea (leaf)")
    db.close()


MANUAL = [
    ("mcp.config.broken", _no_json, r"\.mcp\.json:3:1: expecting property name", "Fix .mcp.json. Then run `aur init"),
    ("mcp.config.broken-own", _broken_own, r"~/\.claude\.json:2:\d+: .*\(Claude Code may not", "Fix ~/.claude.json."),
    ("mcp.config.taken", _taken, r'the entry "aurora" starts another program, "', "Rename the entry"),
    ("mcp.config.off", _switched_off, r'the entry "aurora" is switched off', 'Switch "aurora" on in .kiro'),
    ("mcp.config.none", _no_assistant, "no assistant starts Aurora in this project", "Run `aur init"),
    ("mcp.database.other", _other_database, r'the server opens ".*other\.db", and the', "Remove AURORA_DB from"),
    (
        "mcp.database.other",
        _other_server,
        r"^.mcp.json: the server has another AURORA_DATABASE and AURORA_PROJECT than the command",
        "Remove AURORA_DATABASE and AURORA_PROJECT from",
    ),
    ("mcp.http.fails", _dead_address, r"http://127\.0\.0\.1:1/mcp: it does not answer \(", "Start the server"),
    ("mcp.references.server", _unknown_server, r'the agent refers to the MCP server "aurora_old"', "Name the server"),
    ("mcp.references.tool", _unknown_tool, r'the slash command refers to the tool "aurora_find"', "Name one of"),
    ("mcp.references.blocked", _in_the_way, r"one of its parent folders is a file", "Fix .claude"),
    (
        "workflows.valid.wrong",
        _workflow,
        r"soar\.yaml:4:11: error: .*complexity\.asess",
        "`aur workflow validate soar`",
    ),
    ("workflows.valid.doubtful", _doubtful, r"tea\.yaml:\d+:\d+: warning: ", "Run `aur workflow validate tea`"),
    ("mcp.phases.broken", _workflow, r"soar\.yaml:4:11: error: .*complexity\.asess", "`aur workflow validate soar`"),
    ("memory.whole.torn", _words_gone, r"vectors have a missing chunk", "aur mem repair"),
    ("memory.whole.torn", _sql("DELETE FROM postings"), r"", "aur mem repair"),
    ("memory.whole.torn", _sql("DELETE FROM files WHERE path = 'parser.py'"), r"", "aur mem repair"),
    ("memory.whole.torn", _sql("DROP TABLE accesses"), r'"accesses" is missing', "aur mem repair"),
    ("project.folder.file", _half_a_folder, r'"\.aurora" is a file, and should be', "Move .aurora away"),
    ("project.folder.link", _linked_logs, r'"\.aurora/logs" is a link to a place outside', "Replace"),
    ("memory.opens check.refused", _torn, r"is damaged or not a database", "aur mem repair"),
    ("memory.opens.foreign", _foreign, r"is a memory that this account did not make", "aur mem adopt"),
]
SHOWN = {kind.rpartition(" ")[2] for kind, *_ in MANUAL}
"""The kinds of findings that the test below brings about, and those of the tests after it."""


@pytest.mark.requirement("prd-12", "prd-14", "prd-43")
@pytest.mark.parametrize(("kind", "harm", "line", "step"), MANUAL, ids=lambda one: getattr(one, "__name__", None))
def test_a_problem_that_needs_a_person_is_reported_with_steps_and_left_unchanged(  # noqa: PLR0913, PLR0917 - a row of the table
    healthy: Any,
    kind: str,
    harm: Callable[[Any], None],
    line: str,
    step: str,
    wrong: Callable[..., list[str]],
    tree: Callable[..., dict[str, bytes]],
    trust_contents: Callable[..., None],
) -> None:
    check, _, other = kind.partition(" ")
    check, kind = (check, other) if other else (kind.rpartition(".")[0], kind)
    assert wrong(healthy.look(check)) == []
    harm(healthy)
    if (healthy.root / ".aurora").is_dir():
        trust_contents(healthy.root)
    before = tree(healthy.root)
    found = [one for one in healthy.look(check)["groups"][0]["findings"] if one["status"] in {"warn", "fail"}]
    told = [one for one in found if one["kind"] == kind and re.search(line, one["message"])]
    assert told, found
    assert step in " ".join(told[0]["steps"])
    assert not told[0]["fixable"]
    if not any(one["fixable"] for one in found):
        assert healthy.fix(check)["fixed"] == []
        assert tree(healthy.root) == before


ENVIRONMENT = {
    "AURORA_DB": ("other.db", r'AURORA_DB is "other\.db" in this shell, and overrides where the memory is'),
    "AURORA_DATABASE": (
        "postgresql://me:pw@h/",
        r"AURORA_DATABASE is a text of 21 characters in this shell, and overrides where the memory is",
    ),
    "AURORA_TIMEOUT": ("5", "AURORA_TIMEOUT .* overrides how long a call may take"),
    "AURORA_CALLS_AT_ONCE": ("9", "AURORA_CALLS_AT_ONCE .* overrides how many calls a server works on at once"),
    "AURORA_TOOLSETS": ("all", "AURORA_TOOLSETS .* overrides which tools a server offers"),
    "AURORA_WATCH": ("0", "AURORA_WATCH .* overrides whether a server keeps the memory up to date"),
    "AURORA_DBB": ("x", 'AURORA_DBB is set, and nothing reads it; did you mean "AURORA_DB"'),
    "READ_ONLY": ("1", "READ_ONLY .* overrides whether anything may be written"),
}


@pytest.mark.parametrize("name", sorted(ENVIRONMENT))
def test_a_variable_that_overrides_a_setting_is_reported_by_name(
    bare: Any, monkeypatch: pytest.MonkeyPatch, name: str, wrong: Callable[..., list[str]]
) -> None:
    value, line = ENVIRONMENT[name]
    assert wrong(bare.look("system.environment")) == []
    monkeypatch.setenv(name, value)
    report = bare.look("system.environment")
    assert len(wrong(report)) == 1
    kind = "system.environment.unknown" if name == "AURORA_DBB" else "system.environment.overrides"
    assert report["groups"][0]["findings"][0]["kind"] == kind
    assert re.search(line, wrong(report)[0])
    assert f"`unset {name}`" in report["groups"][0]["findings"][0]["steps"][0]
    assert report["ok"]


def test_a_failed_fix_is_reported_once_and_needs_a_person_afterwards(bare: Any) -> None:
    bare.tool("init.run", hosts=["claude-code"], index=False)
    path = bare.write(".mcp.json", "{}\n")
    path.chmod(0o444)
    checks = ("mcp.config", "mcp.references")  # without those that start a server
    assert any(one["fixable"] for group in bare.look(*checks)["groups"] for one in group["findings"])

    report = bare.fix(*checks)

    (step,) = report["fixed"]
    assert (step["done"], report["ok"]) == (False, False)
    assert step["message"].startswith(".mcp.json: it is read-only; the file is unchanged. Run `chmod u+w ")
    found = [one for group in report["groups"] for one in group["findings"] if one["status"] in {"warn", "fail"}]
    assert {one["kind"] for one in found} == {"mcp.config.unconnected", "mcp.references.server"}
    assert all((one["fixable"], one["steps"]) == (False, [step["message"]]) for one in found)


def test_a_disk_without_room_fails(bare: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AURORA_DB", "/proc/memory.db")  # of this file system nothing is free
    report = bare.look("system.space")
    assert not report["ok"]
    (told,) = report["groups"][0]["findings"]
    assert (told["kind"], told["message"]) == ("system.space.none", "0 MB are free on the disk of the memory")


def test_a_path_that_no_file_can_have_is_a_finding_and_no_crash(bare: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AURORA_DB", f"/tmp/{'x' * 300}/memory.db")  # noqa: S108 - nothing is ever written there
    for check in ("system.space", "memory.opens"):
        (told,) = bare.look(check)["groups"][0]["findings"]
        assert (told["status"], told["kind"]) == ("fail", "check.unreadable")
        assert "File name too long" in told["message"]


def test_the_home_folder_is_not_a_project(bare: Any) -> None:
    with Workspace(bare.home) as workspace:
        (told,) = call_tool(workspace, "doctor.run", {"only": ["project.folder"]})["groups"][0]["findings"]
    assert (told["kind"], told["status"], told["fixable"]) == ("project.folder.nowhere", "warn", False)
    assert told["message"] == "your home folder is not a project"


SHOWN |= {
    "project.folder.nowhere",
    "system.environment.unknown",
    "system.environment.overrides",
    "system.space.none",
    "check.unreadable",
}
