"""Questions of people in everyday words: does a hit show the place that answers?

`quality.py` reads them from JSON lines: `id`, `kind`, `question`, `repo`, `url`, `commit` and `truth`, a list of what
has to be shown, each a list of places that do, `{"path", "start", "end"}`. Kinds are `a` documents, `b` symptoms, `c`
code, `d` two places, and `e` literals. The questions with an odd number are for tuning, the others are kept apart.

A place counts when it covers at least half of the lines of a place of the truth, or five of them.
"""

from __future__ import annotations

import re
import statistics
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from aurora.memory import Memory
from aurora.tools.reasoning.context.evidence import EvidenceLimits, RankedChunk, build_evidence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from aurora.memory import Hit, SearchResult

    Span = tuple[str | None, int, int]

FIELDS = ("id", "kind", "question", "repo", "url", "commit", "truth")
EVIDENCE = EvidenceLimits(chunks=8, chars=5000, weak_below=0.6)
_HITS = 5
_ENOUGH_LINES = 5
_TENTHS = 10
_NUMBER = re.compile(r"-[a-z](\d+)$")
_NUMBERED = re.compile(r"(\d+):")


class Asked(NamedTuple):
    """One question and what its answer was worth.

    Attributes:
        question: as it is labelled.
        file: a right file is among the hits.
        first: the best places of the hits are enough.
        listed: so are they with the further places of each.
        answers: one of all these is right.
        evidence: the text of the evidence is enough.
        confidence: of the answer.
        foreign: confidences of the same question put to other repositories.
    """

    question: Mapping[str, Any]
    file: bool
    first: bool
    listed: bool
    answers: bool
    evidence: bool
    confidence: float
    foreign: Sequence[float] = ()

    @property
    def is_for_tuning(self) -> bool:
        """Whether weights may be tuned with the question."""
        number = _NUMBER.search(self.question["id"])
        return number is not None and int(number[1]) % 2 == 1


def ask_all(bases: Sequence[tuple[Path, Sequence[Mapping[str, Any]]]]) -> list[Asked]:
    """Put the questions of each folder to its memory, and to those of the next three folders."""
    with tempfile.TemporaryDirectory() as temporary:
        memories = [_index(folder, Path(temporary)) for folder, _ in bases]
        asked = []
        for place, (_, questions) in enumerate(bases):
            others = [memories[(place + step) % len(memories)] for step in range(1, min(4, len(memories)))]
            for question in questions:
                foreign = [other.search(question["question"], by_file=True).confidence for other in others]
                asked.append(_ask(memories[place], question)._replace(foreign=foreign))
        for memory in memories:
            memory.close()
    return asked


def _index(folder: Path, temporary: Path) -> Memory:
    memory = Memory.open(temporary / folder.name / "memory.db")
    memory.index(folder)
    return memory


def _ask(memory: Memory, question: Mapping[str, Any]) -> Asked:
    truth = question["truth"]
    found = memory.search(question["question"], limit=_HITS, by_file=True)
    spans = [_list_spans(hit) for hit in found.hits]
    every = [span for some in spans for span in some]
    paths = {span[0] for span in every}
    right = [place for places in truth for place in places]
    return Asked(
        question,
        file=any(place["path"] in paths for place in right),
        first=_is_enough(truth, [some[0] for some in spans]),
        listed=_is_enough(truth, every),
        answers=any(_covers(span, place) for span in every for place in right),
        evidence=_shows(memory.search(question["question"], limit=EVIDENCE.chunks, types=("code", "know")), question),
        confidence=found.confidence,
    )


def _list_spans(hit: Hit) -> list[Span]:
    path = hit.chunk.path
    further = [(path, place.start_line, place.end_line) for place in hit.places]
    return [(path, hit.chunk.start_line, hit.chunk.end_line), *further]


def _is_enough(truth: Iterable[Iterable[Mapping[str, Any]]], spans: Sequence[Span]) -> bool:
    return all(any(_covers(span, place) for span in spans for place in places) for places in truth)


def _covers(span: Span, place: Mapping[str, Any]) -> bool:
    path, start, end = span
    shared = min(end, place["end"]) - max(start, place["start"]) + 1
    return path == place["path"] and _is_part(shared, place)


def _is_part(shared: int, place: Mapping[str, Any]) -> bool:
    return shared >= _ENOUGH_LINES or 2 * shared >= place["end"] - place["start"] + 1


def _shows(found: SearchResult, question: Mapping[str, Any]) -> bool:
    """Return whether the numbered lines of the evidence show enough of the truth."""
    ranked = [RankedChunk.from_hit(hit) for hit in found.hits]
    lines: dict[str | None, set[int]] = {}
    for one in build_evidence(ranked, question["question"], EVIDENCE):
        numbers = (match for line in one.text.splitlines() if (match := _NUMBERED.match(line)))
        lines.setdefault(one.path, set()).update(int(match[1]) for match in numbers)

    def shows(place: Mapping[str, Any]) -> bool:
        inside = lines.get(place["path"], set()).intersection(range(place["start"], place["end"] + 1))
        return _is_part(len(inside), place)

    return all(any(map(shows, places)) for places in question["truth"])


def print_figures(asked: Sequence[Asked], bound: float) -> dict[str, float]:
    """Print the shares of answered questions, and how far the confidence can be trusted; return the main figures.

    Args:
        asked: all questions.
        bound: the confidence below which an answer says that nothing fits.
    """
    halves = {
        "for tuning": [one for one in asked if one.is_for_tuning],
        "kept apart": [one for one in asked if not one.is_for_tuning],
    }
    kinds = sorted({one.question["kind"] for one in asked})
    by_kind = {f"kind {kind}": [one for one in asked if one.question["kind"] == kind] for kind in kinds}
    print("| questions of people | n | file@5 | function@5, one place | three places | in the evidence |")
    print("|---|---|---|---|---|---|")
    for name, some in {"all": asked, **halves, **by_kind}.items():
        shares = (_share(some, lambda one, field=field: getattr(one, field)) for field in _SHARES)
        print(f"| {name} | {len(some)} | {' | '.join(f'{share:.3f}' for share in shares)} |")
    for name, some in halves.items():
        _print_confidence(name, some, bound)
    return {
        f"{field}, {name}": _share(some, lambda one, field=field: getattr(one, field))
        for name, some in halves.items()
        for field in _SHARES
    }


_SHARES = ("file", "first", "listed", "evidence")


def _share(some: Sequence[Asked], counts: Callable[[Asked], bool]) -> float:
    return statistics.fmean(map(counts, some)) if some else 0.0


def _print_confidence(name: str, some: Sequence[Asked], bound: float) -> None:
    """Print the confidence against the share of questions that were answered, and foreign questions told apart."""
    print(f"\n| confidence, {name} | n | mean | answered |\n|---|---|---|---|")
    error = 0.0
    for tenth in range(_TENTHS):
        inside = [one for one in some if tenth <= one.confidence * _TENTHS < tenth + 1]
        if inside:
            mean, share = statistics.fmean(one.confidence for one in inside), _share(inside, lambda one: one.answers)
            error += abs(mean - share) * len(inside) / len(some)
            print(f"| {tenth / _TENTHS:.1f} | {len(inside)} | {mean:.2f} | {share:.2f} |")
    own = _share(some, lambda one: one.confidence >= bound)
    foreign = [value < bound for one in some for value in one.foreign]
    refused = statistics.fmean(foreign) if foreign else 0.0
    print(f"\nmean error {error:.3f}; below {bound}: {refused:.2f} of foreign questions, {1 - own:.2f} of the own")
    print(f"balanced accuracy {(refused + own) / 2:.3f}")
