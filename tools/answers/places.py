"""Check of places: each path and line exists, and the name beside it is there."""

from __future__ import annotations

import re
from difflib import SequenceMatcher, get_close_matches
from itertools import product
from typing import TYPE_CHECKING

from .findings import Cited, say_lines, say_place
from .sources import MAX_CANDIDATES, has_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .claims import Citation, Name, Sentence
    from .findings import Check
    from .sources import Definition, File

Resolved = tuple["Citation", list["File"]]
"""A citation with the files that it may mean, the likeliest first."""

IS_DISTINCTIVE = re.compile(r"[a-z\d][A-Z]|[A-Z]{2}[a-z]|[A-Za-z]_[A-Za-z]")
"""A name of several words is a name of code; a single word may be any word of the language."""
_HAS_ENDING = re.compile(r"\.[A-Za-z]\w{0,8}$")
_ELSEWHERE = re.compile(
    r"(?:^|/)(?:node_modules|site-packages|dist-packages|vendor)/|^[\w-]+\.(?:com|org|io|dev|net)/|[*<>{}$]"
)
"""Paths of dependencies, addresses, and patterns."""
_MAX_NAMES = 20_000


def resolve_places(check: Check, sentence: Sentence) -> list[Resolved]:
    """Resolve the places of a sentence; report those that do not exist."""
    resolved = [(citation, _resolve_place(check, sentence, citation)) for citation in sentence.citations]
    return [(citation, files) for citation, files in resolved if files]


def _resolve_place(check: Check, sentence: Sentence, citation: Citation) -> list[File]:
    """Return the files that a citation may mean and that have its lines."""
    paths = check.files.setdefault(citation.path, check.sources.find_files(citation.path))
    if not paths:
        _report_missing(check, sentence, citation)
        return []
    if len(paths) > 1 and (before := check.full.get(citation.path.rpartition("/")[2])) in paths:
        paths = (before, *(path for path in paths if path != before))  # the one that was named in full before
    if paths[0].endswith("/") or len(paths) > MAX_CANDIDATES:
        return []
    files = [check.sources.read(path) for path in paths]
    readable = [file for file in files if not file.reason]
    if not citation.first:
        return readable
    fitting = [file for file in readable if citation.first <= citation.last <= len(file.lines)]
    if not fitting and readable and len(readable) == len(files):
        _report_lines(check, sentence, citation, readable[0])
    return fitting


def _report_missing(check: Check, sentence: Sentence, citation: Citation) -> None:
    path = citation.path
    if not citation.is_own:
        return  # the sentence before has it
    if path.startswith(("/", "~", "../")):
        if citation.first:
            check.doubt(sentence.line, "path", path, f"{path} is outside the project and was not checked")
        return
    if "/" in path:
        folder = path.partition("/")[0]
        is_claimed = bool(citation.first or (_HAS_ENDING.search(path) and check.sources.find_files(folder)))
    else:
        is_claimed = bool(citation.first) and not sentence.is_foreign
    is_new = not citation.first and (sentence.is_proposal or sentence.denies(citation.start, citation.end))
    if not is_claimed or is_new or _ELSEWHERE.search(path):
        return
    near = _suggest_path(check.sources.paths, path)
    advice = f"; did you mean {near}?" if near else ": name a file of the project, or say that it is new"
    check.report(sentence.line, "path", say_place(citation), f"there is no {path} in the project{advice}")


def _suggest_path(paths: Sequence[str], path: str) -> str:
    name = path.rstrip("/").rpartition("/")[2]
    same = [one for one in paths if one.rpartition("/")[2] == name]
    if not same:
        names = {one.rpartition("/")[2]: one for one in paths[:_MAX_NAMES]}
        same = [names[near] for near in get_close_matches(name, names, n=1, cutoff=0.8)]
    return max(same, key=lambda one: SequenceMatcher(None, one, path).ratio(), default="")


def _report_lines(check: Check, sentence: Sentence, citation: Citation, file: File) -> None:
    said = say_place(citation)
    if citation.last < citation.first:
        check.report(sentence.line, "lines", said, f"{said} is no range: the first line is after the last")
        return
    definitions = (one for name in sentence.names for one in file.find_symbol(name.parts))
    right = next(definitions, None)
    advice = f"; `{right.symbol}` is at {right.place}" if right else ": correct the lines"
    check.report(sentence.line, "lines", said, f"{file.path} has {len(file.lines)} lines{advice}")


def record_place(check: Check, sentence: Sentence, citation: Citation, file: File) -> None:
    """Record a place that exists, with the definition around it or the first one in it."""
    check.counts["places"] += 1
    around = file.list_around(citation.first, citation.last) if citation.first else []
    inside = [one for one in file.definitions if citation.first <= one.start and one.end <= citation.last]
    definition = around[-1] if around else next(iter(inside), None)
    check.cited.append(Cited(citation, sentence, file, definition))
    if "/" in citation.path:
        check.full.setdefault(file.path.rpartition("/")[2], file.path)


