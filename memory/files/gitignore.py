"""Ignore rules as Git reads them, with those of `.auroraignore`, and the wildcards of paths."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from aurora.system.git.repository import find_personal_excludes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from aurora.system.git.repository import Repository

IGNORE_FILES = (".gitignore", ".auroraignore")
"""In rising precedence within one folder."""

_MAX_BYTES, _MAX_LINES, _MAX_PATTERNS = 1 << 20, 10_000, 20_000
"""Bytes and lines of an ignore file, and patterns that apply in one folder.

A larger file is a mistake, or was written to be slow for every file: it is not applied.
"""
SECTION = "[secrets]"
"""First line of the section with files whose secrets are allowed; the rest of the file belongs to it."""
_WILDCARD = re.compile(r"[*?\[\\]")
SLASH = "/"
ANY_CHARACTER = "[^/]"
_NEVER = "(?!)"
_NAME_END = "(?![^/])"
_MAX_CHARACTERS = 4_096
"""Longest path of Linux; a pattern with more characters matches none."""
_CLASSES = {
    "alnum": "A-Za-z0-9",
    "alpha": "A-Za-z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r" \t\n\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
_NEGATIONS = ("!", "^")
_STARS = re.compile(r"\*+")
_SET_ITEM = re.compile(
    r"\[:(?P<class>[^\]]*):\]|(?P<first>\\?[^\\]|\\\\)(?:-(?P<last>\\[\s\S]|[^\]\\]))?",
)
"""Item of a set as git reads it: a class, a range, or one character."""


class _Rule(NamedTuple):
    """Patterns of one ignore file.

    Attributes:
        prefix: path of its folder from the top, "" or with a final slash.
        is_own: they are from `.auroraignore`, whose word also counts for what git tracks.
    """

    prefix: str
    patterns: tuple[IgnorePattern, ...]
    is_own: bool


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """Ignore rules that apply in one folder, in rising precedence."""

    rules: tuple[_Rule, ...] = ()

    def enter_folder(self, prefix: str, folder: Path, names: Iterable[str]) -> IgnoreRules:
        """Return the rules for a subfolder, adding those of its ignore files in `names`."""
        left = _MAX_PATTERNS - sum(len(rule.patterns) for rule in self.rules)
        found = ((_read_patterns(folder / name), name == IGNORE_FILES[-1]) for name in names)
        added = [_Rule(prefix, patterns, is_own) for patterns, is_own in found if 0 < len(patterns) <= left]
        return IgnoreRules((*self.rules, *added)) if added else self

    def enter_repository(self, prefix: str, repository: Repository) -> IgnoreRules:
        """Return the rules for a work tree: those of the person, and those that only this clone has."""
        found = (_read_patterns(path) for path in (find_personal_excludes(), repository.common / "info" / "exclude"))
        added = (_Rule(prefix, patterns, is_own=False) for patterns in found if patterns)
        return IgnoreRules((*self.rules, *added))

    def is_ignored(self, path: str, *, folder: bool) -> bool:
        """Return True when the last matching pattern excludes the path.

        Args:
            path: relative to the top, with forward slashes.
            folder: True for a folder; some patterns match only those.
        """
        return self._find_verdict(self.rules, path, folder=folder) is True

    def find_own_verdict(self, path: str, *, folder: bool) -> bool | None:
        """Return what `.auroraignore` alone says: whether it excludes the path, or None."""
        return self._find_verdict([rule for rule in self.rules if rule.is_own], path, folder=folder)

    @staticmethod
    def _find_verdict(rules: Sequence[_Rule], path: str, *, folder: bool) -> bool | None:
        name = path.rpartition("/")[2]
        for prefix, patterns, _ in reversed(rules):
            inner = path[len(prefix) :]
            for pattern in reversed(patterns):
                if pattern.matches_path(inner, name, folder=folder):
                    return pattern.ignores
        return None


def read_parent_rules(root: Path, repository: Repository | None) -> tuple[IgnoreRules, str]:
    """Read the rules of the folders above, and the project's prefix in its repository.

    The ignore files of parent folders in the same repository also apply to a project.
    """
    if repository is None:
        return IgnoreRules(), ""
    ignores = IgnoreRules().enter_repository("", repository)
    prefix, folder = "", repository.top
    for part in root.relative_to(repository.top).parts:
        ignores = ignores.enter_folder(prefix, folder, IGNORE_FILES)
        prefix, folder = f"{prefix}{part}/", folder / part
        if ignores.is_ignored(prefix.rstrip("/"), folder=True):
            return IgnoreRules(), prefix  # a folder named explicitly is wanted even if the repository ignores it
    return ignores, prefix


def _read_patterns(path: Path) -> tuple[IgnorePattern, ...]:
    """Read the patterns of an ignore file; skip lines that Git would not accept."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _MAX_BYTES:
            return ()  # Git does not follow a linked .gitignore either
        # A name need not be UTF-8; its bytes are decoded like those of the paths that it is compared with.
        text = path.read_bytes().decode("utf-8", "surrogateescape").removeprefix("\ufeff")
        if path.name == IGNORE_FILES[-1]:
            # The lines below [secrets] allow secrets in files; as ignore rules they would exclude these files.
            text = f"\n{text}".replace("\r\n", "\n").partition(f"\n{SECTION}\n")[0]
    except OSError:
        return ()
    if text.count("\n") > _MAX_LINES:
        return ()
    patterns = (parse_ignore_pattern(line.removesuffix("\r")) for line in text.split("\n"))
    return tuple(pattern for pattern in patterns if pattern is not None)


