"""A folder is trusted from the person's word on, until it is revoked, moved or replaced by another one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aurora.errors import Code, EnvironmentFault, Fault
from aurora.trust import FolderTrust, TrustStatus, check_entry, find_state_file

if TYPE_CHECKING:
    from collections.abc import Callable

    Git = Callable[..., None]
    Clone = Callable[[str, Path], Path]


def reason(root: Path) -> str:
    status = FolderTrust(root).read_status()
    assert status.trusted == FolderTrust(root).is_trusted()
    return status.reason


def test_a_folder_is_trusted_only_after_the_person_has_said_so(tmp_path: Path, clone: Clone) -> None:
    trust = FolderTrust(clone("good", tmp_path / "project"))
    assert trust.read_status() == TrustStatus(trusted=False, reason="unlisted")
    entry = trust.grant()
    assert trust.read_status() == TrustStatus(trusted=True, reason="listed", since=entry.since)
    assert trust.is_trusted()


def test_another_process_gives_and_takes_the_trust_that_an_open_project_sees(project: Path) -> None:
    opened, other = FolderTrust(project), FolderTrust(project)
    for _ in range(3):
        assert opened.is_trusted()
        (removed,) = other.revoke()
        assert removed.root == str(project)
        assert not opened.is_trusted()
        other.grant()
    assert opened.is_trusted()


def test_what_git_does_every_day_keeps_the_trust(project: Path, git: Git) -> None:
    trust = FolderTrust(project)
    assert trust.is_trusted()
    (project / "new.py").write_text("x = 1\n", encoding="utf-8")
    for words in (
        ["add", "."],
        ["commit", "-qm", "x"],
        ["switch", "-qc", "other"],
        ["gc", "-q"],
        ["pull", "-q", "origin", "main"],
    ):
        git(project, *words)
        assert trust.is_trusted(), words


def test_nothing_is_written_into_the_project(project: Path, state: Path) -> None:
    assert not [path for path in project.rglob("*") if "trust" in path.name]
    assert {path.name for path in state.rglob("*")} == {"aurora", "trusted-folders.json", "trusted-folders.lock"}
    assert [path.stat().st_mode & 0o777 for path in sorted(state.rglob("*"))] == [0o700, 0o600, 0o600]


def test_a_moved_folder_is_not_trusted_at_its_new_place_and_is_again_at_the_old_one(project: Path) -> None:
    moved = project.rename(project.with_name("moved"))
    assert reason(moved) == "unlisted"
    moved.rename(project)
    assert reason(project) == "listed"


def test_another_repository_cloned_to_the_same_path_is_not_trusted_whatever_inodes_it_gets(
    project: Path, replace_folder: Callable[[Path], None]
) -> None:
    opened = FolderTrust(project)
    for _ in range(3):  # most file systems give it the same numbers again, at least once
        replace_folder(project)
        assert reason(project) == "replaced"
        assert not opened.is_trusted()


def _replace_git_folder(root: Path, clone: Clone) -> None:
    evil = clone("evil", root.with_name("evil"))
    shutil.rmtree(root / ".git")
    (evil / ".git").rename(root / ".git")


def _replace_content_of_git_folder(root: Path, clone: Clone) -> None:
    """Leave the folders, with their inodes and creation times, and put the other repository's files into them."""
    evil = clone("evil", root.with_name("evil"))
    for path in (root / ".git").iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.copytree(evil / ".git", root / ".git", dirs_exist_ok=True)


def _delete_git(root: Path, clone: Clone) -> None:
    del clone
    shutil.rmtree(root / ".git")


def _replace_folder_around_git(root: Path, clone: Clone) -> None:
    del clone
    old = root.rename(root.with_name("old"))
    root.mkdir()
    (old / ".git").rename(root / ".git")


REPLACEMENTS = (
    _replace_git_folder,
    _replace_content_of_git_folder,
    _delete_git,
    _replace_folder_around_git,
)


@pytest.mark.parametrize("replace", REPLACEMENTS)
def test_a_folder_with_another_repository_asks_again(
    project: Path, clone: Clone, replace: Callable[[Path, Clone], None]
) -> None:
    opened = FolderTrust(project)
    assert opened.is_trusted()
    replace(project, clone)
    assert reason(project) == "replaced"
    assert not opened.is_trusted()
    opened.grant()
    assert reason(project) == "listed"