_MARK = r"[`*_\s()\[\]|:,]|\u2014|\u2013|-{1,2}|\u2192|=>"
_TO_PLACE = re.compile(
    rf"""(?:{_MARK}|\b(?:at|in|is|on|from|of|see|the|its|are|method|function|class|helper|constant|defined|declared|definition
    |implemented|implementation|lives|located|found|begins|starts|sits|which|that|also|here)\b)*""",
    re.VERBOSE,
)
"""What may stand between a name and the place that it is said to be at."""
_TO_NAME = re.compile(
    rf"""(?:{_MARK}|\b(?:in|is|the|method|function|class|helper|constant|defines|declares|implements|has|contains|inside
    |within|def)\b)*""",
    re.VERBOSE,
)
"""What may stand between a place and the name that it is said to have."""
_BEGINS = re.compile(rf"(?:{_MARK}|\b(?:in|at|see|from)\b)*", re.IGNORECASE)
"""What a sentence may begin with before its place: "In app.py lines 3-9, `run` …"."""
_JOINT = re.compile(r"[`*_()]*\s*(?:/|,|&|\band\b|\bor\b)\s*[`*_(]*")
_SAYS_DEFINED = re.compile(r"\b(?:defined|declared|definition|begins|starts|def)\b")
_CREATES = re.compile(
    r"\b(?:add|adding|insert\w*|introduc\w+|creat\w+|mov(?:e|ing)|put|extract|new|replac(?:e|ing)|renam(?:e|ing)|should|would"
    r"|could|instead)\b[^.;`]{0,40}`?$",
    re.IGNORECASE,
)
"""Words before a name or code that is to be at a place."""
_MAX_GAP_CHARS = 60
_MAX_SHIFT = 40
"""Lines by which a whole range may be shifted to count as a slip."""
_MAX_APART = 4
"""Lines between a cited one and the name beside it: the line of a fault is often next to the one with the name."""
_SOME_LINES = 3
"""Least difference of the lines of a range that is compared as a whole."""