@dataclass(frozen=True, slots=True)
class IgnorePattern:
    """Pattern from one line of an ignore file.

    Attributes:
        literal: the path or name that it matches, when it has no wildcard.
        regex: matches such a path or name; None for a literal one.
        names_only: it has no slash: it matches a name in any folder.
        ignores: False when the line begins with `!`.
        folders_only: the line ended with a slash.
    """

    literal: str
    regex: re.Pattern[str] | None
    names_only: bool
    ignores: bool
    folders_only: bool

    def matches_path(self, path: str, name: str, *, folder: bool) -> bool:
        """Return True when the pattern matches this exact path.

        A match of a parent folder does not count: whether to enter that was decided before.

        Args:
            path: relative to the folder of the ignore file, without a slash at its end.
            name: the last part of it.
            folder: True for a folder.
        """
        if self.folders_only and not folder:
            return False
        tested = name if self.names_only else path
        return tested == self.literal if self.regex is None else self.regex.fullmatch(tested) is not None

    def covers_file(self, path: str) -> bool:
        """Return True when the pattern matches a file, or a folder around it."""
        at = path.find("/")
        start = 0
        while at >= 0:
            if self.matches_path(path[:at], path[start:at], folder=True):
                return True
            start = at + 1
            at = path.find("/", start)
        return self.matches_path(path, path[start:], folder=False)


def parse_ignore_pattern(line: str) -> IgnorePattern | None:
    """Parse one line of an ignore file; None for a comment, and for a line that matches nothing."""
    # Git reads the line as a C string, which ends here.
    text = _trim_spaces(line.partition("\0")[0])
    if text.startswith("#"):
        return None
    ignores = not text.startswith("!")
    body = text if ignores else text[1:]
    folders_only = body.endswith("/")
    body = body.removesuffix("/")
    names_only = "/" not in body
    body = body.removeprefix("/")
    if not body:
        return None
    if _WILDCARD.search(body) is None:
        return IgnorePattern(body, None, names_only, ignores, folders_only)
    tokens = parse_ignored(body)
    if tokens is None:
        return None
    return IgnorePattern("", re.compile(build_path_expression(tokens)), names_only, ignores, folders_only)


def _trim_spaces(line: str) -> str:
    """Trim the spaces at the end, but not one after a backslash."""
    end = len(line.rstrip(" "))
    escapes = end - len(line[:end].rstrip("\\"))
    return line[: end + (escapes % 2 and end < len(line))]


class Wildcard(Enum):
    """Wildcards, and the expression for the folders that each may skip."""

    PART = ""
    """`*`: any part of a name."""
    PATH = "(?:[^/]*/)*?"
    """`**`: any part of a path; it may begin and end inside a name."""
    FOLDERS = "(?:[^/]+/)*?"
    """`**/`: whole folders, or none; it begins at the start of a name."""


class Brackets(NamedTuple):
    """Set in brackets, which in a name that no `**` touches may also be meant literally: `[slug]`.

    Attributes:
        one_of: expression for one character.
        literal: expression for the brackets themselves.
    """

    one_of: str
    literal: str


Token = Wildcard | Brackets | str
"""Element of a path with wildcards: a wildcard, a slash, or the expression for one other character."""
_SKIPPING = (Wildcard.PATH, Wildcard.FOLDERS)


def parse_ignored(text: str) -> list[Token] | None:
    """Parse a path of an ignore file, without outer slashes; None when Git matches nothing with it."""
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        if text[at] == "[":
            found = _translate_set(text, at)
            if found is None:
                return None
            tokens.append(found[0])
            at = found[1]
        elif text[at] == "\\":
            if at + 1 == len(text):
                return None
            tokens.append(_escape(text[at + 1]))
            at += 2
        else:
            token, at = _parse_plain(text, at, is_free=False)
            tokens.append(token)
    return tokens


def parse_glob(text: str) -> list[Token]:
    """Parse a glob of a caller: `**` may also begin or end inside a name, and what is no set is literal."""
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        found = _translate_set(text, at) if text[at] == "[" else None
        # `app/[slug]/page.tsx` is a name that frameworks use, so brackets may also be meant as they stand.
        if found is not None and SLASH not in text[at : found[1]]:
            tokens.append(Brackets(found[0], re.escape(text[at : found[1]])))
            at = found[1]
        elif text[at] == "\\" and at + 1 < len(text):
            tokens.append(_escape(text[at + 1]))
            at += 2
        else:
            token, at = _parse_plain(text, at, is_free=True)
            tokens.append(token)
    return tokens


