"""The rules that let a host run the default tools without asking are added on request and removed again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from aurora.hosts import (
    DEFAULT_TOOLS,
    HOSTS,
    ChangePlan,
    Launch,
    UserPaths,
    apply_changes,
    list_missing_rules,
    plan_changes,
    plan_removal,
)

if TYPE_CHECKING:
    from pathlib import Path

CLAUDE = next(host for host in HOSTS if host.name == "claude-code")
SETTINGS = ".claude/settings.local.json"
RULES = [f"mcp__aurora__{tool}" for tool in ("aurora_query", "aurora_search", "aurora_get")]


def _apply(plan: ChangePlan, root: Path, person: UserPaths) -> None:
    assert apply_changes(plan.changes, root, person) == (plan.changes, ())


def _connect(root: Path, person: UserPaths, launch: Launch, *, user: bool = False) -> ChangePlan:
    return plan_changes(root, person, [CLAUDE], launch, user=user, allow_tools=True)


def test_only_the_default_tools_are_ever_allowed() -> None:
    for host in HOSTS:
        assert host.allowance is None or set(host.allowance.tools) == set(DEFAULT_TOOLS)
        assert host.allowance is None or not host.allow_by_hand


def test_without_the_request_no_rule_is_written(root: Path, person: UserPaths, launch: Launch) -> None:
    _apply(plan_changes(root, person, [CLAUDE], launch), root, person)
    assert not (root / SETTINGS).exists()
    assert list_missing_rules(CLAUDE, root, person) == tuple(RULES)


def test_new_settings_have_the_rules_and_are_deleted_again(root: Path, person: UserPaths, launch: Launch) -> None:
    _apply(_connect(root, person, launch), root, person)
    assert json.loads((root / SETTINGS).read_text(encoding="utf-8")) == {"permissions": {"allow": RULES}}
    assert list_missing_rules(CLAUDE, root, person) == ()
    again = _connect(root, person, launch)
    assert (again.changes, again.problems) == ((), ())
    assert SETTINGS in again.unchanged
    _apply(plan_removal(root, person, [CLAUDE]), root, person)
    assert not (root / ".claude").exists()


@pytest.mark.parametrize(
    "theirs",
    [
        '{"permissions": {"allow": ["Bash(ls)"], "deny": ["Read(.env)"]}, "theme": "dark"}',
        '{\n\t"permissions": {\n\t\t"deny": [],\n\t\t"allow": [\n\t\t\t"Bash(ls)",\n\t\t\t{"odd": 1}\n\t\t]\n\t}\n}\n',
        '{\r\n  "env": {}\r\n}\r\n',
        '{"permissions": {}}',
        "",
    ],
)
def test_other_settings_stay_and_are_restored_byte_for_byte(
    theirs: str, root: Path, person: UserPaths, launch: Launch
) -> None:
    path = root / SETTINGS
    path.parent.mkdir()
    path.write_bytes(theirs.encode())
    _apply(_connect(root, person, launch), root, person)
    before, after = json.loads(theirs or "{}"), json.loads(path.read_bytes())
    assert after["permissions"]["allow"] == [*before.get("permissions", {}).get("allow", []), *RULES]
    del after["permissions"]["allow"]
    before.setdefault("permissions", {}).pop("allow", None)
    assert after == before
    _apply(plan_removal(root, person, [CLAUDE]), root, person)
    assert path.read_bytes() == theirs.encode()


def test_rules_that_were_added_since_stay(root: Path, person: UserPaths, launch: Launch) -> None:
    _apply(_connect(root, person, launch), root, person)
    path = root / SETTINGS
    path.write_text(path.read_text(encoding="utf-8").replace('"allow": [', '"allow": ["Bash(ls)", '), encoding="utf-8")
    _apply(plan_removal(root, person, [CLAUDE]), root, person)
    assert json.loads(path.read_text(encoding="utf-8")) == {"permissions": {"allow": ["Bash(ls)"]}}


def test_the_server_of_the_user_s_file_is_allowed_by_its_own_name(
    root: Path, person: UserPaths, launch: Launch
) -> None:
    _apply(_connect(root, person, launch, user=True), root, person)
    allowed = json.loads((root / SETTINGS).read_text(encoding="utf-8"))["permissions"]["allow"]
    assert allowed == [rule.replace("mcp__aurora__", "mcp__aurora-shop__") for rule in RULES]
    assert list_missing_rules(CLAUDE, root, person, user=True) == ()
    _apply(plan_removal(root, person, [CLAUDE]), root, person)
    assert not (root / SETTINGS).exists()


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        ("{]", "settings.local.json:1:2: "),
        ('{"permissions": {"allow": "all"}}', '"permissions.allow" is not a list'),
        ('{"permissions": ["all"]}', '"permissions.allow" is not a list'),
    ],
)
def test_settings_that_are_invalid_stay_and_are_reported(
    theirs: str, said: str, root: Path, person: UserPaths, launch: Launch
) -> None:
    path = root / SETTINGS
    path.parent.mkdir()
    path.write_text(theirs, encoding="utf-8")
    plan = _connect(root, person, launch)
    assert [said in problem.message for problem in plan.problems] == [True]
    _apply(plan, root, person)
    assert path.read_text(encoding="utf-8") == theirs
    assert (root / ".mcp.json").is_file()


def test_a_link_out_of_the_project_is_not_followed(
    root: Path, person: UserPaths, launch: Launch, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text("{}", encoding="utf-8")
    (root / ".claude").mkdir()
    (root / SETTINGS).symlink_to(outside)
    plan = _connect(root, person, launch)
    assert any("leads out of the project" in problem.message for problem in plan.problems)
    _apply(plan, root, person)
    assert outside.read_text(encoding="utf-8") == "{}"
