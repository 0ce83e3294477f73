"""Which files of a project are found, and which are not."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.errors import Code, Fault
from aurora.memory.files.discover import SourceFile, discover_files
from aurora.memory.model.reports import SkippedFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")


def found(root: Path) -> list[str]:
    return [each.path for each in discover_files(root) if isinstance(each, SourceFile)]


def skipped(root: Path) -> dict[str, SkippedFile]:
    return {each.path: each for each in discover_files(root) if isinstance(each, SkippedFile)}


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that other users may enter; pytest keeps its own to the one who runs it."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@contextmanager
def shut(folder: Path) -> Iterator[None]:
    """Make a folder unreadable; root, who can read it anyway, becomes the user nobody meanwhile."""
    folder.chmod(0o000)
    user = os.geteuid()
    os.seteuid(user or 65534)
    try:
        yield
    finally:
        os.seteuid(user)
        folder.chmod(0o755)


def test_files_come_with_their_size_and_time_in_the_same_order_every_time(tmp_path: Path) -> None:
    write(tmp_path, {"b.py": "bb", "a/z.py": "", "a/b/c.py": "", "c/x.py": "", ".github/ci.yml": ""})
    first = list(discover_files(tmp_path))
    assert [each.path for each in first] == ["b.py", ".github/ci.yml", "a/z.py", "a/b/c.py", "c/x.py"]
    assert first == list(discover_files(tmp_path))
    b = first[0]
    assert isinstance(b, SourceFile)
    stat = (tmp_path / "b.py").stat()
    assert (b.size, b.mtime_ns, b.absolute) == (2, stat.st_mtime_ns, (tmp_path / "b.py").resolve())


def test_a_folder_that_does_not_exist_or_is_a_file_is_not_found(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": ""})
    for path, word in ((tmp_path / "none", "does not exist"), (tmp_path / "a.py", "is not a folder")):
        with pytest.raises(Fault, match=word) as raised:
            discover_files(path)
        assert raised.value.code is Code.NOT_FOUND
        assert raised.value.help


def test_a_project_that_may_not_be_read_is_forbidden(public: Path) -> None:
    with shut(public), pytest.raises(Fault, match="cannot be read") as raised:
        discover_files(public)
    assert raised.value.code is Code.FORBIDDEN


def test_a_folder_that_may_not_be_read_is_skipped_and_the_rest_is_found(public: Path) -> None:
    write(public, {"a.py": "", "shut/b.py": "", "z/c.py": ""})
    with shut(public / "shut"):
        assert found(public) == ["a.py", "z/c.py"]
        assert skipped(public)["shut"].reason == "unreadable"


def test_folders_without_work_of_the_authors_are_never_entered(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "src/a.py": "",
            "node_modules/x/index.js": "",
            "src/__pycache__/a.py": "",
            ".aurora/workflows/x.yaml": "",
            "env/pyvenv.cfg": "home = /usr",
            "env/lib/site.py": "",
            "target/CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55",
            "target/debug/build.rs": "",
        },
    )
    assert found(tmp_path) == ["src/a.py"]


def test_auroraignore_has_the_last_word(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "*.gen\n", ".auroraignore": "docs/\n!keep.gen\n", "docs/a.md": "", "b.py": ""})
    write(tmp_path, {"x.gen": "", "keep.gen": ""})
    assert found(tmp_path) == [".auroraignore", ".gitignore", "b.py", "keep.gen"]


def test_an_ignore_file_that_would_slow_down_every_listing_is_not_applied(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("a*b\n" * 10_001 + "one.py\n", encoding="utf-8")
    folder = tmp_path
    for number in range(4):
        folder /= f"folder{number}"
        folder.mkdir()
        (folder / ".gitignore").write_text("a*b\n" * 6_000 + f"left{number}.py\n", encoding="utf-8")
        (folder / f"left{number}.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "one.py").write_text("x = 1\n", encoding="utf-8")

    found = {Path(file.path).name for file in discover_files(tmp_path) if isinstance(file, SourceFile)}

    assert {"one.py", "left3.py"} <= found  # 10,001 lines in a file, 24,000 patterns in a folder
    assert found.isdisjoint({"left0.py", "left1.py", "left2.py"})


def test_a_project_inside_a_repository_is_also_under_the_ignore_files_above_it(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    write(tmp_path, {".gitignore": "/app/out/\n*.tmp\n", "app/out/a.py": "", "app/b.tmp": "", "app/c.py": ""})
    assert found(tmp_path / "app") == ["c.py"]
    assert found(tmp_path / "app" / "out") == ["a.py"], "who names an ignored folder wants it"


def test_a_work_tree_reads_the_exclude_file_of_its_repository(tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(tmp_path / "main")]
    subprocess.run(["git", "init", "-q", str(tmp_path / "main")], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(tmp_path / "tree")], check=True, capture_output=True)
    (tmp_path / "main/.git/info/exclude").write_text("private/\n", encoding="utf-8")
    write(tmp_path / "tree", {"private/a.py": "", "b.py": ""})
    assert found(tmp_path / "tree") == ["b.py"]


PATTERNS = st.sampled_from(
    [
        "*.py",
        "!a.py",
        "a/",
        "/a",
        "b",
        "!b/",
        "a/b",
        "a/*",
        "!a/b/",
        "**/c",
        "a/**",
        "!a/**/c.py",
        "a/**/c.py",
        "/*",
        "!/a/",
        "# comment",
        "",
        "\\#x",
        "c.p?",
        "[ab].py",
        "[!a].py",
        "*",
        "!*/",
        "!*.md",
        "trailing  ",
        "!",
        "c*/",
        "/b/c/",
        "b/c",
        "***",
    ]
)
NAMES = ["a", "b", "c"]
FILES = ["a.py", "b.py", "c.py", "x.md", "#x", "trailing"]


@settings(max_examples=60)
@given(
    ignores=st.dictionaries(
        st.sampled_from(["", "a/", "a/b/", "b/", "b/c/"]), st.lists(PATTERNS, max_size=5).map("\n".join), max_size=3
    ),
    exclude=st.lists(PATTERNS, max_size=2).map("\n".join),
)
def test_discovery_finds_the_files_that_git_would_add(
    tmp_path_factory: pytest.TempPathFactory, ignores: dict[str, str], exclude: str
) -> None:
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", root], check=True)
    (root / ".git/info/exclude").write_text(exclude, encoding="utf-8")
    folders = ["", *(f"{x}/" for x in NAMES), *(f"{x}/{y}/" for x in NAMES for y in NAMES)]
    write(root, {folder + name: "" for folder in folders for name in FILES})
    write(root, {folder + ".gitignore": text for folder, text in ignores.items()})
    listed = subprocess.run(
        ["git", "-c", "core.excludesFile=", "-C", root, "ls-files", "-z", "--others", "--exclude-standard"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert sorted(found(root)) == sorted(listed.split("\0")[:-1])
    shutil.rmtree(root)


def test_links_are_skipped_with_their_target(tmp_path: Path) -> None:
    write(tmp_path, {"outside/secret.py": "", "project/src/a.py": ""})
    root = tmp_path / "project"
    (root / "out.py").symlink_to(tmp_path / "outside/secret.py")
    (root / "outdir").symlink_to(tmp_path / "outside")
    (root / "up").symlink_to("..")
    (root / "in.py").symlink_to("src/a.py")
    (root / "circle").symlink_to(root)
    (root / "self").symlink_to("self")
    (root / "nowhere").symlink_to("gone.py")
    (root / "src/loop").symlink_to("../src")
    assert found(root) == ["src/a.py"]
    reasons = {path: each.reason for path, each in skipped(root).items()}
    assert reasons == {
        "circle": "link",
        "in.py": "link",
        "nowhere": "link",
        "out.py": "outside",
        "outdir": "outside",
        "self": "link",
        "src/loop": "link",
        "up": "outside",
    }
    assert "secret" not in str(skipped(root)["out.py"])
    assert skipped(root)["in.py"].detail == 'a symbolic link to "src/a.py"'


def test_the_project_itself_may_be_reached_through_a_link(tmp_path: Path) -> None:
    write(tmp_path, {"real/a.py": ""})
    (tmp_path / "linked").symlink_to("real")
    assert found(tmp_path / "linked") == ["a.py"]


def test_a_name_that_is_not_utf8_is_skipped_and_can_be_printed(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.py")).write_text("", encoding="utf-8")
    write(tmp_path, {"café.py": ""})
    assert found(tmp_path) == ["café.py"]
    assert skipped(tmp_path)["caf\\xe9.py"].reason == "name"


def test_pipes_and_sockets_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / ".gitignore")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        assert found(tmp_path) == []
        assert {each.reason for each in skipped(tmp_path).values()} == {"special"}


def test_a_file_that_vanishes_does_not_stop_the_walk(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "", "b/c.py": "", "d/e.py": ""})
    walk = discover_files(tmp_path)
    assert next(walk).path == "a.py"
    shutil.rmtree(tmp_path / "b")
    assert [each.path for each in walk] == ["d/e.py"]


def test_a_thousand_levels_and_many_files_in_one_folder_are_walked(tmp_path: Path) -> None:
    deep = tmp_path / "/".join("d" * 1_500)
    subprocess.run(["mkdir", "-p", str(deep)], check=True)  # Python's own way recurses
    (deep / "bottom.py").write_text("", encoding="utf-8")
    (tmp_path / "wide").mkdir()
    for number in range(3_000):
        (tmp_path / "wide" / f"{number:05}.txt").touch()
    paths = found(tmp_path)
    assert len(paths) == 3_001
    assert paths[0].endswith("d/bottom.py")
    subprocess.run(["rm", "-rf", str(tmp_path / "d")], check=True)


def test_a_path_too_long_to_open_is_skipped(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    try:
        for _ in range(20):  # each level is made from its parent, so that no call sees the whole path
            os.mkdir("n" * 250, dir_fd=here)
            inner = os.open("n" * 250, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = inner
    finally:
        os.close(here)
    assert found(tmp_path) == []
    assert [each.reason for each in skipped(tmp_path).values()] == ["unreadable"]
    subprocess.run(["rm", "-rf", str(tmp_path)], check=True)


def test_only_the_selected_paths_are_walked_with_the_same_ignore_rules(tmp_path: Path) -> None:
    for place in ("a/b/one.py", "a/b/two.log", "a/bc/three.py", "d/four.py", "five.py"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("x = 1\n", encoding="utf-8")
    (tmp_path / ".gitignore").write_text("*.log\n", encoding="utf-8")

    def walked(*within: str) -> list[str]:
        return [entry.path for entry in discover_files(tmp_path, within) if isinstance(entry, SourceFile)]

    assert walked("a/b") == ["a/b/one.py"]
    assert walked("a") == ["a/b/one.py", "a/bc/three.py"]
    assert walked("five.py", "d") == ["five.py", "d/four.py"]
    assert walked("a/b/two.log", "nowhere") == []
    assert len(walked()) == 5
