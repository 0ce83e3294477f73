"""Hooks in the settings of a host: added once, next to those of others, and removed to the byte."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from aurora.hosts import (
    HOSTS,
    Host,
    Launch,
    UserPaths,
    apply_changes,
    find_hooked_hosts,
    get_hosts,
    list_missing_events,
    plan_changes,
    plan_removal,
    read_hooks,
)

if TYPE_CHECKING:
    from pathlib import Path

HOOKED = [pytest.param(host, id=host.name) for host in HOSTS if host.hooks is not None]
FLAT = {"type": "command", "bash": "notify --hook session-start"}
OTHER = {"matcher": "startup", "hooks": [{"type": "command", "command": "notify --hook session-start"}]}


def _place(host: Host, root: Path, person: UserPaths) -> Path:
    assert host.hooks is not None
    return person.resolve_path(host.hooks.path) if host.hooks.path.startswith("~/") else root / host.hooks.path


def _set_up(host: Host, root: Path, person: UserPaths, launch: Launch, **options: Any) -> tuple[str, ...]:
    plan = plan_changes(root, person, (host,), launch, hooks=True, **options)
    done, failed = apply_changes(plan.changes, root, person)
    assert failed == ()
    return tuple(change.display_path for change in done)


def _remove(host: Host, root: Path, person: UserPaths) -> None:
    plan = plan_removal(root, person, (host,), HOSTS)
    assert plan.problems == ()
    assert apply_changes(plan.changes, root, person)[1] == ()


@pytest.mark.parametrize("host", HOOKED)
def test_hooks_are_written_once_and_removed_with_their_file(
    host: Host, root: Path, person: UserPaths, launch: Launch
) -> None:
    assert host.hooks is not None
    plan = plan_changes(root, person, (host,), launch)
    assert host.hooks.path not in {change.display_path for change in plan.changes}  # off by default
    _set_up(host, root, person, launch)
    found = read_hooks(host, root, person)
    where = ("--project", str(root)) if host.hooks.path.startswith("~/") else ()
    assert found == {event: (*launch.own, "hook", event, *where) for event in host.hooks.events}
    assert find_hooked_hosts(root, person) == (host,)
    assert _set_up(host, root, person, launch) == ()
    _remove(host, root, person)
    assert find_hooked_hosts(root, person) == ()
    assert not _place(host, root, person).exists()


@pytest.mark.parametrize("allow_tools", [False, True])
@pytest.mark.parametrize("host", HOOKED)
def test_settings_of_others_are_restored_to_the_byte(
    host: Host, root: Path, person: UserPaths, launch: Launch, *, allow_tools: bool
) -> None:
    assert host.hooks is not None
    name, other = next(iter(host.hooks.events.values())), OTHER if host.hooks.is_grouped else FLAT
    text = json.dumps({"model": "x", "hooks": {name: [other], "Stop": [other]}}, indent=3) + "\n\n"
    path = _place(host, root, person)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    _set_up(host, root, person, launch, allow_tools=allow_tools)
    hooks = json.loads(path.read_text(encoding="utf-8"))["hooks"]
    assert hooks[name][0] == other
    assert len(hooks[name]) == 2  # and ours
    assert hooks["Stop"] == [other]
    _remove(host, root, person)
    assert path.read_text(encoding="utf-8") == text


def test_settings_that_were_edited_since_lose_only_our_hooks(root: Path, person: UserPaths, launch: Launch) -> None:
    (host,) = get_hosts(["claude-code"])
    path = _place(host, root, person)
    _set_up(host, root, person, launch)
    values = json.loads(path.read_text(encoding="utf-8"))
    values["hooks"]["SessionStart"][0]["hooks"].append({"type": "command", "command": "date"})
    values["hooks"]["Stop"] = [OTHER]
    path.write_text(json.dumps(values), encoding="utf-8")
    _remove(host, root, person)
    left = {"SessionStart": [{"hooks": [{"type": "command", "command": "date"}]}], "Stop": [OTHER]}
    assert json.loads(path.read_text(encoding="utf-8")) == {"hooks": left}


def test_two_projects_share_the_file_of_the_person(root: Path, person: UserPaths, launch: Launch) -> None:
    (host,) = get_hosts(["gemini"])
    other = root.parent / "other shop"
    other.mkdir()
    for project in (root, other):
        _set_up(host, project, person, launch)
    assert read_hooks(host, other, person)["user-prompt"][-1] == str(other)
    _remove(host, root, person)
    assert read_hooks(host, root, person) == {}
    assert set(read_hooks(host, other, person)) == {"session-start", "user-prompt", "file-use"}


def test_the_events_without_a_hook_are_known(root: Path, person: UserPaths, launch: Launch) -> None:
    (host,) = get_hosts(["gemini"])
    assert list_missing_events(host, root, person) == ()
    _set_up(host, root, person, launch)
    assert list_missing_events(host, root, person) == ()
    path = _place(host, root, person)
    values = json.loads(path.read_text(encoding="utf-8"))
    del values["hooks"]["BeforeAgent"]
    path.write_text(json.dumps(values), encoding="utf-8")
    assert list_missing_events(host, root, person) == ("user-prompt",)


def test_hooks_of_a_former_installation_are_replaced(root: Path, person: UserPaths, launch: Launch) -> None:
    (host,) = get_hosts(["claude-code"])
    _set_up(host, root, person, Launch(("aur",), ("/gone/aur",)))
    _set_up(host, root, person, launch)
    text = _place(host, root, person).read_text(encoding="utf-8")
    assert "/gone/aur" not in text
    assert text.count("hook user-prompt") == 1


def test_a_comment_between_the_hooks_is_never_lost(root: Path, person: UserPaths, launch: Launch) -> None:
    (host,) = get_hosts(["gemini"])
    path = _place(host, root, person)
    path.parent.mkdir(parents=True)
    text = '{\n  // mine\n  "hooks": {"SessionStart": [ /* first */ ' + json.dumps(OTHER) + "]}\n}\n"
    path.write_text(text, encoding="utf-8")
    plan = plan_changes(root, person, (host,), launch, hooks=True)
    assert [problem.message for problem in plan.problems] == [
        "~/.gemini/settings.json: a comment between the hooks would be lost; the file is unchanged"
    ]
    assert "~/.gemini/settings.json" not in {change.display_path for change in plan.changes}


@pytest.mark.parametrize("hooks", ["x", [], {"SessionStart": {}}, 1, None])
def test_settings_of_another_type_are_reported_and_left(
    root: Path, person: UserPaths, launch: Launch, hooks: Any
) -> None:
    (host,) = get_hosts(["claude-code"])
    path = _place(host, root, person)
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"hooks": hooks}), encoding="utf-8")
    plan = plan_changes(root, person, (host,), launch, hooks=True)
    assert [problem.where for problem in plan.problems] == [".claude/settings.local.json"]
    assert read_hooks(host, root, person) == {}


@pytest.mark.parametrize("host", get_hosts(["claude-code", "copilot-cli"]), ids=lambda host: host.name)
@pytest.mark.parametrize(
    "items",
    [[1], ["x"], [{}], [{"hooks": 1}], [{"hooks": [1, {"command": 2}, {"command": "'open"}]}], [None], [{"bash": 2}]],
)
def test_items_of_any_form_are_kept(
    host: Host, root: Path, person: UserPaths, launch: Launch, items: list[Any]
) -> None:
    assert host.hooks is not None
    path, name = _place(host, root, person), host.hooks.events["user-prompt"]
    path.parent.mkdir(parents=True)
    text = json.dumps({"hooks": {name: items}})
    path.write_text(text, encoding="utf-8")
    _set_up(host, root, person, launch)
    assert json.loads(path.read_text(encoding="utf-8"))["hooks"][name][: len(items)] == items
    _remove(host, root, person)
    assert path.read_text(encoding="utf-8") == text
