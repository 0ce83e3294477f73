"""Planned changes of host files are applied once and removed byte for byte."""

from __future__ import annotations

import hashlib
import json
import os
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aurora.hosts import HOSTS, ChangePlan, Launch, UserPaths, apply_changes, plan_removal
from aurora.hosts import plan_changes as planned_for
from aurora.hosts.entry import choose_file
from aurora.hosts.files import Draft
from aurora.hosts.install import add_stamp
from aurora.hosts.status import read_host_state

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from aurora.hosts import ExtraFile, Host

THEIRS = {
    "json": '{\n  "theme": "dark",\n  "KEY": {\n    "db": { "command": "db",\n      "args": [] }\n  }\n}\n',
    "json-comments": '{\n  // mine\n  "theme": "dark", /* really */\n  "KEY": {\n    "db": {} // old\n  }\n}\n',
    "jsonc": '{\n\t// mine\n\t"theme": "dark",\n\t"KEY": {\n\t\t/* the database */\n\t\t"db": {"a": 1,},\n\t},\n}\n',
    "toml": '# mine\nmodel = "o3"\n\n[KEY.db]\ncommand = "db"   # old\n',
    "yaml": "# mine\nname: Mine\nKEY:\n  # the database\n  - name: db\n    command: db\n",
}
SKILL = "---\nname: aurora\ndescription: Searches.\n---\n\n# Aurora\n"
plan = partial(planned_for, skill=SKILL)
BY_NAME = {host.name: host for host in HOSTS}
EVERY = [pytest.param(host, id=host.name) for host in HOSTS]


def place(host: Host, root: Path, person: UserPaths) -> Path:
    draft = Draft(root, person)
    return draft.resolve_path(choose_file(host, "project" if host.project else "person", draft))


def tree(*folders: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".aurora" not in path.parts
    }


def shown(text: str, root: Path, person: UserPaths) -> list[str]:
    """Return the lines of a file without machine-specific values."""
    return text.replace(str(root), "ROOT").replace(str(person.home.parent), "TMP").splitlines(keepends=True)


def carried_out(made: ChangePlan, root: Path, person: UserPaths) -> None:
    done, troubles = apply_changes(made.changes, root, person)
    assert (done, troubles) == (made.changes, ())


@pytest.mark.parametrize("host", EVERY)
def test_a_host_s_file_with_entries_and_comments_before_and_after(
    host: Host, root: Path, person: UserPaths, launch: Launch, snapshot: SnapshotAssertion
) -> None:
    theirs = THEIRS[host.form].replace("KEY", host.keys[0])
    path = place(host, root, person)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(theirs, encoding="utf-8")
    before = tree(root, person.home)

    carried_out(plan(root, person, [host], launch), root, person)

    assert {
        "path": Draft(root, person).format_path(path),
        "before": shown(theirs, root, person),
        "after": shown(path.read_text(encoding="utf-8"), root, person),
    } == snapshot
    again = plan(root, person, [host], launch)
    assert (again.changes, again.problems) == ((), ())
    carried_out(plan_removal(root, person, [host]), root, person)
    assert tree(root, person.home) == before


@pytest.mark.parametrize("scope", ["project", "person"])
@pytest.mark.parametrize("host", EVERY)
def test_a_host_s_new_files(  # noqa: PLR0913, PLR0917 - fixtures
    host: Host, scope: str, root: Path, person: UserPaths, launch: Launch, snapshot: SnapshotAssertion
) -> None:
    user = scope == "person"
    before = tree(root, person.home)
    made = plan(root, person, [host], launch, user=user)
    carried_out(made, root, person)

    assert {
        change.display_path: {"why": change.reasons, "text": shown((change.after or b"").decode("utf-8"), root, person)}
        for change in made.changes
    } == snapshot
    again = plan(root, person, [host], launch, user=user)
    assert (again.changes, again.problems) == ((), ())
    carried_out(plan_removal(root, person, [host]), root, person)
    assert tree(root, person.home) == before
    assert [path.name for path in (*root.iterdir(), *person.home.iterdir())] in ([], [".aurora"]), "nor is a folder"


