"""Secrets recognized by the name before them: `password: …`, `api_key = "…"`, `DATADOG_KEY=…`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .randomness import is_key, is_password, is_random
from .rules import VENDOR_PATTERN
from .secret import Secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .rules import Vendor

NAME_WORDS = ("pass", "pwd", "secret", "token", "cred", "key", "auth")
"""Words of which one is in the name of a secret, in lower case."""

_PASSWORD_KIND, _KEY_KIND = "a password", "a key or token"
_KEY_PREFIX = re.compile(
    r"(?:api|access|secret|private|auth|encrypt|encryption|decryption|sign|signing|master|account|service|license|"
    r"licence|shared|admin|app|application|client|consumer|subscription|deploy|session|cipher|crypto|hmac|aes|jwt|ssh|"
    r"webhook|integration|ingest|write|server|prod|live|gpg|rsa|connection|functions|bot|oauth)[_\-. ]?\Z"
)
# \Z and not $, which also matches before the end of a line: the line above does not name what is assigned here.
_PUBLIC = re.compile(
    r"(?:public|publickey|primary|foreign|cache|sort|csrf|by|non|un|com|bi|sur)[_\-]?\Z|\$\(\Z|(?<![a-z])no\Z"
)
_NAME = re.compile(
    r"""(?P<word>pass(?:w(?:or)?d|wort|phrase|code)?|pwd|secret|token|cred(?:ential)?s?|key|auth)s?(?P<suffix>[\w.\-]{0,24})""",
    re.IGNORECASE | re.VERBOSE,
)
_HARMLESS_SUFFIX = re.compile(
    r"(?:hash|hashed|sha\d*|md5|digest|checksum|ur[il]|path|file|filename|dir|folder|name|id|ids|type|kind|field|label|prefix|"
    r"suffix|regex|pattern|format|len|length|size|count|policy|class|input|hint|help|message|error|header|param|params|expiry|"
    r"expires|ttl|age|limit|max|min|version|algorithm|column|selector|ref|arn|words?|board|frames?|list|map|code|"
    r"endpoint|location|source|store|manager|provider|service|generator|factory|validator|parser|izer|ized|ed|ing|ive|"
    r"or|ors|ority|entication|orization|orized)$",
    re.IGNORECASE,
)
_OPERATOR = r"""
    (?P<close>\\?["'`]?\]?\)?)
    (?:
        \s{0,3}(?:
            :\s{0,3}[A-Za-z_][\w.<>\[\],|?\ ]{0,30}[\w>\]?]\s{0,3}=(?!=)  # a typed variable
          | :[\ \t]{0,3}[|>][+\-1-9]{0,2}[\ \t]{0,3}(?:\#[^\n]{0,80})?\r?\n[\ \t]{1,40}  # a block of YAML
          | :=|=>|\?\?=|\|\|=|\?=|[=!]==?|::?(?!:)|=|,|->
        )\s{0,3}
      | \s{0,2}\(\s{0,2}                                                # a call
      | (?:\.assign|\.set|Value)?\(\s{0,2}
      | >                                                              # an XML element
      | \s{1,3}value\s{0,2}=\s{0,2}
      | \s{1,8}(?=["'])                                                # a configuration file
    )"""
_VALUE = r"""
    (?:\(\s{0,2})?
    (?:
        (?P<lead>[rbufRBUF@$]{0,2})(?:"{3}|'{3})(?P<long>[^"'\n]{6,200})["']{3}
      | (?P<lead2>[rbufRBUF@$]{0,2})(?:
            "(?P<double>[^"\n]{6,200})"|'(?P<single>[^'\n]{6,200})'|`(?P<tick>[^`\n]{6,200})`
          | \\"(?P<escaped>[^"\\\n]{6,200})\\"
        )
      | (?P<bare>[^\s"'`<>;&|\\][^\s"'`;&<>\\]{5,200})
    )"""
_ASSIGNMENT = re.compile(_OPERATOR + _VALUE, re.VERBOSE)
_FLAG = re.compile(r"(?:=|\s{1,2})[\"']?(?P<bare>[^\s\"'`;&<>]{6,128})")
_COMPARED = re.compile(r"""(?:"([^"\n]{6,200})"|'([^'\n]{6,200})')\s{0,2}[=!]==?\s{0,2}[\w.$]{0,40}$""")
_PASSWORD_WORDS = frozenset({"pass", "passwd", "password", "passwort", "passphrase", "passcode", "pwd"})
_NEVER_BARE = frozenset({"cred", "creds", "credential", "credentials"})
_BARE_KEY = re.compile(r"[A-Za-z0-9_+/=.:~%@-]+")
_CODE = re.compile(r"^[A-Za-z_][\w.]*[(\[]\w*[)\]]?$|\)[{;,.]|\}\)|=>|\|\||&&|:!\d|^!\d|^\{\||\(\)|\]\)")
"""Parts of expressions of programming languages."""
_BARE_OPERATOR = re.compile(r"[^,(]*[=:>][^,(]*|\s+")
"""Operators before a value without quotes: an assignment or an element, no list and no call."""
_LONG_RUN = re.compile(r"A{8,}")
_WHOLE_WORDS = frozenset({"key", "auth"})
_MIN_PASSWORD, _MIN_KEY, _MIN_BARE_KEY = 6, 12, 16
_LOOKBEHIND = 24


def find_assigned(text: str, lowered: str, words: Iterable[str]) -> Iterator[Secret]:
    """Find values that are assigned to a name with one of the words.

    Args:
        text: the text.
        lowered: the text in lower case, of the same length.
        words: those of `NAME_WORDS` to look for.
    """
    budget = _Budget(len(text))
    for word in words:
        at, size, skips_letters = lowered.find(word), len(word), word in _WHOLE_WORDS
        while at >= 0:
            follower = lowered[at + size : at + size + 1]
            end = at + size
            if not (skips_letters and follower.isalpha() and follower != "s") and (
                found := _match_name(text, lowered, at, budget)
            ):
                yield found
                end = found.end if budget.is_used_up else end
            at = lowered.find(word, end)


class _Budget:
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


def _match_name(text: str, lowered: str, at: int, budget: _Budget) -> Secret | None:
    """Return the secret that is assigned to the name at `at`, or None."""
    name = _NAME.match(text, at)
    if name is None:
        return None
    word, suffix = name["word"].lower(), name["suffix"]
    if _is_harmless(lowered, at, word, suffix):
        return None
    match = _ASSIGNMENT.match(text, name.end())
    if match is None:
        flag = lowered[max(0, at - 12) : at].rpartition(" ")[2].startswith("--") and _FLAG.match(text, name.end())
        return _check_value(flag, "bare", word, budget) if flag else None
    group = match.lastgroup or "bare"
    if group in {"lead", "lead2"} or match[group] is None:
        return None
    if "f" in (match["lead"] or match["lead2"] or "").lower() and "{" in match[group]:
        return None
    return _check_value(match, group, word, budget)


def _is_harmless(lowered: str, at: int, word: str, suffix: str) -> bool:
    """Return True for a name that contains a word of secrets, but names none."""
    before = lowered[max(0, at - _LOOKBEHIND) : at]
    if _PUBLIC.search(before) or (suffix and _HARMLESS_SUFFIX.search(suffix)):
        return True
    if word in {"pass", "auth", "cred"}:
        return suffix[:1] not in {"", "_", "-", "."} or before[-1:].isalpha()
    if word == "key":
        return suffix[:1].islower() or not _KEY_PREFIX.search(before)
    return suffix[:1].islower() and not suffix.startswith(("base", "value", "string"))


def _check_value(match: re.Match[str], group: str, word: str, budget: _Budget) -> Secret | None:
    """Return the secret when the value fits the word."""
    value = match[group]
    if group == "bare":
        value = _trim_bare(match)
    if not value:
        return None
    is_password_word = word in _PASSWORD_WORDS
    judge = _is_password_value if is_password_word else _is_key_value
    if budget.covers(value) and not judge(value, group, word):
        return None
    start = match.start(group)
    return Secret(_PASSWORD_KIND if is_password_word else _KEY_KIND, start, start + len(value))


def _trim_bare(match: re.Match[str]) -> str:
    """Return a bare value without punctuation; empty in a list, a call or an object of code."""
    if not _BARE_OPERATOR.fullmatch(match.string, match.start(), match.start("bare")):
        return ""
    value = match["bare"].rstrip(",)]}.:")
    is_variable = value.isidentifier() and match["bare"].endswith(",")
    return "" if is_variable else value


def _is_password_value(value: str, group: str, _word: str) -> bool:
    if len(value) < _MIN_PASSWORD or " " in value or not is_password(value):
        return False
    return group != "bare" or _is_bare_password(value)


def _is_key_value(value: str, group: str, word: str) -> bool:
    if " " in value or (group == "bare" and (word in _NEVER_BARE or not _BARE_KEY.fullmatch(value))):
        return False
    return len(value) >= (_MIN_BARE_KEY if group == "bare" else _MIN_KEY) and is_key(value)


def _is_bare_password(value: str) -> bool:
    """Return True for an unquoted password: no number, and no expression of a programming language."""
    return not _CODE.search(value)


def find_vendor_keys(text: str, lowered: str, vendors: Iterable[Vendor]) -> Iterator[Secret]:
    """Find keys that follow the name of a vendor.

    Args:
        text: the text.
        lowered: the text in lower case, of the same length.
        vendors: those to look for.
    """
    budget = _Budget(len(text))
    for vendor in vendors:
        at = lowered.find(vendor.name)
        while at >= 0:
            end = at + len(vendor.name)
            match = VENDOR_PATTERN.match(text, end)
            if match and not budget.covers(match["value"]):
                yield Secret(_KEY_KIND, *match.span("value"))
            elif match and (found := _match_vendor(vendor, text, match)):
                yield found
            at = lowered.find(vendor.name, end)


def _match_vendor(vendor: Vendor, text: str, match: re.Match[str]) -> Secret | None:
    """Return the key when it fits the vendor; equals signs before it may be part of it."""
    start, value = match.start("value"), match["value"].rstrip(".,:")
    for _ in range(3):
        if vendor.value.fullmatch(value) and (
            value.isdigit() or is_random(_LONG_RUN.sub("", value)) or is_password(value)
        ):
            return Secret(f"a key of {vendor.name.capitalize()}", start, start + len(value))
        if text[start - 1] != "=":
            break
        start, value = start - 1, f"={value}"
    return None
