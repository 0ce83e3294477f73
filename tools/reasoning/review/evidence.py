"""`evidence.check`: check of claims about files, their changes and a command."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pydantic import Field

from aurora.errors import Fault
from aurora.memory.files import detect_language
from aurora.memory.parsing.grammar import list_code_tokens
from aurora.memory.parsing.languages import LANGUAGES, load_language
from aurora.system.paths.read import read_plain
from aurora.system.paths.resolve import resolve_inside
from aurora.tools.core import Example, StrictModel, Tool
from aurora.tools.files import MAX_NEW_FILE_BYTES, open_worktree

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from aurora.tools.core import Context
    from aurora.tools.files import Worktree

_SEPARATOR = re.compile(r"&&|\|\||[;|&\n]")
"""What separates the commands of a shell line."""
_ASSIGNMENT = re.compile(r"\w+=")
_WORD = re.compile(r"[^\W_]{3,}")
_ONLY_SHOW = frozenset(
    {
        *("true", "false", ":", "echo", "printf", "exit", "return", "sleep", "test", "[", "cd", "pwd", "ls"),
        *("cat", "head", "tail", "wc", "grep", "find", "stat", "file", "touch"),
    }
)
"""Programs that run no other: a line of these runs no test, whatever it names."""


class EvidenceInput(StrictModel):
    """Claim about files."""

    files: tuple[str, ...] = Field(default=(), max_length=200, description="Files that are claimed to exist.")
    contains: str = Field(default="", max_length=400, description="Text that one of `files` is claimed to contain.")
    command: str = Field(default="", max_length=400, description="Shell command that is claimed to run `files`.")
    changed: tuple[str, ...] = Field(default=(), max_length=200, description="Files claimed to be changed.")
    base: str = Field(
        default="", max_length=200, description="Changed since this revision; by default the last commit."
    )


class Evidence(StrictModel):
    """Evidence for or against a claim.

    Attributes:
        missing: those of `files` that are not in the project, and of `changed` that neither it nor the base has.
        absent: the text that none of `files` contains.
        idle: the command, when it cannot run any of `files`.
        unchanged: those of `changed` that are the same as at the base; empty without git.
        cosmetic: those of `changed` that differ only in comments and white space, if none differs in more.
        versioned: True when the project is in git, so that changes are known.
        head: commit that is checked out; empty without git.
        holds: True when nothing of the claim is refuted.
    """

    missing: tuple[str, ...]
    absent: str
    idle: str
    unchanged: tuple[str, ...]
    cosmetic: tuple[str, ...]
    versioned: bool
    head: str
    holds: bool


def check_evidence(given: EvidenceInput, context: Context) -> Evidence:
    """Check a claim against the project and git.

    Raises:
        Fault: NOT_FOUND when git knows no such base.
    """
    tree = open_worktree(context.root)
    texts = {path: _read_text(context.root, path) for path in dict.fromkeys(given.files)}
    unchanged, cosmetic = _compare_files(tree, given) if tree is not None and given.changed else ((), ())
    claimed = unchanged if tree is not None else given.changed  # a deleted file is a change
    missing = _list_missing(context.root, (*texts, *claimed))
    unchanged = tuple(path for path in unchanged if path not in missing)
    absent = "" if any(given.contains in (text or "") for text in texts.values()) else given.contains
    idle = given.command if _is_idle(given.command, texts) else ""
    return Evidence(
        missing=missing,
        absent=absent,
        idle=idle,
        unchanged=unchanged,
        cosmetic=cosmetic,
        versioned=tree is not None,
        head=tree.head if tree else "",
        holds=not any((missing, absent, idle, unchanged, cosmetic)),
    )


def _compare_files(tree: Worktree, given: EvidenceInput) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the files that are as at the base, and the others if none of them differs in code."""
    base = tree.resolve_base(given.base)
    differing = {one.path for one in tree.list_changes(base)}
    named = [*dict.fromkeys(given.changed)]
    changed = [path for path in named if _to_git_path(tree.root, path) in differing]
    unchanged = tuple(path for path in named if path not in changed)
    return unchanged, tuple(changed) if all(_is_cosmetic(tree, path, base) for path in changed) else ()


def _find_file(root: Path, path: str) -> Path | None:
    """Find a file of the project; return None for any other path."""
    try:
        found = resolve_inside(root, path)
    except Fault:
        return None  # a path outside the project counts as missing
    return found if found.is_file() else None


def _list_missing(root: Path, paths: Iterable[str]) -> tuple[str, ...]:
    """List the paths that are no files of the project, each once."""
    return tuple(path for path in dict.fromkeys(paths) if _find_file(root, path) is None)


def _read_text(root: Path, path: str) -> str | None:
    """Read the beginning of a file of the project; None for any other path."""
    found = _find_file(root, path)
    data = read_plain(found, MAX_NEW_FILE_BYTES) if found else None
    return None if found is None else (data or b"").decode("utf-8", "replace")


def _to_git_path(root: Path, path: str) -> str:
    """Convert a path to git's form; the path of a deleted file stays as it is."""
    found = _find_file(root, path)
    return found.relative_to(root).as_posix() if found else path.removeprefix("./")


def _is_cosmetic(tree: Worktree, path: str, base: str) -> bool:
    """Check that a file differs from the base only in comments and white space."""
    before = tree.read_committed(_to_git_path(tree.root, path), base)
    found = _find_file(tree.root, path)
    after = read_plain(found, MAX_NEW_FILE_BYTES) if found else None
    if before is None or after is None:
        return False
    language = detect_language(path)
    if language in LANGUAGES:
        grammar = load_language(language).grammar
        tokens = list_code_tokens(grammar, before), list_code_tokens(grammar, after)
        if None not in tokens:
            return tokens[0] == tokens[1]
    return _strip_lines(before) == _strip_lines(after)


def _strip_lines(data: bytes) -> list[bytes]:
    """Return the lines that are not blank, with their indentation, which may count."""
    return [line.rstrip() for line in data.splitlines() if line.strip()]


def _is_idle(command: str, texts: dict[str, str | None]) -> bool:
    """Check that a command runs no program, or one that is told nothing of the files."""
    if not command:
        return False
    lines = [_drop_assignments(part.split()) for part in _SEPARATOR.split(command)]
    running = [words for words in lines if words and words[0].rpartition("/")[2] not in _ONLY_SHOW]
    if not running or all(len(words) == 1 for words in running):
        return not running  # a bare runner runs all tests
    said, named = _list_words([command]), _list_words(texts)
    if any(name in word for name in named for word in said):  # `pytest` has the "test" of tests/test_cart.py
        return False
    return said.isdisjoint(_list_words(text for text in texts.values() if text))


def _drop_assignments(words: list[str]) -> list[str]:
    while words and _ASSIGNMENT.match(words[0]):
        words = words[1:]
    return words


def _list_words(texts: Iterable[str]) -> set[str]:
    return {word.lower() for text in texts for word in _WORD.findall(text)}


TOOL = Tool(
    name="evidence.check",
    title="Check evidence",
    description=(
        "Check whether claimed files exist in the project, whether claimed changes differ from the last commit or "
        "another base in more than comments, and whether a command can run the files. It runs nothing."
    ),
    input=EvidenceInput,
    output=Evidence,
    run=check_evidence,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=60,
    phases=True,
    examples=(Example("an existing file", {"files": ["README.md"]}),),
)
