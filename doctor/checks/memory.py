"""Is the memory there, whole and fresh; can texts be turned into vectors and source code be parsed?"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from aurora.doctor.check import Check, Group
from aurora.doctor.finding import failure, passed, skipped, warning
from aurora.memory import Memory, database_path
from aurora.memory.database import open_store
from aurora.memory.embeddings.embedder import embedder, trouble
from aurora.memory.maintenance.check import check as look_through
from aurora.memory.maintenance.stats import upkeep
from aurora.memory.parsing.grammar import parse
from aurora.memory.parsing.languages.registry import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor.context import Subject
    from aurora.doctor.finding import Finding

_INDEX = "Run `aur mem index`."
_ANEW = "Install Aurora anew: `uv tool install --reinstall .` in a clone of it, or `pip install --force-reinstall .`."


def opens(subject: Subject) -> Iterator[Finding]:
    """Whether the database opens, for reading alone; none is a memory that has to be made."""
    path = database_path(subject.root, subject.environ)
    if not path.exists():
        said = f'there is no memory yet: "{_shown(subject)}" does not exist'
        yield warning("memory.opens.none", said, _INDEX, mend=index)
        return
    with Memory.open(path, read_only=True) as memory:
        held = memory.stats()
    chunks = sum(held.chunks.values())
    yield passed(f"{_shown(subject)} opens; chunks: {chunks:,}, files: {held.files:,}, runs: {held.runs:,}")


def whole(subject: Subject) -> Iterator[Finding]:
    """Whether every part of it is what it should be."""
    path = database_path(subject.root, subject.environ)
    if not path.exists():
        yield skipped("memory.whole.none", "there is no memory to look through yet")
    for one in look_through(path):
        if one.unfinished:
            yield warning("memory.whole.unfinished", one.message, f"Run `{one.remedy}`.", mend=index)
        else:
            yield failure("memory.whole.torn", one.message, f"Run `{one.remedy}`; it keeps what is torn.")


def fresh(subject: Subject) -> Iterator[Finding]:
    """Whether the files are as they were when they were indexed."""
    path = database_path(subject.root, subject.environ)
    if not path.exists():
        yield skipped("memory.fresh.none", "there is no memory to compare with the files yet")
        return
    with closing(open_store(path, read_only=True)) as store:
        since = upkeep(store, subject.root)
    parts = {"changed": since.changed, "new": since.new, "gone": since.gone}
    if since.changed is None:
        yield warning("memory.fresh.never", "the project has not been indexed yet", _INDEX, mend=index)
    elif any(parts.values()):
        said = ", ".join(f"{count:,} {what}" for what, count in parts.items() if count)
        yield warning("memory.fresh.behind", f"the memory is behind the files: {said}", _INDEX, mend=index)
    else:
        yield passed("the memory is up to date with the files")


def meaning(subject: Subject) -> Iterator[Finding]:
    """Whether a text becomes a vector; everything for it lies in the installation, and nothing is fetched."""
    del subject
    model = embedder()
    if model is None:
        said = f"texts cannot be embedded, and are found by their words alone: {trouble()}"
        yield failure("memory.meaning.absent", said, _ANEW)
        return
    model.warm()
    if not model.embed(["where is the parser", "reads option strings"]).any(axis=1).all():
        said = "texts are embedded as nothing at all, and are found by their words alone: the weights are empty"
        yield failure("memory.meaning.empty", said, _ANEW)


def grammars(subject: Subject) -> Iterator[Finding]:
    """Whether each language that Aurora parses has its grammar."""
    del subject
    missing = {}
    for name, rules in RULES.items():
        try:
            parse(rules, b"\n")
        except Exception as error:  # noqa: BLE001 - a library for another machine fails in its own ways
            missing[name] = " ".join(f"{type(error).__name__}: {error}".split())[:120]
    for name, said in missing.items():
        told = f"{name} cannot be parsed, and is read as plain text: {said}"
        yield warning("memory.grammars.missing", told, _ANEW)
    if len(missing) < len(RULES):
        yield passed(f"{len(RULES) - len(missing)} grammars load: {', '.join(sorted(set(RULES) - set(missing)))}")


def index(subject: Subject) -> Iterator[str]:
    """Bring the memory up to date; gives what was done."""
    with Memory.open(database_path(subject.root, subject.environ)) as memory:
        done = memory.index(subject.root, progress=subject.progress)
    told = f"{done.added:,} new, {done.changed:,} changed, {done.removed:,} gone"
    yield f"read the project into its memory: {told}; chunks in it: {done.chunks:,}"


def _shown(subject: Subject) -> str:
    path = database_path(subject.root, subject.environ)
    return path.relative_to(subject.root).as_posix() if path.is_relative_to(subject.root) else str(path)


GROUP = Group(
    "memory",
    "Memory Checks",
    (
        Check("memory.opens", "the memory opens", opens),
        Check(
            "memory.whole",
            "every part of the memory is whole",
            whole,
            requires=("memory.opens",),
            seconds=20.0,
            slow="Run `aur mem check`, which takes its time.",
        ),
        Check(
            "memory.fresh",
            "the memory is up to date",
            fresh,
            requires=("memory.opens",),
            seconds=20.0,
            slow=_INDEX,
        ),
        Check("memory.meaning", "texts become vectors, with nothing fetched", meaning),
        Check("memory.grammars", "the grammars load", grammars),
    ),
)
