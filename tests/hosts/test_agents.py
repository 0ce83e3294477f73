"""Agent definitions are found where hosts keep them, and none can do harm."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from aurora.hosts import discover_agents, list_agent_files

if TYPE_CHECKING:
    from pathlib import Path


def define(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def matter(name: str, description: str = "Does it", more: str = "") -> str:
    return f"---\nname: {name}\ndescription: {description}\n{more}---\nYou do it.\n"


@pytest.mark.requirement("triads-13", "triads-38")
def test_agents_are_read_from_every_location_of_a_host(tmp_path: Path) -> None:
    root, home = tmp_path / "project", tmp_path / "home"
    define(root / ".claude/agents/deep/er/a.md", matter("a"))
    define(root / ".github/agents/b.agent.md", "---\ndescription: Plans\ntools: ['read', 'search']\n---\n")
    allowed = "tools:\n  bash: true\n  edit: false\n"
    define(root / ".opencode/agent/c.md", f"---\ndescription: Codes\nmode: subagent\n{allowed}---\n")
    define(root / ".cursor/agents/x/d.md", matter("d", more="model: fast\n"))
    define(home / ".claude/agents/e.md", matter("e", more="tools: Read, Grep\n"))
    define(home / ".config/opencode/agent/f.md", "---\ndescription: F\n---\n")
    found = discover_agents(root, home)
    assert found.problems == ()
    assert {one.name: one.description for one in found.agents} == {
        **dict.fromkeys("ade", "Does it"),
        "b": "Plans",
        "c": "Codes",
        "f": "F",
    }
    assert {(one.name, one.host, one.scope, one.tools, one.model) for one in found.agents} == {
        ("a", "claude-code", "project", (), None),
        ("b", "copilot", "project", ("read", "search"), None),
        ("c", "opencode", "project", ("bash",), None),
        ("d", "cursor", "project", (), "fast"),
        ("e", "claude-code", "person", ("Read", "Grep"), None),
        ("f", "opencode", "person", (), None),
    }


def test_a_project_agent_comes_before_a_user_agent_with_the_same_name(tmp_path: Path) -> None:
    root, home = tmp_path / "project", tmp_path / "home"
    define(root / ".claude/agents/r.md", matter("reviewer", "The project's"))
    define(home / ".claude/agents/r.md", matter("reviewer", "The person's"))
    assert [one.description for one in discover_agents(root, home).agents] == ["The project's"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no frontmatter"),
        ("You are an agent.\n", "no frontmatter"),
        ("---\nname: a\n", 'no closing "---"'),
        ("---\n- a\n- b\n---\n", "not a mapping of `key: value`"),
        ("---\n---\n", "empty"),
        ("---\nname: [a\n---\n", "not valid YAML"),
        ("---\nname: a\n\tdescription: b\n---\n", "not valid YAML"),
        ("---\nx: *nothing\n---\n", "not valid YAML"),
        ("---\nx: !!python/object/apply:os.system ['true']\n---\n", "not valid YAML"),
        (f"---\nx: {'[' * 5000}\n---\n", "not valid YAML"),
        (f"---\nx: {'y' * 70_000}\n---\n", "longer than"),
    ],
)
def test_an_invalid_definition_is_a_problem_and_the_others_are_found(text: str, said: str, tmp_path: Path) -> None:
    define(tmp_path / ".claude/agents/bad.md", text)
    define(tmp_path / ".claude/agents/good.md", matter("good"))
    found = discover_agents(tmp_path)
    assert [one.name for one in found.agents] == ["good"]
    assert len(found.problems) == 1
    assert found.problems[0].path == ".claude/agents/bad.md"
    assert said in found.problems[0].message


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_description_with_an_unquoted_colon_is_read_as_its_host_reads_it(tmp_path: Path, end: str) -> None:
    said = 'Use this agent when: a request is open. Examples: <example>user: "x"</example>'
    define(tmp_path / ".claude/agents/a.md", matter("a", said, more="tools: Read, Grep\n").replace("\n", end))
    found = discover_agents(tmp_path)
    assert found.problems == ()
    assert [(one.name, one.description, one.tools) for one in found.agents] == [("a", said, ("Read", "Grep"))]


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        (".claude/agents/a.md", "---\nname: a\n---\n", "no description"),
        (".claude/agents/a.md", "---\nname: a\ndescription: ' '\n---\n", "no description"),
        (".claude/agents/a.md", "---\nname: a\ndescription: [x]\n---\n", "no description"),
        (".claude/agents/a.md", "---\ndescription: Does it\n---\n", "no name"),
        (".opencode/agent/a.md", "---\nname: a\n---\n", "no description"),
    ],
)
def test_a_definition_without_a_name_or_description_is_not_offered(
    file: str, text: str, said: str, tmp_path: Path
) -> None:
    define(tmp_path / file, text)
    found = discover_agents(tmp_path)
    assert found.agents == ()
    assert said in found.problems[0].message


def test_an_alias_bomb_is_read_quickly(tmp_path: Path) -> None:
    layers = "\n".join(f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 9)}]" for at in range(1, 30))
    define(tmp_path / ".claude/agents/bomb.md", f"---\nname: bomb\ndescription: Boom\na0: &a0 [x]\n{layers}\n---\n")
    assert [one.name for one in discover_agents(tmp_path).agents] == ["bomb"]


def test_bytes_that_are_not_utf8_are_a_problem(tmp_path: Path) -> None:
    path = define(tmp_path / ".claude/agents/a.md", "")
    path.write_bytes(b"---\nname: \xff\xfe\n---\n")
    (problem,) = discover_agents(tmp_path).problems
    assert (problem.message, problem.help) == ("it is not UTF-8 text", "Save it as UTF-8.")


def test_windows_line_endings_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    path = define(tmp_path / ".claude/agents/a.md", "")
    path.write_bytes(b"\xef\xbb\xbf---\r\nname: a\r\ndescription: Does it\r\n---\r\nBody\r\n")
    found = discover_agents(tmp_path)
    assert [(one.name, one.description) for one in found.agents] == [("a", "Does it")]
    assert found.problems == ()


def test_a_link_that_leads_out_of_the_project_is_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "project"
    outside = define(tmp_path / "outside/secret.md", matter("secret"))
    (root / ".claude/agents").mkdir(parents=True)
    (root / ".claude/agents/link.md").symlink_to(outside)
    (root / ".cursor").mkdir()
    (root / ".cursor/agents").symlink_to(outside.parent)
    found = discover_agents(root)
    assert found.agents == ()
    assert {one.path for one in found.problems} == {".claude/agents/link.md", ".cursor/agents"}


def test_a_link_inside_the_project_is_followed(tmp_path: Path) -> None:
    real = define(tmp_path / "agents/a.md", matter("a"))
    (tmp_path / ".claude/agents").mkdir(parents=True)
    (tmp_path / ".claude/agents/a.md").symlink_to(real)
    assert [one.name for one in discover_agents(tmp_path).agents] == ["a"]


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    folder = tmp_path / ".claude/agents"
    folder.mkdir(parents=True)
    (folder / "loop").symlink_to(folder)
    (folder / "self.md").symlink_to(folder / "self.md")
    define(folder / "a.md", matter("a"))
    assert [one.name for one in discover_agents(tmp_path).agents] == ["a"]


def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    (tmp_path / ".claude/agents").mkdir(parents=True)
    os.mkfifo(tmp_path / ".claude/agents/pipe.md")
    assert "not a regular file" in discover_agents(tmp_path).problems[0].message


def test_an_untrusted_project_s_agents_are_not_read_and_the_person_s_are(tmp_path: Path) -> None:
    root, home = tmp_path / "project", tmp_path / "home"
    define(root / ".claude/agents/own.md", matter("own"))
    define(root / ".claude/agents/broken.md", "---\nname: [\n---\n")
    define(home / ".claude/agents/mine.md", matter("mine"))
    found = discover_agents(None, home)
    assert [one.name for one in found.agents] == ["mine"]
    assert found.problems == ()


def test_of_a_project_only_the_contents_that_are_trusted_are_agents(tmp_path: Path) -> None:
    define(tmp_path / ".claude/agents/old.md", matter("old"))
    define(tmp_path / ".claude/agents/new.md", matter("new"))
    define(tmp_path / ".claude/agents/broken.md", "---\nname: [\n---\n")
    found = discover_agents(tmp_path, is_used=lambda path, content: path.name == "old.md" and b"old" in content)
    assert [one.name for one in found.agents] == ["old"]
    assert found.problems == ()


def test_the_files_of_a_project_s_agents_are_listed_without_reading_them(tmp_path: Path) -> None:
    assert list_agent_files(tmp_path) == ()
    for name in (
        ".claude/agents/b.md",
        ".claude/agents/deep/a.md",
        ".claude/agents/x.txt",
        ".github/agents/c.agent.md",
    ):
        define(tmp_path / name, "x")
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "agents").symlink_to("/usr")
    listed = (".claude/agents/b.md", ".claude/agents/deep/a.md", ".github/agents/c.agent.md")
    assert list_agent_files(tmp_path) == listed
    assert list_agent_files(tmp_path, 2) == listed[:2]


GENERATED = (
    "Use this agent when: code was written. Examples: <example>Context: a new function. "
    'user: "Please check it" assistant: "I will use the reviewer"</example>'
)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (f"description: {GENERATED}", GENERATED),
        (f"description: {GENERATED}\r", GENERATED),
        ("description: [internal] Reviews: all", "[internal] Reviews: all"),
        ("description: *Always* use: first", "*Always* use: first"),
        ("description: 'Reviews' code: all", "'Reviews' code: all"),
        ("description:\tReviews: all", "Reviews: all"),
        ("description: |\n\tReviews: all\n\tof it", "Reviews: all of it"),
        ("description: Reviews: all\n  and more", "Reviews: all and more"),
    ],
)
@pytest.mark.parametrize(("folder", "mark"), [(".claude/agents", ""), (".opencode/agent", "\ufeff")])
def test_what_its_assistant_reads_though_it_is_no_yaml_is_read(
    tmp_path: Path, folder: str, written: str, expected: str, mark: str
) -> None:
    text = f"{mark}---\nname: reviewer\n{written}\ntools:\n\t- Read\n\t- Grep\nmodel: opus\n---\nReview.\n"
    define(tmp_path / folder / "reviewer.md", text)
    found = discover_agents(tmp_path)
    assert found.problems == ()
    (agent,) = found.agents
    assert (agent.name, agent.description, agent.model) == ("reviewer", expected, "opus")
    assert agent.tools == ("Read", "Grep")