def test_a_folder_without_git_stays_trusted_when_it_becomes_a_repository(tmp_path: Path, git: Git) -> None:
    root = tmp_path / "plain"
    root.mkdir()
    opened = FolderTrust(root)
    opened.grant()
    (root / "file.txt").write_text("x", encoding="utf-8")
    assert opened.is_trusted()
    git(root, "init", "-q")
    assert opened.is_trusted()
    root.rename(root.with_name("old"))
    root.mkdir()
    assert reason(root) == "replaced"
    assert not opened.is_trusted()


def test_linked_worktrees_of_a_trusted_repository_are_trusted(project: Path, git: Git, tmp_path: Path) -> None:
    git(project, "worktree", "add", "-q", str(tmp_path / "feature"), "-b", "feature")
    feature = (tmp_path / "feature").resolve()
    assert reason(feature) == "listed"
    git(project, "worktree", "move", str(feature), str(tmp_path / "renamed"))
    assert reason((tmp_path / "renamed").resolve()) == "listed"
    FolderTrust((tmp_path / "renamed").resolve()).revoke()
    assert reason(project) == "unlisted"


def test_trust_given_in_a_linked_worktree_is_for_its_repository(tmp_path: Path, clone: Clone, git: Git) -> None:
    root = clone("good", tmp_path / "main")
    git(root, "worktree", "add", "-q", str(tmp_path / "feature"))
    FolderTrust((tmp_path / "feature").resolve()).grant()
    assert reason(root) == "listed"


def test_worktrees_of_a_bare_repository_share_their_trust(tmp_path: Path, clone: Clone, git: Git) -> None:
    clone("good", tmp_path / "unused")
    git(tmp_path, "clone", "-q", "--bare", str(tmp_path / "origins" / "good"), str(tmp_path / "bare.git"))
    for name in ("one", "two"):
        git(tmp_path / "bare.git", "worktree", "add", "-q", "-f", str(tmp_path / name), "main")
    FolderTrust((tmp_path / "one").resolve()).grant()
    assert reason((tmp_path / "two").resolve()) == "listed"


def test_a_project_inside_a_trusted_folder_is_not_trusted(project: Path, clone: Clone) -> None:
    plain = project / "vendor" / "plain"
    plain.mkdir(parents=True)
    assert reason(plain) == "unlisted"
    assert reason(clone("evil", project / "vendor" / "cloned")) == "unlisted"


def test_a_subfolder_is_trusted_by_itself_and_in_every_worktree(project: Path, git: Git, tmp_path: Path) -> None:
    part = project / "services" / "shop"
    part.mkdir(parents=True)
    (part / "file.txt").write_text("x", encoding="utf-8")
    git(project, "add", ".")
    git(project, "commit", "-qm", "shop")
    FolderTrust(part).grant()
    FolderTrust(project).revoke()
    assert (reason(part), reason(project), reason(project / "services")) == ("listed", "unlisted", "unlisted")
    git(project, "worktree", "add", "-q", str(tmp_path / "feature"))
    feature = (tmp_path / "feature").resolve()
    assert (reason(feature / "services" / "shop"), reason(feature)) == ("listed", "unlisted")
    part.rename(part.with_name("old"))
    part.mkdir()
    assert reason(part) == "replaced"


def test_a_submodule_needs_its_own_trust(project: Path, git: Git, tmp_path: Path) -> None:
    git(project, "submodule", "add", "-q", str(tmp_path / "origins" / "good"), "sub")
    assert reason(project / "sub") == "unlisted"
    FolderTrust(project / "sub").grant()
    assert reason(project / "sub") == "listed"


def _point_at_repository(evil: Path, project: Path) -> None:
    (evil / ".git").write_text(f"gitdir: {project / '.git'}\n", encoding="utf-8")


def _link_to_repository(evil: Path, project: Path) -> None:
    (evil / ".git").symlink_to(project / ".git")


def _point_at_another_worktree(evil: Path, project: Path) -> None:
    (admin,) = (project / ".git" / "worktrees").iterdir()
    (evil / ".git").write_text(f"gitdir: {admin}\n", encoding="utf-8")


def _bring_admin_folder(evil: Path, project: Path) -> None:
    admin = evil / "admin"
    admin.mkdir()
    (admin / "commondir").write_text(f"{project / '.git'}\n", encoding="utf-8")
    (admin / "gitdir").write_text(f"{evil / '.git'}\n", encoding="utf-8")
    (evil / ".git").write_text("gitdir: admin\n", encoding="utf-8")


def _point_at_nothing(evil: Path, project: Path) -> None:
    del project
    (evil / ".git").write_text("gitdir: \0\n", encoding="utf-8")


