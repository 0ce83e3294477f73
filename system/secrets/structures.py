"""Secrets by what is around them: key blocks, web tokens, headers, addresses, options, sentences."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from .values import Secret, has_mixed_kinds, is_chosen, is_key, is_password, is_strong, is_varied

if TYPE_CHECKING:
    from collections.abc import Iterator

STRUCTURE_MARKS = ("eyJ", "ZXlK", "PRIVATE KEY", "PuTTY-User-Key-File")
"""Marks, with their case, of which one must occur in such a text."""

STRUCTURE_WORDS = (
    "bearer",
    "basic",
    "authorization",
    "_auth",
    "://",
    "login",
    " -u",
    " --user",
    "identified",
    "key=",
    "sig=",
)
"""Words in lower case of which one must occur."""
ARGUMENT_WORDS = (" -p", " -a ", " -w ")
"""Options of one letter by which programs take passwords."""
PREFIXED = "a token with a prefix"

_WEB_TOKEN = re.compile(r"(?<![\w-])eyJ[\w-]{8,4000}\.[\w-]{8,8000}\.[\w-]{0,2000}={0,2}")
_ENCODED_WEB_TOKEN = re.compile(r"(?<![\w+/-])ZXlK[A-Za-z0-9+/_-]{60,12000}={0,2}")
_DISCORD = re.compile(r"\.[\w-]{6}\.[\w-]{27,38}(?![\w.-])")
_DISCORD_ID = re.compile(r"(?<![\w-])[MNO][A-Za-z0-9_-]{23,27}$")
_TELEGRAM = re.compile(r":[A-Za-z0-9_-]{35}(?![\w-])")
_TELEGRAM_ID = re.compile(r"(?<!\w)[0-9]{8,10}$")
_HEADER = re.compile(r"(?:bearer|basic)[ \t]{1,4}(?P<value>[A-Za-z0-9._~+/=-]{8,2000})", re.IGNORECASE)
_KEY_HEADER = re.compile(
    r"""authorization["'\]]{0,2}\s{0,2}[:=,]\s{0,2}["'`]?(?:[A-Za-z]{3,12}[ ]{1,2})?"""
    r"""(?P<value>[A-Za-z0-9._~+/=-]{16,2000})""",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"sig=(?P<value>[A-Za-z0-9%+/=_-]{30,200})")
