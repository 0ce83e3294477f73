"""One broken project for each finding: the line that tells it, and what `--fix` makes of it."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING, Any

import pytest

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
    it.write(".mcp.json", '{"mcpServers": {"aurora": {"command": "aur mcp"}}}')


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


def _permission(it: Any) -> None:
    it.write(
        ".claude/settings.json",
        '{\n  "permissions": {\n    "allow": [\n      "Bash(ls:*)",\n      "mcp__aurora__aurora_index",\n'
        '      "mcp__aurora__aurora_search"\n    ]\n  }\n}\n',
    )


def _approval(it: Any) -> None:
    it.write(".kiro/settings/mcp.json", servers(disabled=False, autoApprove=["aurora_list_agents", "aurora_get"]))


def _no_command(it: Any) -> None:
    (it.root / ".claude/commands/aurora.md").unlink()


def _no_folder(it: Any) -> None:
    shutil.rmtree(it.root / ".aurora")


FIXED = [
    (_without_entry, "mcp.references", r'skill refers to the MCP server "aurora", which is not in'),
    (_without_entry, "mcp.config", r"Claude Code is in use in this project, and has no entry for Aurora"),
    (_gone_program, "mcp.config", r'\.mcp\.json: the entry "aurora" starts "/no/such/aur", which is no program'),
    (_no_command, "mcp.references", r"\.claude/commands/aurora\.md: the slash command for Claude Code is missing"),
    (_permission, "mcp.leftovers", r'\.claude/settings\.json:5: "mcp__aurora__aurora_index" names a tool that'),
    (_approval, "mcp.leftovers", r'\.kiro/settings/mcp\.json:\d+: "aurora_list_agents" names a tool that Aurora'),
    (_edited, "memory.fresh", r"the memory is behind the files: 1 changed, 1 new"),
    (_forgotten, "memory.opens", r'there is no memory yet: "\.aurora/memory\.db" does not exist'),
    (_no_folder, "project.folder", r'the folder "\.aurora" is missing'),
    (_without_ignore, "project.folder", r'"\.aurora/\.gitignore" is missing'),
    (_closed, "project.rights", r"\.aurora/memory\.db may not be read and written by its owner"),
    (_open_to_all, "project.rights", r"\.aurora may be written by everybody"),
]


@pytest.mark.parametrize(("harm", "check", "line"), FIXED, ids=lambda one: getattr(one, "__name__", None))
def test_what_is_safe_to_mend_is_told_and_mended(
    healthy: Any, harm: Callable[[Any], None], check: str, line: str, wrong: Callable[..., list[str]]
) -> None:
    assert wrong(healthy.look(check)) == []
    harm(healthy)
    found = healthy.look(check)
    told, *_ = [one for one in found["groups"][0]["findings"] if re.search(line, one["message"])] or [found]
    assert told["fixable"]
    assert told["steps"]
    done = healthy.fix(check)
    assert {step["done"] for step in done["fixed"]} == {True}
    assert wrong(done) == []
    assert healthy.fix(check)["fixed"] == []
