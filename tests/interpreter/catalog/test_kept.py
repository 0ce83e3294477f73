"""A large workflow that was checked once is neither read nor checked again, until something changes."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Fault
from aurora.interpreter import Catalog
from aurora.tools.runtime.workspace import Workspace
from aurora.trust import PrivateCache

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from aurora.interpreter import Definition, Toolbox, ToolCall, ToolFacts

HEAD = "aurora: 2\nname: {name}\nversion: '1'\nstart: p0\nphases:\n"
PHASE = """  p{index}:
    inputs: {{ note: {{ type: string, default: "a {index}" }}, size: {{ type: number, default: 1.5 }} }}
    prompt_template: {prompt}
    answer: {{ type: object, required: [ok], properties: {{ ok: {{ type: boolean }} }} }}
    next_action:
      - {{ when: "answer.ok == `false`", then: p{index}, max: 3, else: {after} }}
      - {{ then: {after} }}
"""
PHASES = 200


class ChangedTools:
    """The project's tools, one of them with another result."""

    def __init__(self, tools: Toolbox) -> None:
        self._tools = tools

    def names(self, *, in_job: bool) -> Sequence[str]:
        return self._tools.names(in_job=in_job)

    def facts(self, name: str) -> ToolFacts | None:
        facts = self._tools.facts(name)
        return replace(facts, output={"type": "object"}) if facts is not None else None

    def stamp_facts(self, name: str) -> str:
        return f"{self._tools.stamp_facts(name)} changed"

    def call(self, call: ToolCall) -> dict[str, Any]:
        return self._tools.call(call)


def build(name: str = "large", head: str = HEAD, **texts: str) -> str:
    """Build a workflow; `texts` are further keys of phases."""
    text = head.format(name=name)
    for index in range(PHASES):
        after = f"p{index + 1}" if index + 1 < PHASES else "end"
        prompt = "start.md" if index == 0 else '"Do {{ note }}"'
        text += PHASE.format(index=index, after=after, prompt=prompt) + texts.get(f"p{index}", "")
    return text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "project" / ".aurora" / "workflows"
    path.mkdir(parents=True)
    (path / "large.yaml").write_text(build(), encoding="utf-8")
    (path / "start.md").write_text('Begin with {{ note }}. {% include "part.txt" %}', encoding="utf-8")
    (path / "part.txt").write_text("Then go on.", encoding="utf-8")
    return path


@pytest.fixture
def workspace(folder: Path) -> Iterator[Workspace]:
    with Workspace(folder.parents[1]) as found:
        yield found


@pytest.fixture
def cache(tmp_path: Path) -> PrivateCache:
    return PrivateCache(tmp_path / "state" / "checked-workflows")


def find_entries(tmp_path: Path) -> list[Path]:
    folder = tmp_path / "state" / "checked-workflows"
    return sorted(folder.iterdir()) if folder.exists() else []


def is_read(definition: Definition) -> bool:
    """Return whether the file was read and checked."""
    return not definition.is_kept


def load(folder: Path, cache: PrivateCache | None, tools: Toolbox | None = None, name: str = "large") -> Definition:
    return Catalog(folder, tools, cache=cache).load(name)


def test_a_kept_definition_equals_the_one_that_is_read(folder: Path, cache: PrivateCache, workspace: Workspace) -> None:
    load(folder, cache, workspace.tools)
    kept = load(folder, cache, workspace.tools)
    assert not is_read(kept)

    fresh = load(folder, None, workspace.tools)

    assert kept.workflow == fresh.workflow
    for part in ("path", "source", "outputs", "answers", "prompts", "digest", "files", "hashes", "bases", "label"):
        assert getattr(kept, part) == getattr(fresh, part)
    for name, phase in fresh.workflow.phases.items():
        assert kept.fingerprint_phase(name) == fresh.fingerprint_phase(name)
        assert kept.hash_phase(name) == fresh.hash_phase(name)
        for index in range(len(phase.next_action)):
            place = kept.document.find_rule_place(name, index)
            assert place == fresh.document.find_rule_place(name, index)
            assert place.line > 0
        assert kept.document.find_failure_place(name) == fresh.document.find_failure_place(name)
    assert kept.document.data == fresh.document.data
    assert not is_read(kept)
    assert kept.root == fresh.root


