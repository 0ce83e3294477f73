"""A server fetches a project from git itself: the real server, a real repository, and hostile ones."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.system.git.mirror import Mirror, check_branch, check_git_url

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Home

PATIENCE = 120.0


class Repository:
    """Repository of a team, with commits."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str) -> str:
        who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "core.hooksPath=/dev/null"]
        who += ["-c", "protocol.file.allow=always"]
        done = subprocess.run(["git", *who, *words], cwd=self.path, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, **files: str) -> str:
        for name, text in files.items():
            (self.path / name).write_text(text, "utf-8")
        self.git("add", "-A", "-f")
        self.git("commit", "-q", "-m", "a commit")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "shop")
    made.commit(**{"pelican.py": 'def open_pelican():\n    """Open the pelican."""\n'})
    return made


@pytest.fixture
def home(make_plain_home: Callable[[], Home], repository: Repository) -> Home:
    made = make_plain_home()
    made.write(f'[projects.shop]\ngit = "{repository.path}"\n\n[limits]\nfetch_seconds = 1\n')
    return made


def find(server: Any, query: str) -> list[str]:
    found = server.call("/p/shop/mcp", "aurora_search", {"query": query})
    return [hit["path"] for hit in found["hits"]]


def test_a_project_is_fetched_before_it_is_served_and_follows_its_branch(home: Home, repository: Repository) -> None:
    with home.start() as server:
        assert find(server, "open_pelican") == ["pelican.py"]
        commit = repository.commit(**{"heron.py": "def close_heron():\n    return 1\n"})
        deadline = time.monotonic() + PATIENCE
        while "heron.py" not in find(server, "close_heron"):
            assert time.monotonic() < deadline, server.log.read_text()
            time.sleep(0.1)  # below the server's 20 requests a second
        assert f"project shop: at commit {commit[:12]}" in server.log.read_text()
        repository.path.rename(repository.path.with_name("gone"))
        while "the state before is served" not in server.log.read_text():
            assert time.monotonic() < deadline, server.log.read_text()
            time.sleep(0.1)
        assert find(server, "open_pelican") == ["pelican.py"]
    with home.start() as server:  # also when it starts again without the repository
        assert find(server, "close_heron") == ["heron.py"]


def test_a_server_without_a_first_state_does_not_start(home: Home, repository: Repository) -> None:
    repository.path.rename(repository.path.with_name("gone"))
    done = home.run("serve", "--listen", "127.0.0.1:0")
    assert done.returncode == 1
    assert 'the project "shop" cannot be fetched: git cannot fetch: fatal:' in done.stderr
    assert "git ls-remote" in done.stderr


def test_a_stop_during_the_first_fetch_ends_git(home: Home) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(PATIENCE)
        home.write(f'[projects.shop]\ngit = "https://127.0.0.1:{silent.getsockname()[1]}/shop.git"\n')
        command = [sys.executable, "-m", "aurora", "serve", "--listen", "127.0.0.1:0"]
        with subprocess.Popen(command, env=home.get_environ(), cwd=home.path) as process:
            connection, _ = silent.accept()  # git is running, and waits for an answer
            with connection:
                process.send_signal(signal.SIGTERM)
                assert process.wait(PATIENCE) == 0
                connection.settimeout(PATIENCE)
                while connection.recv(4096):  # until the end of git closes it
                    pass


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('git = "ext::sh -c touch% /tmp/x"', "no spaces"),
        ('git = "ext::touch"', "https://…, ssh://…"),
        ('git = "http://example.org/a.git"', "https://…, ssh://…"),
        ('git = "git://example.org/a.git"', "https://…, ssh://…"),
        ('git = "--upload-pack=touch"', "https://…, ssh://…"),
        ('git = "ssh://-oProxyCommand=touch/a"', "https://…, ssh://…"),
        ('git = "shop.git"', "https://…, ssh://…"),
        ('git = "https://ann:secret@example.org/a.git"', "~/.netrc"),
        ('git = "https://example.org/a.git"\nbranch = "--force"', "no name of a branch"),
        ('git = "https://example.org/a.git"\nbranch = "a..b"', "no name of a branch"),
        ('folder = "/srv/a"\nbranch = "main"', 'needs a "git" address'),
        ('folder = "/srv/a"\ngit = "https://example.org/a.git"', "a folder and a git address"),
        ("read_only = true", 'a "folder" or a "git" address'),
    ],
)
def test_a_wrong_address_is_refused_before_anything_listens(home: Home, text: str, said: str) -> None:
    home.write(f"[projects.shop]\n{text}\n")
    done = home.run("serve", "--listen", "127.0.0.1:0")
    assert done.returncode != 0
    assert said in done.stderr
    assert "secret" not in done.stderr
    assert not (home.path / "state" / "aurora" / "mirrors").exists()


