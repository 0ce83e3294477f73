"""What is part of a project: what git tracks, and no copy that a tool or an assistant keeps inside it."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
from typing import TYPE_CHECKING

import pytest

from aurora.doctor.references import TEXT_LOCATIONS
from aurora.hosts import HOSTS
from aurora.hosts.agents import AGENT_LOCATIONS
from aurora.memory.files import SourceFile, discover_files, find_left_out, find_project
from aurora.memory.files.discover import ASSISTANT_FILES, ASSISTANT_FOLDERS
from aurora.memory.model.reports import SkippedFile

if TYPE_CHECKING:
    from pathlib import Path

SHARED_FOLDERS = {".github", ".vscode", ".zed"}
"""Folders that assistants read and that belong to the project or an editor."""


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return home


def git(root: Path, *words: str) -> str:
    who = {f"GIT_{one}_{what}": "ada@example.org" for one in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_ALLOW_PROTOCOL": "file"}
    command = ["git", "-c", "protocol.file.allow=always", *words]
    environ = {**os.environ, **who, **own}
    done = subprocess.run(command, cwd=root, env=environ, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def make_repository(root: Path) -> Path:
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    write(root, "src/a.py", "def alpha(): ...\n")
    commit(root)
    return root


def write(root: Path, name: str, text: str = "x = 1\n") -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def commit(root: Path) -> None:
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "more")


def list_found(root: Path) -> list[str]:
    return sorted(one.path for one in discover_files(root) if isinstance(one, SourceFile))


def list_reasons(root: Path) -> dict[str, str]:
    return {one.path: one.reason for one in discover_files(root) if isinstance(one, SkippedFile)}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "project")


def test_five_worktrees_in_the_folder_of_an_assistant_or_beside_the_sources_add_nothing(root: Path) -> None:
    for number in range(5):
        place = ("trees", ".claude/worktrees", ".worktrees", "src/inner", "deep/er")[number]
        git(root, "worktree", "add", "-q", f"{place}/task-{number}", "-b", f"task-{number}")
    assert list_found(root) == ["src/a.py"]
    assert list_reasons(root) == {
        "trees/task-0": "worktree",
        ".claude": "assistant",
        ".worktrees/task-2": "worktree",
        "src/inner/task-3": "worktree",
        "deep/er/task-4": "worktree",
    }


def test_a_worktree_is_found_by_a_relative_pointer_too(root: Path) -> None:
    git(root, "worktree", "add", "-q", "tree", "-b", "task")
    (root / "tree/.git").write_text("gitdir: ../.git/worktrees/tree\n", encoding="utf-8")
    assert list_found(root) == ["src/a.py"]


def test_a_worktree_whose_repository_was_moved_or_has_forgotten_it_is_a_copy_still(root: Path, tmp_path: Path) -> None:
    git(root, "worktree", "add", "-q", "tree", "-b", "task")
    moved = root.rename(tmp_path / "moved")  # as in a container, where the same folder has another path
    assert list_found(moved) == ["src/a.py"]
    shutil.rmtree(moved / ".git/worktrees")
    assert list_reasons(moved) == {"tree": "worktree"}


def test_a_project_that_is_a_linked_worktree_leaves_out_the_others_inside_it(root: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    git(root, "worktree", "add", "-q", str(linked), "-b", "task")
    git(linked, "worktree", "add", "-q", "inside", "-b", "other")
    assert list_found(linked) == ["src/a.py"]
    assert list_reasons(linked) == {"inside": "worktree"}
    inside = root / ".claude/worktrees/mine"
    git(root, "worktree", "add", "-q", str(inside), "-b", "mine")
    assert list_found(inside) == ["src/a.py"], "the place of the project itself does not count"


def test_the_worktrees_of_a_bare_repository_are_projects_of_their_own(root: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "-q", "--bare", str(root), str(bare))
    git(bare, "worktree", "add", "-q", str(tmp_path / "one"), "main")
    git(bare, "worktree", "add", "-q", str(tmp_path / "one/two"), "-b", "two")
    assert list_found(tmp_path / "one") == ["src/a.py"]
    assert list_reasons(tmp_path / "one") == {"two": "worktree"}


def test_worktrees_of_repositories_side_by_side_in_a_folder_are_copies(root: Path, tmp_path: Path) -> None:
    git(root, "worktree", "add", "-q", "../project-task", "-b", "task")
    make_repository(tmp_path / "other")
    shutil.rmtree(tmp_path / "home")
    assert list_found(tmp_path) == ["other/src/a.py", "project/src/a.py"]
    assert list_reasons(tmp_path) == {"project-task": "worktree"}


def test_submodules_are_part_of_the_project_wherever_they_are(root: Path, tmp_path: Path) -> None:
    library = make_repository(tmp_path / "library")
    for place in ("vendor/library", ".deps/library", "ignored/library"):
        git(root, "submodule", "add", "-q", str(library), place)
    git(root, "submodule", "add", "-q", str(root), "pages")  # a branch of the same repository as a submodule
    write(root, ".gitignore", "/ignored/\n")
    commit(root)
    inside = ["vendor/library/src/a.py", ".deps/library/src/a.py", "ignored/library/src/a.py", "pages/src/a.py"]
    assert list_found(root) == sorted([".gitignore", ".gitmodules", "src/a.py", *inside])
    assert list_reasons(root) == {}


def test_a_worktree_of_a_submodule_is_a_copy(root: Path, tmp_path: Path) -> None:
    git(root, "submodule", "add", "-q", str(make_repository(tmp_path / "library")), "library")
    git(root / "library", "worktree", "add", "-q", "../library-task", "-b", "task")
    assert list_reasons(root) == {"library-task": "worktree"}


def test_an_own_clone_of_another_repository_stays_and_that_of_a_tool_does_not(root: Path, tmp_path: Path) -> None:
    other = make_repository(tmp_path / "other")
    git(root, "clone", "-q", str(other), "inner")
    git(root, "clone", "-q", str(other), ".cache/other")
    git(root, "clone", "-q", str(root), "copy")
    git(root, "clone", "-q", "--shared", f"file://{root}", "shared")
    git(root, "remote", "add", "origin", "git@host.example:team/app.git")
    git(root, "clone", "-q", str(other), "same")
    git(root / "same", "remote", "set-url", "origin", "https://host.example/team/app")
    write(root, ".gitignore", "/build/\n")
    git(root, "clone", "-q", str(other), "build/other")
    assert list_found(root) == [".gitignore", "inner/src/a.py", "src/a.py"]
    assert list_reasons(root) == {".cache/other": "clone", "copy": "clone", "shared": "clone", "same": "clone"}


def test_the_person_can_take_in_a_clone_or_the_folder_of_an_assistant(root: Path, tmp_path: Path) -> None:
    git(root, "clone", "-q", str(make_repository(tmp_path / "other")), ".tools/other")
    write(root, ".claude/notes.md")
    write(root, ".claude/settings.local.json", "{}")
    write(root, ".auroraignore", "!.tools/other/\n!.claude/\n")
    assert list_found(root) == [".auroraignore", ".claude/notes.md", ".tools/other/src/a.py", "src/a.py"]


@pytest.mark.parametrize("folder", sorted(ASSISTANT_FOLDERS))
def test_of_the_folder_of_an_assistant_only_what_git_tracks_is_part(root: Path, folder: str) -> None:
    write(root, f"{folder}/agents/reviewer.md", "# Reviewer\n")
    write(root, f"packages/one/{folder}/rules.md", "# Rules\n")
    write(root, f"{folder}/settings.local.json", "{}")
    git(root, "add", "-f", ".")
    write(root, f"{folder}/sessions/1.json", "{}")
    write(root, f"{folder}/log.txt")
    write(root, f"other/{folder}/log.txt")
    assert list_found(root) == sorted([f"{folder}/agents/reviewer.md", f"packages/one/{folder}/rules.md", "src/a.py"])
    assert list_reasons(root) == dict.fromkeys(
        [f"{folder}/log.txt", f"{folder}/sessions", f"{folder}/settings.local.json", f"other/{folder}"], "assistant"
    )


def test_the_lists_of_assistants_are_those_of_the_hosts() -> None:
    placed = [path for host in HOSTS for path in (*host.project, *host.marks, *(one.path for one in host.extras))]
    placed += [one.path for one in TEXT_LOCATIONS] + [one.folder for one in AGENT_LOCATIONS if one.scope == "project"]
    hidden = {path.partition("/")[0] for path in placed if path.startswith(".")}
    files = {".mcp.json", ".cursorrules", ".windsurfrules", ".rules"}
    assert hidden - files == ASSISTANT_FOLDERS | SHARED_FOLDERS
    written = [*(path for host in HOSTS for path in host.project)]
    written += [one.path for host in HOSTS for one in (host.allowance, host.hooks) if one and one.path[0] != "~"]
    assert {path for path in written if not path.startswith("{")} <= ASSISTANT_FILES


def test_workflows_of_the_code_host_and_notes_for_assistants_stay(root: Path) -> None:
    names = [".github/workflows/ci.yml", "AGENTS.md", "CLAUDE.md", ".vscode/tasks.json", ".cursorrules"]
    for name in names:
        write(root, name)
    assert list_found(root) == sorted([*names, "src/a.py"])


def make_hostile(kind: str, root: Path, folder: Path, other: Path) -> None:
    pointer = folder / ".git"
    texts = {
        "empty": b"",
        "no pointer": b"hello\n",
        "itself": b"gitdir: .git\n",
        "its folder": b"gitdir: .\n",
        "the root": b"gitdir: ../..\n",
        "the file system": b"gitdir: /\n",
        "nowhere": b"gitdir: /nowhere/.git\n",
        "a device": b"gitdir: /dev/zero\n",
        "another repository": b"gitdir: " + os.fsencode(other / ".git"),
        "the project's repository": b"gitdir: " + os.fsencode(root / ".git"),
        "a NUL": b"gitdir: a\0b\n",
        "a long name": b"gitdir: " + b"n" * 3_000,
        "ten megabytes": b"gitdir: " + b"../" * 3_500_000,
        "not UTF-8": b"gitdir: \xff\xfe\n",
    }
    if kind in texts:
        pointer.write_bytes(texts[kind])
    elif kind == "a pipe":
        os.mkfifo(pointer)
    elif kind == "a link to itself":
        pointer.symlink_to(pointer)
    elif kind == "a link to another repository":
        pointer.symlink_to(other / ".git")
    elif kind == "an empty folder":
        pointer.mkdir()
    elif kind == "a common folder that leads in a circle":
        pointer.mkdir()
        (pointer / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        (pointer / "commondir").write_text(".\n", encoding="utf-8")


HOSTILE = [
    *("empty", "no pointer", "itself", "its folder", "the root", "the file system", "nowhere", "a device"),
    *("another repository", "a NUL", "a long name", "ten megabytes", "not UTF-8", "a pipe", "a link to itself"),
    *("a link to another repository", "an empty folder", "a common folder that leads in a circle"),
]


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_dot_git_neither_hides_nor_adds_a_file(root: Path, tmp_path: Path, kind: str) -> None:
    other = make_repository(tmp_path / "other")
    write(root, ".gitignore", "*.log\n")
    write(root, "src/inner/tracked.py")
    commit(root)
    write(root, "src/inner/new.py")
    write(root, "src/inner/out.log")
    make_hostile(kind, root, root / "src/inner", other)
    before = {path: path.lstat().st_mtime_ns for path in root.rglob("*")}
    assert list_found(root) == [".gitignore", "src/a.py", "src/inner/new.py", "src/inner/tracked.py"]
    assert list_reasons(root) == {}
    assert {path: path.lstat().st_mtime_ns for path in root.rglob("*")} == before


@pytest.mark.parametrize("name", ["../../.git/worktrees/x", "/nowhere/.git/worktrees/x"])
def test_a_dot_git_that_claims_a_worktree_hides_nothing_that_git_tracks(root: Path, name: str) -> None:
    write(root, "src/inner/tracked.py")
    commit(root)
    write(root, "src/inner/new.py")
    write(root, "src/inner/.git", f"gitdir: {name}\n")
    assert list_found(root) == ["src/a.py", "src/inner/tracked.py"]
    assert list_reasons(root) == {"src/inner/new.py": "worktree"}


def test_a_nested_repository_has_its_own_tracked_files_and_rules(root: Path, tmp_path: Path) -> None:
    git(root, "clone", "-q", str(make_repository(tmp_path / "other")), "inner")
    write(root, "inner/.gitignore", "build/\n")
    write(root, "inner/.git/info/exclude", "private.md\n")
    write(root, "inner/private.md")
    write(root, "inner/build/release.py")
    write(root, "inner/build/out.py")
    git(root / "inner", "add", "-f", "build/release.py")
    assert list_found(root) == ["inner/.gitignore", "inner/build/release.py", "inner/src/a.py", "src/a.py"]


def stage_ignored(root: Path) -> None:
    """Make 400 tracked and 3 untracked files in ignored folders, two files by name, and a negated rule."""
    write(root, ".gitignore", "build/\n*.gen\n/out/*\n!/out/keep.py\n")
    write(root, ".git/info/exclude", "local.py\n")
    for number in range(400):
        write(root, f"build/deep/f{number:03}.py")
    for name in ("build/release.py", "a.gen", "local.py", "out/keep.py", "out/forced.py"):
        write(root, name)
    git(root, "add", "-f", ".")
    git(root, "commit", "-q", "-m", "forced")
    for name in ("build/debug.py", "build/other/x.py", "b.gen", "out/no.py", "sub/local.py"):
        write(root, name)


EXPECTED = sorted(
    [".gitignore", "a.gen", "build/release.py", "local.py", "out/forced.py", "out/keep.py", "src/a.py"]
    + [f"build/deep/f{number:03}.py" for number in range(400)]
)


@pytest.mark.parametrize("version", ["2", "3", "4", "split", "sha256", "untracked cache"])
def test_what_git_tracks_is_part_whatever_an_ignore_rule_says(tmp_path: Path, version: str) -> None:
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q", *(["--object-format=sha256"] if version == "sha256" else []))
    write(root, "src/a.py")
    stage_ignored(root)
    if version in {"2", "4"}:
        git(root, "update-index", f"--index-version={version}")
    elif version == "3":  # only with an extended flag
        git(root, "update-index", "--skip-worktree", "src/a.py")
    elif version == "split":
        git(root, "update-index", "--split-index")
        assert list(root.glob(".git/sharedindex.*"))
        write(root, "build/late.py")
        git(root, "add", "-f", "build/late.py")
        git(root, "rm", "-q", "--cached", "build/deep/f007.py", "build/deep/f300.py")
    elif version == "untracked cache":
        git(root, "update-index", "--force-untracked-cache")
    expected = set(EXPECTED)
    if version == "split":
        expected = (expected | {"build/late.py"}) - {"build/deep/f007.py", "build/deep/f300.py"}
    assert list_found(root) == sorted(expected)
    listed = git(root, "ls-files", "-z").split("\0")[:-1]
    assert set(listed) <= set(list_found(root))


def test_a_sparse_checkout_has_what_is_on_the_disk(root: Path) -> None:
    stage_ignored(root)
    write(root, "far/b.py")
    commit(root)
    git(root, "sparse-checkout", "set", "--cone", "--sparse-index", "src", "build")
    assert "far/b.py" not in list_found(root)
    assert {"build/release.py", "build/deep/f000.py"} <= set(list_found(root))


def test_tracked_files_of_a_project_below_the_top_are_part_of_it(root: Path) -> None:
    write(root, ".gitignore", "build/\n")
    write(root, "app/build/release.py")
    write(root, "app/x.py")
    git(root, "add", "-f", ".")
    write(root, "app/build/out.py")
    assert list_found(root / "app") == ["build/release.py", "x.py"]
    assert list_found(root / "app/build") == ["out.py", "release.py"]


def test_rules_of_the_person_for_all_repositories_count_but_not_against_what_git_tracks(
    root: Path, own_home: Path
) -> None:
    write(root, "notes/mine.md")
    write(root, "notes/shared.md")
    git(root, "add", "notes/shared.md")
    (own_home / ".config/git").mkdir(parents=True)
    (own_home / ".config/git/ignore").write_text("notes/\n", encoding="utf-8")
    assert list_found(root) == ["notes/shared.md", "src/a.py"]
    (own_home / ".gitconfig").write_text("[core]\n\texcludesFile = ~/rules\n", encoding="utf-8")
    assert list_found(root) == ["notes/mine.md", "notes/shared.md", "src/a.py"]
    (own_home / "dotfiles").write_text("mine.md\n", encoding="utf-8")
    (own_home / "rules").symlink_to("dotfiles")
    assert list_found(root) == ["notes/shared.md", "src/a.py"]


def test_auroraignore_also_excludes_what_git_tracks(root: Path) -> None:
    write(root, ".auroraignore", "src/\n*.gen\n!keep.gen\n")
    write(root, ".gitignore", "*.gen\n")
    for name in ("one.gen", "keep.gen"):
        write(root, name)
    git(root, "add", "-f", ".")
    assert list_found(root) == [".auroraignore", ".gitignore", "keep.gen"]


def test_the_folder_of_aurora_and_caches_are_never_part_even_if_tracked(root: Path) -> None:
    for name in (".aurora/workflows/own.yaml", "node_modules/x/index.js", "__pycache__/a.py"):
        write(root, name)
    git(root, "add", "-f", ".")
    assert list_found(root) == ["src/a.py"]


def build_index(names: list[bytes], *, count: int | None = None, version: int = 2) -> bytes:
    rows = b""
    for name in names:
        row = struct.pack(">10I", *[0] * 6, 0o100644, 0, 0, 0) + bytes(20) + struct.pack(">H", min(len(name), 0xFFF))
        row += (b"\0" if version == 4 else b"") + name
        rows += row + b"\0" * (1 if version == 4 else 8 - len(row) % 8)
    return struct.pack(">4sII", b"DIRC", version, len(names) if count is None else count) + rows + bytes(20)


HOSTILE_INDEXES = {
    "empty": b"",
    "no index": b"x" * 4_000,
    "cut short": build_index([b"build/release.py"])[:60],
    "more entries than it has": build_index([b"build/release.py"], count=0xFFFFFFFF),
    "a future version": build_index([b"build/release.py"], version=5),
    "names that lead out": build_index([b"../build/release.py", b"/etc/passwd", b"build/../build/release.py"]),
    "names that grow without end": build_index([b"n" * 1_000] * 3_000, version=4),
    "an endless bitmap": build_index([])[:-20]
    + b"link"
    + struct.pack(">I", 36)
    + b"\1" * 20
    + struct.pack(">IIQ", 0xFFFFFFFF, 1, (1 << 64) - 1),
}


@pytest.mark.parametrize("kind", HOSTILE_INDEXES)
def test_a_broken_or_hostile_index_adds_nothing(root: Path, kind: str) -> None:
    write(root, ".gitignore", "build/\n")
    write(root, "build/release.py")
    (root / ".git/index").write_bytes(HOSTILE_INDEXES[kind])
    assert list_found(root) == [".gitignore", "src/a.py"]


def test_a_pipe_or_a_link_as_index_is_not_read(root: Path, tmp_path: Path) -> None:
    write(root, ".gitignore", "build/\n")
    write(root, "build/release.py")
    git(root, "add", "-f", ".")
    (root / ".git/index").rename(tmp_path / "index")
    (root / ".git/index").symlink_to(tmp_path / "index")
    assert list_found(root) == [".gitignore", "src/a.py"]
    (root / ".git/index").unlink()
    os.mkfifo(root / ".git/index")
    assert list_found(root) == [".gitignore", "src/a.py"]


def test_a_file_that_git_begins_to_track_is_part_at_once(root: Path) -> None:
    write(root, ".gitignore", "build/\n")
    write(root, "build/release.py")
    assert list_found(root) == [".gitignore", "src/a.py"]
    git(root, "add", "-f", "build/release.py")
    assert list_found(root) == [".gitignore", "build/release.py", "src/a.py"]
    git(root, "rm", "-q", "--cached", "build/release.py")
    assert list_found(root) == [".gitignore", "src/a.py"]


def test_the_reason_is_found_for_a_path_in_what_is_left_out(root: Path) -> None:
    git(root, "worktree", "add", "-q", "tree", "-b", "task")
    found = find_left_out(root, "tree/src/a.py")
    assert found is not None
    assert (found.path, found.reason) == ("tree", "worktree")
    assert find_left_out(root, "src/a.py") is None
    assert find_left_out(root, "src/nowhere.py") is None


def test_an_assistant_in_a_worktree_inside_the_project_works_in_a_project_of_its_own(root: Path) -> None:
    (root / ".aurora").mkdir()
    tree = root / ".claude/worktrees/task"
    git(root, "worktree", "add", "-q", str(tree), "-b", "task")
    assert find_project(tree / "src") == tree
    assert find_project(root / "src") == root
    write(root, "src/inner/.git", f"gitdir: {root}/.git/worktrees/task\n")
    assert find_project(root / "src/inner") == root, "it names a worktree that does not name it"