def test_an_existing_folder_stays_although_it_is_empty(root: Path, person: UserPaths, launch: Launch) -> None:
    (root / ".claude").mkdir()
    carried_out(plan(root, person, [BY_NAME["claude-code"]], launch), root, person)
    carried_out(plan_removal(root, person, [BY_NAME["claude-code"]]), root, person)
    assert sorted(path.relative_to(root).as_posix() for path in root.iterdir()) == [".aurora", ".claude"]
    assert list((root / ".claude").iterdir()) == []


def test_all_hosts_share_one_note_and_are_removed_together(root: Path, person: UserPaths, launch: Launch) -> None:
    (root / "AGENTS.md").write_bytes(b"# Rules\r\n\r\nBe kind.")
    before = tree(root, person.home)
    assert plan(root, person, HOSTS, launch).unchanged == (), "what is still to be written does not stand there yet"
    carried_out(plan(root, person, HOSTS, launch), root, person)
    text = (root / "AGENTS.md").read_bytes()
    assert text.startswith(b"# Rules\r\n\r\nBe kind.\r\n\r\n<!-- aurora:begin")
    assert text.count(b"aurora:begin") == 1
    assert b"\n" not in text.replace(b"\r\n", b"")
    assert plan(root, person, HOSTS, launch).changes == ()
    carried_out(plan_removal(root, person, HOSTS), root, person)
    assert tree(root, person.home) == before


def test_a_file_that_another_host_reads_stays_until_that_host_is_removed(
    root: Path, person: UserPaths, launch: Launch
) -> None:
    codex, opencode = BY_NAME["codex"], BY_NAME["opencode"]
    before = tree(root, person.home)
    carried_out(plan(root, person, [codex, opencode], launch), root, person)
    first = plan_removal(root, person, [codex], HOSTS)
    texts = (".agents/skills/aurora/SKILL.md", "AGENTS.md")
    assert first.shared == dict.fromkeys(texts, ("opencode",))
    carried_out(first, root, person)
    assert not (root / ".codex/config.toml").exists()
    assert (root / ".agents/skills/aurora/SKILL.md").is_file()
    assert "aurora:begin" in (root / "AGENTS.md").read_text("utf-8")
    second = plan_removal(root, person, [opencode], HOSTS)
    assert second.shared == {}
    carried_out(second, root, person)
    assert tree(root, person.home) == before


def test_text_that_the_user_added_later_survives_the_removal(root: Path, person: UserPaths, launch: Launch) -> None:
    (root / "CLAUDE.md").write_text("# Mine\n", encoding="utf-8")
    carried_out(plan(root, person, [BY_NAME["claude-code"]], launch), root, person)
    servers = json.loads((root / ".mcp.json").read_text(encoding="utf-8"))["mcpServers"]
    (root / ".mcp.json").write_text(json.dumps({"mcpServers": {**servers, "db": {"command": "db"}}}), encoding="utf-8")
    with (root / "CLAUDE.md").open("a", encoding="utf-8") as file:
        file.write("\nMore of mine.\n")

    carried_out(plan_removal(root, person, [BY_NAME["claude-code"]]), root, person)

    assert json.loads((root / ".mcp.json").read_text(encoding="utf-8")) == {"mcpServers": {"db": {"command": "db"}}}
    assert (root / "CLAUDE.md").read_text(encoding="utf-8") == "# Mine\n\nMore of mine.\n"


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("claude-code", '{"theme": "dark", "mcpServers": {}}\n'),
        ("claude-code", '{\r\n\t"mcpServers": {},\r\n\t"theme": "dark"\r\n}'),
        ("claude-code", '\ufeff{ "mcpServers" : { } , "theme":"dark" }'),
        ("cursor", '// head\n{"theme": "dark", "mcpServers": { /* none */ },}\n// tail'),
        ("codex", 'model = "dark"'),
        ("codex", '# mine\r\nmodel = "dark"\r\n\r\n\r\n[tools]\r\nx = 1\r\n\r\n'),
        ("continue", "name: dark\nmcpServers:\nother: 1\n"),
    ],
)
def test_user_edits_stay_when_the_entry_is_removed_with_the_object_that_it_leaves_empty(
    name: str, theirs: str, root: Path, person: UserPaths, launch: Launch
) -> None:
    path = place(BY_NAME[name], root, person)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(theirs.encode())
    carried_out(plan(root, person, [BY_NAME[name]], launch), root, person)
    path.write_bytes(path.read_bytes().replace(b"dark", b"light") + b"\n")

    carried_out(plan_removal(root, person, [BY_NAME[name]]), root, person)

    parent = r'"mcpServers"\s*:\s*\{\s*\},?|mcpServers:\n'
    left, expected = path.read_bytes().decode(), re.sub(parent, "", theirs.replace("dark", "light"))
    assert re.sub(r"[\s,]", "", left) == re.sub(r"[\s,]", "", expected)


