"""Git runs nothing that a repository names, and shows nothing that is outside the work tree."""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Cancelled, CancelScope, Code, Fault
from aurora.memory.indexing.revision import export_revision
from aurora.system.git.repository import find_repository, parse_settings, read_branch
from aurora.system.git.session import format_settings, open_session, select_harmless
from aurora.tools.files import Worktree, open_worktree
from aurora.tools.reasoning.review.readiness import read_added_lines
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

PRIVATE = "the content of a private file\n"
HOOKS = ("post-index-change", "pre-commit", "post-checkout", "reference-transaction", "fsmonitor-watchman", "update")


def run_git(root: Path, *words: str, check: bool = True, **environ: str) -> str:
    """Run the person's plain git, without their configuration."""
    who = {f"GIT_{one}_{what}": "ada@example.org" for one in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_TERMINAL_PROMPT": "0"}
    done = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *words],
        cwd=root,
        env={**os.environ, **who, **own, **environ},
        capture_output=True,
        text=True,
        check=check,
        timeout=60,
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with two commits, a changed, a touched and a new file."""
    root = tmp_path / "clone"
    root.mkdir()
    run_git(root, "init", "-q", "-b", "main")
    (root / "inner").mkdir()
    for name in ("a.txt", "b.bin", "inner/c.txt"):
        (root / name).write_text("first\n", encoding="utf-8")
    run_git(root, "add", ".")
    run_git(root, "commit", "-q", "-m", "first")
    (root / "a.txt").write_text("first\nsecond\n", encoding="utf-8")
    run_git(root, "commit", "-q", "-a", "-m", "second")
    return root


def change_files(root: Path) -> None:
    (root / "a.txt").write_text("first\nsecond\nthird\n", encoding="utf-8")
    os.utime(root / "inner" / "c.txt", (1, 1))  # git must read it to know that it is the same
    (root / "b.bin").write_text("changed\n", encoding="utf-8")
    (root / "new.txt").write_text("new\n", encoding="utf-8")


def set_traps(root: Path, sprung: Path) -> None:
    """Name a program under every key of a repository's configuration that can run one; each leaves its own file."""

    def trap(name: str) -> str:
        script = root.parent / "traps" / name
        script.parent.mkdir(exist_ok=True)
        script.write_text(f"#!/bin/sh\ntouch '{sprung}/{name}'\nexit 1\n", encoding="utf-8")
        script.chmod(0o755)
        return str(script)

    programs = {
        "core.fsmonitor": "fsmonitor",
        "core.pager": "pager",
        "pager.diff": "pager-diff",
        "core.editor": "editor",
        "core.sshCommand": "ssh",
        "core.gitProxy": "proxy",
        "core.askPass": "askpass",
        "core.alternateRefsCommand": "alternates",
        "credential.helper": "credential",
        "diff.external": "diff-external",
        "diff.spy.command": "diff-command",
        "diff.spy.textconv": "textconv",
        "filter.spy.clean": "clean",
        "filter.spy.smudge": "smudge",
        "filter.spy.process": "process",
        "filter.info.clean": "clean-info",
        "filter.included.clean": "clean-included",
        "merge.spy.driver": "merge",
        "gpg.program": "gpg",
        "uploadpack.packObjectsHook": "pack-objects",
        "tar.tar.command": "tar",
        "alias.diff": "alias",
        "submodule.sub.update": "submodule",
        "interactive.diffFilter": "interactive",
        "trailer.x.cmd": "trailer",
        "remote.evil.uploadpack": "uploadpack",
    }
    for key, name in programs.items():
        if name == "clean-included":
            continue
        run_git(root, "config", key, f"!{trap(name)}" if name in {"alias", "submodule", "credential"} else trap(name))
    (root.parent / "included").write_text(
        f'[filter "included"]\n\tclean = {trap("clean-included")}\n', encoding="utf-8"
    )
    run_git(root, "config", "include.path", str(root.parent / "included"))
    run_git(root, "config", "protocol.allow", "always")
    run_git(root, "config", "remote.evil.url", str(root))
    run_git(root, "config", "remote.evil.promisor", "true")
    run_git(root, "config", "remote.evil.partialclonefilter", "blob:none")
    run_git(root, "config", "core.repositoryformatversion", "1")
    run_git(root, "config", "extensions.partialClone", "evil")
    for hook in HOOKS:
        (root / "hooked").mkdir(exist_ok=True)
        shutil.copy(trap(f"hook-{hook}"), root / "hooked" / hook)
    run_git(root, "config", "core.hooksPath", str(root / "hooked"))
    (root / ".gitattributes").write_text(
        "*.txt filter=spy diff=spy merge=spy\nnew.txt filter=included\n", encoding="utf-8"
    )
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "attributes").write_text("*.bin filter=info\n", encoding="utf-8")


