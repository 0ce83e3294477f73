"""Pages that answer questions about the project itself: what it is, how to install it, what changed.

Such questions share no word with their answer: "what is this?" is answered by the beginning of the README. So the form
of the question tells the page, and the headings of the page tell the section.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurora.memory.storage.store import Tables
    from aurora.memory.text_index import TextIndex

_BEGINNING, _VERSION, _SERIES = 0.95, 0.95, 0.92
"""Matches of a chunk, as those of a defined name: from 0.9 on it is what was asked for, and stands first."""
_HEADING_AT_TOP, _HEADING_BELOW = 0.9, 0.5
"""Match of a section by its heading, in a page at the top of the project and in one below, which may be of a part."""
_MOST_CHUNKS = 10_000
"""Chunks whose headings are read for a question, of the pages nearest to the top: 200,000 took a second."""

_README = r"(?:^|/)readme[^/]*$"
_GUIDES = rf"{_README}|(?:^|/)(?:docs?|documentation|guides?|website)/"


class _Form(NamedTuple):
    """Form of a question, and where its answer stands.

    Attributes:
        asks: the question, in lower case.
        page: paths of the pages, in lower case.
        heading: headings of the sections in them; a page with such a name answers as a whole.
    """

    asks: re.Pattern[str]
    page: re.Pattern[str]
    heading: re.Pattern[str]


def _make_form(asks: str, page: str, heading: str) -> _Form:
    return _Form(re.compile(asks), re.compile(page), re.compile(heading))


_FORMS = (
    _make_form(
        r"\bhow (?:do|can|should|to|could|would)\b.*\b(?:install|set ?up|get started)|\binstallation\b",
        rf"(?:^|/)(?:install\w*|getting[-_]?started|quick[-_]?start)\b[^/]*$|{_GUIDES}",
        r"\binstall|\bset ?up\b|getting started|quick ?start",
    ),
    _make_form(
        r"\bcontribut|\b(?:patch|pull request|merge request)\b"
        r"|\bhow (?:do|can|should|to)\b.*\b(?:run|execute)\b.*\b(?:its|the|all|unit) (?:own )?tests\b",
        rf"(?:^|/)(?:contributing|hacking|development|developing|testing)\b[^/]*$|{_README}",
        r"contribut|\btests?\b|testing|pull request|patch|develop",
    ),
    _make_form(
        r"\b(?:which|what|minimum|oldest) .*\bversions?\b|\bversions? .*\bsupported\b|\brequirements\b",
        rf"(?:^|/)(?:requirements|compatibility|support\w*|install\w*|lts)\b[^/]*$|{_GUIDES}",
        r"require|supported|prerequisite|compatib|versions\b|\blts\b",
    ),
    _make_form(r"\blicen[cs]e\b", rf"(?:^|/)(?:licen[cs]e|copying)[^/]*$|{_README}", r"licen[cs]e"),
    _make_form(
        r"\breport\b.*\b(?:vulnerabilit|security)|\bsecurity (?:policy|issue|hole|report)",
        rf"(?:^|/)security[^/]*$|{_README}",
        r"security|vulnerabilit",
    ),
    _make_form(
        r"\b(?:make|cut|do|publish) (?:a|the) (?:new )?release\b|\brelease process\b",
        r"(?:^|/)(?:release|releasing|maintain\w*|contributing)\b[^/]*$",
        r"releas",
    ),
)
_README_PAGE = re.compile(_README)
_OVERVIEW = re.compile(
    r"\s*(?:so )?(?:what|who)(?:'s| is| are| does)\s+(?:(?:this|the|that|it)\b\s*)?"
    r"(?:project|library|tool|package|program|repository|repo|framework|software|code ?base)?\s*"
    r"((?!(?:good|for|do|does|used|about|all)\b)[\w.-]*)\s*"
    r"(?:good for|for|do|does|used for|about|all about)?\s*[?.!]*\s*"
)
_CHANGES = re.compile(
    r"\bchange(?:d|s)?\b|\bchange ?log\b|\brelease notes\b|\bnew (?:in|since|with)\b|\bwhat(?:'s| is| was) new\b"
    r"|\bfixed in\b|\b(?:removed|deprecated|added) in\b|\bupgrad"
)
_ASKED_VERSION = re.compile(r"(?<![\w.])v?(\d{1,4}(?:\.\d{1,5}){0,3})(?![\w.]*\w)")
_HEADING_VERSION = re.compile(r"(?<![\w.-])v?(\d{1,4}(?:\.\d{1,5}){0,3})(?![\d])")
_CHANGELOG = re.compile(
    r"(?:^|/)(?:changes|changelogs?|history|news|release[-_ ]?notes?|releases|whats?[-_]?new)(?:[-_./]|$)"
)


class PageQuestion(NamedTuple):
    """Question about the project itself.

    Attributes:
        forms: the forms that it has.
        is_overview: it asks what the project is.
        version: the version whose changes it asks for; empty for another question.
    """

    forms: tuple[_Form, ...] = ()
    is_overview: bool = False
    version: str = ""

    def __bool__(self) -> bool:
        """Return True for a question about the project."""
        return bool(self.forms or self.is_overview or self.version)


def read_page_question(text: str, project: frozenset[str]) -> PageQuestion:
    """Read which pages of the project a question asks for.

    Args:
        text: the question.
        project: the words of the project's name, in lower case.
    """
    low = text.lower()
    version = _ASKED_VERSION.search(low) if _CHANGES.search(low) else None
    if version:
        return PageQuestion(version=version[1])
    overview = _OVERVIEW.fullmatch(low)
    is_overview = overview is not None and (not overview[1] or overview[1] in project)
    return PageQuestion(tuple(form for form in _FORMS if form.asks.search(low)), is_overview)


def find_pages(db: Tables, index: TextIndex, asked: PageQuestion) -> dict[int, float]:
    """Find the chunks that answer a question about the project, by number, with the match of each, 0..1."""
    found: dict[int, float] = {}
    for n, match in _iterate_pages(db, index, asked):
        found[n] = max(found.get(n, 0.0), match)
    return found


def _iterate_pages(db: Tables, index: TextIndex, asked: PageQuestion) -> Iterator[tuple[int, float]]:
    if asked.version:
        yield from _find_changes(db, index, asked.version)
    if asked.is_overview:
        tops = (doc for doc, path in _list_pages(index, _README_PAGE) if "/" not in path)
        yield from ((int(index.docs.first_n[doc]), _BEGINNING) for doc in tops)
    for form in asked.forms:
        yield from _find_sections(db, index, form)


def _find_changes(db: Tables, index: TextIndex, version: str) -> Iterator[tuple[int, float]]:
    """Find the sections about a version; one below a heading with the version is part of it."""
    for doc, path in _list_pages(index, _CHANGELOG):
        of_page = _match_versions(path, version)
        for n, heading in _read_headings(db, index, doc).items():
            if match := _match_versions(heading, version) or of_page:
                yield n, match


def _find_sections(db: Tables, index: TextIndex, form: _Form) -> Iterator[tuple[int, float]]:
    for doc, path in _list_pages(index, form.page):
        match = _HEADING_BELOW if "/" in path else _HEADING_AT_TOP
        is_page = form.heading.search(path.rpartition("/")[2]) is not None
        for n, heading in _read_headings(db, index, doc).items():
            if is_page or form.heading.search(heading.rpartition(" > ")[2]):
                yield n, match


def _list_pages(index: TextIndex, page: re.Pattern[str]) -> list[tuple[int, str]]:
    """List the documents, not code, whose paths match; those nearest to the top first."""
    know = index.types.index("know")
    pages = [
        (doc, path.lower())
        for doc, path in enumerate(index.docs.paths)
        if path is not None and index.docs.type[doc] == know and page.search(path.lower())
    ]
    pages.sort(key=lambda one: (one[1].count("/"), len(one[1])))
    read = accumulate(int(index.docs.last_n[doc] - index.docs.first_n[doc]) + 1 for doc, _ in pages)
    return [page for page, chunks in zip(pages, read, strict=True) if chunks <= _MOST_CHUNKS]


def _read_headings(db: Tables, index: TextIndex, doc: int) -> Mapping[int, str]:
    """Read the headings of a page's chunks, with those above them, in lower case."""
    numbers = list(range(int(index.docs.first_n[doc]), int(index.docs.last_n[doc]) + 1))
    return {n: symbol.lower() for n, symbol, _, _ in db.chunks.iter_names(numbers)}


def _match_versions(text: str, asked: str) -> float:
    return max((_match_version(found, asked) for found in _HEADING_VERSION.findall(text)), default=0.0)


def _match_version(found: str, asked: str) -> float:
    """Compare versions as numbers: 13 is 13.0.0 and never 2.13.0; 13.1 is of the series 13."""
    ours, theirs = ([int(part) for part in one.split(".")] for one in (asked, found))
    length = max(len(ours), len(theirs))
    if ours + [0] * (length - len(ours)) == theirs + [0] * (length - len(theirs)):
        return _VERSION
    return _SERIES if theirs[: len(ours)] == ours else 0.0
