"""Claims of an answer: the places, names and quotations of each sentence."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_ANSWER_CHARS = 300_000
"""Characters of an answer that are read; a long one has 20,000."""
MAX_CLAIMS = 1_500
"""Citations, names and quotes that are checked, each kind by itself."""
_MAX_BLOCKS = 200
_MAX_LINE_CHARS = 4_000
"""Characters of a line of the answer that are read: a longer one is data."""
_MAX_QUOTE_CHARS = 300
_MIN_ARGUMENTS = 14
"""Characters of a call's arguments from which it is a quotation, and not only the name of a function."""


class Citation(NamedTuple):
    """Place that an answer cites.

    Attributes:
        path: the file or folder as written.
        first, last: lines, counted from 1; 0 for the whole file.
        start, end: offsets in the sentence.
        is_own: False where the path was only taken from an earlier sentence ("lines 12-30").
    """

    path: str
    first: int
    last: int
    start: int
    end: int
    is_own: bool = True


class Name(NamedTuple):
    """Name from code; `parts` are its identifiers, `is_marked` says that it is between backticks."""

    text: str
    parts: tuple[str, ...]
    start: int
    end: int
    is_marked: bool

    @property
    def last(self) -> str:
        """Identifier after the last dot."""
        return self.parts[-1]


class Quote(NamedTuple):
    """Code between backticks that is more than a name."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """Sentence, list item, heading or row of a table.

    Attributes:
        line: its first line in the answer, counted from 1.
        topic: number of the paragraph, item or row that it is a part of.
        prose: its text without places and code, which are blanks of their length.
        is_proposal: it speaks of what should be, not of what is.
        is_foreign: it names another project or the language's library as the owner of what it names.
    """

    text: str
    line: int
    topic: int
    citations: tuple[Citation, ...] = ()
    names: tuple[Name, ...] = ()
    quotes: tuple[Quote, ...] = ()
    prose: str = ""
    is_proposal: bool = False
    is_foreign: bool = False

    def denies(self, start: int, end: int) -> bool:
        """Return whether the words around a span say that it is not there, or not as it is: "there is no `x`"."""
        return _NEGATION.search(self.prose, max(0, start - _REACH), min(len(self.prose), end + _REACH)) is not None

    @property
    def flat(self) -> str:
        """The text in one line; the offsets of its claims are those in it."""
        return self.text.replace("\n", " ")


class Block(NamedTuple):
    """Fenced block of code.

    Attributes:
        line: the line of its first line of code in the answer.
        lines: its lines of code.
        citation: the place that it is said to be from; None for code of the answer's own.
        is_proposal: it shows what should be.
    """

    line: int
    language: str
    lines: tuple[str, ...]
    citation: Citation | None
    is_proposal: bool


@dataclass(frozen=True, slots=True)
class Claims:
    """Claims of an answer in the order of the text.

    Attributes:
        is_cut: some of the answer is left out, since it is too long.
        words: the identifiers of all names.
    """

    sentences: tuple[Sentence, ...]
    blocks: tuple[Block, ...]
    is_cut: bool = False
    words: frozenset[str] = field(default_factory=frozenset)


ENDINGS = (
    "py|pyi|pyx|ipynb|js|mjs|cjs|jsx|ts|mts|cts|tsx|vue|svelte|go|rs|java|kt|kts|scala|rb|php|cs|swift|m|c|h|cc|cpp|cxx|"
    "hpp|hh|ex|exs|erl|hs|lua|pl|r|jl|dart|zig|nim|sh|bash|zsh|fish|ps1|sql|html|css|scss|less|md|mdx|rst|txt|adoc|toml|"
    "yml|yaml|json|jsonc|json5|xml|ini|cfg|conf|lock|proto|graphql|tf|gradle|cmake|mk|tmpl|j2|snap|env"
)
"""Endings of file names, so that `levels.h` is a file and `levels.high` a name."""

_PART = r"(?:[.@+$~\u2026-]*\w[\w.@+$~\u2026-]*|\.{1,3}|\u2026)"
_PATH = (
    rf"(?:\.{{0,2}}/)?(?:{_PART}/)+(?:[\w@+$-][\w.@+$-]*)?|[\w@+-][\w.@+-]*\.(?:{ENDINGS})\b(?!\()"
    r"|(?:Make|Docker|Jenkins|Proc|Gem|Rake|Task)file\b"
)
_DASH = r"\s*(?:-|\u2013|\u2014|\.\.|to|through)\s*"
_RANGE = rf"L?\d{{1,7}}(?:{_DASH}L?\d{{1,7}})?"
_RANGES = rf"{_RANGE}(?:\s*(?:,|and|&|/)\s*:?{_RANGE}(?![\w.]))*"
_CITED = re.compile(
    rf"""
    (?:\b[Ll]ines?\s+(?P<before>{_RANGES})\s+(?:of|in|from)\s+(?:the\s+file\s+)?[`*\[]{{0,3}})?
    (?<![\w/:@\\.<-]) (?P<path>{_PATH}) (?:::(?P<member>[A-Za-z_][\w.]*))?
    (?:
        \#L(?P<anchor>\d{{1,7}}(?:-L?\d{{1,7}})?)
      | [`*]{{0,3}}:(?P<colon>{_RANGES})(?::\d+)?(?!\d)
      | [`*\])]{{0,4}}\s?[\[(:,]?\s*(?:at\s+|on\s+|see\s+)?(?:[Ll]ines?|\bll?\.|L(?=\d))\s*(?P<words>{_RANGES})
      | [`*]{{0,3}}\s?[\[(]?(?P<bare>\d{{1,6}}\s*[-\u2013]\s*\d{{1,6}})(?![\w.%])
      | [`*]{{0,3}}\s\((?P<paren>:?\d{{1,6}})\)
    )?
    """,
    re.VERBOSE,
)
_LOOSE = re.compile(
    rf"""(?<![\w/.])(?:
        \b[Ll]ines?\s+(?P<words>{_RANGES}) (?!\s+(?:of|in|from)\s+(?:code|output|the\s+(?:answer|log|trace|diff)))
      | (?<=[(`\s,]):(?P<colon>{_RANGE})(?![\w:.])
      | (?<=[(\s`])L(?P<short>\d{{1,6}}(?:\s*[-\u2013]\s*L?\d{{1,6}})?)(?!\w)
    )""",
    re.VERBOSE,
)
_ONE_RANGE = re.compile(r"(\d{1,7})(?:\D{1,9}?(\d{1,7}))?")
_LIST = re.compile(r"\s*(?:,|and|&|/)\s*:?(?=L?\d)")

_URL = re.compile(r"\b[a-z][a-z+.-]{1,12}://[^\s)>\]]+")
_SPAN = re.compile(r"(?<!`)(`{1,2})(?!`)(.{1,400}?)(?<!`)\1(?!`)")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
_NAME = re.compile(
    r"[@~&*#.!]{0,2}(?:self\.|this\.|cls\.)?(?P<name>[A-Za-z_$][\w$]*(?:(?:\.|::|\#|->|\?\.)[A-Za-z_$][\w$]*)*)"
    r"(?:\[[^\[\]]{0,40}\]|<[^<>]{0,60}>)?(?P<call>\([^()]{0,200}\)|\(\.{3}\)|\(\u2026\))?[!?;:]?"
)
_PLAIN_NAME = re.compile(
    r"(?<![\w`/.$-])(?:[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+(?:\(\))?|[A-Za-z_]\w*\(\)|[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w*"
    r"|[A-Z][a-z]+[A-Z]\w*)(?![\w/])"
)

_SENTENCE_END = re.compile(r"""(?<=[.!?;])["')\]*_]*\s+(?=["'(\[*_`]*[A-Z`])""")
_ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|cf|vs|etc|no|fig|approx|resp)|\b[A-Z])\.$", re.IGNORECASE)
_FENCE = re.compile(r"^\s{0,12}(?:[-*]\s+|\d+[.)]\s+)?(`{3,}|~{3,})\s*(.*)$")
_ITEM = re.compile(r"^\s*(?:[-*+\u2022]|\d{1,3}[.)])\s+|^\s*\||^\s*#{1,6}\s|^\s*>")
_HEADING = re.compile(r"^\s*#{1,6}\s|^\s*\*\*[^*]+\*\*:?\s*$")

_PROPOSAL = re.compile(
    r"""\b(?:should|would|could|must|ought|propos\w+|suggest\w*|recommend\w*|consider|introduc(?:e|ing)
    |replac(?:e|ing)|renam(?:e|ing)|add|adding|creat(?:e|ing)|chang(?:e|ing)|wrap|swap|fix|fixed|patch|hotfix|rewrite
    |refactor|becomes?|if\ you|new\ (?:file|function|method|helper|class|module|test|parameter)|you\ can|let\ us|let's
    |imagine|suppose|hypothetical|e\.g\.|for\ example|for\ instance|such\ as|analog\w*|similar\ to|better
    |alternativ\w*|rather\ than
    |test\ that|ideally|might|workaround|sketch|remedy|corrected)\b""",
    re.VERBOSE | re.IGNORECASE,
)
"""Words of a sentence about what should be: its paths and its code need not exist. "Adds" and "replaces" describe."""
_ARROW = re.compile(r"`\s*(?:\u2192|->)\s*`")
_REACH = 45
"""Characters around a name in which a word denies it."""
_NEGATION = re.compile(
    r"""\b(?:no|not|never|none|without|neither|nor|cannot|isn't|doesn't|don't|aren't|wasn't|hasn't|haven't|can't|lacks?
    |missing|absent|nonexistent|removed|deleted|dropped|gone|former|formerly|previously|used\ to|old|unlike|nobody
    |anymore|misspelt|misspelled|typo|undefined|unknown|(?:Attribute|Name)Error)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"""\b(?:stdlib|standard\ library|built-?ins?|librar(?:y|ies)|package|upstream|dependenc\w+|third[- ]party|framework
    |runtime|python's|node's|node|bun|deno|go's|rust's|javascript's|typescript's|browser\w*|kernel|posix|linux|windows|macos
    |the\ language|environment|env|variable|config(?:uration)?\s+(?:key|option)|option|setting|header|flag
    |imported?\ from|comes\ from|provided\ by|from\ (?:the\ )?[`\w-]+\ (?:package|module|library|crate)|npm|pypi|rfc
    |protocol|spec(?:ification)?|client's|user's|users?|your|my|caller's|application|shell|command)\b""",
    re.VERBOSE | re.IGNORECASE,
)


def extract_claims(text: str) -> Claims:
    """Extract the claims of an answer in Markdown; linear in its length."""
    cut = text[:MAX_ANSWER_CHARS]
    sentences: list[Sentence] = []
    blocks: list[Block] = []
    heading, topic = "", 0
    for line, lines, info in _split_blocks(cut.split("\n")):
        if info is not None:
            blocks.append(_read_block(line, lines, info, heading, sentences))
            continue
        topic += 1
        if _HEADING.match(lines[0]):
            heading = lines[0]
        sentences += _read_paragraph(line, lines, topic, sentences)
        if blocks and line - blocks[-1].line - len(blocks[-1].lines) <= _NEAR:
            blocks[-1] = _cite_after(blocks[-1], _read_sentence(lines[0], line, topic, ""))
    is_cut = len(text) > len(cut)
    kept, was_cut = _limit(sentences)
    is_cut = is_cut or was_cut or len(blocks) > _MAX_BLOCKS
    words = frozenset(part for sentence in kept for name in sentence.names for part in name.parts)
    return Claims(kept, tuple(blocks[:_MAX_BLOCKS]), is_cut=is_cut, words=words)


def _limit(sentences: list[Sentence]) -> tuple[tuple[Sentence, ...], bool]:
    """Return the sentences up to the limit of claims, and whether some are left out."""
    count = 0
    for number, one in enumerate(sentences):
        count += len(one.citations) + len(one.names) + len(one.quotes)
        if count > MAX_CLAIMS:
            return tuple(sentences[:number]), True
    return tuple(sentences), False


def _split_blocks(lines: list[str]) -> Iterator[tuple[int, list[str], str | None]]:
    """Yield each paragraph, item and block: its first line's number, its lines, the info of a fence."""
    start, held, fence, info = 1, list[str](), "", ""
    for number, line in enumerate(lines, 1):
        mark = _FENCE.match(line)
        if fence:
            if not (mark and mark[1].startswith(fence) and not mark[2].strip()):
                held.append(line)
                continue
            yield start, held, info
            held, fence = [], ""
            continue
        is_text = not mark and bool(line.strip())
        if held and (not is_text or _ITEM.match(line) or _HEADING.match(held[-1])):
            yield start, held, None
            held = []
        if mark:
            fence, info, start = mark[1], mark[2].strip(), number + 1
        elif is_text:
            start = start if held else number
            held.append(line[:_MAX_LINE_CHARS])
    if held:
        yield start, held, info if fence else None


def _read_paragraph(line: int, lines: list[str], topic: int, before: list[Sentence]) -> Iterator[Sentence]:
    text = "\n".join(lines)
    ends = (end for end in _SENTENCE_END.finditer(text) if _ends_sentence(text, end.start()))
    starts = [0, *(end.end() for end in ends)]
    breaks = [place for place, char in enumerate(text) if char == "\n"]
    latest = next((one.citations[-1].path for one in reversed(before[-40:]) if one.citations), "")
    for first, last in zip(starts, [*starts[1:], len(text)], strict=True):
        sentence = _read_sentence(text[first:last], line + bisect_right(breaks, first - 1), topic, latest)
        latest = sentence.citations[-1].path if sentence.citations else latest
        yield sentence


def _ends_sentence(text: str, place: int) -> bool:
    """Return whether a sentence ends here: not after an abbreviation, and not between backticks."""
    is_in_span = text.count("`", text.rfind("\n", 0, place) + 1, place) % 2 == 1
    return not is_in_span and not _ABBREVIATED.search(text, max(0, place - 8), place)


def _read_sentence(raw: str, line: int, topic: int, latest: str) -> Sentence:
    text = _URL.sub(lambda found: " " * len(found[0]), raw).replace("\n", " ")
    citations = _add_loose(_blank_code(text), list(_find_citations(text)), latest)
    names, quotes = _find_code(text, citations)
    prose = _SPAN.sub(lambda found: " " * len(found[0]), text)
    for one in citations:
        prose = prose[: one.start] + " " * (one.end - one.start) + prose[one.end :]
    return Sentence(
        raw,
        line,
        topic,
        tuple(citations),
        tuple(names),
        tuple(quotes),
        prose,
        is_proposal=bool(_PROPOSAL.search(prose) or _ARROW.search(text)),
        is_foreign=bool(_FOREIGN.search(prose)),
    )


def _find_citations(text: str) -> Iterator[Citation]:
    for found in _CITED.finditer(_blank_code(text)):
        path = found["path"].rstrip(".")
        lines = next(
            (found[name] for name in ("colon", "anchor", "words", "bare", "paren", "before") if found[name]), ""
        )
        if not path.strip("./") or (found["bare"] and _is_number_of_other(found)):
            continue
        ranges = list(_read_ranges(lines)) or [(0, 0)]
        for first, last in ranges:
            yield Citation(path, first, last, found.start(), found.end())


_IS_CODE = re.compile(r"""[(){}=;"'\\^<>|&?*]|\s\S+\s\S+\s""")


def _blank_code(text: str) -> str:
    """Blank the code between backticks that is no place, such as a regular expression with slashes."""

    def blank(span: re.Match[str]) -> str:
        place = _CITED.match(span[2].strip())
        is_place = not _IS_CODE.search(span[2]) or (place is not None and place.end() >= len(span[2].strip()) - 1)
        return span[0] if is_place else " " * len(span[0])

    return _SPAN.sub(blank, text)


def _is_number_of_other(found: re.Match[str]) -> bool:
    """Return whether a bare range after a path is no range of lines: the second number is the smaller one."""
    first, last = map(int, re.findall(r"\d+", found["bare"])[:2])
    return last < first


def _read_ranges(lines: str) -> Iterator[tuple[int, int]]:
    for part in _LIST.split(lines):
        if one := _ONE_RANGE.search(part):
            first = int(one[1])
            yield first, int(one[2] or first)


def _add_loose(text: str, citations: list[Citation], latest: str) -> list[Citation]:
    """Add the lines that a sentence gives without a path, which are those of the last file that was named."""
    added = list(citations)
    for found in _LOOSE.finditer(text):
        if any(one.start <= found.start() < one.end for one in citations):
            continue
        before = [one.path for one in citations if one.end <= found.start()]
        path = before[-1] if before else (citations[0].path if citations else latest)
        if path:
            lines = found["words"] or found["colon"] or found["short"]
            added += (
                Citation(path, first, last, found.start(), found.end(), is_own=False)
                for first, last in _read_ranges(lines)
            )
    return sorted(added, key=lambda one: (one.start, one.first))


def _find_code(text: str, citations: Iterable[Citation]) -> tuple[list[Name], list[Quote]]:
    """Find the names and the quotes of a sentence outside its citations."""
    names: list[Name] = []
    quotes: list[Quote] = []
    taken = [(one.start, one.end) for one in citations]
    for span in _SPAN.finditer(text):
        inner = span[2].strip()
        if _is_taken(span.span(2), taken) and not _is_long(inner):
            continue
        whole = _NAME.fullmatch(inner)
        if whole:
            names.append(Name(whole["name"], tuple(_IDENTIFIER.findall(whole["name"])), *span.span(), is_marked=True))
        is_bare = whole is not None and len(whole["call"] or "") < _MIN_ARGUMENTS
        if not is_bare and len(inner) <= _MAX_QUOTE_CHARS and len(re.findall(r"\s|[().=]", inner)) > 0:
            quotes.append(Quote(inner, *span.span()))
    names += _find_members(text)
    taken += [span.span() for span in _SPAN.finditer(text)]
    for found in _PLAIN_NAME.finditer(text):
        parts = tuple(_IDENTIFIER.findall(found[0]))
        if not _is_taken(found.span(), taken) and max(map(len, parts)) > 1:  # not "e.g"
            names.append(Name(found[0].removesuffix("()"), parts, *found.span(), is_marked=False))
    return sorted(names, key=lambda one: one.start), quotes


def _find_members(text: str) -> Iterator[Name]:
    """Find the names behind a path: `tests/test_cart.py::test_total`."""
    for found in _CITED.finditer(_blank_code(text)):
        if found["member"]:
            parts = tuple(_IDENTIFIER.findall(found["member"]))
            yield Name(found["member"], parts, found.start("member"), found.end(), is_marked=True)


def _is_taken(span: tuple[int, int], taken: Iterable[tuple[int, int]]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in taken)


_MAX_CITATION_WORDS = 4


def _is_long(inner: str) -> bool:
    """Return whether code between backticks is more than a place: a line of code may contain a path."""
    return len(inner.split()) > _MAX_CITATION_WORDS


def _list_near(line: int, before: list[Sentence]) -> list[Sentence]:
    """List the sentences of the paragraph right above a block."""
    last = before[-1] if before else None
    if last is None or line - last.line - last.text.rstrip().count("\n") > _NEAR:
        return []
    return [one for one in before[-4:] if one.topic == last.topic]


def _find_near(near: list[Sentence]) -> Citation | None:
    """Find the place with lines that a paragraph names last, or the file before a colon."""
    own = [citation for one in near for citation in _list_own(one)]
    if not own and near and near[-1].text.rstrip().endswith(":"):
        own = [one for one in near[-1].citations if one.is_own][:1]
    return own[-1] if own else None


_SAYS_WHERE = re.compile(
    r"\s*(?:[\u2014\u2013-]+\s*|(?:[Tt]his|[Tt]hat)(?:'s|\s+is)\s+|[Aa]t\s+|[Ii]n\s+|[Ss]ee\s+|[Ff]rom\s+)?[(\[`*]{0,3}"
)
"""What may stand between a block and the place that it is from."""
_NEAR = 3
"""Lines between a block and the sentence that says where it is from."""


def _list_own(sentence: Sentence) -> list[Citation]:
    return [one for one in sentence.citations if one.is_own and one.first]


def _cite_after(block: Block, sentence: Sentence) -> Block:
    """Return a block with the place that the sentence after it begins with: `(app.py:12)`."""
    own = _list_own(sentence)
    before = _SAYS_WHERE.match(sentence.text)
    is_there = bool(own) and before is not None and own[0].start <= before.end()
    return block._replace(citation=own[0]) if is_there else block


_NUMBERED_INFO = re.compile(r"(?P<first>\d+):(?P<last>\d+):(?P<path>\S+)")
_COMMENT = re.compile(r"^\s*(?:#|//|--|/\*|<!--|;)\s*(?P<text>.*?)\s*(?:\*/|-->)?\s*$")


def _read_block(line: int, lines: list[str], info: str, heading: str, before: list[Sentence]) -> Block:
    """Read a fenced block, with the place that its info, first comment or sentence before names."""
    language = info.split(" ", 1)[0].partition(":")[0].lower()
    near = _list_near(line, before)
    citation = None
    if numbered := _NUMBERED_INFO.fullmatch(info):
        citation = Citation(numbered["path"], int(numbered["first"]), int(numbered["last"]), 0, 0)
        language = ""
    elif " " in info or "/" in info or "." in info:
        citation = next(_find_citations(info), None)
    comment = _COMMENT.match(lines[0]) if lines else None
    if citation is None and comment and (named := next(_find_citations(comment["text"]), None)):
        citation, lines, line = named, lines[1:], line + 1
    citation = citation or _find_near(near)
    prose = f"{heading} {near[-1].text if near else ''}"
    return Block(line, language, tuple(lines), citation, is_proposal=bool(_PROPOSAL.search(_SPAN.sub(" ", prose))))
