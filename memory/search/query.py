"""Query parser: questions and pasted reports."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Literal, NamedTuple

from aurora.memory.files import find_asked_roles
from aurora.memory.text_index.tokens import expand_identifier, find_identifiers, stem_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .pages import PageQuestion

MAX_LENGTH = 40_000
"""Characters of a query that are read; of a longer text the beginning and the end."""


def parse_query(text: str) -> Query:
    """Parse a query: a question or a pasted report."""
    if len(text) > MAX_LENGTH:
        text = f"{text[: MAX_LENGTH // 2]}\n{text[-MAX_LENGTH // 2 :]}"
    text = text.encode("utf-8", "replace").decode("utf-8").replace("\x00", " ")
    return parse_report(text) if is_report(text) else parse_question(text)


_MIN_LENGTH = 300
"""Characters from which a text is a report; one of three lines is a report at any length."""

_MIN_LINE_BREAKS = 2

_MAX_TITLE = 250

_MAX_TERMS = 80
"""Words with the greatest weights that are searched."""

_MAX_PREVIEW_TERMS = 32

_MAX_MENTIONS = 64

_TITLE_WEIGHT, _PROSE_WEIGHT, _CODE_WEIGHT = 2.0, 1.0, 0.3
"""Weights of a word by the part that contains it; tuned on the issues of five Python projects of SWE-bench Lite."""

_MIN_PROSE = 8
"""Different words of sentences from which a report is more than a traceback."""

_MAX_EMBEDDED = 2000
"""Characters that are embedded; a model of single words gains nothing from more."""

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)

_FENCE = re.compile(r"\s*(?:```|~~~)")

_TRACE_HEAD = re.compile(
    r"\s*(?:Traceback \(most recent call last\)|(?:stack )?backtrace:|panic: |goroutine \d)", re.IGNORECASE
)

_ERROR = re.compile(r"\s*(?:[A-Za-z_][\w.]*(?:Error|Exception|Warning|Exit|Interrupt))\b")

_CODE_LINE = re.compile(
    r"\s*(?:"
    r">>>|\.\.\. |In \[\d+\]:|Out\[\d+\]:|\$ |File \"|at [\w.$<>]+[ (]"  # a prompt, a frame
    r"|(?:from|import|def|class|async|await|return|raise|assert|with|for|while|if|elif|else|try|except|finally|func|fn"
    r"|let|var|const|public|private|static|package|use|struct|enum|impl|interface|type|switch|case)\b.*[:;{}()=]"
    r"|[@#][\w.]+|[\w.\[\]'\"]+\s*[-+*/|&]?=\s*\S|[\w.]+\(.*\)[;:]?\s*$|[)\]}][;,)]*\s*$"
    r")"
)

_PATH = re.compile(
    r"(?<![\w.@+~/\\-])[/\\~]?(?:[\w.@+~-]{1,100}[/\\]){1,40}[\w.@+-]{1,100}\.\w{1,6}\b|\b\w[\w-]{1,100}\.\w{1,6}\b"
)

_MODULE = re.compile(r"(?<![\w.])[a-z_]\w{0,100}(?:\.\w{1,100}){1,8}")


class _Parts(NamedTuple):
    """Parts of a report."""

    title: str
    prose: str
    code: str


def is_report(text: str) -> bool:
    """Return True for a long text, or one of several lines."""
    stripped = text.strip()
    return len(stripped) > _MIN_LENGTH or stripped.count("\n") >= _MIN_LINE_BREAKS


def parse_report(text: str) -> Query:
    """Parse a report; quotation marks in it have no meaning."""
    text = _COMMENT.sub(" ", text)
    parts = _split_parts(text)
    weighted = _weigh_words(parts)
    terms = sorted(weighted, key=weighted.__getitem__, reverse=True)[:_MAX_TERMS]
    weights: dict[str, float] = defaultdict(float)
    for term in terms:
        weights[stem_word(term)] += weighted[term]
    return Query(
        kind="report",
        text=f"{parts.title}\n{parts.prose}"[:_MAX_EMBEDDED].strip() or text.strip()[:_MAX_EMBEDDED],
        terms=tuple(terms[:_MAX_PREVIEW_TERMS]),
        words=tuple(weights),
        weights=dict(weights),
        spelt=(),
        names=(),
        literals=(),
        likely_literals=(),
        places=extract_locations(text) if _is_trace(parts) else (),
        mentions=_find_mentions(text),
        asked_roles=frozenset(),
        only_names=False,
        possible_name="",
        wants_guide=False,
    )


def _split_parts(text: str) -> _Parts:
    """Split a report: its first line is the title, unless that is code."""
    lines = [line for line in text.splitlines() if line.strip()]
    title, prose, code = "", [], []
    is_fenced = is_trace = False
    for place, line in enumerate(lines):
        if _FENCE.match(line):
            is_fenced = not is_fenced
            continue
        is_trace = (is_trace and not _ERROR.match(line)) or bool(_TRACE_HEAD.match(line))
        if is_fenced or is_trace or _CODE_LINE.match(line) or _ERROR.match(line):
            code.append(line)
        elif place == 0:
            title, rest = _split_title(line.strip())
            prose.append(rest)
        else:
            prose.append(line)
    return _Parts(title, "\n".join(prose), "\n".join(code))


def _split_title(line: str) -> tuple[str, str]:
    """Split the first line after its first sentence, when it is longer than a title."""
    if len(line) <= _MAX_TITLE:
        return line, ""
    end = line.find(". ", 0, _MAX_TITLE) + 1 or _MAX_TITLE
    return line[:end], line[end:]


def _is_trace(parts: _Parts) -> bool:
    """Return True for a traceback or log with next to no sentences, whose locations matter most."""
    return len(set(filter(is_specific, extract_words(parts.prose)))) < _MIN_PROSE


def _weigh_words(parts: _Parts) -> Mapping[str, float]:
    """Weigh each word by the parts that contain it, and by the logarithm of its count there."""
    weights: dict[str, float] = defaultdict(float)
    for weight, text, is_title in (
        (_TITLE_WEIGHT, parts.title, True),
        (_PROSE_WEIGHT, parts.prose, False),
        (_CODE_WEIGHT, parts.code, False),
    ):
        for word, count in Counter(filter(is_specific, extract_words(text))).items():
            weights[word] += weight if is_title else weight * (1 + math.log(count))
    return weights


def _find_mentions(text: str) -> Mentions:
    located = [path for path, _ in reversed(find_locations(text))]
    paths = [*located, *(path.replace("\\", "/") for path in _PATH.findall(text))]
    return Mentions(_take_distinct(paths), _take_distinct(_MODULE.findall(text)))


def _take_distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))[:_MAX_MENTIONS]


MAX_TERMS = 32


_PHRASE = re.compile(r'"([^"\n]{2,200})"')

_SINGLE_QUOTED = re.compile(r"(?<!\w)'([^\n]{2,200}?)'(?!\w)")
"""A text in single quotes; an apostrophe has a letter before it."""

_INNER_MARK = re.compile(r"\w[^\w\s'\u2019]+\w|^(?:--?|[/.$@#])\w")
"""What a word of prose rarely has: a mark between letters, or the beginning of a flag, a route or a variable."""

_MAX_LITERALS = 8

_ASKED_TEXT = re.compile(
    r"\b(?:where|when)\s+(?:is|are|does)\s+(?:the\s+|an?\s+)?(\S.{2,80}?\s+?\S{1,40}?)\s+"
    r"(?:handled|raised|thrown|set|sent|defined|produced|reported|printed|logged|checked|parsed|emitted|used|written|shown)\b",
    re.IGNORECASE,
)
"""A text of several words that a question asks about: it may stand in the code as it is, as a message does."""

_BACKTICKED = re.compile(r"`([^`\n]{1,200})`")

# dotted or scoped names, calls, snake_case, camelCase, ALL_CAPS with an underscore; the parts of a route are none
_NAME = re.compile(r"(?<![/\w])[^\W\d]\w*(?:(?:\.|::|#)[^\W\d]\w*)*(?:\(\))?")


_CODE_LIKE = re.compile(r"_|\.|::|#|\(\)|[a-z0-9][A-Z]|[A-Z]{2}[a-z]")

_SCOPES = re.compile(r"::|#")

_GUIDE = re.compile(
    r"\b(?:guides?|manuals?|recipes?|step by step|my|(?:can|could|do|may|must|shall|should) (?:i|we|you)"
    r"|which versions|is there an?|are supported|install\w*|contribut\w*)\b|\bwhat (?:is|does) (?:this|it)\b",
    re.IGNORECASE,
)
"""What a person asks who wants to do something, and not to know how the code does it."""


def parse_question(text: str) -> Query:
    """Parse a question."""
    literals = _extract_literals(text)
    terms = _extract_terms(text)
    spelt, only_names = _find_names(text, terms)
    names = tuple(dict.fromkeys(name.casefold() for name in spelt))
    wants_guide = _GUIDE.search(text) is not None
    return Query(
        kind="question",
        text=text.strip(),
        terms=terms,
        words=tuple(dict.fromkeys(map(stem_word, terms))),
        weights={},
        spelt=spelt,
        names=names,
        literals=literals,
        likely_literals=() if literals else _extract_likely_literals(text),
        places=extract_locations(text),
        mentions=Mentions(),
        # who asks how to do something may say "test" and wants the page about testing, not the test files
        asked_roles=find_asked_roles(text) - ({"test"} if wants_guide else set()),
        only_names=only_names,
        possible_name="" if names or literals or wants_guide else extract_possible_name(text),
        wants_guide=wants_guide,
    )


def _extract_literals(text: str) -> tuple[str, ...]:
    """Extract the texts that stand in quotes or backticks and are no identifiers."""
    quoted = [*_PHRASE.findall(text), *_SINGLE_QUOTED.findall(text)]
    ticked = [one for one in _BACKTICKED.findall(text) if not _NAME.fullmatch(one.strip())]
    return _clean_literals((*quoted, *ticked))


def _extract_likely_literals(text: str) -> tuple[str, ...]:
    """Extract the words with marks in them, or what a question like "where is X handled" asks about."""
    bare = (word.strip("?!.,;:()[]{}'\"`") for word in _BACKTICKED.sub(" ", _PHRASE.sub(" ", text)).split())
    marked = [word for word in bare if _INNER_MARK.search(word) and not _NAME.fullmatch(word)]
    return _clean_literals(_ASKED_TEXT.findall(text) or marked)


def _clean_literals(found: Iterable[str]) -> tuple[str, ...]:
    clean = (one.strip().lower() for one in found)
    return tuple(dict.fromkeys(one for one in clean if len(one) > 1))[:_MAX_LITERALS]


def _extract_terms(text: str) -> tuple[str, ...]:
    words = extract_words(text)
    return tuple(dict.fromkeys(filter(is_specific, words)))[:MAX_TERMS] or tuple(dict.fromkeys(words))[:MAX_TERMS]


def _find_names(text: str, terms: Iterable[str]) -> tuple[tuple[str, ...], bool]:
    """Find the names in a question; return whether it is about nothing else."""
    spelt, defined = _extract_names(text), extract_defined_names(text)
    if defined and _split_names((*spelt, *defined)).issuperset(set(terms) - DEFINITION_WORDS):
        return tuple(dict.fromkeys((*spelt, *defined))), True
    return spelt, bool(spelt) and _split_names(spelt).issuperset(terms)


def _extract_names(text: str) -> tuple[str, ...]:
    quoted = [name for one in _BACKTICKED.findall(text) if "/" not in one for name in _NAME.findall(one)]
    candidates = _NAME.findall(text)
    alone = candidates if len(text.split()) == 1 and "/" not in text else []
    names = [*quoted, *alone, *filter(_CODE_LIKE.search, candidates)]
    plain = (_SCOPES.sub(".", name).removesuffix("()") for name in names)
    return tuple(dict.fromkeys(plain))[:MAX_TERMS]


def _split_names(names: Iterable[str]) -> frozenset[str]:
    return frozenset(word for name in names for part in find_identifiers(name) for word in expand_identifier(part))


_KINDS = "class function method struct type trait interface enum macro constant variable module decorator property"

_KIND_WORDS = frozenset(_KINDS.split())

_KIND = rf"(?:{_KINDS.replace(' ', '|')})"

_DEFINITIONS_NAME = r"([^\W\d]\w*)"

_FORMS = re.compile(
    rf"\b{_DEFINITIONS_NAME}(?=\s+{_KIND}\b)|\b{_KIND}\s+{_DEFINITIONS_NAME}|\bwhere\s+(?:is|are)\s+(?:the\s+)?{_DEFINITIONS_NAME}\b"
    rf"|\b(?:definition|declaration|implementation)\s+of\s+(?:the\s+)?{_DEFINITIONS_NAME}"
    rf"|\b(?:defines|declares|implements)\s+(?:the\s+)?{_DEFINITIONS_NAME}",
    re.IGNORECASE,
)

_WORD = re.compile(r"\b[^\W\d]\w*")

_OTHER_WORDS = """
defined defines definition declared declares declaration implemented implements implementation located file source code
"""

DEFINITION_WORDS = frozenset([*_KIND_WORDS, *_OTHER_WORDS.split()])
"""Words that ask for a definition, and are not of its name."""


def extract_defined_names(text: str) -> tuple[str, ...]:
    """Extract the names whose definition a question asks for, as far as its form tells."""
    names = [name for groups in _FORMS.findall(text) for name in groups]
    return tuple(dict.fromkeys(filter(_is_name, names)))


def extract_possible_name(text: str) -> str:
    """Extract the only word of a question that is not of its form: `Option` of `What is an Option?`.

    Returns:
        The word as it is spelt, which may be the name of a definition or an ordinary word; empty for another text.
    """
    words = (word for word in _WORD.findall(text) if is_specific(word.lower()))
    names = dict.fromkeys(word for word in words if word.lower() not in _KIND_WORDS and not is_asking_word(word))
    return next(iter(names)) if len(names) == 1 else ""


def _is_name(word: str) -> bool:
    return bool(word) and is_specific(word.lower()) and word.lower() not in DEFINITION_WORDS


_MAX_LOCATIONS = 32
"""The last are read: the end of a traceback is the most specific part."""

# web/app.py:12, app.rb:12:in, File "web/app.py", line 12, app.ts(12,5), app.cs:line 12
# A path is matched from its beginning only, and has a bounded length, so that a hostile text costs no quadratic time.
_LOCATION = re.compile(r"(?<![\w.@+~/\\-])([\w.@+~/\\-]{1,400}\.\w{1,20})(?::|\", line |:line |\()(\d{1,7})\b")


def extract_locations(text: str) -> tuple[tuple[str, int], ...]:
    """Extract the locations: each path and each of its suffixes, with the line."""
    locations: dict[tuple[str, int], None] = {}
    for path, line in find_locations(text):
        parts = path.split("/")
        for start in range(len(parts)):
            if suffix := "/".join(parts[start:]):
                locations[suffix, int(line)] = None
    return tuple(locations)


def find_locations(text: str) -> list[tuple[str, int]]:
    r"""Find the last paths with a line, in order; `\` in a path becomes `/`."""
    return [(path.replace("\\", "/"), int(line)) for path, line in _LOCATION.findall(text)[-_MAX_LOCATIONS:]]


_WEAK_WEIGHT = 0.3


def weaken_words(query: Query, project: frozenset[str]) -> Query:
    """Lower the weights of asking verbs and of the project's own name, unless the query has nothing else.

    Args:
        query: a parsed query.
        project: the stemmed words of the project's name; most files of the project contain them.
    """
    weak = project | ASKING_WORDS if query.kind == "question" else project
    if weak.isdisjoint(query.words) or weak.issuperset(query.words):
        return query
    weights = {word: query.weights.get(word, 1.0) * (_WEAK_WEIGHT if word in weak else 1.0) for word in query.words}
    return query._replace(weights=weights)


QueryKind = Literal["question", "report"]
"""A question is a few words or a sentence; a report is a pasted issue, traceback or log."""


class Mentions(NamedTuple):
    """Files that a report mentions, most important first.

    Attributes:
        paths: paths as written, with `/`; their beginning may be that of another machine.
        modules: dotted names, which may be modules or their members.
    """

    paths: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()


class Query(NamedTuple):
    """Parsed query.

    Attributes:
        kind: a question or a report.
        text: the text to embed.
        terms: distinct words in lower case, identifiers with their parts.
        words: the same stemmed, as in the index, distinct.
        weights: weights of the words; 1 for a word without one.
        spelt: identifiers that look like code, or are the whole query, unchanged.
        names: the same in lower case: `read_line`, `file.readline`.
        literals: texts to find as they are, in lower case: what is in quotes.
        likely_literals: texts that may be meant as they are: words with marks in them, and what a message may say.
        places: locations as in compiler messages and tracebacks: each path and its suffixes, and the line.
        mentions: files that the text of a report mentions.
        asked_roles: roles of files that the query is about, which then have no penalty.
        only_names: True when the query consists of names only.
        possible_name: the only word of a question that is not of its form, as it is spelt; a name when the memory has
            such a definition.
        wants_guide: True when a person asks how to do something themselves, which documents answer.
    """

    kind: QueryKind
    text: str
    terms: tuple[str, ...]
    words: tuple[str, ...]
    weights: Mapping[str, float]
    spelt: tuple[str, ...]
    names: tuple[str, ...]
    literals: tuple[str, ...]
    likely_literals: tuple[str, ...]
    places: tuple[tuple[str, int], ...]
    mentions: Mentions
    asked_roles: frozenset[str]
    only_names: bool
    possible_name: str
    wants_guide: bool

    def ask_for_page(self, asked: PageQuestion) -> Query:
        """Return the query for a page of the project: it names no symbol, and a version asks for change logs."""
        roles = self.asked_roles | {"changelog"} if asked.version else self.asked_roles
        return self._replace(possible_name="", asked_roles=roles)


# Stop words of questions.
_STOP_WORD_TEXT = """
a about after all also am an and any are as at be because been before being but by can could did do does doing
done each either else ever every explain find for from get gets give given had has have having he her here him
his how i if in into is it its itself just let like made make makes many me more most much must my no nor not
now of off on once one only or other our out over own please same she should show so some still such tell than
that the their them then there these they this those through to too up us use used uses using very via was way
we were what when where whether which while who whom whose why will with within without would you your
"""


STOP_WORDS = frozenset(_STOP_WORD_TEXT.split())


_ASKING_VERBS = """
handle handled handles handling implement implementation implemented implements work working works happen happening
happens define defined defines definition support supported supports decide decides located
"""

ASKING_WORDS = frozenset(map(stem_word, _ASKING_VERBS.split()))
"""Stems of words that say what is asked, and not of what."""


_OTHER_ASKING_WORDS = frozenset(["describe", "me", "mean", "meaning", "means", "purpose", "responsible", "role"])
"""Further ones, which may also be the subject."""


def extract_words(text: str) -> list[str]:
    """Extract words in lower case, identifiers with their parts, in order, with repetitions."""
    return [word for identifier in find_identifiers(text) for word in expand_identifier(identifier)]


def is_specific(word: str) -> bool:
    """Return True for a word that is no stop word and no single letter."""
    return word not in STOP_WORDS and (len(word) > 1 or not word.isascii())


def is_asking_word(word: str) -> bool:
    """Return True for a word that says what is asked, and not of what."""
    return word.lower() in _OTHER_ASKING_WORDS or stem_word(word.lower()) in ASKING_WORDS
