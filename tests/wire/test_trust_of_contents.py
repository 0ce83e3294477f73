"""What changes after the person trusted a folder is not used before they are shown it, whatever brings the change."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from .conftest import Project, Server

    Change = Callable[[Path], None]

MARK = "SEND-THE-KEYS"
"""What every hostile change brings, and no answer may contain."""
CHANGED = "new or changed since it was trusted"
WORKFLOW = """\
aurora: 1
name: {name}
version: 1.0.0
title: {title}
start: brew
phases:
  brew:
    prompt_template: {prompt}
    answer: {answer}
    next_action: end
"""
EXTENDING = "extends: {base}\nname: {name}\nversion: 2.0.0\n"
OUTER = """\
aurora: 1
name: outer
version: 1.0.0
start: inner
phases:
  inner:
    workflow: tea
    next_action: end
"""
AGENT = "---\nname: {name}\ndescription: {description}\n---\nReview.\n"
REVIEWER = AGENT.format(name="reviewer", description="Reviews")
FILES = {
    "workflows/tea.yaml": WORKFLOW.format(name="tea", title="Tea", prompt="prompts/brew.md", answer="schemas/tea.json"),
    "workflows/green.yaml": EXTENDING.format(base="tea", name="green"),
    "workflows/mine.yaml": EXTENDING.format(base="design", name="mine"),
    "workflows/outer.yaml": OUTER,
    "workflows/note.yaml": WORKFLOW.replace("name: {name}\n", "").format(title="N", prompt="Note.", answer="{}"),
    "workflows/prompts/brew.md": 'Which tea? {% include "parts/kind.md" %}\n',
    "workflows/prompts/other.md": "Which other?\n",
    "workflows/parts/kind.md": "Green or black?\n",
    "workflows/schemas/tea.json": '{"type": "object", "description": "the tea"}\n',
}
AGENTS = ("reviewer", "helper")


class Folder:
    """A trusted project under `.aurora/`, with a running server and a command line.

    Args:
        project: the project of the wire tests.
        state: the person's state folder.
        trust: trusts a folder with its contents.
    """

    def __init__(self, project: Project, state: Path, trust: Callable[..., None]) -> None:
        self.root = project.root
        self.own = project.root / ".aurora"
        self.environ = {"AURORA_TRUST": "", "XDG_STATE_HOME": str(state), "HOME": str(state), "NO_COLOR": "1"}
        self._project, self._grant = project, trust
        self._number = 0
        self.server: Server | None = None
        for name, text in FILES.items():
            project.write(f".aurora/{name}", text)
        project.write(".claude/agents/reviewer.md", REVIEWER)

    def trust(self) -> None:
        self._grant(self.root, self.environ)

    def serve(self) -> None:
        self.server = self._project.serve("--toolsets", "workflow,agents,runs", **self.environ).shake_hands()

    def ask(self, method: str, **params: Any) -> str:
        assert self.server is not None
        self._number += 1
        self.server.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return json.dumps(self.server.answer(self._number))

    def call(self, tool: str, **arguments: Any) -> str:
        return self.ask("tools/call", name=tool, arguments=arguments)

    def ask_all(self, names: Sequence[str]) -> str:
        """All that a host can see of these workflows, and of the agents."""
        return "\n".join(
            [
                *(self.ask(method) for method in ("tools/list", "prompts/list", "resources/list")),
                *(self.call("aurora_query", workflow=name, query="x", goal="x", symptom="x") for name in names),
                *(self.call("aurora_query", workflow=name, phase="brew") for name in names),
                *(self.call("aurora_workflow_show", name=name) for name in names),
                *(self.ask("prompts/get", name=name, arguments={}) for name in names),
                *(self.ask("resources/read", uri=f"aurora://workflow/{name}") for name in names),
                *(self.call(tool) for tool in ("aurora_workflow_list", "aurora_agents_list")),
                *(self.call("aurora_agents_show", name=name) for name in AGENTS),
                self.call("aurora_agents_search", query="reviews keys helper"),
            ]
        )

    def aur(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self._project.program, *words],
            cwd=self.root,
            env={**os.environ, **self.environ},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )


@pytest.fixture
def folder(project: Any, tmp_path: Path, trust_contents: Callable[..., None]) -> Folder:
    made = Folder(project, tmp_path / "state", trust_contents)
    made.trust()
    made.serve()
    return made


def write(name: str, text: str) -> Change:
    """Write a file of the project's definitions."""

    def change(own: Path) -> None:
        path = own / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    return change


