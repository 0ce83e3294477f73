"""Check of quotations: code between backticks or in a block is in the file that it is said to be from."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from .findings import say_lines, say_place
from .places import is_beside, says_new
from .sources import MAX_CANDIDATES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .claims import Block, Citation, Quote, Sentence
    from .findings import Check
    from .places import Resolved
    from .sources import File

_MIN_CHARS = 6
"""Characters of a quote without white space: a shorter one is in many places."""
_MIN_COMPARED = 10
_MAX_DISTANCE = 5
"""Lines from a place at which a quote of the same sentence may be, if it is not said to be there."""
_GOES_ON = 4
"""Lines below the cited ones to which a quoted statement may go on."""


def check_quote(check: Check, sentence: Sentence, quote: Quote, places: Sequence[Resolved]) -> None:
    """Check that quoted code is in a file that the sentence cites, and at the cited lines."""
    pieces = split_elisions(quote.text)
    if not places or max(map(len, pieces), default=0) < _MIN_CHARS:
        return
    check.counts["quotes"] += 1
    citation, files = _find_nearest(quote, places)
    if _is_there(pieces, (citation, files)):
        return
    is_said = is_beside(sentence.flat, (quote.start, quote.end), (citation.start, citation.end))
    if not is_said and any(_is_there(pieces, place) for place in places):
        return
    row, file = _find_in_files(pieces, files)
    if row:
        is_far = len({one.start for one, _ in places}) == 1 and _is_far(file, citation, row)
        if citation.first and (is_said or (is_far and not says_new(sentence.flat[: quote.start]))):
            message = f"`{quote.text[:80]}` is at {file.path}:{row}, not {say_lines(citation)}"
            check.report(sentence.line, "lines", f"`{quote.text}` at {say_place(citation)}", message)
    elif not sentence.is_proposal and not sentence.denies(quote.start, quote.end):
        if is_said and (other := _find_elsewhere(check, quote.text)):
            message = f"`{quote.text[:80]}` is not in {file.path}; it is at {other}"
            check.report(sentence.line, "path", f"`{quote.text}` at {say_place(citation)}", message)
        else:
            _report_changed(check, sentence.line, quote.text, file, citation)


def _is_far(file: File, citation: Citation, row: int) -> bool:
    """Return whether a line is far from cited ones, and not in the function around them."""
    around = file.list_around(citation.first, citation.last)[-1:]
    is_near = min(abs(row - citation.first), abs(row - citation.last)) <= _MAX_DISTANCE
    return not is_near and not any(one.start <= row <= one.end for one in around)


def _find_in_files(pieces: Sequence[str], files: Sequence[File]) -> tuple[int, File]:
    """Find the pieces in one of the files; line 0 of the first one for none."""
    found = ((_find_pieces(file, pieces), file) for file in files)
    return next((one for one in found if one[0]), (0, files[0]))


def _find_elsewhere(check: Check, text: str) -> str:
    """Find a quote in another file of the project; empty for none, and for one without an index."""
    if not check.sources.has_index or check.sources.is_late():
        return ""
    chunk = next(iter(check.sources.memory.find_phrase(text, 1)), None)
    return (
        ""
        if chunk is None
        else f"{chunk.path}:{chunk.start_line + chunk.text[: chunk.text.index(text)].count(chr(10))}"
    )


def _is_there(pieces: Sequence[str], place: Resolved) -> bool:
    """Return whether a file has the pieces; they begin at the cited lines, where some are cited."""
    citation, files = place
    for file in files:
        if not citation.first:
            row = _find_pieces(file, pieces)
        else:
            row = _find_pieces(file, pieces, citation.first, min(citation.last + _GOES_ON, len(file.lines)))
        if row and (not citation.first or row <= citation.last):
            return True
    return False


def _find_nearest(quote: Quote, places: Sequence[Resolved]) -> Resolved:
    return min(places, key=lambda pair: min(abs(pair[0].start - quote.end), abs(quote.start - pair[0].end)))


def _report_changed(check: Check, line: int, text: str, file: File, citation: Citation) -> None:
    """Report a quote that differs a little from a line of the file; no other one."""
    if near := _find_similar(file, text, citation):
        row, real = near
        if _is_shortened(text, " ".join(file.lines[row - 1 : row + _GOES_ON])):
            return
        check.report(line, "quote", f"`{text}`", f"{file.path}:{row} has other code: quote it as it is", real)


_OPERATORS = frozenset("<>=!&|+-*/%^~") | {"not", "and", "or", "is", "in"}


def _is_shortened(text: str, real: str) -> bool:
    """Return whether a quote only leaves something out, as some arguments, but no operator."""
    rest = iter(_TOKEN.findall(real))
    for wanted in _TOKEN.findall(text):
        for token in rest:
            if token == wanted:
                break
            if token in _OPERATORS:
                return False
        else:
            return False
    return True


_ELISION = re.compile(r"\s*(?:\.{3}(?![\w$\[{(])|\u2026)\s*")
"""What stands for code that is left out; three dots before a name spread it."""


def split_elisions(text: str) -> list[str]:
    """Return the pieces of a quote between its elisions, without white space."""
    pieces = ("".join(piece.split()) for piece in _ELISION.split(text))
    return [piece for piece in pieces if piece]


def _find_pieces(file: File, pieces: Sequence[str], first: int = 1, last: int = 0) -> int:
    """Return the line at which the pieces begin to follow each other, within these lines; 0 for none."""
    text, starts = file.squeezed
    at = starts[first - 1]
    end = starts[last] if 0 < last < len(starts) else len(text)
    begin = -1
    for piece in pieces:
        at = text.find(piece, at, end)
        if at < 0:
            return 0
        begin = at if begin < 0 else begin
        at += len(piece)
    return file.get_row(begin)


_LEAST_SIMILAR = 0.8
"""Similarity of characters, or of words and signs, from which a quote is a changed line and no other code."""
_MAX_COMPARED = 4_000
_TOKEN = re.compile(r"\w+|[^\w\s]")


def _find_similar(file: File, text: str, citation: Citation) -> tuple[int, str] | None:
    """Find the line from which a quote differs by a little, those at the cited lines first."""
    wanted = "".join(text.split())
    if len(wanted) < _MIN_COMPARED or _ELISION.search(text):
        return None
    tokens = _TOKEN.findall(text)
    near = range(max(1, citation.first - 3), min(len(file.lines), citation.last + 3) + 1) if citation.first else ()
    by_chars = SequenceMatcher(None, b=wanted, autojunk=False)
    by_tokens = SequenceMatcher(None, b=tokens, autojunk=False)
    best, found = _LEAST_SIMILAR, 0
    for row in (*near, *range(1, min(len(file.lines), _MAX_COMPARED) + 1)):
        part = _cut_near("".join(file.lines[row - 1].split()), wanted)
        for matcher, value in ((by_chars, part), (by_tokens, _TOKEN.findall(file.lines[row - 1]))):
            matcher.set_seq1(value)
            if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and (ratio := matcher.ratio()) > best:
                best, found = ratio, row
    return (found, file.lines[found - 1].strip()) if found else None


def _cut_near(line: str, wanted: str) -> str:
    """Cut the part of a line that may be a quote: from where its first letters are."""
    if len(line) < 1.3 * len(wanted):
        return line
    at = max(0, line.find(wanted[:4]))
    return line[at : at + len(wanted) + 4]


def check_block(check: Check, block: Block) -> None:
    """Check the lines of a fenced block that is said to be from a file."""
    citation, lines = block.citation, list(_select_quoted(block))
    file = _choose_file(check, citation, lines) if citation is not None and lines else None
    if citation is None or file is None or _is_own(block, file, lines):
        return
    check.counts["quotes"] += 1
    rows = _align_lines(file, lines, citation)
    for place, ((number, text, said), row) in enumerate(zip(lines, rows, strict=True)):
        if said and row and row != said:
            check.report(number, "lines", f"{said}: {text.strip()}", f"this line is {file.path}:{row}, not {said}")
        elif not row:
            _report_line(check, (number, text.strip()), file, citation, rows[max(0, place - 1) : place + 2])
    known = [row for row in rows if row]
    is_plain = not any(said for _, _, said in lines)
    if citation.first and known and is_plain and not _is_within(citation, known):
        message = f"this code is at {file.path}:{known[0]}-{known[-1]}, not {say_lines(citation)}"
        check.report(block.line, "lines", f"code of {say_place(citation)}", message)


def _is_own(block: Block, file: File, lines: Sequence[tuple[int, str, int]]) -> bool:
    """Return whether a block is the answer's own code, or only the gist of the file."""
    found = [bool(find_line(file, text)) for _, text, _ in lines]
    if block.citation is not None and block.citation.first and not block.is_proposal and len(lines) <= _FEW_LINES:
        pairs = zip(lines, found, strict=True)
        found = [known or _find_similar(file, text, block.citation) is not None for (_, text, _), known in pairs]
    count = sum(found)
    return 2 * count < len(lines) or (block.is_proposal and block.language != "diff" and count < len(lines))


