"""`evidence.check`: check of claims about files, their changes, a command and the tests that fail."""

from __future__ import annotations

import hashlib
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
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from aurora.tools.core import Context
    from aurora.tools.files import Worktree

MAX_STATE_FILES = 200
"""Uncommitted files whose content a state has; of any further one it has that of its commit."""
MAX_PATH_CHARS = 4096
"""Characters of a path; no system opens a file with a longer one."""
MAX_FAILURES = 100
"""Names of failed tests that are read of an output."""
_MAX_OUTPUT_CHARS = 200_000
_MAX_LINE_CHARS = 400

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

_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_FAILED_LINES = (
    re.compile(r"FAILED (\S*\.py(?:::.+?)?)(?: - .*)?$"),  # pytest
    re.compile(r"ERROR (\S+\.py(?:::\S+)?)(?: - .*)?$"),  # pytest: the file cannot be imported, a fixture fails
    re.compile(r"(?:FAIL|ERROR): (\w+) \([\w.]+\)"),  # unittest
    re.compile(r"[ \t]*--- FAIL: (\S+)"),  # go test
    re.compile(r"test (\S+) \.\.\. FAILED"),  # cargo test
    re.compile(r"[ \t]*(?:✕|\xd7|✗|✖) (.+?)(?: \(?[\d.]+ ?m?s\)?)?$"),  # jest, vitest, node --test
    re.compile(r"[ \t]*FAIL[ \t]+(\S+ > .+?)$"),  # vitest
    re.compile(r"[ \t]*not ok \d+ -? ?(.+?)$"),  # TAP
    re.compile(r"rspec (\./\S+)"),  # RSpec
    re.compile(r"\d+\) ([\w\\]+::\w+)"),  # PHPUnit
    re.compile(r"\[ERROR\][ \t]+([\w$.]+\.\w+):\d+"),  # Maven Surefire
    re.compile(r"[ \t]*Failed ([\w.]+) \["),  # dotnet test
)
"""How runners name a test that failed, at the beginning of a line."""
_NAME_PARTS = re.compile(r"::| [>\u203a] |[.#/\\]")


class FileState(StrictModel):
    """File with a digest of its content; the digest of a file that is not there is empty."""

    path: str = Field(max_length=MAX_PATH_CHARS)
    digest: str = Field(max_length=100)


class ProjectState(StrictModel):
    """Content of the project at one time, to compare with later.

    Attributes:
        head: the commit that is checked out; empty without git.
        files: files that differ from it, and those of the claim; all others are as in the commit.
    """

    head: str = Field(default="", max_length=200)
    files: tuple[FileState, ...] = Field(default=(), max_length=1_000)


class EvidenceInput(StrictModel):
    """Claim about files, or about the tests that fail."""

    files: tuple[str, ...] = Field(default=(), max_length=200, description="Files that are claimed to exist.")
    contains: str = Field(default="", max_length=400, description="Text that one of `files` is claimed to contain.")
    command: str = Field(default="", max_length=400, description="Shell command that is claimed to run `files`.")
    changed: tuple[str, ...] = Field(default=(), max_length=200, description="Files claimed to be changed.")
    same: tuple[str, ...] = Field(default=(), max_length=200, description="Files claimed to be as they were.")
    since: ProjectState | None = Field(
        default=None, description="The `state` of an earlier check to compare with; by default the last commit."
    )
    failing: str = Field(
        default="", max_length=_MAX_OUTPUT_CHARS, description="Output of a run of the tests that has failed."
    )
    failing_before: str = Field(
        default="", max_length=_MAX_OUTPUT_CHARS, description="Output of an earlier run; what failed there may fail."
    )
    known: tuple[str, ...] = Field(default=(), max_length=400, description="Names of tests that may fail.")


class Evidence(StrictModel):
    """Evidence for or against a claim.

    Attributes:
        missing: those of `files` that are not in the project, and of `changed` that neither it nor the base has.
        absent: the text that none of `files` contains.
        idle: the command, when it cannot run any of `files`.
        unchanged: those of `changed` that are as they were; empty without git.
        cosmetic: those of `changed` that differ only in comments and white space, if none differs in more.
        differing: those of `same` that are not as they were.
        altered: those of `files` that are not as they were; this refutes nothing.
        new_failures: tests that fail in `failing`, and neither failed before nor may.
        versioned: True when the project is in git, so that changes are known.
        state: the content of the project now.
        holds: True when nothing of the claim is refuted.
    """

    missing: tuple[str, ...]
    absent: str
    idle: str
    unchanged: tuple[str, ...]
    cosmetic: tuple[str, ...]
    differing: tuple[str, ...]
    altered: tuple[str, ...]
    new_failures: tuple[str, ...]
    versioned: bool
    state: ProjectState
    holds: bool