def test_a_note_is_removed_from_a_file_without_a_final_line_break(
    root: Path, person: UserPaths, launch: Launch
) -> None:
    (root / "CLAUDE.md").write_bytes(b"# Mine\r\nBe kind.")
    carried_out(plan(root, person, [BY_NAME["claude-code"]], launch), root, person)
    (root / "CLAUDE.md").write_bytes((root / "CLAUDE.md").read_bytes().replace(b"kind", b"brief"))
    carried_out(plan_removal(root, person, [BY_NAME["claude-code"]]), root, person)
    assert (root / "CLAUDE.md").read_bytes() == b"# Mine\r\nBe brief.\r\n"


def test_each_content_of_a_file_is_backed_up_once_and_readable_by_its_owner_only(
    root: Path, person: UserPaths, launch: Launch
) -> None:
    cursor = [BY_NAME["cursor"]]
    path = root / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text("{}", encoding="utf-8")
    path.chmod(0o640)
    for _ in range(2):
        carried_out(plan(root, person, cursor, launch), root, person)
        carried_out(plan_removal(root, person, cursor), root, person)
    assert path.read_text(encoding="utf-8") == "{}"
    assert path.stat().st_mode & 0o777 == 0o640
    copies = [
        one for one in (root / ".aurora/backups/hosts/project/.cursor").iterdir() if b"aurora" not in one.read_bytes()
    ]
    assert [one.read_text(encoding="utf-8") for one in copies] == ["{}"]
    assert copies[0].stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("host", EVERY)
def test_an_invalid_file_is_unchanged_and_reported_with_its_position(
    host: Host, root: Path, person: UserPaths, launch: Launch
) -> None:
    path = place(host, root, person)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('{"mcpServers": {\n  oops', encoding="utf-8")
    made = plan(root, person, [host], launch)
    assert path not in [change.path for change in made.changes]
    (trouble,) = made.problems
    assert trouble.where.startswith(f"{Draft(root, person).format_path(path)}:")
    assert "the file is unchanged" in trouble.message
    assert f"aur init --hosts {host.name}" in trouble.help
    assert "aur doctor" in trouble.help


def test_another_server_named_aurora_is_not_replaced(root: Path, person: UserPaths, launch: Launch) -> None:
    text = '{"mcpServers": {"aurora": {"command": "borealis"}}}'
    (root / ".mcp.json").write_text(text, encoding="utf-8")
    made = plan(root, person, [BY_NAME["claude-code"]], launch)
    assert 'the entry "aurora" starts another program, "borealis"' in made.problems[0].message
    assert ".mcp.json" not in [change.display_path for change in made.changes]
    assert ".mcp.json" not in [change.display_path for change in plan_removal(root, person, HOSTS).changes]


def test_an_entry_with_a_missing_program_gets_a_new_one_and_keeps_the_user_s_values(
    root: Path, person: UserPaths, launch: Launch
) -> None:
    words = '"command": "/gone/aur", "args": ["mcp", "--toolsets", "all"]'
    text = f'{{"mcpServers": {{"aurora": {{"type": "stdio", {words}, "env": {{"A": "b"}}}}}}}}'
    (root / ".mcp.json").write_text(text, encoding="utf-8")
    made = plan(root, person, [BY_NAME["claude-code"]], launch)
    (change,) = [one for one in made.changes if one.display_path == ".mcp.json"]
    assert (change.after or b"").decode() == text.replace("/gone/aur", "aur")


