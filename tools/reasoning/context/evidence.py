"""Evidence: excerpts of chunks within a limit, the longest for the best chunks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pydantic import Field

from aurora.memory import build_excerpt
from aurora.system.secrets.masks import mask_secrets
from aurora.tools.core import CompactModel, StrictModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory import Chunk, Hit

_FRAME_CHARS = 16
"""Characters around an id, a place, a symbol and a score in a prompt."""
_MIN_EXCERPT = 80
"""Characters of the shortest excerpt; a chunk with less room is left out, with all after it."""
_SHORT_EXCERPT = 320
"""Characters of a chunk before the best ones are shown whole: its first lines, and those that match best."""
_MOST_SHARE = 0.45
"""Share of all characters that one chunk may have: half of a bug is often the second function."""
_WHOLE_LINES = 60
"""Lines of a chunk that are shown whole, and most of a longer one."""


class EvidenceLimits(StrictModel):
    """Limits of evidence.

    Attributes:
        chunks: maximum number of excerpts.
        chars: characters of all excerpts, with their ids, places and symbols; 4 are about a token.
        weak_below: an excerpt is weak, and short, below this share (0..1) of the best score, if no other of its file is
            above it.
    """

    chunks: int = Field(ge=0, le=50)
    chars: int = Field(ge=0, le=16_000)
    weak_below: float = Field(ge=0, le=1)


NO_EVIDENCE = EvidenceLimits(chunks=0, chars=0, weak_below=0)
"""Limits of a phase that asks for none."""


class Evidence(CompactModel):
    """Excerpt of a chunk; `weak` when it fits much worse than the best, `stale` when its file has changed."""

    id: str
    path: str | None = None
    lines: str | None = None
    symbol: str = ""
    score: float
    weak: bool = False
    stale: bool = False
    text: str


@dataclass(frozen=True, slots=True)
class RankedChunk:
    """Chunk with its score for a query, 0..1."""

    chunk: Chunk
    score: float
    is_stale: bool = False

    @classmethod
    def from_hit(cls, hit: Hit) -> RankedChunk:
        """Take chunk and score of a search hit."""
        return cls(hit.chunk, hit.score, hit.stale)


def build_evidence(ranked: Sequence[RankedChunk], query: str, limits: EvidenceLimits) -> tuple[Evidence, ...]:
    """Build excerpts of chunks: short ones of all, then the best of them whole, as far as there is room.

    Args:
        ranked: chunks, best first.
        query: the question, whose words select the lines.
        limits: number and length of the excerpts.
    """
    chosen = ranked[: limits.chunks]
    short = max(_MIN_EXCERPT, min(_SHORT_EXCERPT, limits.chars // (2 * max(1, len(chosen)))))
    room = limits.chars
    texts: list[str] = []
    for one in chosen:
        room -= _count_frame(one.chunk)
        if room < _MIN_EXCERPT:
            break
        texts.append(_excerpt_chunk(one.chunk, query, min(short, room)))
        room -= len(texts[-1])
    strong = _list_strong_files(chosen, limits.weak_below)
    for index, text in enumerate(texts):
        if chosen[index].chunk.path in strong:
            most = min(len(text) + max(0, room), max(short, round(limits.chars * _MOST_SHARE)))
            texts[index] = max(text, _excerpt_chunk(chosen[index].chunk, query, most), key=len)
            room -= len(texts[index]) - len(text)
    return tuple(
        _to_evidence(one, text, is_weak=one.chunk.path not in strong) for one, text in zip(chosen, texts, strict=False)
    )


def _excerpt_chunk(chunk: Chunk, query: str, max_chars: int) -> str:
    masked = replace(chunk, text=mask_secrets(chunk.text))
    return build_excerpt(masked, query, max_lines=_WHOLE_LINES, max_chars=max_chars)


def _list_strong_files(ranked: Sequence[RankedChunk], weak_below: float) -> set[str | None]:
    """List the files of which a chunk has a score near the best."""
    best = max((one.score for one in ranked), default=0.0)
    return {one.chunk.path for one in ranked if one.score >= weak_below * best}


def _count_frame(chunk: Chunk) -> int:
    return len(chunk.id) + len(chunk.path or "") + len(chunk.symbol) + _FRAME_CHARS


def _to_evidence(one: RankedChunk, text: str, *, is_weak: bool) -> Evidence:
    chunk = one.chunk
    return Evidence(
        id=chunk.id,
        path=chunk.path,
        lines=f"{chunk.start_line}-{chunk.end_line}" if chunk.path and chunk.start_line else None,
        symbol=chunk.symbol[:200],
        score=round(min(1.0, max(0.0, one.score)), 2),
        weak=is_weak,
        stale=one.is_stale,
        text=text,
    )
