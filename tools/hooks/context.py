"""Context that a hook adds: matches of a prompt, the state of the project, records about a file."""

from __future__ import annotations

import os
import re
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from aurora.errors import MATERIAL_NOTE, mark_text, show_hidden_line
from aurora.memory import has_memory, records
from aurora.system.secrets.masks import mask_json
from aurora.tools import trust
from aurora.tools.core import is_own_run
from aurora.trust import sign_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.memory import Chunk, Hit, RunRow
    from aurora.tools.core import Project

MAX_TOKENS = 600
"""Tokens of a context, counted as three bytes each: prose, code and JSON have four and more per token."""
_BYTES_PER_TOKEN = 3
_MIN_SCORE = 0.5
"""Score of a strong match; remarks such as "thanks, looks good" reach 0.4 at most."""
_MIN_WORDS = 2
"""Words of three letters and more that a prompt needs: one alone, such as "continue", matches by chance."""
_MAX_PROMPT_CHARS = 2_000
_MAX_HITS = 5
_RECORD_KINDS = ("fact", "pattern", "cached")
"""Kinds of the records that tools store."""
_MAX_RECORDS = 20
"""Records that match the words of a path best, of which those about the file are added."""
_MAX_PATH_CHARS = 1_000
_MAX_RUNS = 3
_MAX_LOOKED_AT = 20
"""Unfinished runs among which those of this account are taken."""
_MAX_PREVIEW_CHARS = 240
_MAX_QUESTION_CHARS = 160
_HOOK_END = "</hook_context>"
"""End of what Gemini CLI, run with `--prompt`, puts before the prompt: the context of the session."""
_RUN_ID = re.compile(r"[0-9a-z]{8}")
_PHASE = re.compile(r"[a-z][a-z0-9_]{0,39}")
_MINUTE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
"""Forms of what a context names without marks: the database may be somebody else's, and have any text there."""
_PLAIN_NAME = re.compile(r"[\w./:@#$~+-]+")
_WORD = re.compile(r"\w{3,}")
_PROMPT_HEAD = (
    "Aurora found these matches of the prompt's words in the project's memory; `aurora_get` returns the whole text."
)
_FILE_HEAD = "Aurora has records of earlier work about this file; `aurora_get` returns the whole text."
_TOOLS_LINE = (
    "`aurora_search` finds in it, `aurora_get` reads from it, and `aurora_query` works through a question phase by "
    "phase."
)
_UNTRUSTED = "The person has not trusted this folder: Aurora does not use its own workflows and agents."


class HookContext(NamedTuple):
    """Context that is added.

    Attributes:
        text: the text for the model.
        message: the line for the person that says what is added.
    """

    text: str
    message: str


def find_prompt_context(project: Project, prompt: str) -> HookContext | None:
    """Search the memory for a prompt, by words alone, and return the strong matches.

    Args:
        project: the open project.
        prompt: what the person typed; its first 2,000 characters are searched.

    Returns:
        At most `MAX_TOKENS`; None without a strong match.
    """
    prompt = prompt.rpartition(_HOOK_END)[2][:_MAX_PROMPT_CHARS]
    if len(set(_WORD.findall(prompt))) < _MIN_WORDS or not has_memory(project.root):
        return None
    # Without embeddings: a hook has 0.2 s in all, and ends without a word after them.
    found = project.memory.search(prompt, root=project.root, limit=_MAX_HITS, embeddings=False)
    strong = [hit for hit in found.hits if hit.score >= _MIN_SCORE and not hit.doubtful]
    if not strong:
        return None
    head = [f"{_PROMPT_HEAD} {MATERIAL_NOTE}", *_list_trust_lines(project)]
    lines, names = _fit_lines(head, [(format_hit(hit), _name_hit(hit)) for hit in strong])
    project.memory.try_record_use([hit.chunk.id for hit in strong[: len(names)]])
    return _build_context(lines, names, "to this prompt") if names else None


def find_session_context(project: Project) -> HookContext | None:
    """Describe the memory and the unfinished runs for a new session; None before the project has either."""
    if not has_memory(project.root):
        return None
    memory = project.memory
    stats = memory.stats()
    chunks = sum(stats.chunks.values())
    runs = _list_own_runs(project)
    if not chunks and not runs:
        return None
    commit = f", indexed at commit {stats.commit[:10]}" if _COMMIT.fullmatch(stats.commit) else ""
    first = f"Aurora has a memory of this project: {chunks} chunks of code, documents and facts{commit}. {_TOOLS_LINE}"
    head = [first, *([MATERIAL_NOTE] if runs else []), *_list_trust_lines(project)]
    lines, names = _fit_lines(head, [(_format_run(run, project), f"run {run.run}") for run in runs])
    return _build_context(lines, ["the state of the memory", *names], "to this session")