def _choose_file(check: Check, citation: Citation, lines: Sequence[tuple[int, str, int]]) -> File | None:
    """Choose the file that has most of the quoted lines; None where the path is none, or means many."""
    paths = check.sources.find_files(citation.path)
    if not paths or paths[0].endswith("/") or len(paths) > MAX_CANDIDATES:
        return None
    files = [file for file in map(check.sources.read, paths) if not file.reason]
    return max(files, key=lambda file: sum(bool(find_line(file, text)) for _, text, _ in lines), default=None)


def _align_lines(file: File, lines: Sequence[tuple[int, str, int]], citation: Citation) -> list[int]:
    """Find the line of the file for each quoted line, near the one before; 0 for none."""
    rows: list[int] = []
    for _, text, said in lines:
        near = said or (rows[-1] + 1 if rows and rows[-1] else citation.first)
        rows.append(find_line(file, text, near=near))
    return rows


def _report_line(check: Check, line: tuple[int, str], file: File, citation: Citation, around: Sequence[int]) -> None:
    """Report a missing quoted line, if it stands in the place of one line or resembles one."""
    number, text = line
    before, after = around[0], around[-1]
    if before and after == before + 2:
        message = f"{file.path}:{before + 1} has other code: quote it as it is"
        check.report(number, "quote", f"`{text}`", message, file.lines[before].strip())
    else:
        _report_changed(check, number, text, file, citation)