def link(name: str, target: str, text: str) -> Change:
    """Put a link in the place of a file, to a new one in the same folder."""

    def change(own: Path) -> None:
        place = own / name
        new = own / target
        new.parent.mkdir(parents=True, exist_ok=True)
        new.write_text(text, encoding="utf-8")
        place.unlink()
        place.symlink_to(os.path.relpath(new, place.parent))

    return change


def change_with_its_times(own: Path) -> None:
    """Change a prompt to one of the same length, and set its times back."""
    path = own / "workflows/parts/kind.md"
    before = path.stat()
    path.write_text(MARK.ljust(before.st_size - 1) + "\n", encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def swap_folder_for_link(own: Path) -> None:
    """Replace the folder of prompts by a link to one with other prompts of the same names."""
    other = own / "workflows" / "zz"
    shutil.copytree(own / "workflows/prompts", other)
    (other / "brew.md").write_text(MARK, encoding="utf-8")
    shutil.rmtree(own / "workflows/prompts")
    (own / "workflows/prompts").symlink_to("zz")


def replace_folder_of_workflows(own: Path) -> None:
    """Move the folder of the workflows away, and put a link to a changed copy into its place."""
    shutil.copytree(own / "workflows", own / "other")
    write("other/tea.yaml", TEA.replace("Tea", MARK))(own)
    shutil.rmtree(own / "workflows")
    (own / "workflows").symlink_to("other")


def include_other_file(own: Path) -> None:
    write("workflows/prompts/brew.md", '{% include "more.md" %}')(own)
    write("workflows/more.md", MARK)(own)


def move_workflow(own: Path) -> None:
    """Move a harmless workflow without a `name` to where its file's name is that of a shipped one."""
    (own / "workflows/note.yaml").rename(own / "workflows/design.yaml")


TEA = FILES["workflows/tea.yaml"]
BAD_TEA = TEA.replace("Tea", MARK)
SHIPPED = "extends: {0}\nversion: 6.6.6\ntitle: " + MARK + "\n"
BAD_AGENT = AGENT.replace("{description}", MARK)


class Attack(NamedTuple):
    """Change of a trusted folder.

    `visible` is what the answers have once the person was shown it, `names` the workflows that it could reach: a
    question about each of all workflows would check them all again, for every attack.
    """

    name: str
    change: Change
    visible: str = MARK
    names: Sequence[str] = ("tea", "green", "outer")


ATTACKS = (
    Attack(
        "a new workflow",
        write("workflows/helper.yaml", BAD_TEA.replace("name: tea", "name: helper")),
        names=("helper",),
    ),
    Attack(
        "a workflow that replaces a shipped one",
        write("workflows/bug-fix.yaml", SHIPPED.format("bug-fix")),
        names=("bug-fix",),
    ),
    Attack("soar itself", write("workflows/soar.yaml", SHIPPED.format("soar")), names=("soar",)),
    Attack("a changed workflow", write("workflows/tea.yaml", BAD_TEA)),
    Attack("a changed prompt", write("workflows/prompts/brew.md", MARK)),
    Attack("a changed file that a prompt includes", write("workflows/parts/kind.md", MARK)),
    Attack("a changed file with the old size and times", change_with_its_times),
    Attack("a changed schema", write("workflows/schemas/tea.json", f'{{"type": "object", "description": "{MARK}"}}')),
    Attack(
        "a schema in place of the file of one",
        write("workflows/tea.yaml", TEA.replace("schemas/tea.json", f"{{ type: object, description: {MARK} }}")),
    ),
    Attack("a prompt that includes another file", include_other_file),
    Attack("a name that comes first", write("workflows/a.yaml", BAD_TEA)),
    Attack("a name that differs by case", write("workflows/Tea.yaml", BAD_TEA)),
    Attack("the other suffix", write("workflows/tea.yml", BAD_TEA.replace("name: tea\n", "")), ""),
    Attack(
        "a base of an own workflow", write("workflows/design.yaml", SHIPPED.format("design")), names=("design", "mine")
    ),
    Attack(
        "a harmless workflow under another name",
        move_workflow,
        "error: .aurora/workflows/design.yaml:1:1",
        names=("design", "note"),
    ),
    Attack("a link in the place of a prompt", link("workflows/prompts/brew.md", "workflows/prompts/new.md", MARK)),
    Attack("a link in the place of a workflow", link("workflows/tea.yaml", "workflows/z.txt", BAD_TEA)),
    Attack("a link in the place of a folder", swap_folder_for_link),
    Attack("a link in the place of the folder of the workflows", replace_folder_of_workflows),
    Attack("a changed agent", write("../.claude/agents/reviewer.md", BAD_AGENT.format(name="reviewer")), names=()),
    Attack("an agent's instructions", write("../.claude/agents/reviewer.md", REVIEWER + MARK), names=()),
    Attack("a new agent", write("../.claude/agents/a/helper.md", BAD_AGENT.format(name="helper")), names=()),
    Attack(
        "an agent of another assistant", write("../.cursor/agents/helper.md", BAD_AGENT.format(name="helper")), names=()
    ),
    Attack(
        "an agent's name that comes first", write("../.claude/agents/a.md", BAD_AGENT.format(name="reviewer")), names=()
    ),
)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda one: one.name)
def test_a_change_after_the_trust_is_not_used_before_it_is_shown(folder: Folder, attack: Attack) -> None:
    first = folder.call("aurora_query", workflow="tea")
    assert "Which tea? Green or black?" in first
    assert "Not used" not in first

    attack.change(folder.own)

    assert MARK not in folder.ask_all(attack.names)
    assert CHANGED in folder.call("aurora_query", query="Where is main?")
    if attack.visible:
        folder.trust()
        assert attack.visible in folder.ask_all(attack.names)
        assert "Not used" not in folder.call("aurora_query", query="Where is main?")


