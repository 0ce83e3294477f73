"""Rules for secrets of a known format, from `rules.tsv`: tokens by marks, keys by their vendor."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .values import Secret, ValueBudget, is_key, is_password, is_random, is_varied

if TYPE_CHECKING:
    from collections.abc import Iterator

_FILE = Path(__file__).with_name("rules.tsv")
_CHECKS = {"varied": is_varied, "random": is_random, "key": is_key}
_ENDS = {"letter": r"(?![A-Za-z0-9])", "word": r"(?![\w-])", "any": ""}
# The last letter is left out where a quantifier follows, since it may then be missing.
_LEADING_LITERAL = re.compile(r"(?:[A-Za-z0-9_~:/-]|\\[.-])+(?![{*+?])")
# An underscore may precede a token, as in `file_AKIA….py`: it must then be random. An escape may end there, too.
_BEFORE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-F]{2}))"
_TAIL = re.compile(r"[A-Za-z0-9_+/=-]{1,20000}")
_VENDOR_VALUE = re.compile(
    r"""[\w\ \t.\-]{0,40}[\])"'`\\\s]{0,3}(?:=>|:{1,3}=|\|\||\?=|[=:>,(])[\s"'`=\\(]{0,5}
        (?P<value>[A-Za-z0-9_=+/.|%:\-]{12,250})""",
    re.VERBOSE,
)
"""Matches an assignment after a vendor's name, up to the end of the value."""
_LONG_RUN = re.compile(r"A{8,}")


class Rule(NamedTuple):
    """Rule of the table.

    Attributes:
        sort: `token`, `vendor`, or `other` for a kind that code finds.
        kind: what a secret is, with an article: `a GitHub token`.
        marks: strings of which one must occur: with their case for tokens, in lower case the names of a vendor.
        expression: matches a token with its boundaries, or the whole key of a vendor.
        back: characters before a mark in which a token may begin; -1 for a mark that begins one before it.
        check: name of the test that tells a token from a placeholder.
        covers: names of the same rule in the public lists: `gitleaks:NAME`, `detect-secrets:NAME`.
    """

    sort: str
    kind: str
    marks: tuple[str, ...]
    expression: str
    back: int
    check: str
    covers: tuple[str, ...]


# A table and no module: 212 rules are read in 1 ms, and each is a line that shows everything about it.
@cache
def read_rules() -> tuple[Rule, ...]:
    """Read the rules in the order in which they are tried."""
    lines = _FILE.read_text("utf-8").splitlines()
    return tuple(_parse_rule(line) for line in lines if not line.startswith("#"))


def _parse_rule(line: str) -> Rule:
    sort, name, body, *cells = line.split("\t")
    options = dict(cell.split("=", 1) for cell in cells if cell)
    covers = tuple(options.get("covers", "").split())
    if sort != "token":
        marks = tuple(name.split("|")) if sort == "vendor" else ()
        return Rule(sort, f"a key of {marks[0].capitalize()}" if marks else name, marks, body, 0, "", covers)
    literal = _LEADING_LITERAL.match(body)
    marks = tuple(options["marks"].split("|")) if "marks" in options else (literal[0].replace("\\", ""),)  # type: ignore[index]  # a rule without either is a bug in the table
    end = options.get("end", "letter")
    expression = f"{_BEFORE}(?:{body}){_ENDS.get(end, end)}"
    return Rule(sort, name, marks, expression, int(options.get("back", 0)), options.get("check", "varied"), covers)


def list_coverage() -> list[tuple[str, tuple[str, ...]]]:
    """List the kinds by name, each with the public rules that it covers."""
    covered: dict[str, dict[str, None]] = {}
    for rule in read_rules():
        covered.setdefault(rule.kind, {}).update(dict.fromkeys(rule.covers))
    return [(kind, tuple(names)) for kind, names in sorted(covered.items(), key=lambda one: one[0].casefold())]


@cache
def map_marks(sort: str) -> dict[str, list[Rule]]:
    """Map each mark of the rules of a sort to its rules."""
    rules: dict[str, list[Rule]] = {}
    for rule in read_rules():
        for mark in rule.marks if rule.sort == sort else ():
            rules.setdefault(mark, []).append(rule)
    return rules


_compile = cache(re.compile)
"""Most texts have no mark, and compiling all the rules takes a tenth of a start."""


def find_tokens(text: str, possible: frozenset[str]) -> Iterator[Secret]:
    """Find tokens around the marks that may occur in the text."""
    by_mark = map_marks("token")
    for mark in possible & by_mark.keys():
        for rule in by_mark[mark]:
            yield from _match_tokens(text, rule, mark)


def _match_tokens(text: str, rule: Rule, mark: str) -> Iterator[Secret]:
    at = text.find(mark)
    while at >= 0:
        match = _match_around(text, rule, at)
        end = match.end() if match else at + len(mark)
        if match and _is_token(text, rule, match):
            tail = _TAIL.match(text, end)  # a token that is longer than usual
            end = tail.end() if tail else end
            yield Secret(rule.kind, match.start(), end)
        at = text.find(mark, max(end, at + 1))


def _match_around(text: str, rule: Rule, at: int) -> re.Match[str] | None:
    pattern = _compile(rule.expression)
    for start in range(max(0, at - rule.back), max(at, at - rule.back) + 1):
        if match := pattern.match(text, start):
            return match
    return None


def _is_token(text: str, rule: Rule, match: re.Match[str]) -> bool:
    """Return True for a token that is no placeholder, nor a word in a longer name: `x_sk-…`, `MY_ASIA…`."""
    value = match["value"] if match.re.groups else match[0]
    is_inside = text.startswith("_", match.start() - 1) if match.start() else False
    return _CHECKS[rule.check](value) and (not is_inside or is_random(match[0]))


def find_vendor_keys(text: str, lowered: str, possible: frozenset[str]) -> Iterator[Secret]:
    """Find keys that follow the name of a vendor.

    Args:
        text: the text.
        lowered: the text in lower case, of the same length.
        possible: the marks that may occur in it.
    """
    budget = ValueBudget(len(text))
    by_name = map_marks("vendor")
    for name in sorted(possible & by_name.keys()):
        at = lowered.find(name)
        while at >= 0:
            end = at + len(name)
            match = _VENDOR_VALUE.match(text, end)
            if match and not budget.covers(match["value"]):
                yield Secret("a key or token", *match.span("value"))
            elif match and (found := _match_vendor(by_name[name][0], text, match)):
                yield found
            at = lowered.find(name, end)


def _match_vendor(rule: Rule, text: str, match: re.Match[str]) -> Secret | None:
    """Return the key when it fits the vendor; equals signs before it may be part of it."""
    start, value = match.start("value"), match["value"].rstrip(".,:")
    for _ in range(3):
        if _compile(rule.expression).fullmatch(value) and (
            value.isdigit() or is_random(_LONG_RUN.sub("", value)) or is_password(value)
        ):
            return Secret(rule.kind, start, start + len(value))
        if text[start - 1] != "=":
            break
        start, value = start - 1, f"={value}"
    return None