_ADDRESS_KEY = re.compile(r"://(?P<value>[A-Za-z0-9_-]{20,200})@(?=[\w\[])")
_ADDRESS = re.compile(
    r"""://(?P<user>[^\s:/@"'<>`?\#{}|]{0,80}):(?P<value>(?![0-9]{1,5}/)[^\s"'<>`]{4,200})@(?=[\w\[$%{])"""
)
_NETRC = re.compile(r"""\b(?:login|user)\s{1,4}\S{1,80}\s{1,4}password\s{1,4}(?P<value>[^\s"'\\]{4,200})""")
_CURL_USER = re.compile(
    r"""(?:\s-[uU]|\s--user)(?:=|\s{0,3})["']?(?P<user>[^\s:%"']{1,80})[:%](?P<value>[^\s"']{4,200})"""
)
_IDENTIFIED = re.compile(r"""identified\s{1,4}by\s{1,4}["']?(?P<value>[^"'`<>\s;]{6,128})["';\s]""", re.IGNORECASE)
_NUGET = re.compile(
    r"""key\s{0,2}=\s{0,2}["']\w{0,40}password["']\s{1,4}value\s{0,2}=\s{0,2}["'](?P<value>[^"'\n]{6,200})["']""",
    re.IGNORECASE,
)
_NPM_AUTH = re.compile(r"""_(?:authToken|auth|password)\s{0,2}=\s{0,2}["']?(?P<value>[A-Za-z0-9+/=_.-]{16,400})""")
_MIN_BEARER, _MIN_NUMBER, _MIN_PASSWORD = 16, 8, 6
_ARGUMENT = re.compile(
    r"""\s-[pPaw](?:\s{1,2}(?:"(?P<double>[^"\n]{6,64})"|'(?P<single>[^'\n]{6,64})'|(?P<apart>[^\s"'`;|<>-][^\s"'`;|<>]{5,63}))
        |"(?P<double2>[^"\n]{6,64})"|'(?P<single2>[^'\n]{6,64})'|(?P<joined>[^\s"'`;|<>-][^\s"'`;|<>]{5,63}))""",
    re.VERBOSE,
)
_NOT_ARGUMENT = re.compile(r"[/=:,\\(){}\[\]]|^[\d.]+$")
_SENTENCE = re.compile(
    r"""[`"'*]{0,3}(?:\ [^\n.;:=(`"'<>]{0,60}?\ (?:is|was|to|now|ist|war|lautet)|,?\ (?:is|was|to)
            |\ ?(?:->|=>|:)|\ \d{1,2}(?=\ ))?
        (?:\ (?:now|is|was)|:|,\ the\ former\ one\ was)?[ ]{1,2}[(`"'*]{0,3}(?P<value>[^\s`"'*()<>]{7,100})""",
    re.IGNORECASE | re.VERBOSE,
)
_TYPE_NAME = re.compile(r"[A-Z][A-Za-z0-9]*[a-z0-9][A-Z][A-Za-z]*|\w+(?:\.\w+)+")
_PAIR = re.compile(r"""[^\n/]{0,40}/[`"' ]{0,3}(?P<value>[^\s`"'/()<>]{8,64})(?=[`"'\s])""")
_PREFIXED = re.compile(r"[-_](?P<tail>[A-Za-z0-9]{16,200})(?![\w-])")
_PREFIX = re.compile(
    r"(?<![\w./@#+-])(?<!sha256=)(?<!sha512=)"
    r"(?P<prefix>(?:[a-z][a-z0-9]{1,11}|[A-Z][A-Z0-9]{1,11})(?:[-_](?:[a-z0-9]{1,8}|[A-Z0-9]{1,8})){0,3})$"
)
_DIGEST = re.compile(
    r"sha|md\d|hash|blake|digest|chunk|commit|build|asset|bundle|v\d|cache|etag|uuid|guid|id$", re.IGNORECASE
)
_WORDS = re.compile(
    r"""[\n"'`=][ \t]{0,16}(?P<value>(?:[a-z]{3,8}\ ){11}[a-z]{3,8}(?:(?:\ [a-z]{3,8}){3}){0,4})
        (?=["'`\n]|[ \t\r]{1,8}\n|\Z)""",
    re.VERBOSE,
)
_FUNCTION_WORD = re.compile(
    r"\b(?:the|and|for|are|was|were|not|but|has|had|have|from|its|our|which|their|been|his|her|does|did|also|into|may|must|"
    r"could|should|would|these|those|with|without|when|what|than|then|per|via|yet|nor|how|who|why|because|using|used)\b"
)
_LEADS = re.compile(r"mnemonic|seed|phrase|wallet|recovery", re.IGNORECASE)
_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_BODY_LINE = re.compile(
    r"""[ \t]{0,40}(?:[#*;"'`+>|-]|//){0,3}[ \t]{0,4}["'`]?
        (?:[A-Za-z0-9+/=]{8,200}|[A-Za-z-]{3,20}:[ \t][^\n]{0,200}|)
        (?:\\n|\\r|["'`+,\\; \t]|\r){0,8}$""",
    re.VERBOSE,
)
_BODY = re.compile(r"[A-Za-z0-9+/=]{40}")
_SHORT_BODY = re.compile(r"(?:\r?\n[ \t]{0,40}[A-Za-z0-9+/=]{8,200}){1,1000}\s{0,80}")
_MAX_BLOCK = 32_768
"""Characters of a block; the largest key in use, RSA with 16,384 bits, has 13,000."""
_PUTTY = "PuTTY-User-Key-File"
_PUTTY_END = re.compile(r"Private-MAC:[^\n]{0,200}")
_SECRET_KIND = re.compile(r"^kind:[ \t]{0,4}[\"']?Secret\b", re.MULTILINE)
_DATA = re.compile(r"^(?:data|stringData):[ \t]*\r?$", re.MULTILINE)
_DATA_LINE = re.compile(r"[ \t]{1,20}[\w.\-\"']{1,120}:[ \t]{1,4}[\"']?(?P<value>[^\s\"'{}<>$|]{6,20000})")
_KUBERNETES = "a value of a Kubernetes secret"
_SAMPLE_DATA = re.compile(r"\.\.\.|^<|\$\{|\{\{|xxxx", re.IGNORECASE)


def find_private_keys(text: str) -> Iterator[Secret]:
    """Find private keys in PEM, OpenPGP and PuTTY format, whole or without their end."""
    at = text.find("-----BEGIN ")
    while at >= 0:
        found = _match_block(text, at)
        if found:
            yield found
        at = text.find("-----BEGIN ", found.end if found else at + 11)
    at = text.find(_PUTTY)
    while at >= 0:
        end = _PUTTY_END.search(text, at, at + _MAX_BLOCK)
        if _BODY.search(text, at, end.end() if end else at + _MAX_BLOCK):
            yield Secret("a private key", at, end.end() if end else min(len(text), at + _MAX_BLOCK))
        at = text.find(_PUTTY, end.end() if end else at + _MAX_BLOCK)


