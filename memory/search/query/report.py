"""Pasted reports: issues, tracebacks and logs, split into title, prose and code."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.text_index.tokenizer import stem_word

from .locations import extract_locations, find_locations
from .model import Mentions, Query
from .terms import extract_words, is_specific

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
        phrases=(),
        only_phrases=False,
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
