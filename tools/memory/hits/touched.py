"""Places that a run has touched: the chunks and files in its inputs, results and answers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from aurora.memory import Hit, StepRow

RUN_BOOST = 1.02
"""Factor of the score of a hit that the run has touched: it decides between hits whose scores are nearly equal.

In `bench/run_boost.py`, a run about something else changes no rank of 62 labelled questions about three code bases;
with 1.03 it lowers two of them by one place.
"""
_MAX_VALUES = 20_000
"""Values of a run that are read, the newest steps first; a run of SOAR has some hundred."""
_WORD = re.compile(r"[^\s\"'`(){}\[\]<>,;]+")
_LINES = re.compile(r":\d+(-\d+)?$")
_FIELDS = ("inputs", "result", "brought")


class TouchedPlaces(NamedTuple):
    """Words of a run that may be ids of chunks or paths of files; others match nothing."""

    names: frozenset[str]

    def includes(self, hit: Hit) -> bool:
        """Return whether the run has touched the chunk of a hit, or its file."""
        return hit.chunk.id in self.names or (hit.chunk.path or "") in self.names


def collect_touched(steps: Sequence[StepRow]) -> TouchedPlaces:
    """Collect what the steps of a run name, the newest first, up to a bound."""
    names: set[str] = set()
    for count, text in enumerate(_iterate_texts(step.document for step in reversed(steps))):
        if count >= _MAX_VALUES:
            break
        for word in _WORD.findall(text[:4000]):
            names.add(_LINES.sub("", word.rstrip(".:")))
    return TouchedPlaces(frozenset(names))


def boost_touched(hits: Iterable[Hit], touched: TouchedPlaces) -> list[Hit]:
    """Boost the hits that the run has touched; equal scores keep their order."""
    boosted = [
        hit._replace(score=min(1.0, round(hit.score * RUN_BOOST, 4)), parts={"run": RUN_BOOST, **hit.parts})
        if touched.includes(hit)
        else hit
        for hit in hits
    ]
    return sorted(boosted, key=lambda hit: -hit.score)


def _iterate_texts(documents: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the texts in the inputs, results and answers of steps."""
    for document in documents:
        waiting: list[Any] = [document.get(field) for field in _FIELDS]
        while waiting:
            value = waiting.pop()
            if isinstance(value, str):
                yield value
            elif isinstance(value, dict):
                waiting.extend(value.values())
            elif isinstance(value, list | tuple):
                waiting.extend(value)
