"""Retrieval of recorded facts by questions that share few words with them.

    python bench/facts.py [FACTS] [--pattern] [--among FOLDER] [--history FILE]

FACTS is a file of lines `fact<TAB>question[<TAB>question]`: the first question avoids the words of the fact, the second
is what a person asks who remembers its subject. Weights are tuned on the odd lines; the even ones are held back. Each
fact is stored as `mem.add` stores it, and each question searches the whole memory. A hit counts when it is the
question's own fact; the figure is the mean reciprocal rank within ten hits. With `--among`, the files of FOLDER are
indexed as well.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from history import append_figures
from measures import mean, measured

from aurora.memory import Memory
from aurora.memory.embeddings import get_embedder, get_semantic_model
from aurora.memory.search import CHUNK_TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from measures import Measures
    from numpy.typing import NDArray

_TOP = 10
KINDS = ("other words", "own words")
WAYS = ("words alone", "static model alone", "aurora, facts only", "aurora")
PARTS = ("tuned", "held back")


class Fact(NamedTuple):
    """Fact and a question of each kind about it."""

    text: str
    questions: tuple[str, ...]
    part: str


def read_facts(path: Path) -> list[Fact]:
    """Read the facts; the lines belong to the parts in turns."""
    facts = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        text, *questions = line.split("\t")
        if not 1 <= len(questions) <= len(KINDS) or not text.strip():
            raise SystemExit(f"{path}:{number + 1}: expected a fact, a tab and one or two questions with a tab between")
        facts.append(Fact(text, tuple(questions), PARTS[number % 2]))
    if len(facts) < len(PARTS):
        raise SystemExit(f"{path}: expected two facts or more, one of them held back")
    return facts


def measure_ways(facts: Sequence[Fact], memory: Memory, ids: Sequence[str]) -> dict[str, list[Measures]]:
    """Ask every question in every way."""
    vectors = _embed([fact.text for fact in facts])
    out: dict[str, list[Measures]] = {way: [] for way in WAYS}
    (first,) = memory.get(ids[:1])
    for fact, own in zip(facts, ids, strict=True):
        for kind, question in zip(KINDS, fact.questions, strict=False):
            order = np.argsort(-(vectors @ _embed([question])[0]), kind="stable")[:_TOP]
            found = {
                "words alone": _search(memory, question, embeddings=False, types=(first.type,)),
                "static model alone": [ids[place] for place in order],
                "aurora, facts only": _search(memory, question, types=(first.type,)),
                "aurora": _search(memory, question),
            }
            for way, hits in found.items():
                out[way].append(measured(hits, {own}, f"{kind}, {fact.part}"))
    return out


def _embed(texts: Sequence[str]) -> NDArray[np.float32]:
    model = get_embedder()
    if model is None:
        raise SystemExit("the embeddings cannot be loaded; `aur mem stats` says why")
    return model.embed(texts)


def _search(memory: Memory, text: str, *, embeddings: bool = True, types: Sequence[str] = CHUNK_TYPES) -> list[str]:
    hits = memory.search(text, limit=_TOP, embeddings=embeddings, types=types).hits
    return [hit.chunk.id for hit in hits]


def store_facts(facts: Sequence[Fact], memory: Memory, *, pattern: bool) -> list[str]:
    """Store the facts or patterns; return their ids."""
    type_, kind = ("reas", "pattern") if pattern else ("know", "fact")
    return [
        memory.remember(type=type_, kind=kind, symbol=fact.text[:120], text=fact.text, metadata={})[0] for fact in facts
    ]


def main(given: argparse.Namespace) -> int:
    """Print the mean reciprocal rank of each way, and keep it."""
    facts = read_facts(given.facts)
    with tempfile.TemporaryDirectory() as temporary, Memory.open(Path(temporary) / "memory.db") as memory:
        if given.among:
            memory.index(given.among)
        ids = store_facts(facts, memory, pattern=given.pattern)
        memory.warm_up()
        measures = measure_ways(facts, memory, ids)
    figures = print_measures(measures)
    if given.history:
        marks = {"patterns": given.pattern, "among": given.among, "semantic": get_semantic_model()}
        name = "-".join([given.facts.stem, *(mark for mark, value in marks.items() if value)])
        print("\n".join(append_figures(given.history, name, figures)))
    return 0


def print_measures(measures: Mapping[str, Sequence[Measures]]) -> dict[str, float]:
    """Print a row for each way; return the figures."""
    existing = {one.category for some in measures.values() for one in some}
    groups = [group for kind in KINDS for part in PARTS if (group := f"{kind}, {part}") in existing]
    print(f"| MRR | {' | '.join(groups)} | all | missing |\n|---|{'---|' * len(groups)}---|---|")
    figures: dict[str, float] = {}
    for way, some in measures.items():
        values = {group: mean([one for one in some if one.category == group]).mrr for group in groups}
        figures |= {f"{way}, {group}": value for group, value in values.items()}
        row = " | ".join(f"{value:.3f}" for value in [*values.values(), mean(some).mrr])
        print(f"| {way} | {row} | {sum(not one.mrr for one in some)} |")
    return figures


def read_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("facts", type=Path, nargs="?", default=Path(__file__).parent / "facts.tsv")
    parser.add_argument("--pattern", action="store_true")
    parser.add_argument("--among", type=Path)
    parser.add_argument("--history", type=Path)
    given = parser.parse_args()
    if not given.facts.is_file():
        parser.error(f'there is no file "{given.facts}": run make bench-facts FACTS=FILE')
    if given.among and not given.among.is_dir():
        parser.error(f'there is no folder "{given.among}"')
    return given


if __name__ == "__main__":
    sys.exit(main(read_arguments()))