@pytest.mark.parametrize("failure", ["", "    on_error: stop\n"])
def test_what_is_shown_of_a_workflow_is_kept_with_its_places(folder: Path, cache: PrivateCache, failure: str) -> None:
    stop = "  stop: { prompt_template: Say why., answer: { type: object }, next_action: end }\non_error: stop\n"
    (folder / "large.yaml").write_text(build(p1=failure) + stop, encoding="utf-8")
    Catalog(folder, cache=cache, for_display=True).load("large")
    shown, fresh = Catalog(folder, cache=cache, for_display=True).load("large"), load(folder, None)
    assert not is_read(shown)

    for name, phase in fresh.workflow.phases.items():
        assert shown.document.find_failure_place(name) == fresh.document.find_failure_place(name)
        for index in range(len(phase.next_action)):
            assert shown.document.find_rule_place(name, index) == fresh.document.find_rule_place(name, index)
    assert shown.document.has_places
    assert "root" not in vars(shown.document)
    last = fresh.document.find_failure_place("p0").line
    assert (fresh.document.find_failure_place("p1").line < last) is bool(failure)


def test_an_edit_is_read_and_its_errors_are_refused(folder: Path, cache: PrivateCache) -> None:
    load(folder, cache)
    path = folder / "large.yaml"
    path.write_text(build().replace("Do {{ note }}", "Do {{ nothing }}", 1), encoding="utf-8")

    with pytest.raises(Fault, match="nothing"):
        load(folder, cache)


@pytest.mark.parametrize("name", ["start.md", "part.txt"])
def test_an_edited_prompt_is_read(folder: Path, cache: PrivateCache, name: str) -> None:
    load(folder, cache)
    (folder / name).write_text("Something else", encoding="utf-8")

    assert "Something else" in load(folder, cache).prompts["p0"].text


def test_a_prompt_that_leaves_the_folder_is_refused_again(folder: Path, cache: PrivateCache, tmp_path: Path) -> None:
    load(folder, cache)
    outside = tmp_path / "outside.txt"
    outside.write_bytes((folder / "part.txt").read_bytes())
    (folder / "part.txt").unlink()
    (folder / "part.txt").symlink_to(outside)

    with pytest.raises(Fault, match="outside of the workflow's folder"):
        load(folder, cache)


def test_another_result_of_a_tool_makes_a_check_necessary(
    folder: Path, cache: PrivateCache, workspace: Workspace
) -> None:
    text = build() + "  last: { uses: mem.stats, with: {}, next_action: end }\n"
    (folder / "large.yaml").write_text(text.replace("then: end", "then: last"), encoding="utf-8")
    load(folder, cache, workspace.tools)
    assert not is_read(load(folder, cache, workspace.tools))

    assert is_read(load(folder, cache, ChangedTools(workspace.tools)))


def test_a_second_file_of_the_same_name_is_reported(folder: Path, cache: PrivateCache) -> None:
    load(folder, cache)
    (folder / "other.yaml").write_text(build(), encoding="utf-8")

    with pytest.raises(Fault, match="two files are called"):
        load(folder, cache)


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "garbage", "open", "renamed", "folder", "pipe"])
def test_a_damaged_or_foreign_entry_is_ignored(folder: Path, cache: PrivateCache, tmp_path: Path, damage: str) -> None:
    load(folder, cache)
    (entry,) = find_entries(tmp_path)
    data = entry.read_bytes()
    if damage == "open":
        entry.chmod(0o666)
    elif damage == "renamed":
        (folder / "second.yaml").write_text(build("second"), encoding="utf-8")
        load(folder, cache, name="second")
        (second,) = (path for path in find_entries(tmp_path) if path != entry)
        second.replace(entry)
    elif damage in ("folder", "pipe"):
        entry.unlink()
        (os.mkdir if damage == "folder" else os.mkfifo)(entry)
    else:
        changed = data.replace(b"a 7", b"b 7", 1)
        entry.write_bytes({"cut": data[:-1], "changed": changed, "empty": b"", "garbage": os.urandom(999)}[damage])

    assert is_read(load(folder, cache))


