"""Verdicts of `verify` on labelled decompositions of questions about twenty code bases.

    python bench/decompositions.py [--faults] [--sources FOLDER]

The labels are in tests/tools/reasoning/decomposition/labelled; `labels.md` there explains the kinds. Every code base
is written, indexed and searched as a project is. In the first two sets, half of the bad decompositions are made here
from the good ones; in the fresh ones every decomposition is written.
With FOLDER, which has a checkout of each code base under its name, the sets about whole repositories are measured.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML

from aurora.interpreter.language.loader import load_workflow
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parents[1]
LABELLED = ROOT / "tests" / "tools" / "reasoning" / "decomposition" / "labelled"
SETS = {"tuning": "tuned", "held_out": "tuned", "fresh_tuning": "tuned", "fresh_held_back": "tuned"}
"""Name of each set, and whether rules were set by its mistakes.

Those of `held_out` and `fresh_held_back` were read later.
"""
WHOLE = {
    "whole_a": "tuned",
    "whole_b": "tuned",
    "fresh_tuning": "tuned",
    "fresh_held_back": "tuned",
    "blind_tuning": "tuned",
    "blind_held_back": "tuned",
    "blind_independent": "tuned",
    "blind_seven": "tuned",
    "blind_authored": "tuned",
    "blind_second": "tuned",
    "blind_third": "tuned",
    "blind_fourth": "tuned",
    "blind_fifth": "tuned",
    "blind_sixth": "tuned",
    "blind_seventh": "blind",
}
"""The sets about whole repositories."""
BAD_KINDS = ("parroted", "clauses", "partial", "nonsense", "invented")

Subgoals = list[dict[str, Any]]


@dataclass(frozen=True)
class Labelled:
    """One labelled decomposition of a question.

    Attributes:
        kind: `good`, or one of `BAD_KINDS`; a generated one has the prefix "made ".
    """

    code_base: str
    question: str
    complexity: str
    kind: str
    subgoals: Subgoals

    @property
    def is_good(self) -> bool:
        """True when `verify` should say PASS."""
        return self.kind == "good"


@dataclass(frozen=True)
class Verdict:
    """Verdict on a labelled decomposition, with the processor time in milliseconds."""

    labelled: Labelled
    verdict: str
    feedback: str
    milliseconds: float

    @property
    def is_right(self) -> bool:
        """True when it passes and is good, or neither."""
        return (self.verdict == "PASS") == self.labelled.is_good


def read_labelled(name: str) -> list[Labelled]:
    """Read one set; a set that is not fresh gets variants that are made of it."""
    document = YAML(typ="safe", pure=True).load(LABELLED / f"{name}.yaml")
    has_variants = not name.startswith(("fresh", "blind"))
    return [one for at, entry in enumerate(document) for one in _read_entry(entry, at, has_variants=has_variants)]


def _read_entry(entry: dict[str, Any], number: int, *, has_variants: bool) -> Iterator[Labelled]:
    base = (entry["code_base"], entry["question"], entry.get("complexity", "MEDIUM"))
    written = [(kind, each) for kind in ("good", *BAD_KINDS) for each in entry.get(kind, [])]
    for kind, each in written:
        yield Labelled(*base, kind, _number(each))
    if not has_variants:
        return
    good = [_number(each) for each in entry["good"]]
    for kind, made in _make_bad(entry["question"], good, random.Random(number)):  # noqa: S311 - repeatable
        yield Labelled(*base, f"made {kind}", made)


def _number(written: Sequence[dict[str, Any]]) -> Subgoals:
    """Turn the short form of the file into subgoals as an assistant sends them."""
    return [
        {
            "id": f"s{at}",
            "description": one["do"],
            "depends_on": one.get("after", []),
            **{key: one[key] for key in ("covers", "where") if key in one},
        }
        for at, one in enumerate(written, start=1)
    ]


def _make_bad(question: str, good: Sequence[Subgoals], dice: random.Random) -> Iterator[tuple[str, Subgoals]]:
    """Make one or two bad decompositions of each kind from the good ones."""
    claimed, named = good[0], good[1]
    yield "parroted", [{**one, "description": question} for one in claimed]
    yield "parroted", [{**one, "description": f"Part {at}: {question}"} for at, one in enumerate(named, start=1)]
    words = re.findall(r"[^\s,;:.?!]+(?:\.[^\s,;:.?!]+)*", question)
    dice.shuffle(words)
    cut = len(words) // len(claimed)
    salad = [" ".join(words[at * cut : (at + 1) * cut]) for at in range(len(claimed))]
    yield "nonsense", [{**one, "description": text} for one, text in zip(claimed, salad, strict=True)]
    yield (
        "nonsense",
        [{"id": one["id"], "description": text, "depends_on": []} for one, text in zip(claimed, salad, strict=True)],
    )
    summary = {"id": "end", "description": "Summarize the findings for the person", "depends_on": ["s1"]}
    yield "partial", [claimed[0], summary]
    yield "partial", [named[0], summary]
    invented = [{**one, "where": [_invent(place) for place in one["where"]]} for one in claimed if one.get("where")]
    yield "invented", [{**one, "depends_on": []} for one in invented]
    places = re.compile(r"[\w./]*(?:[a-z]_[a-z]|[a-z][A-Z]|\w\.\w)[\w./!]*")
    yield (
        "invented",
        [{**one, "description": places.sub(lambda found: _invent(found[0]), one["description"])} for one in named],
    )


def _invent(place: str) -> str:
    """Change a place to one that does not exist."""
    stem, dot, ending = place.partition("new:")[2].strip().partition(".") if "new:" in place else place.partition(".")
    return f"{stem}Orchestrator{dot}{ending}Quux" if "/" not in place else f"{stem}_orchestrator{dot}{ending}"


def verify_set(name: str, sources: Path | None = None) -> list[Verdict]:
    """Verify every decomposition of one set.

    Args:
        name: the name of the set.
        sources: a folder with the whole code bases; None takes the kept definitions.
    """
    labelled = read_labelled(name)
    path = ROOT / "workflows" / "soar.yaml"
    params = load_workflow(path, source="shipped", base_of=lambda *_: None).definition.document.data["phases"]
    found: list[Verdict] = []
    for code_base in dict.fromkeys(one.code_base for one in labelled):
        with tempfile.TemporaryDirectory(prefix="aurora-bench-") as folder:
            if sources is None:
                write_code_base(code_base, Path(folder))
            else:
                shutil.copytree(
                    (sources / code_base).resolve(),
                    folder,
                    dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns(".git", ".aurora"),
                )
            with Workspace(Path(folder)) as workspace:
                workspace.memory.index(workspace.root)
                found += [_verify(workspace, one, params) for one in labelled if one.code_base == code_base]
    return found


def write_code_base(name: str, folder: Path) -> None:
    """Write the files of a code base, of which the set has the definitions without their bodies."""
    text = (LABELLED / "code_bases" / f"{name}.txt").read_text(encoding="utf-8")
    for block in text.split("== ")[1:]:
        path, _, body = block.partition("\n")
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(body, encoding="utf-8")


def _verify(workspace: Workspace, one: Labelled, phases: dict[str, Any]) -> Verdict:
    asked = {"query": one.question, "complexity": one.complexity}
    retrieved = call_tool(workspace, "context.retrieve", asked, params=phases["retrieve"]["params"])
    given = {**asked, "subgoals": one.subgoals, "chunks": retrieved["chunks"]}
    began = time.process_time()
    found = call_tool(workspace, "decomposition.verify", given, params=phases["verify"]["params"])
    return Verdict(one, found["verdict"], found["feedback"], (time.process_time() - began) * 1000)


def compute_balanced_accuracy(verdicts: Sequence[Verdict]) -> float:
    """Compute the mean of the shares of good ones that pass and of bad ones that do not."""
    shares = []
    for is_good in (True, False):
        some = [one for one in verdicts if one.labelled.is_good == is_good]
        shares.append(sum(one.is_right for one in some) / len(some))
    return sum(shares) / 2


def format_confusion(verdicts: Sequence[Verdict]) -> str:
    """Format the confusion matrix: kinds against verdicts."""
    kinds = list(dict.fromkeys(one.labelled.kind for one in verdicts))
    lines = ["| kind | PASS | RETRY | FAIL |", "|---|---|---|---|"]
    for kind in sorted(kinds, key=lambda kind: (kind.removeprefix("made "), kind)):
        some = [one.verdict for one in verdicts if one.labelled.kind == kind]
        lines.append(f"| {kind} | {some.count('PASS')} | {some.count('RETRY')} | {some.count('FAIL')} |")
    return "\n".join(lines)


def format_mistakes(verdicts: Sequence[Verdict]) -> str:
    """Format the decompositions with a wrong verdict."""
    lines = []
    for one in verdicts:
        if not one.is_right:
            lines.append(f"{one.labelled.kind} {one.verdict}: {one.labelled.code_base}: {one.labelled.question}")
            lines += [f"    {subgoal}" for subgoal in one.labelled.subgoals]
            lines += [f"    {line}" for line in one.feedback.splitlines()]
    return "\n".join(lines)


def main() -> None:
    """Print the figures of each set, or of the sets about whole repositories."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", action="store_true", help="show the wrong verdicts of the sets that may be read")
    parser.add_argument("--sources", type=Path, help="a folder with checkouts of the whole code bases")
    parser.add_argument("--only", nargs="+", metavar="SET", help="the names of the sets to measure")
    given = parser.parse_args()
    sets = WHOLE if given.sources else SETS
    for name in given.only or sets:
        mark = sets[name]
        verdicts = verify_set(name, given.sources)
        accuracy = compute_balanced_accuracy(verdicts)
        cost = sorted(one.milliseconds for one in verdicts)
        print(f"\n{name} ({mark}): {len(verdicts)} decompositions, balanced accuracy {accuracy:.3f}")
        print(f"processor time of a call: median {cost[len(cost) // 2]:.1f} ms, largest {cost[-1]:.1f} ms\n")
        print(format_confusion(verdicts))
        if given.faults and mark == "tuned":
            print(format_mistakes(verdicts))


if __name__ == "__main__":
    main()