def _bring_pipe(evil: Path, project: Path) -> None:
    del project
    os.mkfifo(evil / ".git")


def _bring_long_file(evil: Path, project: Path) -> None:
    (evil / ".git").write_text(f"gitdir: {project / '.git'}{' ' * 10_000_000}", encoding="utf-8")


CLAIMS = (
    _point_at_repository,
    _link_to_repository,
    _point_at_another_worktree,
    _bring_admin_folder,
    _point_at_nothing,
    _bring_pipe,
    _bring_long_file,
)


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_folder_cannot_claim_to_be_a_worktree_of_a_trusted_repository(
    project: Path, git: Git, tmp_path: Path, claim: Callable[[Path, Path], None]
) -> None:
    git(project, "worktree", "add", "-q", str(tmp_path / "feature"))
    evil = tmp_path / "evil"
    evil.mkdir()
    claim(evil, project)
    assert reason(evil) == "unlisted"


@pytest.mark.parametrize(
    ("value", "expected"), [("1", "variable"), ("on", "variable"), ("0", "refused"), ("", "listed")]
)
def test_the_variable_decides_for_every_folder(
    project: Path, monkeypatch: pytest.MonkeyPatch, value: str, expected: str
) -> None:
    monkeypatch.setenv("AURORA_TRUST", value)
    assert reason(project) == expected


def test_a_value_without_a_meaning_is_refused(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AURORA_TRUST", "maybe")
    with pytest.raises(EnvironmentFault, match="AURORA_TRUST"):
        FolderTrust(project)


@pytest.mark.parametrize("name", ["home", "root"])
def test_the_home_folder_and_the_root_folder_cannot_be_trusted(tmp_path: Path, name: str) -> None:
    (tmp_path / "home").mkdir()
    folder = (tmp_path / "home").resolve() if name == "home" else Path("/")
    with pytest.raises(Fault, match=f"{name} folder cannot be trusted as a project") as caught:
        FolderTrust(folder).grant()
    assert caught.value.code is Code.FORBIDDEN
    assert FolderTrust(folder).list_entries() == ()


def test_a_folder_that_takes_its_place_after_the_person_looked_is_not_trusted(
    project: Path, replace_folder: Callable[[Path], None]
) -> None:
    trust = FolderTrust(project)
    trust.revoke()
    seen = trust.locate()
    replace_folder(project)
    trust.grant(seen)
    assert reason(project) == "replaced"


def test_the_list_says_what_became_of_each_folder(
    project: Path, tmp_path: Path, clone: Clone, replace_folder: Callable[[Path], None]
) -> None:
    gone, other = clone("good", tmp_path / "gone"), clone("good", tmp_path / "other")
    for root in (gone, other):
        FolderTrust(root).grant()
    shutil.rmtree(gone)
    replace_folder(other)
    states = {Path(entry.root).name: check_entry(entry) for entry in FolderTrust(project).list_entries()}
    assert states == {"project": "trusted", "gone": "missing", "other": "replaced"}


def test_a_deleted_folder_is_an_answer_and_no_error(project: Path) -> None:
    opened = FolderTrust(project)
    assert opened.is_trusted()
    shutil.rmtree(project)
    assert not opened.is_trusted()
    assert reason(project) == "unlisted"
    with pytest.raises(Fault, match="cannot be read") as caught:
        opened.grant()
    assert caught.value.code is Code.NOT_FOUND


@pytest.mark.parametrize(
    ("platform", "environ", "expected"),
    [
        ("linux", {"HOME": "/home/ada"}, "/home/ada/.local/state/aurora/trusted-folders.json"),
        ("linux", {"HOME": "/home/ada", "XDG_STATE_HOME": "/s"}, "/s/aurora/trusted-folders.json"),
        ("linux", {"HOME": "/home/ada", "XDG_STATE_HOME": "s"}, "/home/ada/.local/state/aurora/trusted-folders.json"),
        ("darwin", {"HOME": "/u/ada"}, "/u/ada/Library/Application Support/aurora/trusted-folders.json"),
        ("win32", {"USERPROFILE": "/c/ada"}, "/c/ada/AppData/Local/aurora/trusted-folders.json"),
        ("win32", {"USERPROFILE": "/c/ada", "LOCALAPPDATA": "/c/l"}, "/c/l/aurora/trusted-folders.json"),
    ],
)
def test_the_list_is_in_the_state_folder_of_the_platform(platform: str, environ: dict[str, str], expected: str) -> None:
    assert find_state_file(environ, platform) == Path(expected)