def _is_within(citation: Citation, rows: Sequence[int]) -> bool:
    """Return whether quoted lines are the cited ones; one cited line stands for its block."""
    if citation.first == citation.last:
        return rows[0] <= citation.first <= rows[-1]
    inside = sum(citation.first <= row <= citation.last for row in rows)
    is_closed = len(rows) > _GOES_ON and inside == len(rows) - 1 and citation.first <= rows[0]  # by a brace alone
    return inside == len(rows) or is_closed


_NUMBERED = re.compile(r"^\s*(\d{1,6})(?:\s*[|:\u2502\t]\s?|\s{2,})(.*)$")
_REMARK = re.compile(r"\s+(?:#|//|--|<-|\u2190).*$")
_ONLY_ELISION = re.compile(r"^\s*(?:#|//|--|/\*)?\s*(?:\.{3}|\u2026).*$")
_FEW_LINES = 6
"""Lines of a block that may all differ a little from the file; a longer one has some that do not."""
_MAX_BLOCK_LINES = 400
_MAX_LINE_CHARS = 1_000


def _select_quoted(block: Block) -> Iterator[tuple[int, str, int]]:
    """Yield the lines of a block that claim to be in the file: line here, text, number or 0."""
    is_numbered = all(_NUMBERED.match(line) or _ONLY_ELISION.match(line) for line in block.lines if line.strip())
    for number, line in enumerate(block.lines[:_MAX_BLOCK_LINES], block.line):
        text, row = line[:_MAX_LINE_CHARS], 0
        if block.language == "diff":
            if text.startswith(("+", "@@", "---", "diff ", "index ", "\\")):
                continue
            text = text[1:]
        if is_numbered and (found := _NUMBERED.match(text)):
            row, text = int(found[1]), found[2]
        if text.strip() and not _ONLY_ELISION.match(text):
            yield number, text, row


def find_line(file: File, text: str, near: int = 0) -> int:
    """Find the line with this text nearest to `near`, a remark at its end aside; 0 for none."""
    for variant in dict.fromkeys((text, _REMARK.sub("", text))):
        pieces = split_elisions(variant)
        if len(pieces) == 1:
            rows = file.find_rows(pieces[0])
            if rows:
                return min(rows, key=lambda row: abs(row - near)) if near else rows[0]
        elif pieces and (row := _find_pieces(file, pieces)):
            return row
    return 0
