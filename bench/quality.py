"""Quality of search results, against baselines.

The questions are labelled and about real code bases.

    python bench/quality.py QUESTIONS SOURCES [--history FILE]

QUESTIONS is a file of JSON lines: `id`, `query`, `repo`, `url`, `commit`, `root`, `category` and `relevant` (a list of
`{"path": …}`). SOURCES is a folder for the code bases; what is missing there is fetched with git from its `url`.
Lines with `truth` are questions of people, whose form and measures are those of `people.py`.
With `--history`, the figures are appended to FILE and compared with those of the last run.
A hit counts when its path is a relevant one, and a path counts once: what comes again takes a place and gains nothing.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import people
from history import append_figures
from measures import Measures, mean, measured
from plain import Plain

from aurora.interpreter.language.tokens import CHARACTERS_PER_TOKEN
from aurora.memory import Memory
from aurora.memory.search.session import LOW_CONFIDENCE
from aurora.tools.reasoning.context.evidence import EvidenceLimits, RankedChunk, build_evidence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.memory import Hit
    from aurora.tools.reasoning.context.evidence import Evidence

    Limit = tuple[int, int]

EVIDENCE = ((3, 800), (4, 1600), (5, 1200), (8, 1600), (8, 3900), (8, 5000))
"""Limits of evidence: excerpts, and their characters; `decompose` of SOAR has 8 and 5,000."""
FIELDS = ("query", "repo", "url", "commit", "root", "category", "relevant")
WAYS = ("BM25 over files", "BM25 over chunks", "embeddings alone", "aurora, no embeddings", "aurora")


@dataclass(frozen=True)
class CodeBase:
    """One repository at one commit, and the questions about it."""

    name: str
    url: str
    commit: str
    root: str
    questions: Sequence[Mapping[str, Any]]

    @property
    def language(self) -> str:
        """The language of the code base."""
        return str(self.questions[0].get("language", "unknown"))

    def relevant(self, question: Mapping[str, Any]) -> set[str]:
        """Return the paths that answer a question.

        The labels may give them from the root that is indexed, or from the top.
        """
        paths = (one["path"] for one in question["relevant"])
        return {path if path.startswith(self.root) else f"{self.root}/{path}" for path in paths}


def code_bases(questions: Path) -> list[CodeBase]:
    """Read the code bases from a file of questions, in its order."""
    by_name: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for number, line in enumerate(questions.read_text(encoding="utf-8").splitlines(), 1):
        one = _read_question(f"{questions}:{number}", line)
        by_name[one["repo"]].append(one)
    return [
        CodeBase(name, some[0]["url"], some[0]["commit"], some[0].get("root", ""), some)
        for name, some in by_name.items()
    ]


def _read_question(place: str, line: str) -> Mapping[str, Any]:
    """Read one labelled question; end the program with a message when it has another form."""
    try:
        one = json.loads(line)
    except ValueError as error:
        raise SystemExit(f"{place}: not JSON ({error}); expected one object a line") from None
    fields = people.FIELDS if isinstance(one, dict) and "truth" in one else FIELDS
    missing = [name for name in fields if name not in one] if isinstance(one, dict) else list(fields)
    if missing:
        raise SystemExit(f"{place}: without {', '.join(missing)}; `bench/quality.py --help` lists the fields")
    question: Mapping[str, Any] = one
    return question


def brought(base: CodeBase, sources: Path) -> Path | None:
    """Fetch the folder with the code base's files; None if that fails."""
    folder = sources / base.name
    if folder.is_dir():
        return folder
    url = base.url.replace("github:", "https://github.com/")
    with tempfile.TemporaryDirectory() as temporary:
        git = ["git", "-C", temporary]
        steps = ([*git, "init", "--quiet"], [*git, "fetch", "--quiet", "--depth=1", url, base.commit])
        if any(subprocess.run(step, check=False, capture_output=True).returncode for step in steps):
            return None
        archive = Path(temporary) / "tree.tar"
        only = [base.root] if base.root else []
        subprocess.run([*git, "archive", "--output", str(archive), "FETCH_HEAD", *only], check=True)
        folder.mkdir(parents=True)
        subprocess.run(["tar", "-x", "-f", str(archive), "-C", str(folder)], check=True)  # noqa: S607 - tar
    return folder


@dataclass
class EvidenceCount:
    """Questions of which a relevant file's text is in the evidence, and the characters of all evidence."""

    questions: int = 0
    answered: int = 0
    characters: int = 0

    def add(self, found: Sequence[Evidence], relevant: set[str]) -> None:
        """Count one question."""
        self.questions += 1
        self.answered += any(one.path in relevant for one in found)
        names = sum(len(one.id) + len(one.path or "") + len(one.symbol) + 16 for one in found)
        self.characters += names + sum(len(one.text) for one in found)


def count_evidence(hits: Sequence[Hit], query: str, relevant: set[str], curve: Mapping[Limit, EvidenceCount]) -> None:
    """Build the evidence of one question with each limit."""
    ranked = [RankedChunk.from_hit(hit) for hit in hits if hit.chunk.type != "reas"]
    for (chunks, chars), count in curve.items():
        limits = EvidenceLimits(chunks=chunks, chars=chars, weak_below=0.6)
        count.add(build_evidence(ranked, query, limits), relevant)


