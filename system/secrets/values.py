"""Tests of values: random or varied, as secrets are, or words and placeholders."""

from __future__ import annotations

import re
from typing import NamedTuple


class Secret(NamedTuple):
    """Place of a secret; its value is never stored with it.

    Attributes:
        kind: what it is, with an article: `a GitHub token`.
        start, end: offsets of the value in the text, the end not included.
    """

    kind: str
    start: int
    end: int


# A hostile text such as `key=key=key=…` has a value at each name that reaches to its end: to judge all of them takes
# time with the square of its length. To call the rest secrets errs to the safe side.
class ValueBudget:
    """Characters of values that are judged in a text of this length; the values of a hostile one overlap.

    When they are used up, each further value counts as a secret.
    """

    def __init__(self, length: int) -> None:
        self._left = length + 20_000

    @property
    def is_used_up(self) -> bool:
        """True when no further value is judged."""
        return self._left < 0

    def covers(self, value: str) -> bool:
        """Return whether this value is judged, too."""
        self._left -= len(value)
        return not self.is_used_up


# Letters that follow each letter in 97 % of the pairs of English words in source code and documents.
_FOLLOWERS = {
    "a": "bcdfgiklmnprstuvwyz",
    "b": "aceilorsuy",
    "c": "acehiklorstuy",
    "d": "adeilorsu",
    "e": "abcdefgilmnopqrstvwxy",
    "f": "aefilortuy",
    "g": "aeghilnorsu",
    "h": "aeiortuy",
    "i": "abcdefglmnoprstvxz",
    "j": "aesu",
    "k": "eis",
    "l": "adefilopstuy",
    "m": "abeilmopsu",
    "n": "acdefgiklmnostuvy",
    "o": "abcdefgiklmnoprstuvwx",
    "p": "adehiloprstuy",
    "q": "u",
    "r": "abcdefgiklmnoprstuvy",
    "s": "acefhiklnopstuwy",
    "t": "acdefhilmoprstuy",
    "u": "abcdefgilmnprst",
    "v": "aeio",
    "w": "aehinors",
    "x": "ceiptx",
    "y": "eimnopst",
    "z": "aei",
}
_COMMON_PAIRS = frozenset(first + second for first, after in _FOLLOWERS.items() for second in after)
_SAMPLE = re.compile(
    r"example|sample|dummy|placeholder|change.?me|redacted|\byour|your[_-]|insert[_-]|replace[_-]|xxxx|\*\*\*\*|\.\.\.|"
    r"1234567|abcdefg|0123456|fedcba98|deadbeef",
    re.IGNORECASE,
)
"""Words and sequences of samples; random text has one in less than 1 of 10,000 values."""
_SAMPLE_WORD = re.compile(
    r"pass(?:w[o0]?r[dt])?|p[aä@4][s$5]{2}w[o0]rd|s[e3]cr[e3]t|token|test|fake|mock|admin|qwerty|letmein|foobar|secure|hidden|demo|"
    r"1234\d*|abcd|0000+",
    re.IGNORECASE,
)
"""Words of samples: what is left of a value without them is judged, since people write them into passwords, too."""
_REFERENCE = re.compile(r"\$\{[^}]*\}|\$\([^)]*\)|\{\{.*?\}\}|\#\{.*?\}|\{\w*\}|%\(\w+\)s|&\w+;")
"""References to a variable: the rest of the value is judged."""
_NO_VALUE = re.compile(
    r"""^\$\w+$|^\{.*\}$|^<[\w\ .:-]*>?$|^%\w$|^\[.*\]$|^\w[\w.]*\(.*\)[;,]?$|^\w+\[.*\]$|
        ^[\w./:\ -]*(?-i:%[sdvr])(?![A-Za-z0-9])[\w./:\ -]*$|^(?:https?|file|ssh|git)://|^[./~]{1,3}/|
        ^\\[a-z]|->|::|:\/\/|\[\^|\\[wdsWDSb.]|\(\?|[\])][*+?]|\{\}$|a-z|0-9|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|^(?:%[0-9a-f]{2})+$""",
    re.IGNORECASE | re.VERBOSE,
)
"""Templates, calls, paths and patterns."""
_REPEATED = re.compile(r"(.)\1{5}")
_RUNS = re.compile(r"[A-Za-z]+|[0-9]+|[^A-Za-z0-9]+")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_MIN_WORD = 3
_MIN_STRONG, _MIN_REST, _MIN_LONG = 8, 5, 24
_MAX_BLANKS = 7
_PLACE = re.compile(r"#.*|[\w.-]+(?:/[\w.-]+)+")
_NAME_LIKE = re.compile(r"[A-Za-z_.]+")
_CHOSEN = re.compile(r"(?=.{0,60}?[A-Za-z]{3})[\w !@#$%^&*?+~_.-]+")
_MIN_VARIETY = 8
_MAX_NUMBER = 4
_LETTERS_PER_ODD_PAIR = 6
_UNEXPLAINED, _UNEXPLAINED_PASSWORD = 0.3, 0.25
_HEX = re.compile(r"[0-9a-f]{2,}(?:-[0-9a-f]{2,})*-?|[0-9A-F]{2,}(?:-[0-9A-F]{2,})*-?")
_MIN_HEX = 16
_DIGIT_INSIDE = re.compile(r"[A-Za-z][0-9]+[A-Za-z]|[0-9]{4}$|^[0-9]+[A-Za-z]{2}")
_SYMBOL = re.compile(r"[!@#$%^&*?+~]")
_DIGIT = re.compile(r"[0-9]")
_LETTER = re.compile(r"[A-Za-z]")