def _match_block(text: str, at: int) -> Secret | None:
    """Match a block that begins at `at`: code that reads or writes keys contains only the first line."""
    begin = _BEGIN.match(text, at)
    if begin is None:
        return None
    following = text.find("-----BEGIN ", begin.end(), at + _MAX_BLOCK)
    limit = following if following >= 0 else min(len(text), at + _MAX_BLOCK)
    end = _END.search(text, begin.end(), limit)
    if end:
        inside = text[begin.end() : end.start()]
        if _BODY.search(inside) or _SHORT_BODY.fullmatch(inside):
            return Secret("a private key", at, end.end())
        return None
    last = _find_last_body_line(text, begin.end(), limit)
    return Secret("a private key", at, last) if _BODY.search(text, begin.end(), last) else None


def _find_last_body_line(text: str, start: int, limit: int) -> int:
    """Return the offset, at most the limit, where the lines of a key without an end line stop."""
    stop = text.find("\n", start, limit)
    stop = limit if stop < 0 else stop
    while stop < limit:
        following = text.find("\n", stop + 1, limit)
        following = limit if following < 0 else following
        if not _BODY_LINE.fullmatch(text, stop + 1, following):
            break
        stop = following
    return stop


def find_kubernetes_values(text: str) -> Iterator[Secret]:
    """Find the values below `data` and `stringData` of a manifest with `kind: Secret`."""
    for part in (
        re.finditer(r"(?:^|\n---)(?:(?!\n---)[\s\S]){1,200000}", text)
        if "\n---" in text
        else [re.match(r"[\s\S]*", text)]
    ):
        if part and _SECRET_KIND.search(part[0]):
            yield from _find_values(text, part.start(), part.end())


def _find_values(text: str, start: int, end: int) -> Iterator[Secret]:
    for data in _DATA.finditer(text, start, end):
        at = data.end() + 1
        while at < end and (line := _DATA_LINE.match(text, at, end)):
            if not _SAMPLE_DATA.search(line["value"]):
                yield Secret(_KUBERNETES, *line.span("value"))
            at = text.find("\n", line.end()) + 1 or end


def find_web_tokens(text: str) -> Iterator[Secret]:
    """Find JSON Web Tokens (RFC 7519), plain or encoded in base64."""
    for match in _iter_at(_WEB_TOKEN, text, "eyJ"):
        yield Secret("a JSON Web Token", *match.span())
    for match in _iter_at(_ENCODED_WEB_TOKEN, text, "ZXlK"):
        if is_varied(match[0]):
            yield Secret("a JSON Web Token", *match.span())


def find_bot_tokens(text: str) -> Iterator[Secret]:
    """Find tokens of bots of Discord and Telegram, which have no literal part."""
    # From the dot backwards: a pattern that begins with 24
    # letters would be tried at each letter of a long text.
    for match in _DISCORD.finditer(text):
        head = _DISCORD_ID.search(text, max(0, match.start() - 28), match.start())
        if head and is_key(head[0] + match[0]):
            yield Secret("a Discord token", head.start(), match.end())
    for match in _TELEGRAM.finditer(text):
        head = _TELEGRAM_ID.search(text, max(0, match.start() - 11), match.start())
        if head and is_key(match[0][1:]):
            yield Secret("a Telegram token", head.start(), match.end())


def find_headers(text: str, lowered: str, possible: frozenset[str]) -> Iterator[Secret]:
    """Find the credentials of HTTP headers (RFC 7617, RFC 6750) and of `.npmrc`."""
    for mark in {"bearer", "basic"} & possible:
        for match in _iter_at(_HEADER, text, mark, lowered):
            value = match["value"]
            if _is_basic(value) if mark == "basic" else len(value) >= _MIN_BEARER and is_key(value):
                yield Secret(f"a {mark.capitalize()} header", *match.span("value"))
    for match in _iter_at(_KEY_HEADER, text, "authorization", lowered) if "authorization" in possible else ():
        if is_key(match["value"]) and not match["value"].isidentifier():
            yield Secret("an authorization header", *match.span("value"))
    for match in _iter_at(_NPM_AUTH, text, "_auth", lowered) if "_auth" in possible else ():
        yield from _check(match, "an npm token")


def _check(match: re.Match[str], kind: str) -> Iterator[Secret]:
    if is_key(match["value"]) or _is_basic(match["value"]):
        yield Secret(kind, *match.span("value"))