def check_evidence(given: EvidenceInput, context: Context) -> Evidence:
    """Check a claim against the project and git.

    Raises:
        Fault: NOT_FOUND when git does not know the commit of `since`.
    """
    past = _Past(context.root, open_worktree(context.root), given.since)
    texts = {path: _read_text(context.root, path) for path in dict.fromkeys(given.files)}
    unchanged, cosmetic = _compare_changed(past, given)
    claimed = [path for path in given.changed if past.is_same(path) is not False]  # a deleted file is a change
    missing = _list_missing(context.root, (*texts, *claimed))
    unchanged = tuple(path for path in unchanged if path not in missing)
    absent = "" if any(given.contains in (text or "") for text in texts.values()) else given.contains
    idle = given.command if _is_idle(given.command, texts) else ""
    differing = tuple(path for path in dict.fromkeys(given.same) if path not in texts and past.is_same(path) is False)
    new_failures = _list_new_failures(given, texts)
    return Evidence(
        missing=missing,
        absent=absent,
        idle=idle,
        unchanged=unchanged,
        cosmetic=cosmetic,
        differing=differing,
        altered=tuple(path for path in texts if path in past.digests and not past.is_same(path)),
        new_failures=new_failures,
        versioned=past.tree is not None,
        state=_record_state(past, (*given.files, *given.changed, *given.same)),
        holds=not any((missing, absent, idle, unchanged, cosmetic, differing, new_failures)),
    )


class _Past:
    """The project at an earlier time: recorded digests, and for all other files the commit of then."""

    def __init__(self, root: Path, tree: Worktree | None, since: ProjectState | None) -> None:
        self.root = root
        self.tree = tree
        self.digests = {one.path: one.digest for one in since.files} if since else {}
        self.base = tree.resolve_base(since.head if since else "") if tree else ""
        self.changes = tree.list_changes(self.base) if tree else ()
        self._differing = {one.path for one in self.changes}

    def is_same(self, path: str) -> bool | None:
        """Check that a file is as it was; None when nothing is known of then."""
        if path in self.digests:
            return _digest_file(self.root, path) == self.digests[path]
        if self.tree is None:
            return None
        git_path = _to_git_path(self.root, path)
        if git_path in self.digests:
            return _digest_file(self.root, git_path) == self.digests[git_path]
        return git_path not in self._differing


def _compare_changed(past: _Past, given: EvidenceInput) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the files that are as they were, and the others if none of them differs in code."""
    named = [*dict.fromkeys(given.changed)]
    unchanged = [path for path in named if past.is_same(path)]
    changed = [path for path in named if path not in unchanged and past.tree is not None]
    if given.since is not None and changed:  # the test of a fix may be named as part of it
        unchanged = [path for path in unchanged if path not in given.files]
    return tuple(unchanged), tuple(changed) if all(_is_cosmetic(past, path) for path in changed) else ()


def _record_state(past: _Past, named: Iterable[str]) -> ProjectState:
    tree = past.tree
    changes = past.changes if tree is None or past.base == tree.head else tree.list_changes(tree.head)
    paths = dict.fromkeys((*(one.path for one in changes[:MAX_STATE_FILES]), *named))
    short = [path for path in paths if len(path) <= MAX_PATH_CHARS]
    files = tuple(FileState(path=path, digest=_digest_file(past.root, path)) for path in short)
    return ProjectState(head=tree.head if tree else "", files=files)


def _digest_file(root: Path, path: str) -> str:
    """Return the size and the hash of the first bytes of a file; empty for any other path."""
    found = _find_file(root, path)
    data = read_plain(found, MAX_NEW_FILE_BYTES) if found else None
    if found is None or data is None:
        return ""
    return f"{found.stat().st_size}:{hashlib.sha256(data).hexdigest()[:32]}"


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


def _is_cosmetic(past: _Past, path: str) -> bool:
    """Check that a file differs from the commit of then only in comments and white space."""
    git_path = _to_git_path(past.root, path)
    if past.tree is None or path in past.digests or git_path in past.digests:
        return False  # of a file that had uncommitted changes then, only the digest is known
    before = past.tree.read_committed(git_path, past.base)
    found = _find_file(past.root, path)
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


def _list_new_failures(given: EvidenceInput, texts: dict[str, str | None]) -> tuple[str, ...]:
    """List the tests that fail, and neither may nor failed before.

    Those of `files` failed before, and must not fail any more.
    """
    if not given.failing:
        return ()
    failed = [*dict.fromkeys(_list_failures(given.failing))]
    known = {_simplify_name(name) for name in given.known}
    if not failed:  # the output of a runner that is not known
        return () if known else ("the suite (its output names no test)",)
    for name in _list_failures(given.failing_before):
        if not any(path in name or _simplify_name(name) in (text or "") for path, text in texts.items()):
            known.add(_simplify_name(name))
    return tuple(name for name in failed if _simplify_name(name) not in known)


def _list_failures(output: str) -> Iterator[str]:
    """Yield the names of at most `MAX_FAILURES` tests that failed, as the runner writes them."""
    found = 0
    for line in output.splitlines():
        plain = _COLOUR.sub("", line[:_MAX_LINE_CHARS]).rstrip()
        match = next(filter(None, (pattern.match(plain) for pattern in _FAILED_LINES)), None)
        if match and found < MAX_FAILURES:
            found += 1
            yield match.group(1)


def _simplify_name(name: str) -> str:
    """Return the last part of a test's name without its parameters: people leave out the others."""
    parts = [part for part in _NAME_PARTS.split(name.partition("[")[0]) if part]
    return parts[-1] if parts else name


TOOL = Tool(
    name="evidence.check",
    title="Check evidence",
    description=(
        "Check claims and run nothing: files exist, differ from a commit or an earlier state in more than comments, or "
        "are as they were; a command can run them; no new test fails."
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
