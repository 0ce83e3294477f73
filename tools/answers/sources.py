"""Files and definitions of the project for a check: as they are now, within limits.

`Sources` resolves what an answer or a plan names: `find_files` a path or the end of one, `find_definitions` a name or
`Class.member`, inherited members included, and `has_word` any identifier. `decomposition.verify` may use it too.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from aurora.errors import Fault, check_cancelled
from aurora.memory.chunking.chunk import chunk_file
from aurora.memory.files import SourceFile, SourceText, discover_files, read_source
from aurora.system.paths.resolve import resolve_inside

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from aurora.memory import Node
    from aurora.tools.core import Context

_SECONDS = 2.0
"""Time for one check; what is left then is reported as not checked."""
_MAX_FILES = 300
"""Files that one check reads."""
_MAX_READ_CHARS = 20_000_000
_MAX_LISTED = 200_000
"""Files of a project without an index that are listed."""
_MAX_PARSED_CHARS = 400_000
"""Characters of a file whose definitions are found anew; for a longer one those of the index are used."""
_MAX_SCANS = 60
"""Words whose spelling is looked for in the texts of the index; one costs some 30 ms in a project of 800 files."""
MAX_CANDIDATES = 12
"""Files that a bare name such as `index.ts` may mean; more of them make it mean nothing."""
_MAX_ROWS = 200
_SLIP, _MAX_SLIP = 0.88, 2
"""Similarity and difference of length of a misspelt word."""
_WORD = re.compile(r"[A-Za-z_$][\w$]*")


def has_word(line: str, word: str) -> bool:
    """Return whether a line contains a word that no letter, digit or underscore touches."""
    return word in line and re.search(rf"(?<![\w$]){re.escape(word)}(?![\w$])", line) is not None


class Definition(NamedTuple):
    """Definition of the project; its first line is that of its decorators and comments."""

    path: str
    symbol: str
    name: str
    kind: str
    start: int
    end: int

    def contains(self, other: Definition) -> bool:
        """Return whether another definition of the same file lies in this one."""
        return self.start <= other.start and other.end <= self.end

    @property
    def place(self) -> str:
        """Its path and lines, as an answer cites them."""
        return f"{self.path}:{self.start}-{self.end}" if self.end > self.start else f"{self.path}:{self.start}"


@dataclass(frozen=True)
class File:
    """Text of a file, with its definitions in the order of the lines; `reason` says why it has no text."""

    path: str
    language: str
    lines: Sequence[str]
    reason: str = ""

    @cached_property
    def words(self) -> frozenset[str]:
        """All identifiers in the text."""
        return frozenset(word for line in self.lines for word in _WORD.findall(line))

    @cached_property
    def squeezed(self) -> tuple[str, list[int]]:
        """The text without white space, and for each line the offset at which it begins there."""
        parts, starts, at = [], [], 0
        for line in self.lines:
            starts.append(at)
            parts.append("".join(line.split()))
            at += len(parts[-1])
        return "".join(parts), starts

    def get_row(self, offset: int) -> int:
        """Return the line at an offset of the text without white space."""
        return bisect_right(self.squeezed[1], offset)

    def find_rows(self, code: str) -> list[int]:
        """List the lines that contain this code, which has no white space."""
        text, starts = self.squeezed
        rows: list[int] = []
        at = text.find(code)
        while at >= 0 and len(rows) < _MAX_ROWS:
            row = bisect_right(starts, at)
            if starts[row - 1] <= at and at + len(code) <= (starts[row] if row < len(starts) else len(text)):
                rows.append(row)
            at = text.find(code, at + 1)
        return list(dict.fromkeys(rows))

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """Definitions in it, from its text as it is now."""
        text = "\n".join(self.lines)
        if not text or len(text) > _MAX_PARSED_CHARS:
            return ()
        graph = chunk_file(self.path, self.language, text).graph
        if graph is None:
            return ()
        return tuple(
            Definition(self.path, _drop_mark(one.symbol), _drop_mark(one.name), one.kind, one.start, one.end)
            for one in graph.defs[1:]
            if one.kind != "section"
        )

    def find_symbol(self, parts: Sequence[str]) -> list[Definition]:
        """List the definitions of a name, or of `Class.member`."""
        own = [part for part in parts if part not in {"self", "this", "cls"}]
        ending = ".".join(own[-2:])
        return [one for one in self.definitions if f".{one.symbol}".endswith(f".{ending}")]

    def find_head(self, one: Definition) -> int:
        """Return the line with the name of a definition, after its comments and decorators."""
        rows = range(one.start, min(one.end, len(self.lines)) + 1)
        return next((row for row in rows if has_word(self.lines[row - 1], one.name)), one.start)

    def list_around(self, first: int, last: int) -> list[Definition]:
        """List the definitions that contain all of these lines, the outermost first."""
        return [one for one in self.definitions if one.start <= first and last <= one.end]


@dataclass
class Sources:
    """The project as a check reads it.

    Args:
        context: the project of the call.
        seconds: time for the whole check.
    """

    context: Context
    seconds: float = _SECONDS
    _files: dict[str, File] = field(default_factory=dict)
    _words: dict[str, bool] = field(default_factory=dict)
    _stale: dict[str, bool] = field(default_factory=dict)
    _chars: int = 0
    _scans: int = 0

    def __post_init__(self) -> None:
        self._deadline = time.monotonic() + self.seconds
        self.root: Path = self.context.root
        self.memory = self.context.project.memory
        self.has_index = self.memory.has_been_indexed()

    def is_late(self) -> bool:
        """Return whether the time is over."""
        check_cancelled()
        return time.monotonic() > self._deadline

    @cached_property
    def paths(self) -> Sequence[str]:
        """The paths of the project's files."""
        if self.has_index:
            return self.memory.list_paths()
        found = (one.path for one in discover_files(self.root) if isinstance(one, SourceFile))
        return sorted(islice(found, _MAX_LISTED))

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        named: dict[str, list[str]] = {}
        for path in self.paths:
            named.setdefault(path.rpartition("/")[2], []).append(path)
        return named

    def find_files(self, written: str) -> tuple[str, ...]:
        """Find the files that a written path may mean: itself, or those whose path ends so.

        Args:
            written: relative to the project, absolute, the end of a path, or with `…` for some of its folders.

        Returns:
            Project-relative paths; a folder ends in `/`; none where the project has no such file.
        """
        plain = written.removeprefix("./").removeprefix(f"{self.root.as_posix()}/")
        if "\u2026" not in plain and "..." not in plain and (direct := self._resolve(plain)):
            return (direct,)
        name = plain.rstrip("/").rpartition("/")[2]
        if not name or plain.startswith(("/", "../", "~")):
            return ()
        before, gap, after = plain.replace("...", "\u2026").rpartition("\u2026")
        ending = f"/{(after if gap else plain).strip('/')}"
        head = before.partition("\u2026")[0].strip("/")
        found = [
            path
            for path in self._by_name.get(name, ())
            if f"/{path}".endswith(ending) and f"/{path}".startswith(f"/{head}")
        ]
        return tuple(found[: MAX_CANDIDATES + 1])

    def _resolve(self, plain: str) -> str:
        try:
            real = resolve_inside(self.root, plain.rstrip("/") or plain)
        except Fault:
            return ""
        shown = real.relative_to(self.root).as_posix()
        return f"{shown}/" if real.is_dir() else shown

    def read(self, path: str) -> File:
        """Read a file of the project; without text for what is left out, too large, or past the limits."""
        if path not in self._files:
            self._files[path] = self._read(path)
        return self._files[path]

    def _read(self, path: str) -> File:
        if len(self._files) >= _MAX_FILES or self._chars > _MAX_READ_CHARS or self.is_late():
            return File(path, "", (), reason="was not read: the answer cites too much")
        try:
            real = resolve_inside(self.root, path)
            status = real.stat()
        except (Fault, OSError):
            return File(path, "", (), reason="cannot be read")
        found = read_source(SourceFile(path, real, status.st_size, status.st_mtime_ns), self.root)
        if not isinstance(found, SourceText):
            return File(path, "", (), reason=found.reason)
        self._chars += len(found.text)
        lines = found.text.replace("\r\n", "\n").split("\n")
        if len(lines) > 1 and not lines[-1]:
            lines.pop()
        return File(path, found.language, lines)

    def find_definitions(self, parts: Sequence[str]) -> list[Definition]:
        """Find the definitions of a name or of `Class.member`, those that a class inherits included.

        A file that was changed since it was indexed is read again, so that the lines are those of today.
        """
        if not self.has_index:
            return [one for file in self._files.values() for one in file.definitions if _is_named(one, parts)]
        found = self.memory.graph.find(".".join(parts)) or self.memory.graph.find(
            ".".join([*parts[:-1], f"#{parts[-1]}"])
        )
        nodes = [node for node in found[:30] if node.symbol and node.kind != "section"]
        unknown = sorted({node.path for node in nodes} - self._stale.keys())
        stale = self.memory.find_stale_paths(unknown, root=self.root) if unknown else ()
        self._stale |= {path: path in stale for path in unknown}
        return [one for node in nodes for one in self._to_definitions(node)]

    def _to_definitions(self, node: Node) -> list[Definition]:
        """Convert a node of the index; of a changed file, find the definition in its text of now."""
        if self._stale[node.path]:
            file = self.read(node.path)
            if file.definitions or not file.lines:
                return [one for one in file.definitions if one.symbol == _drop_mark(node.symbol)]
        symbol, name = _drop_mark(node.symbol), _drop_mark(node.name)
        return [Definition(node.path, symbol, name, node.kind, node.start, node.end)]

    def has_word(self, word: str) -> bool:
        """Return whether a text of the project contains an identifier as a whole word, in this spelling.

        True also where that could not be found out.
        """
        if word not in self._words:
            self._words[word] = self._look_up_word(word)
        return self._words[word]

    def _look_up_word(self, word: str) -> bool:
        if any(word in file.words for file in self._files.values()):
            return True
        if not self.has_index or self.is_late() or self._scans >= _MAX_SCANS:
            return True
        if self.memory.graph.find(word):
            return True
        self._scans += 1
        return any(has_word(chunk.text, word) for chunk in self.memory.find_phrase(word))

    def suggest(self, name: str) -> str:
        """Return a name with a similar spelling, of a definition or in a file that was read."""
        words = {
            word for file in self._files.values() for word in file.words if abs(len(word) - len(name)) <= _MAX_SLIP
        }
        if near := get_close_matches(name, words, n=1, cutoff=_SLIP):
            return near[0]
        if not self.has_index or self.is_late() or self._scans >= _MAX_SCANS:
            return ""
        self._scans += 1
        return next(iter(self.memory.graph.suggest(name)), "")


def _drop_mark(symbol: str) -> str:
    """Return a symbol as most answers write it, without the mark of a private member: `#read`."""
    return symbol.replace("#", "")


def _is_named(one: Definition, parts: Sequence[str]) -> bool:
    return f".{one.symbol}".endswith(f".{'.'.join(parts)}")