@pytest.mark.parametrize("record", [b"", b"\n", b"x\n[]", b'x\n{"files": [["large.yaml", 1]]}', b"x\n" + b"[" * 99_999])
def test_an_entry_that_is_no_definition_is_ignored(
    folder: Path, cache: PrivateCache, monkeypatch: pytest.MonkeyPatch, record: bytes
) -> None:
    monkeypatch.setattr(cache, "read", lambda _: record)

    assert is_read(load(folder, cache))


def write_walking(folder: Path, least: str) -> None:
    """Write a large workflow with a phase that runs `part`, and `part`, whose input has this least length."""
    inner = f"    inputs: {{ note: {{ type: string, minLength: {least} }} }}\n    prompt_template: Do {{{{ note }}}}\n"
    part = HEAD.format(name="part").replace("phases:", "output: { text: { from: phases.p0.answer } }\nphases:")
    part += "  p0:\n" + inner + "    answer: { type: string }\n    next_action: end\n"
    (folder / "part.yaml").write_text(part, encoding="utf-8")
    walking = HEAD.format(name="walking")
    walking += "  p0:\n    inputs: { note: { type: string } }\n    workflow: part\n    with: { note: note }\n"
    walking += "    next_action:\n      - { when: length(text) > `3`, then: end }\n      - { then: end }\n"
    (folder / "walking.yaml").write_text(walking + "# long\n" * 9_000, encoding="utf-8")


def test_a_workflow_that_runs_another_one_is_kept(folder: Path, cache: PrivateCache) -> None:
    write_walking(folder, "1")
    load(folder, cache, name="walking")

    assert not is_read(load(folder, cache, name="walking"))


def test_an_edit_of_a_workflow_that_a_phase_runs_makes_a_check_necessary(folder: Path, cache: PrivateCache) -> None:
    write_walking(folder, "1")
    load(folder, cache, name="walking")
    write_walking(folder, "2")

    assert is_read(load(folder, cache, name="walking"))
    assert not is_read(load(folder, cache, name="walking"))


def test_a_kept_workflow_is_refused_when_the_one_that_a_phase_runs_is_gone(folder: Path, cache: PrivateCache) -> None:
    write_walking(folder, "1")
    load(folder, cache, name="walking")
    (folder / "part.yaml").unlink()

    with pytest.raises(Fault, match='runs "part", which is not a workflow'):
        load(folder, cache, name="walking")


EXTENDING = "extends: large\nname: extending\nversion: '2'\nphases:\n  p1: { title: Another }\n" + "# long\n" * 9_000


def test_a_kept_workflow_that_extends_another_one_equals_the_one_that_is_read(
    folder: Path, cache: PrivateCache
) -> None:
    (folder / "extending.yaml").write_text(EXTENDING, encoding="utf-8")
    load(folder, cache, name="extending")
    kept = load(folder, cache, name="extending")
    assert not is_read(kept)

    fresh = load(folder, None, name="extending")

    for part in ("workflow", "outputs", "answers", "prompts", "digest", "files", "hashes", "bases"):
        assert getattr(kept, part) == getattr(fresh, part)
    for name, phase in fresh.workflow.phases.items():
        for index in range(len(phase.next_action)):
            assert kept.document.find_rule_place(name, index)[:3] == fresh.document.find_rule_place(name, index)[:3]
    assert not is_read(kept)
    assert kept.root == fresh.root


@pytest.mark.parametrize("change", ["the base", "its prompt", "another base"])
def test_an_edit_of_what_a_workflow_extends_is_read(folder: Path, cache: PrivateCache, change: str) -> None:
    (folder / "extending.yaml").write_text(EXTENDING, encoding="utf-8")
    load(folder, cache, name="extending")
    if change == "the base":
        (folder / "large.yaml").write_text(build().replace("Do {{ note }}", "Changed", 1), encoding="utf-8")
    elif change == "its prompt":
        (folder / "start.md").write_text("Changed", encoding="utf-8")
    else:
        text = build().replace("Do {{ note }}", "Changed", 1)
        (folder / "a.yaml").write_text(text, encoding="utf-8")

    found = load(folder, cache, name="extending")

    assert is_read(found)
    assert "Changed" in {found.prompts["p0"].text, found.prompts["p1"].text}


