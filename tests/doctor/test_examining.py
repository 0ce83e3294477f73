"""All checks on a healthy and on a bare project, and the class of the MCP checks."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from aurora.doctor import GROUPS
from aurora.errors import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.doctor import DoctorContext


@pytest.mark.requirement("prd-42", "prd-52")
def test_a_new_project_has_no_problems_and_the_checks_change_no_byte(
    healthy: Any,
    wrong: Callable[..., list[str]],
    shown: Callable[..., list[str]],
    tree: Callable[..., dict[str, bytes]],
    snapshot: Any,
) -> None:
    before = tree(healthy.root, healthy.home)
    report = healthy.tool("doctor.run", read_only=True)
    assert wrong(report) == []
    assert tree(healthy.root, healthy.home) == before
    assert [group["name"] for group in report["groups"]] == [group.name for group in GROUPS]
    told = (
        re.sub(r"(?<=Python ).*|there is enough disk space.*|[\d,]+ MB are free.*", "…", line) for line in shown(report)
    )
    scrubbed = [re.sub(r"\d+(?:[.,]\d+)*", "N", line) for line in told]
    assert scrubbed == snapshot
    assert healthy.fix()["fixed"] == []


def test_safe_fixes_set_up_a_bare_project(bare: Any, wrong: Callable[..., list[str]]) -> None:
    (bare.root / ".gemini").mkdir()
    done = bare.fix("mcp.config", "mcp.references", "memory", "project")
    assert [step["message"].split(":")[0] for step in done["fixed"]] == [
        "created .gemini/settings.json",
        "created .agents/skills/aurora/SKILL.md",
        "created GEMINI.md",
        "indexed the project",
    ]
    assert wrong(done) == []
    assert done["ok"]


def test_a_fix_that_fails_is_reported_and_the_others_are_applied(healthy: Any) -> None:
    shutil.rmtree(healthy.root / ".aurora")
    healthy.write(".aurora", "a file in the way")
    (healthy.root / ".claude/skills/aurora/SKILL.md").unlink()
    done = healthy.fix("mcp.references", "memory.opens")
    assert {step["done"] for step in done["fixed"]} == {True, False}
    assert not done["ok"], "a step is left"
    assert (healthy.root / ".aurora").read_text(encoding="utf-8") == "a file in the way"


def test_nothing_is_fixed_in_read_only_mode(healthy: Any, tree: Callable[..., dict[str, bytes]]) -> None:
    (healthy.root / ".claude/skills/aurora/SKILL.md").unlink()
    before = tree(healthy.root, healthy.home)
    with pytest.raises(Fault) as caught:
        healthy.tool("doctor.fix", read_only=True)
    assert caught.value.code is Code.FORBIDDEN
    assert tree(healthy.root, healthy.home) == before


def test_the_home_folder_and_the_root_of_a_disk_are_never_fixed(bare: Any, context: DoctorContext) -> None:
    from aurora.doctor import fix_findings  # noqa: PLC0415 - next to what it needs

    with pytest.raises(Fault, match="your home folder is not a project"):
        fix_findings(replace(context, root=bare.home.resolve()), ("memory",))
    assert list(bare.home.iterdir()) == []
    with pytest.raises(Fault, match="the root folder is not a project"):
        fix_findings(replace(context, root=Path(bare.root.anchor)), ("system.python",))


def test_a_check_that_does_not_exist_is_refused_with_the_near_name(bare: Any) -> None:
    with pytest.raises(Fault, match=r'there is no check "memory\.fres"; did you mean "memory\.fresh"') as caught:
        bare.look("memory.fres")
    assert caught.value.code is Code.NOT_FOUND


def test_a_file_skipped_for_a_secret_is_not_reported_as_new_each_time(
    healthy: Any, wrong: Callable[..., list[str]]
) -> None:
    healthy.write("prod.env", 'aws_key = "AK' + 'IAQ3EGRD7XV5TZLMNP"\n')
    assert wrong(healthy.look("memory.fresh")) == []


def test_the_steps_of_one_remedy_are_done_once(bare: Any) -> None:
    bare.write(".cursor/mcp.json", json.dumps({"mcpServers": {"aurora": {"command": "/no/such/aur", "args": ["mcp"]}}}))
    done = bare.fix("mcp.config", "mcp.references")
    assert [step["message"].split(":")[0] for step in done["fixed"]] == [
        "edited .cursor/mcp.json",
        "created .agents/skills/aurora/SKILL.md",
        "created AGENTS.md",
    ]