def find_file_context(project: Project, path: str, known: set[str]) -> HookContext | None:
    """Find the facts and patterns that cite a file, or name its path in their text.

    Args:
        project: the open project.
        path: the absolute path of the file.
        known: ids of the records that the session has already; those that are added now are added to it.

    Returns:
        At most `MAX_TOKENS`; None for a file outside the project, and without a record that is new to the session and
        can be relied on.
    """
    place = _locate_file(project.root, path)
    if place is None or not has_memory(project.root):
        return None
    found = project.memory.search(
        place, root=project.root, types=("know", "reas"), kinds=_RECORD_KINDS, limit=_MAX_RECORDS, embeddings=False
    )
    hits = [hit for hit in found.hits if not hit.doubtful and hit.chunk.id not in known and _is_about(hit.chunk, place)]
    head = [f"{_FILE_HEAD} {MATERIAL_NOTE}", *_list_trust_lines(project)]
    lines, names = _fit_lines(head, [(format_hit(hit), _name_hit(hit)) for hit in hits])
    if not names:
        return None
    given = [hit.chunk.id for hit in hits[: len(names)]]
    known.update(given)
    project.memory.try_record_use(given)
    return _build_context(lines, names, "to this file")


def _list_own_runs(project: Project) -> list[RunRow]:
    """List the newest unfinished runs of this account; none of a file where nothing can be signed."""
    newest = project.memory.journal.runs(_MAX_LOOKED_AT, 0, status="open")
    # Without a key nobody can tell a run of this account from one that came with a clone.
    if not newest or (project.server is None and not sign_words("run")):
        return []
    return [run for run in newest if _RUN_ID.fullmatch(run.run) and is_own_run(run, project)][:_MAX_RUNS]


def _locate_file(root: Path, path: str) -> str | None:
    """Return the path inside the project with forward slashes; None for a file outside."""
    if len(path) > _MAX_PATH_CHARS:
        return None
    try:
        # Resolved: a link inside the project may lead to a file outside, which is nobody's business here.
        return Path(os.path.realpath(path)).relative_to(root).as_posix()
    except (ValueError, OSError):
        return None


def _is_about(record: Chunk, place: str) -> bool:
    """Return True for a record that cites the file, or names its whole path."""
    named = rf"(?<![\w./-]){re.escape(place)}(?![\w/-]|\.\w)"
    return place in records.list_source_paths(record) or re.search(named, record.text) is not None


def _build_context(lines: list[str], names: list[str], where: str) -> HookContext:
    """Build the context with the line for the person.

    Args:
        lines: the lines of the text.
        names: what was found, by name.
        where: what it is added to, such as `to this prompt`.
    """
    text = "\n".join(lines)
    return HookContext(text, f"Aurora adds {where} (about {_count_tokens(text)} tokens): {', '.join(names)}")


def _list_trust_lines(project: Project) -> list[str]:
    """Return the line that says what of the folder is not used, since the person has not trusted it."""
    if not project.trust.read_status().trusted:
        return [_UNTRUSTED]
    notice = trust.build_notice(project)
    return [notice] if notice else []


def _fit_lines(head: list[str], items: Iterable[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """Return the head with the items that fit, and the names of these."""
    lines, names = list(head), []
    for line, name in items:
        if _count_tokens("\n".join([*lines, line])) > MAX_TOKENS:
            break
        lines.append(line)
        names.append(name)
    return lines, names


def _count_tokens(text: str) -> int:
    return ceil(len(text.encode("utf-8", "replace")) / _BYTES_PER_TOKEN)


def format_hit(hit: Hit) -> str:
    """Format a hit as a line, with its text marked as foreign and its secrets masked."""
    preview = str(mask_json([hit.preview])[0])
    remark = ", changed since it was indexed" if hit.stale else ""
    text = show_hidden_line(preview)[:_MAX_PREVIEW_CHARS]
    symbol = "" if hit.chunk.path is None else show_hidden_line(hit.chunk.symbol)[:80]  # a record's begins its text
    words = [_mark_unless_plain(word) for word in (_name_hit(hit), symbol) if word]
    return f"- {' '.join(words)}{remark} {mark_text(text)}"


def _mark_unless_plain(name: str) -> str:
    """Return a path or a symbol as it is; a heading or a name with blanks might read like an instruction."""
    return name if _PLAIN_NAME.fullmatch(name) else mark_text(name)


def _name_hit(hit: Hit) -> str:
    """Return the place of a hit, or the id of a record."""
    chunk = hit.chunk
    return show_hidden_line(f"{chunk.path}:{chunk.start_line}-{chunk.end_line}" if chunk.path else chunk.id)[:200]


def _format_run(run: RunRow, project: Project) -> str:
    first = next(iter(project.memory.journal.steps(run.run)), None)
    inputs = first.document.get("inputs") if first else None
    question = inputs.get("query", "") if isinstance(inputs, dict) else ""
    question = show_hidden_line(str(mask_json([str(question)])[0]))[:_MAX_QUESTION_CHARS]
    following = run.document.get("next")
    is_open = isinstance(following, str) and _PHASE.fullmatch(following)
    call = f'; to continue it: aurora_query with run "{run.run}"' if is_open else ""  # it shows an unanswered prompt
    asked = f" {mark_text(question)}" if question else ""
    workflow = _mark_unless_plain(show_hidden_line(run.workflow)[:60])
    minute = _MINUTE.match(run.updated_at)
    at = f", {minute[0]}" if minute else ""
    return f"- unfinished run {run.run} of {workflow}{at}{asked}{call}"
