"""Texts and settings that name a server which their assistant does not have."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

SHOWN = {"mcp.servers.missing", "mcp.servers.elsewhere", "mcp.servers.own"}
CALL = "First call mcp__foo__bar with the name.\n"
PLACES = {
    ".claude/commands/team/find.md": "slash command",
    ".claude/skills/find/SKILL.md": "skill",
    ".claude/agents/finder.md": "agent",
    ".claude/settings.local.json": "settings file",
    ".claude/output-styles/terse.md": "output style",
    "sub/CLAUDE.md": "note",
    "sub/AGENTS.md": "note",
    "packages/a/.claude/commands/c.md": "slash command",
    "CLAUDE.md": "note",
    "AGENTS.md": "note",
    "GEMINI.md": "note",
    "QWEN.md": "note",
    ".cursor/rules/style.mdc": "note",
    ".cursor/commands/find.md": "slash command",
    ".gemini/commands/find.toml": "slash command",
    ".github/prompts/find.prompt.md": "slash command",
    ".github/agents/finder.agent.md": "agent",
    ".github/copilot-instructions.md": "note",
    ".agents/skills/find/SKILL.md": "skill",
    ".opencode/command/find.md": "slash command",
    ".qwen/commands/find.md": "slash command",
    ".windsurf/workflows/find.md": "slash command",
    ".clinerules": "note",
    ".continue/rules/find.md": "note",
    ".kiro/steering/find.md": "note",
    ".rules": "note",
}


def _look(it: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = it.look("mcp.servers")["groups"][0]["findings"]
    return found


def _servers(*names: str) -> str:
    return json.dumps({"mcpServers": {name: {"command": "sh"} for name in names}})


@pytest.mark.requirement("prd-16", "prd-18", "prd-44")
@pytest.mark.parametrize("place", sorted(PLACES))
def test_a_text_that_names_a_server_configured_nowhere_is_reported_with_its_line(bare: Any, place: str) -> None:
    bare.write(place, f"\n{CALL}")
    (told,) = _look(bare)
    assert (told["status"], told["kind"], told["fixable"]) == ("warn", "mcp.servers.missing", False)
    kind = PLACES[place]
    assert told["message"] == f'{place}:2: the {kind} refers to the MCP server "foo", which is configured nowhere'
    assert f"or remove the reference from {place}." in told["steps"][0]


CONFIGURED: dict[str, tuple[str, str]] = {
    "the project": (".mcp.json", _servers("foo")),
    "the user": ("~/.claude.json", _servers("foo")),
    "claude mcp add": ("~/.claude.json", json.dumps({"projects": {"/elsewhere": {"mcpServers": {"foo": {}}}}})),
}


@pytest.mark.parametrize("where", sorted(CONFIGURED))
def test_a_server_that_the_assistant_has_is_no_finding(bare: Any, where: str) -> None:
    bare.write(".claude/commands/find.md", CALL)
    bare.write(*CONFIGURED[where])
    assert [one["status"] for one in _look(bare)] == ["pass"]


@pytest.mark.requirement("prd-20")
def test_a_server_that_only_another_assistant_has_is_reported_with_both(bare: Any) -> None:
    bare.write(".claude/commands/find.md", CALL)
    bare.write(".cursor/mcp.json", _servers("foo"))
    (told,) = _look(bare)
    assert told["kind"] == "mcp.servers.elsewhere"
    assert told["message"].endswith("which Cursor has and Claude Code lacks")
    assert told["steps"] == [
        'Add the server "foo" to Claude Code\'s configuration, or remove the reference from .claude/commands/find.md.'
    ]


def test_a_note_of_many_assistants_needs_one_that_has_the_server(bare: Any) -> None:
    bare.write("AGENTS.md", CALL)
    bare.write(".cursor/mcp.json", _servers("foo"))
    assert [one["status"] for one in _look(bare)] == ["pass"]


def test_a_user_text_is_for_every_project_and_only_skipped(bare: Any) -> None:
    bare.write("~/.claude/commands/find.md", CALL)
    (told,) = _look(bare)
    assert (told["status"], told["kind"]) == ("skip", "mcp.servers.own")


HARMLESS = {
    "a plug-in's server": "mcp__plugin_tea_pot__pour",
    "a connector of the account": "mcp__claude_ai_Mail__send",
    "the editor": "mcp__ide__getDiagnostics",
    "an example": "`mcp__server__tool`, as in mcp__<name>__<tool>",
    "another word": "xmcp__foo__bar and my-mcp__foo__bar",
    "a server of Aurora's, which another check reports": "mcp__aurora_old__aurora_search",
}


@pytest.mark.parametrize("what", sorted(HARMLESS))
def test_what_no_configuration_file_could_name_is_no_finding(bare: Any, what: str) -> None:
    bare.write(".claude/commands/find.md", HARMLESS[what])
    assert [one["status"] for one in _look(bare)] == ["pass"]


def test_names_are_compared_as_the_assistant_writes_them(bare: Any) -> None:
    bare.write(".mcp.json", _servers("my.server v2", "two__parts"))
    bare.write(".claude/commands/find.md", "mcp__my_server_v2__x mcp__two__parts__y mcp__two__parts mcp__two__other__z")
    (told,) = _look(bare)
    assert 'the MCP server "two"' in told["message"]


def test_an_agent_may_bring_its_own_server(bare: Any) -> None:
    bare.write(
        ".github/agents/finder.agent.md",
        "---\ndescription: Finds\nmcp-servers:\n  foo: {command: sh}\n---\nCall mcp__foo__bar.\n",
    )
    assert [one["status"] for one in _look(bare)] == ["pass"]


AGENT = "---\nname: finder\ndescription: Finds\n{0}\n---\nFinds it.\n"
NAMED = {
    "a list": (
        ".claude/agents/finder.md",
        AGENT.format("mcpServers: [slack-only, slack]"),
        ["slack-only:4", "slack:4"],
    ),
    "a block list": (
        ".claude/agents/finder.md",
        AGENT.format("mcpServers:\n  - slack-only\n  - slack"),
        ["slack-only:5", "slack:6"],
    ),
    "a name": (".claude/agents/finder.md", AGENT.format("mcpServers: slack"), ["slack:4"]),
    "a mapping": (".claude/agents/finder.md", AGENT.format("mcpServers:\n  slack:\n  own: {command: sh}"), ["slack:5"]),
    "a list of mappings": (
        ".claude/agents/finder.md",
        AGENT.format("mcpServers:\n  - own: {command: sh}\n  - slack"),
        ["slack:6"],
    ),
    "settings": (".claude/settings.json", '{\n  "enabledMcpjsonServers": [\n    "slack"\n  ]\n}', ["slack:3"]),
    "settings of one person": (
        ".claude/settings.local.json",
        '{"enabledMcpjsonServers": ["slack"], // comment\n}',
        ["slack:1"],
    ),
}


def _split_place(message: str) -> str:
    """Return `server:line` of a message."""
    place, _, rest = message.partition(": ")
    return f"{rest.split(chr(34))[1]}:{place.rpartition(':')[2]}"


@pytest.mark.parametrize("what", sorted(NAMED))
def test_a_server_that_is_named_without_a_tool_is_reported_with_its_line(bare: Any, what: str) -> None:
    place, text, named = NAMED[what]
    bare.write(place, text)
    found = _look(bare)
    assert {one["kind"] for one in found} == {"mcp.servers.missing"}
    assert all(one["message"].startswith(f"{place}:") for one in found)
    assert [_split_place(one["message"]) for one in found] == named


@pytest.mark.parametrize("what", sorted(NAMED))
def test_a_server_that_is_named_without_a_tool_and_configured_is_no_finding(bare: Any, what: str) -> None:
    place, text, _ = NAMED[what]
    bare.write(place, text)
    bare.write(".mcp.json", _servers("slack", "slack-only"))
    assert [one["status"] for one in _look(bare)] == ["pass"]


NO_NAMES = {
    "a server that is refused": (".claude/settings.json", '{"disabledMcpjsonServers": ["slack"]}'),
    "settings of another form": (".claude/settings.json", '{"enabledMcpjsonServers": {"slack": 1}}'),
    "settings with a list of other things": (".claude/settings.json", '{"enabledMcpjsonServers": [1, null, [], ""]}'),
    "settings that are no object": (".claude/settings.json", '["enabledMcpjsonServers"]'),
    "settings that are not JSON": (".claude/settings.json", '{"enabledMcpjsonServers": ["slack"'),
    "an agent with numbers": (".claude/agents/finder.md", AGENT.format("mcpServers: [1, null, [slack]]")),
    "an agent with its own server": (".claude/agents/finder.md", AGENT.format("mcpServers: [slack: {command: sh}]")),
    "a plug-in's server": (".claude/agents/finder.md", AGENT.format("mcpServers: ['plugin:tea:pot', ide]")),
    "a connector of the account": (".claude/agents/finder.md", AGENT.format("mcpServers: ['claude.ai Mail']")),
    "a command that is no agent": (".claude/commands/finder.md", AGENT.format("mcpServers: [slack]")),
}


@pytest.mark.parametrize("what", sorted(NO_NAMES))
def test_what_names_no_server_without_a_tool_is_no_finding(bare: Any, what: str) -> None:
    bare.write(*NO_NAMES[what])
    assert [one["status"] for one in _look(bare)] == ["pass"]


def test_a_server_that_an_agent_lists_and_calls_is_reported_once(bare: Any) -> None:
    bare.write(".claude/agents/finder.md", AGENT.format("mcpServers: [my.slack]") + "Call mcp__my_slack__send.\n")
    (told,) = _look(bare)
    assert '"my.slack"' in told["message"]


def test_names_of_many_servers_in_hostile_files_neither_stop_nor_slow_the_check(bare: Any) -> None:
    names = [f"s{number}" for number in range(50_000)]
    bare.write(".claude/settings.json", json.dumps({"enabledMcpjsonServers": names}))
    bare.write(
        ".claude/settings.local.json",
        json.dumps({"enabledMcpjsonServers": ["a\x1b[2J\n[PASS] b", "c" * 190, "d" * 9_000]}),
    )
    bare.write(".claude/agents/many.md", AGENT.format(f"mcpServers: [{', '.join(names[:5_000])}]"))
    bare.write(".claude/agents/deep.md", AGENT.format("mcpServers: " + "[" * 5_000))
    began = time.process_time()
    found = _look(bare)
    assert time.process_time() - began < 6
    assert [one["kind"] for one in found] == ["mcp.servers.missing"] * 14
    assert all(one["message"].isprintable() and len(one["message"]) < 500 for one in found)


def test_a_text_with_many_unknown_servers_gives_six_lines(bare: Any) -> None:
    bare.write(".claude/commands/find.md", " ".join(f"mcp__s{number}__x" for number in range(1000)))
    found = _look(bare)
    assert len(found) == 6
    assert found[-1]["message"].endswith("refers to 995 more MCP servers that are not configured")


def test_hostile_files_neither_stop_nor_slow_the_check(bare: Any, wrong: Callable[..., list[str]]) -> None:
    folder = bare.root / ".claude/commands"
    bare.write(".claude/commands/good.md", CALL)
    (folder / "bytes.md").write_bytes(b"\xff\xfe mcp__bytes__x")
    (folder / "outside.md").symlink_to("/etc/passwd")
    (folder / "round").symlink_to(folder)
    os.mkfifo(folder / "pipe.md")
    (folder / "large.md").write_text("mcp__large__x " * 100_000, encoding="utf-8")
    (folder / "words.md").write_text("mcp__" + "aurora" * 100_000 + " mcp__a" * 30_000, encoding="utf-8")
    (folder / "deep.md").write_text("mcp__" + "__".join(["a"] * 60) * 4_000, encoding="utf-8")
    bare.write(".claude/agents/bomb.md", "---\n" + "a: &a [*a, *a]\n" * 50 + "---\nmcp__foo__bar\n")
    bare.write(".mcp.json", _servers(*(f"s{number}" for number in range(2_000))))
    began = time.process_time()
    said = wrong(bare.look("mcp.servers", "mcp.references", "mcp.leftovers"))
    assert time.process_time() - began < 6
    assert any(".claude/commands/good.md:1:" in line for line in said)
    assert not any("large" in line or "bytes" in line or "failed" in line or "timed out" in line for line in said), said


def test_a_text_in_an_inner_folder_that_git_ignores_is_not_read(bare: Any) -> None:
    bare.write(".gitignore", "/vendor/\n")
    bare.write("vendor/AGENTS.md", CALL)
    bare.write("node_modules/a/CLAUDE.md", CALL)
    assert [told["status"] for told in _look(bare)] == ["skip"]
