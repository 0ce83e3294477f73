"""Wildcards of ignore files and of globs mean what they mean to git, and no pattern takes long."""

from __future__ import annotations

import random
import re
import subprocess
import time
from typing import TYPE_CHECKING

import pytest
from pathspec import GitIgnoreSpec

from aurora.memory.files.gitignore import parse_ignore_pattern
from aurora.memory.search.options import compile_glob
from tests.growth import is_linear

if TYPE_CHECKING:
    from pathlib import Path

COMMON_PARTS = ("a", "b", "a", "b", "/", "/", "*", "*", "**", "**/", "/**", "/**/", "?", ".", "-", "c")
SETS = (
    "[ab]",
    "[!a]",
    "[^b]",
    "[a-c]",
    "[]a]",
    "[!]a]",
    "[[:alpha:]]",
    "[[:digit:]b]",
    "[b-a]",
    "[a/]",
    "[--c]",
    "[a-]",
)
ODD_PARTS = ("[", "]", "\\", "\\*", "\\]", "[:a:]", "[[:x:]]", "\\ ", "  ", "\t", "***", "\\/", "[!", "#", "!", "[+--]")
OLD_DEFECT = re.compile(r"[^/*]\*\*+/")
"""Git before 2.52 reads `a**/b` in two ways, depending on what is before the stars: it is not compared."""


def build_pattern(rng: random.Random, parts: tuple[str, ...]) -> str:
    while True:
        pattern = "".join(rng.choice(parts) for _ in range(rng.randint(1, 7)))
        if not pattern.startswith("!") and not OLD_DEFECT.search(pattern):
            return pattern


def build_paths(rng: random.Random) -> list[str]:
    names = [["".join(rng.choices("aabbbc1-.]", k=rng.randint(1, 4))) for _ in range(4)] for _ in range(30)]
    paths = {"/".join(parts[: rng.randint(1, 4)]) for parts in names}
    hidden = {".", "..", ".git"}
    return [*(path for path in sorted(paths) if hidden.isdisjoint(path.split("/"))), "a b", "a ", "#a", "a*", "a[", "-"]


def is_covered(pattern: str, path: str) -> bool:
    parsed = parse_ignore_pattern(pattern)
    return parsed is not None and parsed.covers_file(path)


def build_path(pattern: str, size: int) -> str:
    return "/".join("a" * size) if pattern in NESTED else "a" * size


@pytest.mark.parametrize("seed", range(3))
def test_a_random_pattern_ignores_the_same_files_as_git(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - patterns, not secrets
    patterns = [build_pattern(rng, COMMON_PARTS + SETS + ODD_PARTS) for _ in range(600)]
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    asked: list[tuple[int, str]] = []
    for number, pattern in enumerate(patterns):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / ".gitignore").write_text(f"{pattern}\n", encoding="utf-8")
        asked += [(number, path) for path in build_paths(rng)]
    answer = subprocess.run(
        ["git", "-c", "core.excludesFile=", "-C", tmp_path, "check-ignore", "--no-index", "-z", "-v", "-n", "--stdin"],
        input="".join(f"{number}/{path}\0" for number, path in asked),
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split("\0")[:-1]

    sources = answer[::4]
    assert len(sources) == len(asked)
    differing = [
        (patterns[number], path, "git ignores it" if source else "git keeps it")
        for (number, path), source in zip(asked, sources, strict=True)
        if is_covered(patterns[number], path) != bool(source)
    ]
    assert differing == []
    assert sum(map(bool, sources)) > 500


def test_a_random_pattern_of_the_usual_kind_matches_the_same_files_as_pathspec() -> None:
    rng = random.Random(7)  # noqa: S311 - patterns, not secrets
    for _ in range(1_000):
        pattern = build_pattern(rng, (*COMMON_PARTS, "[ab]"))  # there, "[!a]" matches a slash
        if "//" in pattern or "***" in pattern or pattern.endswith("/**/"):  # pathspec differs from git there
            continue
        former = GitIgnoreSpec.from_lines([pattern])
        differing = [path for path in build_paths(rng) if former.match_file(path) != is_covered(pattern, path)]
        assert (pattern, differing) == (pattern, [])


def match_slowly(glob: str, path: str) -> bool:
    """Match `*`, `?` and `**` by their definition, trying everything."""
    if not glob:
        return path[:1] in {"", "/"}
    if glob.startswith("**/"):
        return any(match_slowly(glob[3:], path[at:]) for at in range(len(path)) if at == 0 or path[at - 1] == "/")
    if glob.startswith("*"):
        both = glob.startswith("**")
        rest = glob[1 + both :]
        return any(match_slowly(rest, path[at:]) for at in range(len(path) + 1) if both or "/" not in path[:at])
    same = path[:1] not in {"", "/"} if glob[0] == "?" else path[:1] == glob[0]
    return same and match_slowly(glob[1:], path[1:])


def test_a_random_glob_matches_what_its_definition_says() -> None:
    rng = random.Random(11)  # noqa: S311 - patterns, not secrets
    matched = 0
    for _ in range(2_000):
        pieces = rng.choices(("a", "b", "a", "/", "*", "**", "?", "/**/"), k=rng.randint(1, 7))
        glob = "/" + "".join(pieces).strip("/")
        if "***" in glob or "//" in glob or glob == "/" or OLD_DEFECT.search(glob):
            continue
        compiled = compile_glob(glob)
        for _ in range(10):
            path = "/".join("".join(rng.choices("aab", k=rng.randint(1, 3))) for _ in range(rng.randint(1, 4)))
            matched += (expected := match_slowly(glob[1:], path))
            assert (glob, path, compiled.fullmatch(path) is not None) == (glob, path, expected)
    assert matched > 1_000


STARRED = ("*a*a*a*a*a*a*a*a*a*a*a*a*b", "*?*?*?*?*?*?*?*?*b", "*[ab]*[ab]*[ab]*[ab]*[ab]*[!a]")
NESTED = ("**/a/**/a/**/a/**/a/**/a/b", "**/*a*a/**/*a*a/**/*a*a/b/**", "/*/**/*/**/*/**/*/**/b")


@pytest.mark.parametrize("pattern", [*STARRED, *NESTED])
def test_many_wildcards_of_an_ignore_file_take_as_long_as_the_path_is_long(pattern: str) -> None:
    parsed = parse_ignore_pattern(pattern)
    assert parsed is not None

    def match(path: str) -> None:
        assert not parsed.matches_path(path, path, folder=False)

    assert is_linear(match, build_path(pattern, 20_000), build_path(pattern, 80_000))


@pytest.mark.parametrize(
    "glob", [*STARRED, *NESTED, "*" * 300 + "b", "**a**a**a**a**a**b", "a**a*a**a*a**b", "[a]*[a]*[a]*[a]*[a]*b"]
)
def test_many_wildcards_of_a_glob_take_as_long_as_the_path_is_long(glob: str) -> None:
    compiled = compile_glob(glob)

    assert is_linear(compiled.fullmatch, build_path(glob, 20_000), build_path(glob, 80_000))


@pytest.mark.parametrize("line", ["*a" * 100_000, "**/" * 100_000 + "a", "[ab]" * 100_000, "?" * 300_000])
def test_a_line_longer_than_any_path_matches_nothing_and_takes_no_time_to_compile(line: str) -> None:
    start = time.process_time()
    for parsed in (parse_ignore_pattern(line), parse_ignore_pattern(f"{line}/b")):
        assert parsed is None or not parsed.covers_file("x/y")
    compile_glob(line)
    assert time.process_time() - start < 20
