"""Findings of a check, and what the check has seen on its way."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from .claims import Citation, Sentence
    from .sources import Definition, File, Sources

Kind = Literal["path", "lines", "name", "quote", "version", "outside"]
_MAX_SAID_CHARS = 160


class Finding(NamedTuple):
    """Claim that does not hold.

    Attributes:
        line: the line of the answer.
        kind: what is wrong: the path, the lines, the name, the quotation, the version, or a place outside the change.
        said: the claim as written.
        message: what is wrong or right, and what to do.
        text: what the file has in place of a quotation; project text, which the result marks as such.
        is_sure: False for what may be right, as a name of a library.
    """

    line: int
    kind: Kind
    said: str
    message: str
    text: str = ""
    is_sure: bool = True


class Cited(NamedTuple):
    """Place of an answer that exists.

    Attributes:
        definition: the innermost definition around its lines; None at the top level, and for a whole file.
    """

    citation: Citation
    sentence: Sentence
    file: File
    definition: Definition | None


@dataclass
class Check:
    """State of a check, and its result.

    Attributes:
        sources: the project.
        allowed: names that need not exist: those of the question, and those that the answer's own code defines.
        findings: claims that do not hold.
        cited: places that exist.
        named: definitions by the name that the answer has for them.
        files: the files that each written path may mean, and for a file's name the path that was written in full.
        counts: checked claims by kind.
        compared: identities of the citations that were compared with a name beside them.
        is_complete: False when a limit ended the check before the answer.
    """

    sources: Sources
    allowed: frozenset[str] = frozenset()
    findings: list[Finding] = field(default_factory=list)
    cited: list[Cited] = field(default_factory=list)
    named: dict[str, list[Definition]] = field(default_factory=dict)
    files: dict[str, tuple[str, ...]] = field(default_factory=dict)
    full: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=lambda: {"places": 0, "names": 0, "quotes": 0})
    compared: set[int] = field(default_factory=set)
    is_complete: bool = True

    def report(self, line: int, kind: Kind, said: str, message: str, text: str = "") -> None:
        """Add a claim that is wrong."""
        self.findings.append(Finding(line, kind, said[:_MAX_SAID_CHARS], message, text[:_MAX_SAID_CHARS]))

    def doubt(self, line: int, kind: Kind, said: str, message: str) -> None:
        """Add a claim that may be wrong."""
        self.findings.append(Finding(line, kind, said[:_MAX_SAID_CHARS], message, is_sure=False))

    def list_findings(self, *, sure: bool) -> list[Finding]:
        """List the findings in the order of the answer, the first of those about the same claim."""
        kept: dict[tuple[str, str], Finding] = {}
        for one in sorted(self.findings, key=lambda one: one.line):
            if one.is_sure is sure:
                kept.setdefault((one.kind, one.said), one)
        return list(kept.values())


def list_uncompared(check: Check, most: int) -> dict[str, str]:
    """Map the cited lines that no name stands beside to the definition that they lie in."""
    found = (one for one in check.cited if one.citation.first and id(one.citation) not in check.compared)
    shown = ((f"{one.file.path}:{say_lines(one.citation)}", one.definition) for one in found)
    return dict(islice(((place, one.symbol if one else "no definition") for place, one in shown), most))


def say_place(citation: Citation) -> str:
    """Return a place as the answer has it: `app.py:12-30`."""
    return f"{citation.path}:{say_lines(citation)}" if citation.first else citation.path


def say_lines(citation: Citation) -> str:
    """Return the lines of a place: `12-30`."""
    return str(citation.first) if citation.first == citation.last else f"{citation.first}-{citation.last}"