def _is_basic(value: str) -> bool:
    """Return True for `user:password` in base64 with a password that is no sample."""
    try:
        decoded = base64.b64decode(value.rstrip("=") + "=" * (-len(value.rstrip("=")) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return False
    user, colon, password = decoded.partition(":")
    return bool(colon) and decoded.isprintable() and user != password and is_password(password)


def find_in_addresses(text: str, lowered: str, possible: frozenset[str]) -> Iterator[Secret]:
    """Find the passwords of addresses, of `.netrc`, and of commands and statements that create users."""
    for match in _iter_at(_ADDRESS, text, "://") if "://" in possible and "@" in text else ():
        if match["user"].lower() != match["value"].lower() and _is_address_password(match["value"]):
            yield Secret("a password in an address", *match.span("value"))
    yield from _find_address_keys(text, lowered, possible)
    for mark, pattern in _PASSWORD_STATEMENTS:
        for match in _iter_at(pattern, text, mark, lowered) if mark in possible else ():
            value = match["value"]
            if is_password(value) or (is_chosen(value) and has_mixed_kinds(value)):
                yield Secret("a password", *match.span("value"))


def _find_address_keys(text: str, lowered: str, possible: frozenset[str]) -> Iterator[Secret]:
    for mark, pattern in (("://", _ADDRESS_KEY), ("sig=", _SIGNATURE)):
        for match in _iter_at(pattern, text, mark, lowered) if mark in possible else ():
            if is_key(unquote(match["value"])):
                yield Secret("a key in an address", *match.span("value"))


def _is_address_password(value: str) -> bool:
    value = unquote(value)
    if not value.isascii() or not value.isprintable():
        return False
    return (len(value) >= _MIN_PASSWORD and (is_password(value) or is_chosen(value))) or (
        len(value) >= _MIN_NUMBER and value.isdigit() and is_varied(value)
    )


_PASSWORD_STATEMENTS = (
    ("login", _NETRC),
    (" -u", _CURL_USER),
    (" --user", _CURL_USER),
    ("identified", _IDENTIFIED),
    ("key=", _NUGET),
)


def find_arguments(text: str, lowered: str, possible: frozenset[str]) -> Iterator[Secret]:
    """Find passwords after the options of one letter that programs take them by."""
    for mark in ARGUMENT_WORDS:
        at = lowered.find(mark) if mark in possible else -1
        while at >= 0:
            match = _ARGUMENT.match(text, at)
            if match and (found := _judge_argument(match)):
                yield found
            at = lowered.find(mark, at + 2)


def _judge_argument(match: re.Match[str]) -> Secret | None:
    group = match.lastgroup or ""
    value = match[group]
    if _NOT_ARGUMENT.search(value) or " " in value or not (is_strong(value) and has_mixed_kinds(value)):
        return None
    return Secret("a password", *match.span(group))


def match_sentence(text: str, at: int) -> Secret | None:
    """Find what a sentence calls a password or a key: `the password for staging is …`, `with password …`.

    Args:
        text: the text.
        at: the end of the word for the secret.
    """
    for pattern in (_SENTENCE, _PAIR):
        match = pattern.match(text, at)
        if match is None:
            continue
        value = match["value"].rstrip(".,;:!?") if match["value"][-1] in ".,;:" else match["value"]
        if _NOT_ARGUMENT.search(value) or _TYPE_NAME.fullmatch(value):
            continue
        if (is_strong(value) or is_chosen(value)) and has_mixed_kinds(value):
            return Secret("a password", match.start("value"), match.start("value") + len(value))
    return None


def find_prefixed(text: str) -> Iterator[Secret]:
    """Find tokens with the name of their maker or kind before them: `acme_live_…`, `tvly-dev-…`."""
    for match in _PREFIXED.finditer(text):
        head = _PREFIX.search(text, max(0, match.start() - 44), match.start())
        if head is None or _DIGEST.search(head["prefix"]) or not _is_tail(match["tail"], head["prefix"]):
            continue
        if is_key(match["tail"]):
            yield Secret(PREFIXED, head.start(), match.end())


def _is_tail(tail: str, prefix: str) -> bool:
    """Return whether a tail has the mix of a generated token, or is hexadecimal behind `sk` or `key`."""
    kinds = sum(any(test(char) for char in tail) for test in (str.islower, str.isupper, str.isdigit))
    return kinds > 2 or (len(tail) > 31 and prefix[:3].lower() in {"sk", "sk_", "sk-", "key"})  # noqa: PLR2004 - of all three


def find_phrases(text: str) -> Iterator[Secret]:
    """Find the words of a wallet's seed (BIP 39): 12 to 24 words on a line of their own, or in quotes."""
    # The pattern begins with what is before the words; a phrase may be the first line.
    for match in _WORDS.finditer("\n" + text):
        if _FUNCTION_WORD.search(match["value"]) and not _LEADS.search(text, max(0, match.start() - 40), match.start()):
            continue
        yield Secret("a seed phrase", match.start("value") - 1, match.end("value") - 1)


def _iter_at(pattern: re.Pattern[str], text: str, mark: str, searched: str | None = None) -> Iterator[re.Match[str]]:
    """Match a pattern at each occurrence of a mark; continue after a match."""
    # `str.find` passes over a text without the mark far more quickly than the pattern would.
    searched = text if searched is None else searched
    at = searched.find(mark)
    while at >= 0:
        match = pattern.match(text, at)
        if match:
            yield match
        at = searched.find(mark, match.end() if match else at + len(mark))