def asked(
    base: CodeBase, folder: Path, times: list[float], curve: Mapping[Limit, EvidenceCount]
) -> dict[str, list[Measures]]:
    """Every question put to every way."""
    with tempfile.TemporaryDirectory() as temporary, Memory.open(Path(temporary) / "memory.db") as memory:
        memory.index(folder)
        memory.warm_up()
        plain = Plain(memory)
        out: dict[str, list[Measures]] = {way: [] for way in WAYS}
        for question in base.questions:
            query, relevant = question["query"], base.relevant(question)
            began = time.perf_counter()
            hits = memory.search(query, limit=10).hits
            times.append(time.perf_counter() - began)
            count_evidence(hits, query, relevant, curve)
            bare = memory.search(query, limit=10, embeddings=False).hits
            found = {
                "BM25 over files": plain.files(query),
                "BM25 over chunks": plain.chunks(query),
                "embeddings alone": plain.meaning(query),
                "aurora, no embeddings": [hit.chunk.path for hit in bare],
                "aurora": [hit.chunk.path for hit in hits],
            }
            for way, paths in found.items():
                out[way].append(measured(paths, relevant, question["category"]))
    return out


def main(questions: Path, sources: Path, history: Path | None) -> int:
    """Print NDCG@10 by code base, all measures, NDCG@10 by language, and the curve of the evidence."""
    bases = code_bases(questions)
    if bases and "truth" in bases[0].questions[0]:
        return ask_people(bases, questions.name, sources, history)
    every: dict[str, list[Measures]] = {way: [] for way in WAYS}
    times: list[float] = []
    by_language: dict[str, list[Measures]] = defaultdict(list)
    curve = {limit: EvidenceCount() for limit in EVIDENCE}
    print(f"| NDCG@10 | {' | '.join(WAYS)} |\n|---|{'---|' * len(WAYS)}")
    for base in bases:
        folder = brought(base, sources)
        if folder is None:
            print(f"| {base.name} | its sources could not be fetched |", flush=True)
            continue
        some = asked(base, folder, times, curve)
        print(f"| {base.name} | {' | '.join(f'{mean(some[way]).ndcg:.3f}' for way in WAYS)} |", flush=True)
        for way in WAYS:
            every[way] += some[way]
        by_language[base.language] += some["aurora"]
    if not times:
        raise SystemExit(f"no question of {questions} could be asked: give a folder with its code bases")
    _summary(every, times)
    figures = _print_languages(by_language)
    _print_curve(curve)
    if history:
        kinds = {one.category for one in every["aurora"]}
        figures |= {kind: _compute_ndcg(every["aurora"], kind) for kind in kinds}
        figures |= {f"all, {way}": mean(every[way]).ndcg for way in ("aurora", "aurora, no embeddings")}
        print("\n".join(append_figures(history, questions.name, figures)))
    return 0


def ask_people(bases: Sequence[CodeBase], name: str, sources: Path, history: Path | None) -> int:
    """Print the measures of questions of people."""
    folders = [(folder, base.questions) for base in bases if (folder := brought(base, sources)) is not None]
    if len(folders) < len(bases):
        print(f"{len(bases) - len(folders)} of {len(bases)} code bases could not be fetched", flush=True)
    figures = people.print_figures(people.ask_all(folders), LOW_CONFIDENCE)
    if history:
        print("\n".join(append_figures(history, name, figures)))
    return 0


def _print_languages(by_language: Mapping[str, Sequence[Measures]]) -> dict[str, float]:
    """Print NDCG@10 by language, and return it."""
    figures = {language: mean(some).ndcg for language, some in sorted(by_language.items())}
    print("\n| language | questions | NDCG@10 |\n|---|---|---|")
    for language, figure in figures.items():
        print(f"| {language} | {len(by_language[language])} | {figure:.3f} |")
    return figures


def _print_curve(curve: Mapping[Limit, EvidenceCount]) -> None:
    """Print for how many questions the text of a relevant file is in the evidence, against its tokens."""
    print("\n| excerpts | limit in characters | tokens used (characters / 4) | a relevant file's text is there |")
    print("|---|---|---|---|")
    for (chunks, chars), count in curve.items():
        questions = max(1, count.questions)
        used, share = count.characters / questions / CHARACTERS_PER_TOKEN, count.answered / questions
        print(f"| {chunks} | {chars:,} | {used:,.0f} | {share:.1%} |")


def _summary(every: Mapping[str, Sequence[Measures]], times: Sequence[float]) -> None:
    kinds = sorted({one.category for one in every["aurora"]})
    print(
        f"\n| all questions | NDCG@10 | recall@10 | MRR | {' | '.join(kinds)} |\n|---|---|---|---|{'---|' * len(kinds)}"
    )
    for way in WAYS:
        whole = mean(every[way])
        figures = [whole.ndcg, whole.recall, whole.mrr, *(_compute_ndcg(every[way], kind) for kind in kinds)]
        print(f"| {way} | {' | '.join(f'{figure:.3f}' for figure in figures)} |")
    print(f"\n{len(times)} questions; median {1000 * statistics.median(times):.1f} ms each.")


def _compute_ndcg(measures: Sequence[Measures], category: str) -> float:
    return mean([one for one in measures if one.category == category]).ndcg


def read_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path)
    parser.add_argument("sources", type=Path)
    parser.add_argument("--history", type=Path)
    given = parser.parse_args()
    if not given.questions.is_file():
        parser.error(f'there is no file "{given.questions}": run make bench-quality QUESTIONS=FILE')
    return given


if __name__ == "__main__":
    arguments = read_arguments()
    sys.exit(main(arguments.questions, arguments.sources, arguments.history))