@pytest.mark.parametrize("attack", [ATTACKS[1], ATTACKS[4], ATTACKS[19]], ids=lambda one: one.name)
def test_each_command_says_what_has_changed_and_uses_nothing_of_it(folder: Folder, attack: Attack) -> None:
    attack.change(folder.own)

    assert "[WARN] not used: " in folder.aur("doctor", "--only", "project.trust").stdout
    for words in ((), ("workflow", "list"), ("agents", "list"), ("workflow", "step", "assess", "--input", "query=x")):
        assert CHANGED in folder.aur(*words).stdout
    for words in (("workflow", "show"), ("workflow", "run"), ("workflow", "step", "brew", "--workflow")):
        for name in ("tea", "bug-fix"):
            done = folder.aur(*words, name)
            assert MARK not in done.stdout + done.stderr
    assert MARK not in folder.aur("agents", "show", "reviewer").stdout
    shown = folder.aur("trust")
    assert (shown.returncode, MARK in shown.stdout) == (2, True)
    assert folder.aur("trust", "--yes").returncode == 0
    assert "[PASS]" in folder.aur("doctor", "--only", "project.trust").stdout


def test_a_trusted_version_that_returns_is_used_again_and_so_is_a_worktree_s(folder: Folder) -> None:
    tea = folder.own / "workflows/tea.yaml"
    tea.write_text(TEA.replace("Tea", "Other"), encoding="utf-8")
    assert "FORBIDDEN" in folder.call("aurora_query", workflow="tea")
    folder.trust()
    for title in ("Tea", "Other", "Tea"):
        tea.write_text(TEA.replace("Tea", title), encoding="utf-8")
        assert "Which tea? Green or black?" in folder.call("aurora_query", workflow="tea")


def test_a_run_of_a_workflow_that_changes_is_not_continued_with_the_change(folder: Folder) -> None:
    begun = json.loads(json.loads(folder.call("aurora_query", workflow="tea"))["result"]["content"][0]["text"])
    write("workflows/prompts/brew.md", MARK)(folder.own)
    again = folder.call("aurora_query", run=begun["run"], answer={})
    assert "FORBIDDEN" in again
    assert MARK not in again