def test_the_list_reads_no_workflow_that_was_kept(folder: Path, cache: PrivateCache) -> None:
    fresh = Catalog(folder, cache=cache, for_display=True)
    rows = fresh.list_summaries()

    catalog = Catalog(folder, cache=cache, for_display=True)
    assert catalog.list_summaries() == rows
    for row in rows:
        definition, problems = catalog.load_partial(row.name)
        assert definition is not None
        assert not is_read(definition)
        assert problems == ()


def test_a_workflow_with_a_warning_is_checked_again_to_show_it(folder: Path, cache: PrivateCache) -> None:
    (folder / "large.yaml").write_text(build(p0='    title: &unused "First"\n'), encoding="utf-8")
    Catalog(folder, cache=cache).load("large")

    catalog = Catalog(folder, cache=cache)
    assert not is_read(catalog.load("large"))
    _, problems = catalog.load_partial("large")
    assert [problem.name for problem in problems] == ["unused-anchor"]


def test_a_small_workflow_is_not_kept(folder: Path, cache: PrivateCache, tmp_path: Path) -> None:
    load(folder, cache, name="design")

    assert find_entries(tmp_path) == []


def test_an_untrusted_workflow_is_not_used_because_it_was_kept(folder: Path, cache: PrivateCache) -> None:
    class NoTrust:
        def is_trusted(self) -> bool:
            return False

        def stamp(self) -> bool:
            return False

        def is_unchanged(self, path: Path, content: bytes) -> bool:
            return not (path and content)

        def is_shown(self, files: Iterable[tuple[Path, str]]) -> bool:
            return not list(files)

    load(folder, cache)

    with pytest.raises(Fault, match="not trusted"):
        Catalog(folder, cache=cache, trust=NoTrust()).load("large")


def test_a_process_that_must_not_write_keeps_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "own"))
    monkeypatch.setenv("AURORA_TRUST", "1")
    kept = tmp_path / "own" / "aurora" / "checked-workflows"
    with Workspace(folder.parents[1], read_only=True) as workspace:
        workspace.workflows.load("large")
        assert not kept.exists()
    with Workspace(folder.parents[1]) as workspace:
        workspace.workflows.load("large")
    (entry,) = kept.iterdir()
    assert entry.stat().st_mode & 0o777 == 0o600
    assert kept.stat().st_mode & 0o777 == 0o700
    with Workspace(folder.parents[1], read_only=True) as workspace:
        assert not is_read(workspace.workflows.load("large"))


def test_the_command_that_validates_keeps_what_the_server_needs(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "own"))
    monkeypatch.setenv("AURORA_TRUST", "1")
    command = [sys.executable, "-m", "aurora", "workflow", "validate", "large"]
    subprocess.run(command, cwd=folder.parents[1], check=True, capture_output=True, timeout=60)

    with Workspace(folder.parents[1]) as workspace:
        assert not is_read(workspace.workflows.load("large"))


def test_another_version_of_aurora_checks_again(
    folder: Path, cache: PrivateCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(folder, cache)
    monkeypatch.setattr("aurora.__version__", "99.0.0")

    assert is_read(load(folder, cache))


FIND_KEPT = """
import sys
from pathlib import Path
from aurora.tools.runtime import Workspace
with Workspace(Path(sys.argv[1])) as workspace:
    phases = workspace.workflows.load("soar").workflow.phases
used = sorted(phase.uses for phase in phases.values() if phase.uses)
print(used, [name for name in sys.modules if name.startswith("aurora.tools.reasoning")], sep="\\n")
"""


def test_a_kept_workflow_is_found_without_an_import_of_the_tools_of_its_phases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "own"))
    command = [sys.executable, "-c", FIND_KEPT, str(tmp_path)]
    first, second = (subprocess.run(command, check=True, capture_output=True, text=True) for _ in range(2))
    used, imported = first.stdout.splitlines()
    assert len(used) > 2
    assert imported != "[]"
    assert second.stdout.splitlines() == [used, "[]"]


def test_only_the_tools_of_aurora_are_stamped_without_their_facts(workspace: Workspace) -> None:
    assert workspace.tools.stamp_facts("complexity.assess") == workspace.tools.stamp_facts("mem.search") != ""
    assert workspace.tools.stamp_facts("no.such") == ""