@pytest.mark.parametrize(
    "text", ["https://example.org/a.git", "ssh://git@example.org:22/a", "git@example.org:team/a.git"]
)
def test_the_usual_addresses_are_taken(text: str) -> None:
    assert check_git_url(text) == text
    assert [check_branch(name) for name in ("", "main", "release/1.0", "v1+2")] == ["", "main", "release/1.0", "v1+2"]


def test_nothing_of_a_hostile_repository_runs_or_leaves_its_folder(repository: Repository, tmp_path: Path) -> None:
    witness = tmp_path / "ran"
    (repository.path / "git").mkdir()
    (repository.path / "git" / "config").write_text(f'[filter "run"]\n\tsmudge = touch {witness}\n', "utf-8")
    (repository.path / ".aurora" / "workflows").mkdir(parents=True)
    (repository.path / ".aurora" / "memory.db").write_text("not the server's memory", "utf-8")
    (repository.path / ".aurora" / "workflows" / "own.yaml").write_text("name: own\n", "utf-8")
    (repository.path / "link").symlink_to("/etc/passwd")
    (repository.path / "hooks").mkdir()
    hook = repository.path / "hooks" / "post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {witness}\n", "utf-8")
    hook.chmod(0o755)
    other = Repository(tmp_path / "other")
    other.commit(a="a")
    repository.git("submodule", "--quiet", "add", str(other.path), "inner")
    modules = f'[submodule "inner"]\n\tpath = inner\n\turl = ext::touch {witness}\n\tupdate = !touch {witness}\n'
    repository.commit(**{".gitattributes": "* filter=run\n", ".gitmodules": modules})

    mirror = Mirror(tmp_path / "mirror", str(repository.path))
    commit = mirror.update()

    assert mirror.read_commit() == commit
    assert not witness.exists()
    assert (mirror.folder / "link").read_text() == "/etc/passwd"
    assert not (mirror.folder / "link").is_symlink()
    assert not (mirror.folder / ".aurora" / "memory.db").exists()
    assert (mirror.folder / ".aurora" / "workflows" / "own.yaml").exists()
    assert list((mirror.folder / "inner").iterdir()) == []


def test_a_repository_cannot_take_the_place_of_the_memory(repository: Repository, tmp_path: Path) -> None:
    (repository.path / ".aurora").symlink_to("/etc")
    repository.commit()
    mirror = Mirror(tmp_path / "mirror", str(repository.path))
    mirror.update()
    assert not (mirror.folder / ".aurora").exists()


def test_a_mirror_recovers_from_a_killed_git_and_a_rewritten_branch(repository: Repository, tmp_path: Path) -> None:
    repository.git("checkout", "-q", "-b", "other")
    mirror = Mirror(tmp_path / "mirror", str(repository.path), "other")
    before = mirror.update()
    (mirror.folder / ".git" / "index.lock").write_text("", "utf-8")
    (mirror.folder / "pelican.py").write_text("half", "utf-8")
    (mirror.folder / ".aurora").mkdir()
    (mirror.folder / ".aurora" / "memory.db").write_text("the memory", "utf-8")
    repository.git("commit", "-q", "--amend", "-m", "another")
    after = mirror.update()
    assert after != before
    assert mirror.read_commit() == after
    assert "open_pelican" in (mirror.folder / "pelican.py").read_text()
    assert (mirror.folder / ".aurora" / "memory.db").read_text() == "the memory"


def test_a_missing_branch_is_named_and_the_state_before_stays(repository: Repository, tmp_path: Path) -> None:
    Mirror(tmp_path / "mirror", str(repository.path)).update()
    with pytest.raises(Fault) as caught:
        Mirror(tmp_path / "mirror", str(repository.path), "none").update()
    assert caught.value.code is Code.UPSTREAM_ERROR
    assert "none" in caught.value.message
    assert (tmp_path / "mirror" / "pelican.py").exists()


def test_a_stopped_mirror_fetches_no_more(repository: Repository, tmp_path: Path) -> None:
    mirror = Mirror(tmp_path / "mirror", str(repository.path))
    mirror.stop()
    with pytest.raises(Fault, match="the server is stopping"):
        mirror.update()
