"""Secret scan: finds the rule and line of a secret, never reports its value."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatchcase, translate
from typing import TYPE_CHECKING, NamedTuple

from .secret_prefilter import SecretPrefilter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SECRET_NAMES = (
    ".env",
    ".env.*",
    "*.env",
    ".envrc",
    ".git-credentials",
    ".htpasswd",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".pypirc",
    ".dockercfg",
    ".s3cfg",
    ".boto",
    ".vault-token",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "*.pem",
    "*.key",
    "*.p8",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.ppk",
    "*.tfstate",
    "*.tfstate.backup",
    "*.auto.tfvars",
    "credentials",
    "credentials.json",
    "credentials.y*ml",
    "credentials.csv",
    "client_secret*.json",
    "service-account*.json",
    "service_account*.json",
    "secrets.json",
    "secrets.toml",
    "secrets.y*ml",
    "*.secrets.y*ml",
    "master.key",
)
"""Names, in lower case, of files that usually contain secrets."""

HARMLESS_NAMES = (
    "*.example",
    "*.sample",
    "*.template",
    "*.tmpl",
    "*.dist",
    "*.defaults",
    "*.pub",
    "example.env",
    "sample.env",
)
"""Exceptions from the patterns above for published files; their content is still scanned."""

ALLOW_COMMENT = re.compile(r"pragma:\s*allowlist secret|gitleaks:\s*allow|noqa:?\s*secret", re.IGNORECASE)
"""A comment on the line that allows it after a review, as in other scanners."""


class SecretLocation(NamedTuple):
    """Line of a secret, counted from 1, and the matching rule."""

    line: int
    rule: str


@dataclass(frozen=True, slots=True)
class TokenRule:
    """Rule for a token with a characteristic format.

    Attributes:
        marks: strings of which one must occur before the pattern is tried.
        pattern: matches the token.
        random: True when the token must also look random, since prose may have the same format.
    """

    rule: str
    marks: tuple[str, ...]
    pattern: re.Pattern[str]
    random: bool = True


TOKEN_RULES = (
    TokenRule("an AWS access key", ("AKIA", "ASIA"), re.compile(r"\b(?:AKIA|ASIA)[A-Z2-7]{16}\b")),
    TokenRule(
        "a GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b")
    ),
    TokenRule("a GitHub token", ("github_pat_",), re.compile(r"\bgithub_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}\b")),
    TokenRule("a GitLab token", ("glpat-",), re.compile(r"\bglpat-[A-Za-z0-9_-]{20,}")),
    TokenRule(
        "a Slack token", ("xox", "xapp-"), re.compile(r"\b(?:xox[abeoprs]|xapp)-(?:[A-Za-z0-9]+-)*[A-Za-z0-9]{10,}")
    ),
    TokenRule(
        "a Slack webhook",
        ("hooks.slack.com",),
        re.compile(r"hooks\.slack\.com/services/T[A-Z0-9]{8,}/B[A-Z0-9]{8,}/[A-Za-z0-9]{20,}"),
    ),
    TokenRule(
        "an API key that begins with sk-",
        ("sk-",),
        re.compile(r"(?<![A-Za-z0-9_-])sk-(?:[a-z0-9]{2,12}-)*[A-Za-z0-9_-]{20,}"),
    ),
    TokenRule("a Stripe key", ("_live_",), re.compile(r"\b[rs]k_live_[A-Za-z0-9]{20,}")),
    TokenRule("a Google API key", ("AIza",), re.compile(r"\bAIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])")),
    TokenRule("a Google OAuth secret", ("GOCSPX-",), re.compile(r"\bGOCSPX-[A-Za-z0-9_-]{28}")),
    TokenRule("an npm token", ("npm_",), re.compile(r"\bnpm_[A-Za-z0-9]{36}\b")),
    TokenRule("a PyPI token", ("pypi-AgE",), re.compile(r"\bpypi-AgE[A-Za-z0-9_-]{50,}")),
    TokenRule("a SendGrid key", ("SG.",), re.compile(r"\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}")),
    TokenRule("a Hugging Face token", ("hf_",), re.compile(r"\bhf_[A-Za-z]{34}\b")),
    TokenRule("a DigitalOcean token", ("dop_v1_",), re.compile(r"\bdop_v1_[a-f0-9]{64}\b")),
    TokenRule("an Azure storage key", ("AccountKey=",), re.compile(r"AccountKey=[A-Za-z0-9+/]{86}==")),
    TokenRule(
        "a private key",
        ("PRIVATE KEY",),
        # With its body: code that reads or writes keys contains only the first line.
        re.compile(
            r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:(?!-----)[\s\S]){0,300}?[A-Za-z0-9+/=]{40}"
        ),
        random=False,
    ),
)
"""Rules by content, in the order in which they are tried."""

_SECRET_WORDS = (
    "access-key",
    "access_key",
    "accesskey",
    "api-key",
    "api_key",
    "apikey",
    "auth_key",
    "credential",
    "encryption_key",
    "passwd",
    "password",
    "private_key",
    "privatekey",
    "pwd",
    "secret",
    "signing_key",
    "token",
)
_ASSIGNMENT = re.compile(
    r"""(?:passwd|password|pwd|secret(?:[_-]?key)?|token|credentials?|(?:api|access|private|auth|encryption|signing)[_-]?key)
        ["']?\]?\s*
        (?::\s*[A-Za-z_.]+\s*=|:=|=>|[:=])\s*
        (?:[rbu]?(?P<quote>["'])(?P<quoted>[^"'\s]{12,200})(?P=quote)|(?P<bare>[A-Za-z0-9+/=_-]{20,200})[ \t]*$)""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_PLACEHOLDER = re.compile(
    r"example|sample|dummy|fake|test|placeholder|change.?me|your|redacted|secret|password|token|abcdef|xxxx|1234|0000|\.\.\.|"
    r"[<>{}$%()\[\]\\]",
    re.IGNORECASE,
)
_REPEATED = re.compile(r"(.)\1{4}")
_PLAIN_WORDS = re.compile(r"[A-Za-z]+(?:[_./:-][A-Za-z]+)*[0-9]{0,3}")
_URL = re.compile(r"[a-z][a-z0-9+.-]*://|^[./~]")
_PREFILTER = SecretPrefilter([mark for token in TOKEN_RULES for mark in token.marks], _SECRET_WORDS)
_SECRET_NAME_PATTERN = re.compile("|".join(map(translate, SECRET_NAMES)))
_MIN_ENTROPY = 3.5
"""Shannon entropy per character; random base64 of 20 characters has about 4, English words about 3."""

_MIN_HEX_ENTROPY = 3.0


def detect_secret_name(path: str) -> str | None:
    """Detect a secret file by its name; return the reason or None."""
    name = path.rsplit("/", 1)[-1].lower()
    if not _SECRET_NAME_PATTERN.match(name):
        return None
    if any(fnmatchcase(name, pattern) for pattern in HARMLESS_NAMES):
        return None
    pattern = next(pattern for pattern in SECRET_NAMES if fnmatchcase(name, pattern))
    return f'its name fits "{pattern}"'


def find_secret(text: str) -> SecretLocation | None:
    """Find the first secret of a text, in the order of the rules."""
    possible = _PREFILTER.find_possible(text)
    if not possible:
        return None
    for token in TOKEN_RULES:
        if any(mark in possible and mark in text for mark in token.marks):
            for match in token.pattern.finditer(text):
                if (not token.random or _is_random(match[0])) and not _is_allowed(text, match.start()):
                    return SecretLocation(_find_line_number(text, match.start()), token.rule)
    for match in _find_assignments(text, [name for name in _SECRET_WORDS if name in possible]):
        if _is_random(match["quoted"] or match["bare"]) and not _is_allowed(text, match.start()):
            return SecretLocation(_find_line_number(text, match.start()), "a password, key or token written out")
    return None


def _find_assignments(text: str, names: Iterable[str]) -> Iterator[re.Match[str]]:
    """Yield assignments to names of secrets; lines without such a name are not matched."""
    if not names or (":" not in text and "=" not in text):
        return
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text  # a letter that grows in lower case would shift every offset; keep the original text
    for name in names:
        at = lowered.find(name)
        while at >= 0:
            if not lowered.endswith("publickey", 0, at) and (match := _ASSIGNMENT.match(text, at)):
                yield match  # .NET's PublicKeyToken is the only public word of this form
            at = lowered.find(name, at + len(name))


def _is_random(value: str) -> bool:
    """Return True for a random value: no placeholder, words or address."""
    if _PLACEHOLDER.search(value) or _REPEATED.search(value) or _PLAIN_WORDS.fullmatch(value) or _URL.search(value):
        return False
    if not (any(char.isdigit() for char in value) and any(char.isalpha() for char in value)):
        return value.startswith("hf_") and _compute_entropy(value) > _MIN_ENTROPY
    is_hex = re.fullmatch(r"[0-9a-f-]+|[0-9A-F-]+", value) is not None
    return _compute_entropy(value) > (_MIN_HEX_ENTROPY if is_hex else _MIN_ENTROPY)


def _compute_entropy(value: str) -> float:
    """Compute the Shannon entropy in bits per character, H = -Σ p·log2 p."""
    size = len(value)
    return -sum(count / size * math.log2(count / size) for count in Counter(value).values())


def _is_allowed(text: str, at: int) -> bool:
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    return ALLOW_COMMENT.search(text, start, end if end >= 0 else len(text)) is not None


def _find_line_number(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