def test_a_program_without_a_folder_stays_in_a_shared_file_even_if_it_is_not_on_path(
    root: Path, person: UserPaths, launch: Launch
) -> None:
    text = '{"mcpServers": {"aurora": {"command": "aur", "args": ["mcp"]}}}'
    (root / ".mcp.json").write_text(text, encoding="utf-8")
    (person.home.parent / "bin" / "aur").unlink()
    made = plan(root, person, [BY_NAME["claude-code"]], Launch(launch.own, launch.own))
    assert ".mcp.json" in made.unchanged
    found = read_host_state(BY_NAME["claude-code"], root, person, "project")
    assert (found.status, found.help) == ("stale", "Put `aur` on PATH, for example with `uv tool install` or pipx.")


def test_a_working_entry_is_unchanged_in_any_notation(root: Path, person: UserPaths, launch: Launch) -> None:
    text = json.dumps(
        {"mcpServers": {"aurora": {"type": "stdio", "command": launch.own[0], "args": ["mcp", "--read-only"]}}}
    )
    (root / ".mcp.json").write_text(text, encoding="utf-8")
    made = plan(root, person, [BY_NAME["claude-code"]], launch)
    assert ".mcp.json" in made.unchanged


def test_two_projects_with_one_name_have_separate_entries_in_the_user_s_file(
    root: Path, person: UserPaths, launch: Launch, tmp_path: Path
) -> None:
    other = tmp_path / "elsewhere" / root.name
    other.mkdir(parents=True)
    windsurf = [BY_NAME["windsurf"]]
    for one in (root, other):
        carried_out(plan(one, person, windsurf, launch), one, person)
    path = person.home / ".codeium/windsurf/mcp_config.json"
    servers = json.loads(path.read_text(encoding="utf-8"))["mcpServers"]
    assert sorted(entry["args"][-1] for entry in servers.values()) == sorted([str(root), str(other)])
    carried_out(plan_removal(root, person, windsurf), root, person)
    servers = json.loads(path.read_text(encoding="utf-8"))["mcpServers"]
    assert [entry["args"][-1] for entry in servers.values()] == [str(other)]
    assert plan(other, person, windsurf, launch).changes == (), "it keeps the name that it got beside the first"


@pytest.mark.parametrize("name", ["codex", "windsurf", "continue"])
def test_a_file_shared_by_projects_is_deleted_with_the_last_of_them(
    name: str, root: Path, person: UserPaths, launch: Launch, tmp_path: Path
) -> None:
    others = [tmp_path / "others" / "tea", root]
    others[0].mkdir(parents=True)
    for one in others:
        carried_out(plan(one, person, [BY_NAME[name]], launch, user=True), one, person)
    assert person.resolve_path(BY_NAME[name].user).is_file()
    for one in others:
        carried_out(plan_removal(one, person, [BY_NAME[name]]), one, person)
    assert not person.resolve_path(BY_NAME[name].user).exists()


