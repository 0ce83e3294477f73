"""Is the memory there, whole and fresh; can texts be turned into vectors and source code be parsed?"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from aurora.doctor.check import Check, Group
from aurora.doctor.finding import report_failure, report_pass, report_skip, report_warning
from aurora.memory import Memory, database_path, open_store
from aurora.memory.embeddings import get_embedder, get_load_error
from aurora.memory.maintenance import check_memory as look_through
from aurora.memory.maintenance import measure_maintenance
from aurora.memory.parsing import parse_source
from aurora.memory.parsing.languages import LANGUAGE_RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor.context import DoctorContext
    from aurora.doctor.finding import Finding

_INDEX_STEP = "Run `aur mem index`."
_REINSTALL_STEP = (
    "Install Aurora anew: `uv tool install --reinstall .` in a clone of it, or `pip install --force-reinstall .`."
)


def check_database(subject: DoctorContext) -> Iterator[Finding]:
    """Whether the database opens, for reading alone; none is a memory that has to be made."""
    path = database_path(subject.root, subject.environ)
    if not path.exists():
        said = f'there is no memory yet: "{_display_path(subject)}" does not exist'
        yield report_warning("memory.opens.none", said, _INDEX_STEP, mend=update_index)
        return
    with Memory.open(path, read_only=True) as memory:
        held = memory.stats()
    chunks = sum(held.chunks.values())
    yield report_pass(f"{_display_path(subject)} opens; chunks: {chunks:,}, files: {held.files:,}, runs: {held.runs:,}")


def check_integrity(subject: DoctorContext) -> Iterator[Finding]:
    """Whether every part of it is what it should be."""
    path = database_path(subject.root, subject.environ)
    if not path.exists():
        yield report_skip("memory.whole.none", "there is no memory to look through yet")
    for one in look_through(path):
        if one.unfinished:
            yield report_warning("memory.whole.unfinished", one.message, f"Run `{one.remedy}`.", mend=update_index)
        else:
            yield report_failure("memory.whole.torn", one.message, f"Run `{one.remedy}`; it keeps what is torn.")


def check_freshness(subject: DoctorContext) -> Iterator[Finding]:
    """Whether the files are as they were when they were indexed."""
    path = database_path(subject.root, subject.environ)
    if not path.exists():
        yield report_skip("memory.fresh.none", "there is no memory to compare with the files yet")
        return
    with closing(open_store(path, read_only=True)) as store:
        since = measure_maintenance(store, subject.root)
    parts = {"changed": since.changed, "new": since.new, "gone": since.gone}
    if since.changed is None:
        yield report_warning(
            "memory.fresh.never", "the project has not been indexed yet", _INDEX_STEP, mend=update_index
        )
    elif any(parts.values()):
        said = ", ".join(f"{count:,} {what}" for what, count in parts.items() if count)
        yield report_warning(
            "memory.fresh.behind", f"the memory is behind the files: {said}", _INDEX_STEP, mend=update_index
        )
    else:
        yield report_pass("the memory is up to date with the files")


def check_embeddings(subject: DoctorContext) -> Iterator[Finding]:
    """Whether a text becomes a vector; everything for it lies in the installation, and nothing is fetched."""
    del subject
    model = get_embedder()
    if model is None:
        said = f"texts cannot be embedded, and are found by their words alone: {get_load_error()}"
        yield report_failure("memory.meaning.absent", said, _REINSTALL_STEP)
        return
    model.warm_up()
    if not model.embed(["where is the parser", "reads option strings"]).any(axis=1).all():
        said = "texts are embedded as nothing at all, and are found by their words alone: the weights are empty"
        yield report_failure("memory.meaning.empty", said, _REINSTALL_STEP)


def check_grammars(subject: DoctorContext) -> Iterator[Finding]:
    """Whether each language that Aurora parses has its grammar."""
    del subject
    missing = {}
    for name, rules in LANGUAGE_RULES.items():
        try:
            parse_source(rules, b"\n")
        except Exception as error:  # noqa: BLE001 - a library for another machine fails in its own ways
            missing[name] = " ".join(f"{type(error).__name__}: {error}".split())[:120]
    for name, said in missing.items():
        told = f"{name} cannot be parsed, and is read as plain text: {said}"
        yield report_warning("memory.grammars.missing", told, _REINSTALL_STEP)
    if len(missing) < len(LANGUAGE_RULES):
        yield report_pass(
            f"{len(LANGUAGE_RULES) - len(missing)} grammars load: "
            + ", ".join(sorted(set(LANGUAGE_RULES) - set(missing)))
        )


def update_index(subject: DoctorContext) -> Iterator[str]:
    """Bring the memory up to date; gives what was done."""
    with Memory.open(database_path(subject.root, subject.environ)) as memory:
        done = memory.index(subject.root, progress=subject.progress)
    told = f"{done.added:,} new, {done.changed:,} changed, {done.removed:,} gone"
    yield f"read the project into its memory: {told}; chunks in it: {done.chunks:,}"


def _display_path(subject: DoctorContext) -> str:
    path = database_path(subject.root, subject.environ)
    return path.relative_to(subject.root).as_posix() if path.is_relative_to(subject.root) else str(path)


GROUP = Group(
    "memory",
    "Memory Checks",
    (
        Check("memory.opens", "the memory opens", check_database),
        Check(
            "memory.whole",
            "every part of the memory is whole",
            check_integrity,
            requires=("memory.opens",),
            seconds=20.0,
            slow="Run `aur mem check`, which takes its time.",
        ),
        Check(
            "memory.fresh",
            "the memory is up to date",
            check_freshness,
            requires=("memory.opens",),
            seconds=20.0,
            slow=_INDEX_STEP,
        ),
        Check("memory.meaning", "texts become vectors, with nothing fetched", check_embeddings),
        Check("memory.grammars", "the grammars load", check_grammars),
    ),
)
