"""Baselines for Aurora's search.

They are BM25 over files, BM25 over chunks, and embeddings alone.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from aurora.memory.embeddings.embedder import get_embedder
from aurora.memory.search.query import parse_query
from aurora.memory.text_index.tokens import extract_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory import Memory

_TOP = 10
_K, _B = 1.2, 0.75


class Bm25:
    """BM25 of Robertson and Sparck Jones over one text each, with the constants that everybody takes."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(extract_terms(text)) for text in texts]
        lengths = np.array([sum(count.values()) for count in counts], float)
        self._long = _K * (1 - _B + _B * lengths / (lengths.mean() or 1.0))
        self._places: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, count in enumerate(counts):
            for word, times in count.items():
                self._places[word].append((place, times))

    def scores(self, words: Sequence[str]) -> np.ndarray:
        """Compute the score of each text."""
        out = np.zeros(len(self._long))
        for word in words:
            places = self._places.get(word, [])
            idf = math.log(1 + (len(out) - len(places) + 0.5) / (len(places) + 0.5))
            for place, times in places:
                out[place] += idf * times * (_K + 1) / (times + self._long[place])
        return out


class Plain:
    """The plainer ways over what a memory holds."""

    def __init__(self, memory: Memory) -> None:
        held = [chunk for chunk in memory.iter_chunks() if chunk.path]
        self._paths = [chunk.path or "" for chunk in held]
        self._files = list(dict.fromkeys(self._paths))
        whole: dict[str, list[str]] = defaultdict(list)
        for chunk in held:
            whole[chunk.path or ""].append(chunk.text)
        self._by_file = Bm25(["\n".join(whole[path]) for path in self._files])
        self._by_chunk = Bm25([chunk.text for chunk in held])
        model = get_embedder()
        if model is None:
            raise SystemExit("the embeddings cannot be loaded; `aur mem stats` says why")
        self._model = model
        self._vectors = model.embed([chunk.text for chunk in held])

    def files(self, query: str) -> list[str]:
        """Return the paths that BM25 over whole files ranks first."""
        return _best(self._by_file.scores(parse_query(query).words), self._files)

    def chunks(self, query: str) -> list[str]:
        """Return the paths whose chunks BM25 ranks first."""
        return _best(self._by_chunk.scores(parse_query(query).words), self._paths)

    def meaning(self, query: str) -> list[str]:
        """Return the paths whose chunks are nearest to the query."""
        return _best(self._vectors @ self._model.embed([query])[0], self._paths)


def _best(scores: np.ndarray, paths: Sequence[str]) -> list[str]:
    """Return the first ten different paths."""
    ordered = dict.fromkeys(paths[place] for place in np.argsort(-scores, kind="stable"))
    return list(ordered)[:_TOP]