def test_a_link_that_leads_out_of_the_project_is_not_followed(
    root: Path, person: UserPaths, launch: Launch, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "theirs.json"
    elsewhere.write_text("{}", encoding="utf-8")
    (root / ".mcp.json").symlink_to(elsewhere)
    made = plan(root, person, [BY_NAME["claude-code"]], launch)
    assert "a link that leads out of the project" in made.problems[0].message
    assert "`aur init --user`" in made.problems[0].help
    assert elsewhere not in [change.path for change in made.changes]


def test_a_read_only_file_is_neither_replaced_nor_deleted(root: Path, person: UserPaths, launch: Launch) -> None:
    claude = [BY_NAME["claude-code"]]
    carried_out(plan(root, person, claude, launch), root, person)
    path = root / ".mcp.json"
    path.chmod(0o444)
    made = plan_removal(root, person, claude)
    assert [one.message for one in made.problems] == [".mcp.json: it is read-only; the file is unchanged"]
    assert ".mcp.json" not in [change.display_path for change in made.changes]
    path.chmod(0o644)
    path.write_text("{}", encoding="utf-8")
    path.chmod(0o444)
    made = plan(root, person, claude, launch)
    assert [one.where for one in made.problems] == [".mcp.json"]
    assert "chmod u+w" in made.problems[0].help
    assert made.changes == ()


def test_a_link_inside_the_project_stays_a_link_and_its_file_gets_one_note(
    root: Path, person: UserPaths, launch: Launch
) -> None:
    (root / "AGENTS.md").write_text("# Rules\n", encoding="utf-8")
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    carried_out(plan(root, person, [BY_NAME["claude-code"], BY_NAME["codex"]], launch), root, person)
    assert (root / "CLAUDE.md").is_symlink()
    assert (root / "AGENTS.md").read_text(encoding="utf-8").count("aurora:begin") == 1


@pytest.mark.parametrize("made", ["folder", "pipe", "latin-1", "closed"])
def test_anything_else_at_the_path_of_a_file_is_a_problem_without_a_traceback(
    made: str, root: Path, person: UserPaths, launch: Launch
) -> None:
    path = root / ".mcp.json"
    if made == "folder":
        path.mkdir()
    elif made == "pipe":
        os.mkfifo(path)
    elif made == "latin-1":
        path.write_bytes(b'{"a": "\xe4"}')
    else:
        (root / ".mcp.json").symlink_to(".mcp.json")
    planned = plan(root, person, [BY_NAME["claude-code"]], launch)
    assert planned.problems[0].where.startswith(".mcp.json")
    assert ".mcp.json" not in [change.display_path for change in planned.changes]


def test_a_file_that_changes_between_plan_and_write_is_unchanged(root: Path, person: UserPaths, launch: Launch) -> None:
    made = plan(root, person, [BY_NAME["claude-code"]], launch)
    (root / ".mcp.json").write_text("{ }", encoding="utf-8")
    done, troubles = apply_changes(made.changes, root, person)
    assert len(done) == len(made.changes) - 1
    assert ".mcp.json: it changed since the plan was made" in troubles[0].message
    assert (root / ".mcp.json").read_text(encoding="utf-8") == "{ }"


def test_a_file_that_another_process_wrote_identically_counts_as_done(
    root: Path, person: UserPaths, launch: Launch
) -> None:
    made = plan(root, person, [BY_NAME["claude-code"]], launch)
    carried_out(plan(root, person, [BY_NAME["claude-code"]], launch), root, person)
    done, troubles = apply_changes(made.changes, root, person)
    assert (done, troubles) == (made.changes, ())


FORMER = [(host, extra) for host in HOSTS for extra in host.extras if extra.is_former]


@pytest.mark.requirement("prd-77")
@pytest.mark.parametrize(("host", "extra"), [pytest.param(*one, id=one[0].name) for one in FORMER])
def test_the_command_of_an_earlier_version_gives_way_to_the_skill_unless_it_was_edited(
    host: Host, extra: ExtraFile, root: Path, person: UserPaths, launch: Launch
) -> None:
    path = Draft(root, person).resolve_path(extra.path)
    path.parent.mkdir(parents=True)
    path.write_text(add_stamp("Call `aurora_query`.\n", extra.path), encoding="utf-8")
    made = plan(root, person, [host], launch, user=True)
    assert [change.action for change in made.changes if change.path == path] == ["delete"]
    path.write_text("Mine: " + path.read_text(encoding="utf-8"), encoding="utf-8")
    carried_out(plan(root, person, [host], launch, user=True), root, person)
    assert path.read_text(encoding="utf-8").startswith("Mine: ")


def test_a_skill_that_aurora_did_not_write_is_not_replaced(root: Path, person: UserPaths, launch: Launch) -> None:
    skill = root / ".claude/skills/aurora/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("mine\n", encoding="utf-8")
    made = plan(root, person, [BY_NAME["claude-code"]], launch)
    assert [change.display_path for change in made.changes] == [".mcp.json", "CLAUDE.md"]
    assert [problem.where for problem in made.problems] == [".claude/skills/aurora/SKILL.md"]


def test_kinds_of_files_are_left_out_on_request(root: Path, person: UserPaths, launch: Launch) -> None:
    made = plan(root, person, [BY_NAME["claude-code"]], launch, left_out=("note", "skill"))
    assert [change.display_path for change in made.changes] == [".mcp.json"]


@pytest.mark.parametrize("place", ["within", "at the end"])
def test_a_command_that_the_user_edited_is_neither_overwritten_nor_removed(
    root: Path, person: UserPaths, launch: Launch, place: str
) -> None:
    windsurf = [BY_NAME["windsurf"]]
    carried_out(plan(root, person, windsurf, launch), root, person)
    path = root / ".windsurf/workflows/aurora.md"
    edited = path.read_text(encoding="utf-8")
    edited = edited.replace("Answer this", "Please answer this") if place == "within" else f"{edited}\nBe brief.\n"
    path.write_text(edited, encoding="utf-8")
    again = plan(root, person, windsurf, launch)
    assert (again.changes, again.problems) == ((), ())
    made = plan_removal(root, person, windsurf)
    assert "edited since" in made.problems[0].message
    apply_changes(made.changes, root, person)
    assert path.read_text(encoding="utf-8") == edited


@pytest.mark.parametrize(
    ("platform", "environ", "expected"),
    [
        ("linux", {"HOME": "/h"}, "/h/.config/Code/User/mcp.json"),
        ("linux", {"HOME": "/h", "XDG_CONFIG_HOME": "/x"}, "/x/Code/User/mcp.json"),
        ("darwin", {"HOME": "/h"}, "/h/Library/Application Support/Code/User/mcp.json"),
        ("win32", {"USERPROFILE": "/h", "APPDATA": "/a"}, "/a/Code/User/mcp.json"),
    ],
)
def test_user_files_follow_the_platform_s_conventions(platform: str, environ: dict[str, str], expected: str) -> None:
    assert UserPaths.from_environment(environ, platform).resolve_path(BY_NAME["vscode"].user) == Path(expected)


def test_a_program_of_an_activated_environment_is_not_on_the_lasting_path() -> None:
    made = UserPaths.from_environment(
        {"HOME": "/h", "PATH": os.pathsep.join(["/v/bin", "/usr/bin"]), "VIRTUAL_ENV": "/v"}, "linux"
    )
    assert (made.path, made.lasting_path) == (os.pathsep.join(["/v/bin", "/usr/bin"]), "/usr/bin")


def test_a_backup_that_a_clone_brought_adds_nothing_to_a_file(root: Path, person: UserPaths, launch: Launch) -> None:
    windsurf = [BY_NAME["windsurf"]]
    carried_out(plan(root, person, windsurf, launch), root, person)
    path = person.resolve_path(windsurf[0].user)
    name = f"mcp_config.json.before.{hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"
    planted = root / ".aurora/backups/hosts/person/.codeium/windsurf" / name
    planted.parent.mkdir(parents=True, exist_ok=True)
    planted.write_text('{"mcpServers": {"evil": {"command": "sh"}}}', encoding="utf-8")

    carried_out(plan_removal(root, person, windsurf), root, person)

    assert not path.exists()


@pytest.mark.parametrize("name", ["cursor", "claude-code"])
def test_an_entry_that_the_file_has_twice_is_removed_twice(name: str, root: Path, person: UserPaths) -> None:
    entry = '"aurora": {"command": "aur", "args": ["mcp"]}'
    path = root / BY_NAME[name].project[0]
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'{{"mcpServers": {{{entry}, "db": {{}}, {entry}}}}}', encoding="utf-8")
    carried_out(plan_removal(root, person, [BY_NAME[name]]), root, person)
    assert json.loads(path.read_text(encoding="utf-8")) == {"mcpServers": {"db": {}}}
