"""Secrets recognized by the name before them: `password: …`, `api_key = "…"`, `DATADOG_KEY=…`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .structures import match_sentence
from .tables import find_in_columns
from .values import Secret, ValueBudget, has_mixed_kinds, is_chosen, is_key, is_password, is_strong

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

NAME_WORDS = (
    *("pass", "pw", "secret", "token", "cred", "key", "auth", "kennwort", "psk", "session", "salt", "otp", "login"),
    "community",
)
"""Words of which one is in the name of a secret, in lower case."""

_PASSWORD_KIND, _KEY_KIND = "a password", "a key or token"
_KEY_PREFIX = re.compile(
    r"(?:api|access|secret|private|auth|encrypt|encryption|decryption|sign|signing|master|account|service|license|"
    r"licence|shared|admin|app|application|client|consumer|subscription|deploy|session|cipher|crypto|hmac|aes|jwt|ssh|"
    r"staging|webhook|integration|ingest|write|server|prod|live|gpg|rsa|connection|functions|bot|oauth)[_\-. ]?\Z"
)
# \Z and not $, which also matches before the end of a line: the line above does not name what is assigned here.
_PUBLIC = re.compile(
    r"(?:public|publickey|primary|foreign|cache|sort|csrf|by|non|un|com|bi|sur)[_\-]?\Z|\$\(\Z|(?<![a-z])no\Z"
)
_NAME = re.compile(
    r"""(?P<word>pass(?:w(?:or)?d|wort|phrase|code)?|pwd?|secret|token|cred(?:ential)?s?|key|auth|kennwort|psk|session|salt|otp|login|community)s?(?P<suffix>[\w.\-]{0,24})""",
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
          | :=|=>|\?\?=|\|\|=|\?=|[=!]==?|::?(?!:)|=|->
          | ,
        )[\ \t]{0,12}(?:\n\s{0,3})?(?:!!str\s{1,3})?
      | \s{0,2}\(\s{0,2}                                                # a call
      | (?:\.assign|\.set|Value)?\(\s{0,2}
      | >(?:<!\[CDATA\[)?                                              # an XML element
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
_CAPITAL_PW = re.compile(r"[a-z]P[Ww](?![a-z])")
_FLAG = re.compile(
    r"""(?:=|\s{1,2})(?:"(?P<double>[^"\n]{6,128})"|'(?P<single>[^'\n]{6,128})'|(?P<bare>[^\s"'`;&<>]{6,128}))"""
)
_LITERAL = re.compile(
    r"""(?<![\w"'`])[rbRB]?(?:"(?P<double>[^"\n]{8,200})"|'(?P<single>[^'\n]{8,200})'|`(?P<tick>[^`\n]{8,200})`)"""
)
_BEFORE_CHARS = 100
_BEFORE = re.compile(r"""(?:["'`]|/[ ])(?P<value>[^\s"'`(){}<>=/,]{8,64})["'` ]""")
_SYMBOLS = re.compile(r"[!@#$%^&*?+~]")
_CONFIGURED = re.compile(r"[ \t]{0,3}=[ \t]{0,3}(?P<value>[^\s\"'`$\[{(<][^\n\"'`(){}\[\]<>]{5,80})\r?(?=\n|\Z)")
_LINE_START = re.compile(r"(?:\n|\A)[ \t]{0,8}(?:export[ ]|set[ ])?[\w.-]{0,40}\Z")
_IS_USED = re.compile(r"""[^\n"'`=:(]{0,24}["'`\])]{0,3}\s{0,8}(?:[:=(,]|->)""")
_DEFAULT = re.compile(r"(?:\bor|\|\||\?\?|\?:|default\s?=)\s{0,3}\Z")
_LINE_CHARS, _NEARBY_CHARS = 240, 240
_QUOTED_VALUE = (
    r"""(?:"(?P<double>[^"\n]{6,200})"|'(?P<single>[^'\n]{6,200})'|(?P<bare>[^\s"'`<>{}\[\],][^\s"'`<>]{5,200}))"""
)
_VALUE_KEY = re.compile(
    r"""(?<![\w.-])["']?(?:default_?)?(?:value|default)["']?(?:\s{0,12}[:=]\s{0,3}|>)""" + _QUOTED_VALUE,
    re.IGNORECASE | re.VERBOSE,
)
"""The key `value` or `default` with its value."""
_NEXT_ITEM = re.compile(r"\n\s*(?:\n|-\s|\Z)|\bdef\b|(?<!/)\bname\b", re.IGNORECASE)
_IS_VALUE = re.compile(r"""["'`]?(?:\s{0,2}[,}><{/]|\s{0,2}:?\s{0,2}\{?\r?\n)""")
"""What follows a name that is itself a value, or that opens a block."""
_PRECEDING = re.compile(
    r"""(?<![\w.-])["']?value["']?\s{0,3}[:=]\s{0,3}"""
    + _QUOTED_VALUE
    + r"""[,\s]{0,60}["']?(?:name|key)["']?\s{0,3}[:=]\s{0,3}["']?[\w.-]{0,80}\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_PASSWORD_WORDS = frozenset(
    {"pass", "passwd", "password", "passwort", "passphrase", "passcode", "pw", "pwd", "kennwort", "psk"}
)
_NEVER_BARE = frozenset({"cred", "creds", "credential", "credentials"})
_BARE_KEY = re.compile(r"[A-Za-z0-9_+/=.:~%@-]+")
_TYPE = re.compile(r"(?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*|[A-Z]\w*(?:Key|Token|Secret|Auth|Credentials?)s?")
"""A name of a class, or one with dots."""
_SNAKE_CASE = re.compile(r"[a-z]+(?:_[a-z]+)+")
_CODE = re.compile(
    r"^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|\w\[|^[a-z]\w*_\w+_\w+$"
    r"|^[A-Za-z_][\w.]*[(\[]\w*[)\]]?$|\)[{;,.]|\}\)|=>|\|\||&&|:!\d|^!\d|^\{\||\(\)|\]\)"
)
"""Parts of expressions of programming languages."""
_BARE_OPERATOR = re.compile(r"[^,(]*[=:>][^,(]*|\s+")
"""Operators before a value without quotes: an assignment or an element, no list and no call."""
_WHOLE_WORDS = frozenset({"key", "auth", "pw", "psk", "salt", "otp", "login"})
_PHRASE = re.compile(r"[a-z]{3,}(?: [a-z]{3,}){1,5}")
_PLAIN_ASSIGNMENT = re.compile(r"""\s{0,3}=\s{0,3}["'](?=[a-z])""")
_MIN_PASSWORD, _MIN_KEY, _MIN_BARE_KEY = 6, 12, 16
_LOOKBEHIND = 24


def find_assigned(text: str, lowered: str, words: Iterable[str]) -> Iterator[Secret]:
    """Find values that are assigned to a name with one of the words.

    Args:
        text: the text.
        lowered: the text in lower case, of the same length.
        words: those of `NAME_WORDS` to look for.
    """
    scan = _NameScan(text, lowered)
    for word in words:
        at, size, skips_letters = lowered.find(word), len(word), word in _WHOLE_WORDS
        scan.searched = scan.tabled = 0
        while at >= 0:
            end = at + size
            name = None
            if not (skips_letters and lowered[end : end + 1].isalpha() and not _is_whole(text, at, word)):
                name = _match_name(text, lowered, at)
            for found in scan.find_near(name) if name is not None else ():
                yield found
                # Every value counts as a secret now: to look inside of one
                # again would take time with the square of the length.
                end = found.end if scan.budget.is_used_up else end
            at = lowered.find(word, end)


class _NameScan:
    """Scan around the names of secrets, which searches no line and no table twice."""

    def __init__(self, text: str, lowered: str) -> None:
        self.text, self.lowered = text, lowered
        self.budget = ValueBudget(len(text))
        self.searched = self.tabled = 0

    def find_near(self, name: re.Match[str]) -> list[Secret]:
        """Find what is assigned to a name, else in its line, else next to it, else below."""
        found = _match_assigned(self.text, self.lowered, name, self.budget)
        if found is None and name.end() > self.searched:
            before = _search_before(self.text, name, self.budget) if self.searched <= name.start() else None
            self.searched, after = _search_line(self.text, name, self.budget)
            found = before or after or match_sentence(self.text, name.start() + len(name["word"]))
        found = found or _match_nearby(self.text, name, self.budget)
        if found is not None:
            return [found]
        if name.end() <= self.tabled:
            return []
        cells, self.tabled = find_in_columns(self.text, name.start())
        return cells


def _is_whole(text: str, at: int, word: str) -> bool:
    """Return whether a short word is followed by the end of its plural, or is the beginning of `pwd`."""
    follower = text[at + len(word) : at + len(word) + 2].lower()
    return follower[:1] in {"s", "d"} and not follower[1:].isalpha() and (word == "pw") == (follower[:1] == "d")


def _match_name(text: str, lowered: str, at: int) -> re.Match[str] | None:
    """Match the name of a secret at `at`; None for a name that only contains its word."""
    name = _NAME.match(text, at)
    word = name["word"].lower() if name else ""
    is_inside = word == "pw" and text[at - 1 : at].isalpha() and not _CAPITAL_PW.match(text, at - 1)
    return None if name is None or is_inside or _is_harmless(lowered, at, word, name["suffix"]) else name


def _match_assigned(text: str, lowered: str, name: re.Match[str], budget: ValueBudget) -> Secret | None:
    """Return the secret that is assigned to a name, or None."""
    word, at = name["word"].lower(), name.start()
    match = _ASSIGNMENT.match(text, name.end())
    whole = _match_line(text, name) if word in _PASSWORD_WORDS else None
    if whole is not None:
        return whole
    if match is None:
        flag = lowered[max(0, at - 16) : at].rpartition(" ")[2].startswith("-") and _FLAG.match(text, name.end())
        return _check_value(flag, flag.lastgroup or "bare", word, budget) if flag else None
    group = match.lastgroup or "bare"
    if group in {"lead", "lead2"} or match[group] is None:
        return None
    # An f-string with a name in braces is put together when it runs, and holds no secret itself.
    if "f" in (match["lead"] or match["lead2"] or "").lower() and "{" in match[group]:
        return None
    return _check_value(match, group, word, budget)


def _match_line(text: str, name: re.Match[str]) -> Secret | None:
    """Return the rest of a line `name=value` of a configuration file, whose value needs no quotes."""
    match = _CONFIGURED.match(text, name.end())
    if match is None or _LINE_START.search(text, max(0, name.start() - 60), name.start()) is None:
        return None
    value = match["value"].rstrip()
    if not (_is_bare_password(value) and (is_chosen(value) or (" " not in value and is_password(value)))):
        return None
    return Secret(_PASSWORD_KIND, match.start("value"), match.start("value") + len(value))


def _search_line(text: str, name: re.Match[str], budget: ValueBudget) -> tuple[int, Secret | None]:
    """Search the rest of the line after a name for a literal that shows as a secret.

    It is the default of a look-up, or an argument of a call.

    Returns:
        The position up to which the line is searched, and the secret.
    """
    end = text.find("\n", name.end(), name.end() + _LINE_CHARS)
    end = end if end >= 0 else min(len(text), name.end() + _LINE_CHARS)
    if not _IS_USED.match(text, name.end()):
        return end, None
    for match in _LITERAL.finditer(text, name.end(), end):
        value = match[match.lastgroup or 0]
        is_default = _DEFAULT.search(text, match.start() - 16, match.start()) is not None
        if not budget.covers(value) or is_strong(value) or (is_default and is_chosen(value)):
            return end, Secret(_KEY_KIND, *match.span(match.lastgroup or 0))
    return end, None


def _search_before(text: str, name: re.Match[str], budget: ValueBudget) -> Secret | None:
    """Return a secret in the line before its name: `echo 'VALUE' | login --password-stdin`."""
    first = max(0, name.start() - _BEFORE_CHARS)
    start = max(text.rfind("\n", first, name.start()), first)
    for match in _BEFORE.finditer(text, start, name.start()):
        value = match["value"]
        if not budget.covers(value) or (is_strong(value) and has_mixed_kinds(value) and _SYMBOLS.search(value)):
            return Secret(_KEY_KIND, *match.span("value"))
    return None


def _match_nearby(text: str, name: re.Match[str], budget: ValueBudget) -> Secret | None:
    """Return the secret whose name is itself a value: `name: DB_PASSWORD`, `value: …`."""
    word = name["word"].lower()
    if _IS_VALUE.match(text, name.end()):
        rest = text[name.end() : name.end() + _NEARBY_CHARS]
        end = _NEXT_ITEM.search(rest)
        match = _VALUE_KEY.search(text, name.end(), name.end() + (end.start() if end else len(rest)))
        if match is not None:
            return _check_value(match, match.lastgroup or "bare", word, budget)
    start = max(0, name.start() - _NEARBY_CHARS)
    if "value" not in text[start : name.start()].lower():
        return None
    match = _PRECEDING.search(text, start, name.start())
    return _check_value(match, match.lastgroup or "bare", word, budget) if match else None


def _is_harmless(lowered: str, at: int, word: str, suffix: str) -> bool:
    """Return True for a name that contains a word of secrets, but names none."""
    before = lowered[max(0, at - _LOOKBEHIND) : at]
    if word == "session":
        return suffix.lower() not in {"id", "_id", "-id"}
    if _PUBLIC.search(before) or (suffix and _HARMLESS_SUFFIX.search(suffix)):
        return word != "secret" or suffix.lower() not in {"-id", "_id"}
    if word in {"pass", "auth", "cred"}:
        is_option = re.search(r"\s-[\w-]*\Z", before) is not None
        return suffix[:1] not in {"", "_", "-", "."} or (before[-1:].isalpha() and not is_option)
    if word == "key":
        return suffix[:1].islower() or not _KEY_PREFIX.search(before)
    return suffix[:1].islower() and not suffix.startswith(("base", "value", "string"))


def _check_value(match: re.Match[str], group: str, word: str, budget: ValueBudget) -> Secret | None:
    """Return the secret when the value fits the word."""
    value = match[group]
    if group == "bare":
        value = _trim_bare(match)
    if not value:
        return None
    is_password_word = word in _PASSWORD_WORDS
    judge = _is_password_value if is_password_word else _is_key_value
    if budget.covers(value) and not (judge(value, group, word) or (is_password_word and _is_phrase(match, value))):
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
    if len(value) < _MIN_PASSWORD or not (is_chosen(value) or (" " not in value and is_password(value))):
        return False
    return group != "bare" or _is_bare_password(value)


def _is_phrase(match: re.Match[str], value: str) -> bool:
    """Return True for words in quotes that are assigned; a label begins with a capital."""
    return _PHRASE.fullmatch(value) is not None and _PLAIN_ASSIGNMENT.match(match[0]) is not None


def _is_key_value(value: str, group: str, word: str) -> bool:
    if " " in value or (group == "bare" and (word in _NEVER_BARE or not _BARE_KEY.fullmatch(value))):
        return False
    if _SNAKE_CASE.fullmatch(value) or (group == "bare" and _TYPE.fullmatch(value)):
        return False
    return len(value) >= (_MIN_BARE_KEY if group == "bare" else _MIN_KEY) and is_key(value)


def _is_bare_password(value: str) -> bool:
    """Return True for an unquoted password: no number, and no expression of a programming language."""
    return not (value.startswith(("[", "$")) or _CODE.search(value))