def is_varied(value: str) -> bool:
    """Return True for a token of many different characters, which is no sample."""
    needed = min(_MIN_VARIETY, len(value) // 2)
    return len(set(value)) >= needed and not _REPEATED.search(value) and not _SAMPLE.search(value)


def is_random(value: str) -> bool:
    """Return True for a varied value that does not consist of words and numbers."""
    if not is_varied(value):
        return False
    if len(value) >= _MIN_HEX and _HEX.fullmatch(value) and _DIGIT.search(value) and _LETTER.search(value):
        return True
    return measure_unexplained(value) >= _UNEXPLAINED


def is_key(value: str) -> bool:
    """Return True for a random key or token: no reference, template, call or path."""
    rest = _strip_sample(value)
    return is_random(value) and (rest == value or is_random(rest))


def is_password(value: str) -> bool:
    """Return True for a value that a person or a generator chose as a password.

    It is random, or has letters with a digit between them, or letters, digits and symbols.
    """
    rest = _strip_sample(value)
    if len(set(rest)) < _MIN_WORD + 1 or _SAMPLE.search(value):
        return False
    has_digit, has_letter = _DIGIT.search(rest), _LETTER.search(rest)
    if not has_letter:
        return False
    if has_digit and (_SYMBOL.search(rest) or (rest.isalnum() and _DIGIT_INSIDE.search(rest))):
        return True
    return measure_unexplained(rest) >= _UNEXPLAINED_PASSWORD


def is_strong(value: str) -> bool:
    """Return True for a password or key that shows as one without a name before it."""
    rest = _strip_sample(value)
    if len(rest) < _MIN_STRONG or not value.isascii() or " " in value or not is_password(value):
        return False
    if (len(rest) < 2 * _MIN_HEX and _HEX.fullmatch(rest)) or _PLACE.fullmatch(value):
        return False
    return bool(_DIGIT.search(rest) or _SYMBOL.search(rest))


def is_chosen(value: str) -> bool:
    """Return True for words with a number, which a name must announce: `Winter2019`, `blue horse 7`."""
    rest = _strip_sample(value)
    if len(rest) < _MIN_STRONG or _SAMPLE.search(value) or value.count(" ") > _MAX_BLANKS:
        return False
    return bool(_CHOSEN.fullmatch(rest) and _DIGIT.search(rest))


def has_mixed_kinds(value: str) -> bool:
    """Return True for letters with two of: digits, symbols, both cases."""
    kinds = (_DIGIT.search(value), _SYMBOL.search(value), value.upper() != value != value.lower())
    return bool(_LETTER.search(value)) and sum(map(bool, kinds)) > 1


def _strip_sample(value: str) -> str:
    """Return a value without references and the words of samples; empty where nothing else can be meant."""
    if _NO_VALUE.search(value) and not (len(value) >= _MIN_LONG and " " not in value and is_random(value)):
        return ""
    rest = _REFERENCE.sub("", value)
    rest = rest if len(rest) * 2 > len(value) else ""
    stripped = _SAMPLE_WORD.sub("", rest)
    if stripped == rest:
        return rest
    is_name = _NAME_LIKE.fullmatch(value) is not None
    return stripped if len(stripped) >= _MIN_REST and not is_name else ""


def measure_unexplained(value: str) -> float:
    """Measure the share of characters, 0 to 1, that are no part of a word, a number or a separator."""
    runs = ["", *_RUNS.findall(value), ""]
    explained = short = 0
    for before, run, after in zip(runs, runs[1:], runs[2:], strict=False):
        if run.isdigit():
            explained += _count_number(before, run, after)
        elif run.isalpha():
            words = _WORDS.findall(run)
            explained += sum(len(word) for word in words if len(word) >= _MIN_WORD and _is_word(word.lower()))
            short += len(run) if len(run) < _MIN_WORD and not before.isdigit() and not after.isdigit() else 0
        else:
            explained += sum(char in " _-./:,'\\" for char in run)
    explained += short if explained >= 2 * short else 0
    return 1 - explained / max(1, len(value))


def _count_number(before: str, run: str, after: str) -> int:
    """Count the digits of a number that stands alone, or of a short one at the end of a word."""
    if before.isalpha() and after.isalpha():
        return 0
    alone = not before.isalpha() and not after.isalpha()
    return len(run) if len(run) <= (2 * _MAX_NUMBER if alone else _MAX_NUMBER) else 0


def _is_word(word: str) -> bool:
    """Return True when nearly all pairs of letters are common in English."""
    odd = sum(word[at : at + 2] not in _COMMON_PAIRS for at in range(len(word) - 1))
    return odd <= len(word) // _LETTERS_PER_ODD_PAIR