def is_beside(text: str, first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Return whether only words of place stand between two spans of a sentence, of which one is a place."""
    start, end = min(first[1], second[1]), max(first[0], second[0])
    gap = text[start:end]
    return len(gap) <= _MAX_GAP_CHARS and bool(_TO_PLACE.fullmatch(gap) or _TO_NAME.fullmatch(gap))


def says_new(text: str) -> bool:
    """Return whether a text ends by saying that what follows is to be made."""
    return _CREATES.search(text) is not None


def check_beside(check: Check, sentence: Sentence, places: Sequence[Resolved]) -> tuple[set[Name], set[Name]]:
    """Check the names beside the places of a sentence; return them, and those that were found or reported."""
    beside: set[Name] = set()
    settled: set[Name] = set()
    groups: dict[int, list[Resolved]] = {}
    for citation, files in places:
        if citation.first:
            groups.setdefault(citation.start, []).append((citation, files))
    for group in groups.values():
        names, gap = _find_beside(sentence, group[0][0])
        if names:
            beside.add(names[0])
            check.compared.update(id(citation) for citation, _ in group)
            if _check_group(check, sentence, group, names, gap):
                settled.add(names[0])
    return beside, settled


def _find_beside(sentence: Sentence, citation: Citation) -> tuple[list[Name], str]:
    """Find the names of which a place is said to be of one, and the words between the first and the place."""
    text = sentence.flat
    before = [name for name in sentence.names if name.end <= citation.start]
    if before and len(gap := text[before[-1].end : citation.start]) <= _MAX_GAP_CHARS and _TO_PLACE.fullmatch(gap):
        return [before[-1]], gap
    after = [name for name in sentence.names if name.start >= citation.end]
    if after and (after[0].is_marked or len(after[0].parts) > 1):
        gap = text[citation.end : after[0].start]
        is_list = "," in gap and not _BEGINS.fullmatch(text[: citation.start])  # "`a` app.py:1, `b` app.py:9"
        if len(gap) <= _MAX_GAP_CHARS and not is_list and _TO_NAME.fullmatch(gap):
            return _take_joined(text, after), gap
    return [], ""


def _take_joined(text: str, names: list[Name]) -> list[Name]:
    """Take the names that are joined with the first one: `send` / `flush`."""
    joined = names[:1]
    for name in names[1:]:
        if not _JOINT.fullmatch(text[joined[-1].end : name.start]):
            break
        joined.append(name)
    return joined


def _check_group(check: Check, sentence: Sentence, group: Sequence[Resolved], names: Sequence[Name], gap: str) -> bool:
    """Check the names beside a place with its ranges of lines; return whether one settles it."""
    for name, (citation, files) in product(names, group):
        for file in files:
            if _supports(file, citation, name):
                files.insert(0, files.pop(files.index(file)))
                _check_extent(check, sentence, citation, file, name, is_definition=bool(_SAYS_DEFINED.search(gap)))
                return True
    name, (citation, files) = names[0], group[0]
    stems = {part for file in files for part in re.split(r"[/.]", file.path)}
    if says_new(sentence.flat[: name.start]) or name.last in stems:
        return False
    if message := _describe_right_place(check, sentence, citation, files, name):
        check.report(sentence.line, "lines", f"`{name.text}` at {say_place(citation)}", message)
    return bool(message)


def _describe_right_place(
    check: Check, sentence: Sentence, citation: Citation, files: Sequence[File], name: Name
) -> str:
    """Say where a name is that is not at the cited lines; empty where nothing tells."""
    here = [one for file in files for one in file.find_symbol(name.parts)]
    if here:
        right = min(here, key=lambda one: abs(one.start - citation.first))
        return f"`{name.text}` is at {right.place}, not {say_lines(citation)}"
    file = files[0]
    rows = [row for row, line in enumerate(file.lines, 1) if has_word(line, name.last)]
    if rows:
        row = min(rows, key=lambda one: abs(one - citation.first))
        is_near = abs(row - citation.first) <= _MAX_APART and _is_same_place(file, row, citation)
        said = f"`{name.text}` is not in {file.path}:{say_lines(citation)}; the nearest line with it is {row}"
        return "" if is_near else said
    others = check.sources.find_definitions(name.parts)
    if others:
        return f"`{name.text}` is not in {file.path}; it is at {others[0].place}"
    if IS_DISTINCTIVE.search(name.last) and not sentence.is_foreign and check.sources.has_word(name.last):
        return f"`{name.text}` is nowhere in {file.path}: correct the path or the name"
    return ""


def _is_same_place(file: File, row: int, citation: Citation) -> bool:
    """Return whether a line is in the innermost definition around the cited ones, or all in none."""
    around = file.list_around(citation.first, citation.last)
    return file.list_around(row, row)[-1:] == around[-1:]


def _supports(file: File, citation: Citation, name: Name) -> bool:
    """Return whether lines contain a name, or lie in the definition of that name."""
    if any(has_word(line, name.last) for line in file.lines[citation.first - 1 : citation.last]):
        return True
    first, last = _trim(file, citation)
    wanted = {name.last, *name.parts[:1]} if name.last in {"constructor", "__init__", "new"} else {name.last}
    return any(one.name in wanted for one in file.list_around(first, last))


def _trim(file: File, citation: Citation) -> tuple[int, int]:
    """Leave out blank lines at both ends of a range."""
    first, last = citation.first, citation.last
    while last > first and not file.lines[last - 1].strip():
        last -= 1
    while first < last and not file.lines[first - 1].strip():
        first += 1
    return first, last


def _check_extent(  # noqa: PLR0913 - one claim with all its parts
    check: Check, sentence: Sentence, citation: Citation, file: File, name: Name, *, is_definition: bool
) -> None:
    """Check lines that touch the named definition: its beginning, and no whole range shifted."""
    first, last = citation.first, citation.last
    same = [one for one in file.find_symbol(name.parts) if one.start <= last and first <= one.end]
    if not same:
        return
    one = min(same, key=lambda each: each.end - each.start)
    head = file.find_head(one)
    said = f"`{name.text}` at {say_place(citation)}"
    if first == last:
        if is_definition and not one.start <= first <= head and one.end > one.start:
            check.report(sentence.line, "lines", said, f"`{name.text}` begins at line {head}, not {first}")
        return
    is_shifted = (
        last - first in {one.end - one.start, one.end - head}
        and first not in {one.start, head}
        and last - first >= _SOME_LINES
        and abs(first - head) <= _MAX_SHIFT
    )
    if is_shifted or _crosses(sentence, file, one, citation):
        right = f"{file.path}:{head}-{one.end}"
        check.report(sentence.line, "lines", said, f"`{name.text}` is at {right}, not {say_lines(citation)}")


def _crosses(sentence: Sentence, file: File, one: Definition, citation: Citation) -> bool:
    """Return whether lines begin or end inside another function that the sentence does not name."""
    first, last = _trim(file, citation)
    if (first <= file.find_head(one) and one.end <= last) or (one.start <= first and last <= one.end):
        return False
    named = {name.last for name in sentence.names}
    outside = [row for row in (first, last) if not one.start <= row <= one.end]
    return any(
        other.start <= row <= other.end
        for other in file.definitions
        if other.kind in {"function", "method"} and other.name not in named
        if not other.contains(one) and not one.contains(other)
        for row in outside
    )
