"""A server that a host starts in a hostile project imports nothing from it, with or without an installed `aur`."""

from __future__ import annotations

import json
import os
import site
import subprocess
import sys
import venv
from typing import TYPE_CHECKING

import pytest

from aurora.hosts import UserPaths, list_server_tools
from aurora.hosts.entry import Launch, add_safe_path, split_trusted_command
from aurora.hosts.probe import DEFAULT_TOOLS

if TYPE_CHECKING:
    from pathlib import Path

MODULES = ("click", "json", "pydantic", "sitecustomize", "usercustomize", "aurora/__init__", "tools/__init__")
"""Modules that Python, Aurora and its libraries import."""


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """The file that the hostile modules write."""
    return tmp_path / "was imported"


@pytest.fixture
def clone(tmp_path: Path, marker: Path) -> Path:
    """A project with modules that are named as those of Aurora."""
    root = tmp_path / "clone"
    (root / ".git").mkdir(parents=True)
    for name in MODULES:
        path = root / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"open({str(marker)!r}, 'a').write({name!r} + ' ')\nraise SystemExit(3)\n", encoding="utf-8")
    return root


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """A Python that has Aurora, and no program `aur` next to it."""
    folder = tmp_path / "environment"
    venv.create(folder, with_pip=False, symlinks=True)
    library = next(folder.glob("lib/python*/site-packages"))
    lines = [f"import site; site.addsitedir({path!r})" for path in site.getsitepackages()]
    (library / "aurora.pth").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "bin" / "python"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    home = tmp_path / "home"
    home.mkdir()
    kept = {name: os.environ[name] for name in ("LANG", "LC_ALL") if name in os.environ}
    return {**kept, "HOME": str(home), "PATH": "/usr/bin:/bin"}


@pytest.mark.skipif(sys.platform == "win32", reason="the layout of the environment is that of POSIX")
def test_the_entry_for_an_installation_without_a_program_imports_nothing_from_the_project(
    clone: Path, python: Path, environ: dict[str, str], marker: Path
) -> None:
    words = [str(python), "-P", "-m", "aurora", "init", "--yes", "--no-index", "--hosts", "claude-code"]
    subprocess.run(words, cwd=clone, env=environ, check=True, capture_output=True)
    entry = json.loads((clone / ".mcp.json").read_text(encoding="utf-8"))["mcpServers"]["aurora"]
    assert entry["command"] == str(python)

    argv = (entry["command"], *entry["args"])
    found = list_server_tools(argv, clone, environ=environ)
    assert (found.problem, set(found.tools), marker.exists()) == ("", set(DEFAULT_TOOLS), False)

    unsafe = tuple(word for word in argv if word != "-P")
    assert list_server_tools(unsafe, clone, environ=environ).problem
    assert "aurora/__init__" in marker.read_text(encoding="utf-8"), "the project is hostile indeed"


@pytest.mark.skipif(sys.platform == "win32", reason="the layout of the environment is that of POSIX")
def test_init_makes_an_entry_of_an_earlier_version_safe(
    clone: Path, python: Path, environ: dict[str, str], marker: Path
) -> None:
    path = clone / ".mcp.json"
    entry = {"command": str(python), "args": ["-m", "aurora", "mcp", "--toolsets", "all"], "env": {"A": "b"}}
    path.write_text(json.dumps({"mcpServers": {"aurora": entry}}), encoding="utf-8")
    words = [str(python), "-P", "-m", "aurora", "init", "--yes", "--no-index", "--hosts", "claude-code"]
    subprocess.run(words, cwd=clone, env=environ, check=True, capture_output=True)

    now = json.loads(path.read_text(encoding="utf-8"))["mcpServers"]["aurora"]
    assert (now["command"], now["env"]) == (entry["command"], entry["env"])
    assert now["args"] == ["-P", "-m", "aurora", "mcp", "--toolsets", "all"]
    assert not marker.exists()


@pytest.mark.parametrize(
    "argv",
    [
        (),
        ("aur", "mcp"),
        ("uvx", "--from", "aurora-workflows", "aur", "mcp"),
        ("/a/python", "-P", "-m", "aurora", "mcp"),
        ("/a/python", "-m", "other", "mcp"),
    ],
    ids=" ".join,
)
def test_any_other_command_line_stays_as_it_is(argv: tuple[str, ...]) -> None:
    assert add_safe_path(argv) == argv


def test_a_link_of_a_clone_does_not_make_its_program_the_trusted_one(tmp_path: Path, clone: Path) -> None:
    person = UserPaths.from_environment({"HOME": str(tmp_path), "PATH": os.environ["PATH"]})
    own = Launch.detect(person).own[0]
    depths = [clone, *clone.parents]
    (clone / "deep").mkdir()
    (clone / "link").symlink_to(clone / "deep")
    copy = clone / own.lstrip("/")
    copy.parent.mkdir(parents=True)
    copy.write_text("#!/bin/sh\n", encoding="utf-8")
    copy.chmod(0o755)
    up = "/".join([".."] * len(depths))
    for program in (
        f"link/{up}{own}",
        f"link/..{own}",
        f"{clone}/link/../{own}",
        f"/proc/self/cwd{own}",
        f"/proc/self/cwd/link/{up}{own}",
        str(copy),
    ):
        assert split_trusted_command((program, "mcp"), clone, person) is None, program
    assert split_trusted_command((own, "mcp"), clone, person) == ("mcp",)