def _parse_plain(text: str, at: int, *, is_free: bool) -> tuple[Token, int]:
    """Parse stars, a question mark or another character; return the token and the offset after it."""
    stars = _STARS.match(text, at)
    if stars is None:
        return ANY_CHARACTER if text[at] == "?" else _escape(text[at]), at + 1
    end = stars.end()
    begins_name = at == 0 or text[at - 1] == SLASH
    if end - at == 1:
        return Wildcard.PART, end
    if begins_name and text[end : end + 1] == SLASH:
        return Wildcard.FOLDERS, end + 1
    is_whole = begins_name and text[end : end + 2] in {"", "\\/"}
    return Wildcard.PATH if is_free or is_whole else Wildcard.PART, end


def _escape(character: str) -> str:
    return SLASH if character == SLASH else re.escape(character)


# A translation to `.*` backtracks: `*a*a*a*b` against a long name takes exponential time, and a clone brings the
# patterns. So each part between stars is an atomic group that matches as early as it can, which is enough here.
def build_path_expression(tokens: Sequence[Token]) -> str:
    """Build the regular expression for a path.

    Its time is at most the length of the path times that of the pattern.
    """
    if sum(not isinstance(token, Wildcard) for token in tokens) > _MAX_CHARACTERS:
        return _NEVER
    tokens = _join_folders(tokens)
    starts = [at for at, token in enumerate(tokens) if token in _SKIPPING]
    return "".join(_build_section(tokens, *ends) for ends in zip([-1, *starts], [*starts, len(tokens)], strict=True))


def _join_folders(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with one `**/` in place of several in a row."""
    previous: list[Token | None] = [None, *tokens]
    return [
        token
        for token, last in zip(tokens, previous, strict=False)
        if token is not Wildcard.FOLDERS or last is not token
    ]


def _build_section(tokens: Sequence[Token], start: int, end: int) -> str:
    """Build the expression for a skipping wildcard, or the start, and for the names up to the next one."""
    before = tokens[start] if start >= 0 else None
    after = tokens[end] if end < len(tokens) else None
    names = _split_names(tokens[start + 1 : end], inside=before is Wildcard.PATH)
    expression = before.value if isinstance(before, Wildcard) else ""
    expression += "".join(_build_name(name) + SLASH for name in names[:-1])
    expression += _build_open_name(names[-1]) if after is Wildcard.PATH else _build_name(names[-1])
    return f"(?>{expression})" if after is not None and expression else expression


def _split_names(tokens: Sequence[Token], *, inside: bool) -> list[list[Token]]:
    """Split at slashes; a first name that begins inside a name begins with a star."""
    names: list[list[Token]] = [[Wildcard.PART] if inside else []]
    for token in tokens:
        if token == SLASH:
            names.append([])
        else:
            names[-1].append(token)
    return names


def _build_name(name: Sequence[Token]) -> str:
    """Build the expression for a name up to its end; an empty one is a place between slashes."""
    if not name:
        return ""
    if not any(isinstance(token, Brackets) for token in name):
        return _build_closed_name(_split_pieces(name))
    return f"(?>{'|'.join(_build_closed_name(_split_pieces(name, literal=literal)) for literal in (False, True))})"


def _build_closed_name(pieces: Sequence[str]) -> str:
    first, *others = pieces
    if not others:
        return first + _NAME_END
    return f"{first}{_build_earliest(others[:-1])}{ANY_CHARACTER}*{others[-1]}{_NAME_END}"


def _build_open_name(name: Sequence[Token]) -> str:
    """Build the expression for the start of a name, which ends as early as it can."""
    first, *others = _split_pieces(name)
    return first + _build_earliest(others)


def _build_earliest(pieces: Sequence[str]) -> str:
    return "".join(f"(?>{ANY_CHARACTER}*?{piece})" for piece in pieces if piece)


def _split_pieces(name: Sequence[Token], *, literal: bool = False) -> list[str]:
    """Split a name at its stars; each piece matches a fixed number of characters."""
    pieces = [""]
    for token in name:
        if isinstance(token, Wildcard):
            pieces.append("")
        elif isinstance(token, Brackets):
            pieces[-1] += token.literal if literal else token.one_of
        else:
            pieces[-1] += token
    return pieces


def _translate_set(text: str, at: int) -> tuple[str, int] | None:
    """Translate the set in brackets at an offset as git reads it.

    Returns:
        The expression for one character that is no slash, and the offset after the set; None if git accepts no set
        there.
    """
    start = at + 1 + text.startswith(_NEGATIONS, at + 1)
    here, items = start, list[str]()
    while here == start or text[here : here + 1] != "]":
        item = _SET_ITEM.match(text, here)
        if item is None or (item["class"] is not None and item["class"] not in _CLASSES):
            return None
        items.append(_CLASSES[item["class"]] if item["class"] is not None else _translate_range(item))
        here = item.end()
    inner = "".join(items)
    if start > at + 1:
        return f"[^/{inner}]", here + 1
    return f"(?!/)[{inner}]", here + 1


def _translate_range(item: re.Match[str]) -> str:
    """Translate one character or a range; of one in the wrong order git matches the first character."""
    first, last = item["first"][-1], (item["last"] or "")[-1:]
    return f"{re.escape(first)}-{re.escape(last)}" if first <= last else re.escape(first)
