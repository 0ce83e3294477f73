"""Checks of the memory database, its embeddings and the grammars."""

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
from aurora.memory.parsing.languages import LANGUAGES, load_language

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor.context import DoctorContext
    from aurora.doctor.finding import Finding

_INDEX_STEP = "Run `aur mem index`."
_REINSTALL_STEP = (
    "Reinstall Aurora: `uv tool install --reinstall .` in a clone of it, or `pip install --force-reinstall .`."
)


def check_database(subject: DoctorContext) -> Iterator[Finding]:
    """Check that the database exists and opens read-only."""
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
    """Check the integrity of the database."""
    path = database_path(subject.root, subject.environ)
    if not path.exists():
        yield report_skip("memory.whole.none", "there is no memory to check yet")
    for one in look_through(path):
        if one.unfinished:
            yield report_warning("memory.whole.unfinished", one.message, f"Run `{one.remedy}`.", mend=update_index)
        else:
            yield report_failure(
                "memory.whole.torn", one.message, f"Run `{one.remedy}`; it keeps a copy of the damaged database."
            )


def check_freshness(subject: DoctorContext) -> Iterator[Finding]:
    """Check that the files have not changed since they were indexed."""
    path = database_path(subject.root, subject.environ)
    if not path.exists():
        yield report_skip("memory.fresh.none", "there is no memory to compare with the files yet")
        return
    with closing(open_store(path, read_only=True)) as store:
        since = measure_maintenance(store, subject.root)
    parts = {"changed": since.changed, "new": since.new, "deleted": since.gone}
    if since.changed is None:
        yield report_warning(
            "memory.fresh.never", "the project has not been indexed yet", _INDEX_STEP, mend=update_index
        )
    elif any(parts.values()):
        said = ", ".join(f"{count:,} {what}" for what, count in parts.items() if count)
        yield report_warning(
            "memory.fresh.behind", f"the memory is out of date: {said}", _INDEX_STEP, mend=update_index
        )
    else:
        yield report_pass("the memory is up to date with the files")


def check_embeddings(subject: DoctorContext) -> Iterator[Finding]:
    """Check that a text can be embedded; the weights are part of the installation."""
    del subject
    model = get_embedder()
    if model is None:
        said = f"texts cannot be embedded, so search uses terms only: {get_load_error()}"
        yield report_failure("memory.meaning.absent", said, _REINSTALL_STEP)
        return
    model.warm_up()
    if not model.embed(["where is the parser", "reads option strings"]).any(axis=1).all():
        said = "embeddings are all zeros, so search uses terms only: the weights are empty"
        yield report_failure("memory.meaning.empty", said, _REINSTALL_STEP)


def check_grammars(subject: DoctorContext) -> Iterator[Finding]:
    """Check that the grammar of each parsed language loads."""
    del subject
    missing = {}
    for name in LANGUAGES:
        try:
            parse_source(load_language(name).grammar, b"\n")
        except Exception as error:  # noqa: BLE001 - a library for another machine fails in its own ways
            missing[name] = " ".join(f"{type(error).__name__}: {error}".split())[:120]
    for name, said in missing.items():
        told = f"{name} cannot be parsed, and is read as plain text: {said}"
        yield report_warning("memory.grammars.missing", told, _REINSTALL_STEP)
    if len(missing) < len(LANGUAGES):
        yield report_pass(
            f"{len(LANGUAGES) - len(missing)} grammars load: " + ", ".join(sorted(set(LANGUAGES) - set(missing)))
        )


def update_index(subject: DoctorContext) -> Iterator[str]:
    """Update the index; yield a summary."""
    with Memory.open(database_path(subject.root, subject.environ)) as memory:
        done = memory.index(subject.root, progress=subject.progress)
    told = f"{done.added:,} new, {done.changed:,} changed, {done.removed:,} deleted"
    yield f"indexed the project: {told}; chunks: {done.chunks:,}"


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
            "the memory passes its integrity check",
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
        Check("memory.meaning", "texts can be embedded offline", check_embeddings),
        Check("memory.grammars", "the grammars load", check_grammars),
    ),
)