def read_everything(root: Path, to: Path) -> Worktree:
    """Use all that Aurora does with git."""
    tree = open_worktree(root)
    assert tree is not None
    first = tree.resolve_base("HEAD~1")
    assert {one.path: one.status for one in tree.list_changes(first)}["a.txt"] == "changed"
    assert "third" in tree.diff_lines(first)
    assert ("new.txt", 1, "new") in set(read_added_lines(tree, first))
    assert tree.is_tracked("a.txt")
    to.mkdir()
    tree.extract_folder(tree.resolve_commit("HEAD"), "inner", to)
    assert (to / "inner" / "c.txt").read_text(encoding="utf-8") == "first\n"
    shutil.rmtree(to)
    to.mkdir()
    export_revision(root, "HEAD~1", to)
    assert sorted(path.name for path in to.rglob("*") if path.is_file()) == ["a.txt", "b.bin", "c.txt"]
    shutil.rmtree(to)
    return tree


def test_no_program_that_a_repository_names_is_run(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_files(repository)
    sprung = tmp_path / "sprung"
    sprung.mkdir()
    set_traps(repository, sprung)
    missing = run_git(repository, "rev-parse", "HEAD~1:a.txt")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(tmp_path / "traps" / "diff-external"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(tmp_path / "traps" / "fsmonitor"))
    read_everything(repository, tmp_path / "exported")
    blob = repository / ".git" / "objects" / missing[:2] / missing[2:]
    kept = blob.read_bytes()
    blob.unlink()  # a partial clone would fetch it
    with pytest.raises(Fault, match="is not in this clone") as raised:
        export_revision(repository, "HEAD~1", tmp_path / "incomplete")
    assert raised.value.code is Code.UPSTREAM_ERROR
    assert sorted(path.name for path in sprung.iterdir()) == []

    # the traps work: plain git springs those that reading can reach
    run_git(repository, "cat-file", "-p", missing, check=False)
    blob.write_bytes(kept)
    run_git(repository, "config", "--unset", "extensions.partialClone")
    run_git(repository, "config", "--remove-section", "remote.evil")
    run_git(repository, "--no-pager", "diff", "HEAD~1", check=False)  # ends with the first program that fails
    run_git(repository, "config", "--unset", "filter.spy.process")
    run_git(repository, "--no-pager", "diff", "HEAD~1", check=False)
    run_git(repository, "config", "--unset", "diff.spy.command")
    run_git(repository, "--no-pager", "diff", "HEAD~1", check=False)
    run_git(repository, "--no-pager", "diff", "--no-ext-diff", "HEAD~1", check=False)
    for name in ("b.bin", "new.txt"):
        run_git(repository, "hash-object", name, check=False)
    found = {path.name for path in sprung.iterdir()}
    assert found >= {
        "clean",
        "clean-included",
        "clean-info",
        "diff-command",
        "diff-external",
        "fsmonitor",
        "process",
        "textconv",
        "uploadpack",
    }


def test_a_git_in_the_project_is_not_the_one_that_runs(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_files(repository)
    for folder in (repository, repository / "bin"):
        folder.mkdir(exist_ok=True)
        (folder / "git").write_text(f"#!/bin/sh\ntouch '{tmp_path}/sprung'\n", encoding="utf-8")
        (folder / "git").chmod(0o755)
    monkeypatch.chdir(repository)
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", "bin", str(repository / "bin"), os.environ["PATH"]]))
    read_everything(repository, tmp_path / "exported")
    assert not (tmp_path / "sprung").exists()


def test_a_repository_without_git_is_an_error_that_names_it(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repository))
    with Workspace(repository) as workspace:
        for tool, given, params in (
            ("changes.list", {}, {"most": 9, "skip": []}),
            ("evidence.check", {"changed": ["a.txt"]}, {}),
            ("workflow.diff", {"before": "HEAD:a.yaml"}, {}),
        ):
            with pytest.raises(Fault, match="git is not installed") as raised:
                call_tool(workspace, tool, given, params=params)
            assert raised.value.code is Code.UPSTREAM_ERROR


def write_index(root: Path, *paths: str) -> None:
    """Write an index as git does, but with any names."""
    blob = run_git(root, "rev-parse", "HEAD:a.txt")

    def pack(path: str) -> bytes:
        name = path.encode()
        entry = struct.pack(">10I", 0, 0, 0, 0, 0, 0, 0o100644, 0, 0, 0) + bytes.fromhex(blob)
        entry += struct.pack(">H", len(name)) + name
        return entry + b"\0" * (8 - len(entry) % 8)

    data = b"DIRC" + struct.pack(">2I", 2, len(paths)) + b"".join(pack(path) for path in sorted(paths))
    (root / ".git" / "index").write_bytes(data + hashlib.sha1(data, usedforsecurity=False).digest())


@pytest.mark.parametrize(
    "name",
    [
        "../private.txt",
        "inner/../../private.txt",
        "ABSOLUTE",
        ".git/config",
        "inner/.GIT/config",
        "git~1/config",
        "a//b",
    ],
)
def test_an_index_that_names_a_file_outside_is_refused(repository: Path, name: str) -> None:
    private = repository.parent / "private.txt"
    private.write_text(PRIVATE, encoding="utf-8")
    write_index(repository, name.replace("ABSOLUTE", str(private)), "a.txt")
    tree = open_worktree(repository)
    assert tree is not None
    for read in (tree.list_changes, tree.diff_lines):
        with pytest.raises(Fault, match="git's index names") as raised:
            read(tree.head)
        assert raised.value.code is Code.FORBIDDEN
    plain = run_git(repository, "--no-pager", "diff", "HEAD", check=False)
    assert (PRIVATE in plain) is ("private" in name or name == "ABSOLUTE")  # plain git shows the file


def test_a_split_index_is_read_with_the_one_shared_index_that_it_names(repository: Path) -> None:
    run_git(repository, "update-index", "--split-index")
    (shared,) = (repository / ".git").glob("sharedindex.*")
    for number in range(20):
        (repository / ".git" / f"sharedindex.{number:040x}").touch()
        os.truncate(repository / ".git" / f"sharedindex.{number:040x}", 900_000_000)  # without blocks on the disk
    change_files(repository)
    found = find_repository(repository.resolve())
    assert found is not None

    with open_session(found, compares=True) as session:
        copied = [path.name for path in session._folder.iterdir() if "index" in path.name]
        assert sorted(copied) == ["index", shared.name]
        assert session.run("diff", "--name-only") == b"a.txt\nb.bin\n"


@pytest.mark.parametrize("is_shared", [False, True])
def test_an_index_of_hundreds_of_megabytes_is_not_copied(repository: Path, *, is_shared: bool) -> None:
    run_git(repository, "update-index", "--split-index")
    (shared,) = (repository / ".git").glob("sharedindex.*")
    os.truncate(shared if is_shared else repository / ".git" / "index", 900_000_000)
    found = find_repository(repository.resolve())
    assert found is not None

    with (
        pytest.raises(Fault, match="index is larger than 200,000,000 bytes") as raised,
        open_session(found, compares=True),
    ):
        pass
    assert raised.value.code is Code.UPSTREAM_ERROR


def test_cancelled_work_copies_no_index(repository: Path) -> None:
    found = find_repository(repository.resolve())
    assert found is not None
    scope = CancelScope()
    scope.cancel()
    with scope.activate(), pytest.raises(Cancelled), open_session(found, compares=True):
        pass


def test_a_secret_in_the_name_of_a_branch_is_masked(repository: Path) -> None:
    token = "ghp_" + "a8Kd93LmQ0zXc7VbN2rTy6WpE1uJ5hGfS4oi"
    for name in (token, f"fix_{token}", f"feature/{token}"):
        run_git(repository, "checkout", "-q", "-b", name)
        shown = read_branch(repository)
        assert shown.endswith("]")
        assert shown.startswith(("[secret: a ", "feature/[secret: a "))
        assert token[4:] not in shown
    run_git(repository, "checkout", "-q", "-b", "feature/plain-name_2")
    assert read_branch(repository) == "feature/plain-name_2"


def test_a_link_in_the_work_tree_shows_nothing_outside(repository: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "c.txt").write_text(PRIVATE, encoding="utf-8")
    shutil.rmtree(repository / "inner")
    (repository / "inner").symlink_to(outside)
    (repository / "a.txt").unlink()
    (repository / "a.txt").symlink_to(outside / "c.txt")
    (repository / "new.txt").symlink_to(outside / "c.txt")
    os.mkfifo(repository / "pipe")
    tree = open_worktree(repository)
    assert tree is not None
    found = {one.path: (one.status, one.added) for one in tree.list_changes(tree.head)}
    assert found["inner/c.txt"] == ("deleted", 0)
    assert found["new.txt"] == ("added", None)
    shown = tree.diff_lines(tree.head) + "".join(text for _, _, text in read_added_lines(tree, tree.head))
    assert PRIVATE.strip() not in shown


def link_git_file(root: Path, other: Path) -> None:
    shutil.rmtree(root / ".git")
    (root / ".git").write_text(f"gitdir: {other}/.git\n", encoding="utf-8")


def link_git_folder(root: Path, other: Path) -> None:
    shutil.rmtree(root / ".git")
    (root / ".git").symlink_to(other / ".git")


def link_common_folder(root: Path, other: Path) -> None:
    (root / ".git" / "commondir").write_text(f"{other}/.git\n", encoding="utf-8")


def link_objects(root: Path, other: Path) -> None:
    shutil.rmtree(root / ".git" / "objects")
    (root / ".git" / "objects").symlink_to(other / ".git" / "objects")


def link_branch(root: Path, other: Path) -> None:
    alternates = root / ".git" / "objects" / "info" / "alternates"
    alternates.write_text(f"{other}/.git/objects\n", encoding="utf-8")
    (root / ".git" / "refs" / "heads" / "main").unlink()
    (root / ".git" / "refs" / "heads" / "main").symlink_to(other / ".git" / "refs" / "heads" / "main")


def link_head(root: Path, other: Path) -> None:
    link_branch(root, other)
    (root / ".git" / "refs" / "heads" / "main").unlink()
    (root / ".git" / "HEAD").unlink()
    (root / ".git" / "HEAD").symlink_to(other / ".git" / "refs" / "heads" / "main")


@pytest.mark.parametrize(
    "redirect", [link_git_file, link_git_folder, link_common_folder, link_objects, link_branch, link_head]
)
def test_a_repository_of_another_folder_is_not_read(repository: Path, tmp_path: Path, redirect: Any) -> None:
    other = tmp_path / "other"
    other.mkdir()
    run_git(other, "init", "-q", "-b", "main")
    (other / "private.txt").write_text(PRIVATE, encoding="utf-8")
    run_git(other, "add", ".")
    run_git(other, "commit", "-q", "-m", "private")
    redirect(repository, other)
    read_by_git = run_git(repository, "rev-parse", "HEAD", check=False) == run_git(other, "rev-parse", "HEAD")
    assert read_by_git is (redirect not in {link_objects, link_head})
    with pytest.raises(Fault) as raised:
        open_worktree(repository)
    assert raised.value.code is Code.FORBIDDEN
    assert raised.value.help
    with pytest.raises(Fault):
        export_revision(repository, "HEAD", tmp_path)


def test_a_work_tree_elsewhere_is_not_compared(repository: Path, tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir()
    (private / "key.txt").write_text(PRIVATE, encoding="utf-8")
    run_git(repository, "config", "core.worktree", str(private))
    tree = open_worktree(repository)
    assert tree is not None
    assert tree.list_changes(tree.head) == ()


def test_linked_work_trees_and_submodules_are_read(repository: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    run_git(repository, "worktree", "add", "-q", "-b", "other", str(linked))
    change_files(linked)
    read_everything(linked, tmp_path / "exported")
    run_git(repository, "submodule", "--quiet", "add", str(repository), "sub")
    run_git(repository, "commit", "-q", "-m", "with a submodule")
    change_files(repository / "sub")
    read_everything(repository / "sub", tmp_path / "exported")
    (tmp_path / "whole").mkdir()
    export_revision(repository, "HEAD", tmp_path / "whole")
    assert (tmp_path / "whole" / "sub" / "a.txt").read_text(encoding="utf-8") == "first\nsecond\n"
    shutil.move(linked, tmp_path / "moved")
    with pytest.raises(Fault, match="another folder") as raised:
        open_worktree(tmp_path / "moved")
    assert "git worktree repair" in raised.value.help


def test_names_of_revisions_that_need_more_than_refs_are_resolved(repository: Path) -> None:
    run_git(repository, "tag", "-a", "v1", "-m", "v1", "HEAD~1")
    run_git(repository, "pack-refs", "--all")
    run_git(repository, "config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
    run_git(repository, "config", "branch.main.remote", "origin")
    run_git(repository, "config", "branch.main.merge", "refs/heads/main")
    run_git(repository, "update-ref", "refs/remotes/origin/main", "HEAD~1")
    tree = open_worktree(repository)
    assert tree is not None
    first = run_git(repository, "rev-parse", "HEAD~1")
    assert {tree.resolve_commit(name) for name in ("v1", "HEAD@{1}", "main@{upstream}", "origin/main", first[:7])} == {
        first
    }


def test_the_user_s_own_rules_for_ignored_files_apply(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home" / ".config" / "git").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tmp_path / "home" / ".config" / "git" / "ignore").write_text("*.swp\n", encoding="utf-8")
    (repository / "x.swp").touch()
    (repository / "x.own").touch()
    tree = open_worktree(repository)
    assert tree is not None
    assert tree.list_untracked() == ("x.own",)
    (tmp_path / "own").write_text("*.own\n", encoding="utf-8")
    (tmp_path / "home" / ".gitconfig").write_text(f"[core]\n\texcludesFile = {tmp_path}/own\n", encoding="utf-8")
    assert tree.list_untracked() == ("x.swp",)


def test_git_reads_only_the_listed_settings_of_a_repository() -> None:
    text = """\
    # a comment
    [core] filemode = false ; inline
    \tautocrlf = input
    \tautocrlf = !sh
    \tfsmonitor = true
    \tfsmonitorhook
    [branch "a \\"quoted\\" name"]
    \tmerge = "refs/heads/a # no comment"
    \tremote = one \\
    two
    [remote.old]
    \tfetch = +refs/*:refs/*
    \turl = ext::sh -c touch% x
    [extensions]
    \tobjectFormat = sha256
    \tpartialClone = x
    \tworktreeConfig
    """
    kept = list(select_harmless(parse_settings("\n".join(line.strip(" ") for line in text.split("\n")))))
    assert kept == [
        ("core.filemode", "false"),
        ("core.autocrlf", "input"),
        ('branch.a "quoted" name.merge', "refs/heads/a # no comment"),
        ('branch.a "quoted" name.remote', "one two"),
        ("remote.old.fetch", "+refs/*:refs/*"),
        ("extensions.objectformat", "sha256"),
    ]
    assert list(parse_settings(format_settings(kept))) == kept


@pytest.mark.parametrize(
    "text", ["[", "[core", "x = 1", "[core]\n= 1", '[a "b]\nx=1', "\0", '[a]\nx = "\\', "[a]\nx=\\"]
)
def test_a_broken_configuration_is_read_up_to_the_mistake(text: str) -> None:
    assert list(select_harmless(parse_settings(f"[core]\nfilemode=0\n{text}"))) == [("core.filemode", "0")]


def test_an_answer_that_is_too_long_is_an_error(repository: Path) -> None:
    found = find_repository(repository)
    assert found is not None
    with open_session(found) as git, pytest.raises(Fault, match="longer than 3 bytes") as raised:
        git.run("ls-tree", "HEAD", limit=3)
    assert raised.value.code is Code.UPSTREAM_ERROR


def test_git_is_killed_after_its_time(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slow").mkdir()
    (tmp_path / "slow" / "git").write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    (tmp_path / "slow" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'slow'}{os.pathsep}{os.environ['PATH']}")
    found = find_repository(repository)
    assert found is not None
    with open_session(found) as git, pytest.raises(Fault, match=r"took more than") as raised:
        git.run("status", timeout=0.2)
    assert raised.value.code is Code.TIMEOUT
