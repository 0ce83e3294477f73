"""Views of the memory: indexing, reading, records, maintenance, backups."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import Column, format_bytes, format_timestamp
from aurora.faults import escape_json

from . import stages
from .view import NOTE, Cell, Each, Joined, Line, Part, Passage, Report, Table, View, When

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

_NAMED_REASONS = frozenset({"secret", "unreadable", "outside", "worktree", "clone"})
"""Reasons to skip a file that name it: a person may want to act on them."""
_MAX_NAMED = 20
_MAX_LANGUAGES = 12
_STATES = {
    "partial": "only some paths",
    "running": "an indexing is running",
    "stopped": "the last one was cut short",
}
"""Remarks on an index that is not complete."""
_CHUNK_NOUNS = {
    "code": ("code", "code"),
    "know": ("document or fact", "documents and facts"),
    "reas": ("pattern", "patterns"),
}


def _format_continuation(output: Mapping[str, Any]) -> str:
    """Return the command that reads the rest; empty where there is none."""
    rest, offset = output.get("remaining", ()), output.get("next_offset")
    if not rest:
        return "" if offset is None else f"cut; --offset {offset} shows the rest"
    command = " ".join(["aur mem get", *rest])
    return f"cut; for the rest: {command}" + ("" if offset is None else f" --offset {offset}")


def _list_named_files(output: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [one for one in output["skipped_files"] if output.get("verbose") or one["reason"] in _NAMED_REASONS]


def _count_unlisted(output: Mapping[str, Any]) -> str:
    """Return the command that lists the files that do not fit into the output; empty where all do."""
    left = sum(output["skipped"].values()) - len(output["skipped_files"])
    more = "aur mem stats --left-out --limit 100000"
    return f"  and {left:,} more; `{more}` lists them" if left else ""


def _format_from_backup(output: Mapping[str, Any]) -> str:
    counts = ", ".join(f"{count:,} {table}" for table, count in output["from_backup"].items())
    return f"from {output['backup_used']}: {counts}" if counts else ""


def _is_mended(output: Mapping[str, Any]) -> bool:
    return bool(output["found"] and output["ok"])


def _format_chunks(output: Mapping[str, Any]) -> str:
    return ", ".join(f"{count:,} {_CHUNK_NOUNS[kind][count != 1]}" for kind, count in output["chunks"].items())


def _format_languages(output: Mapping[str, Any]) -> str:
    largest = sorted(output["languages"].items(), key=lambda one: (-one[1], one[0]))[:_MAX_LANGUAGES]
    return ", ".join(f"{name} {count:,}" for name, count in largest) or "none"


def _format_sizes(output: Mapping[str, Any]) -> str:
    return ", ".join(f"{part} {format_bytes(size)}" for part, size in output["sizes"].items() if size) or "nothing"


def _format_views(output: Mapping[str, Any]) -> str:
    """Return the linked worktrees with branch, state and size of their indexes."""
    return ", ".join(
        f"{view['name']} ({_describe_view(view)}, {format_bytes(view['size_bytes'])})" for view in output["views"]
    )


def _describe_view(view: Mapping[str, Any]) -> str:
    state = view["state"] if view["exists"] else "removed"
    return f"{view['branch']}, {state}" if view["branch"] else str(state)


def _format_indexed(output: Mapping[str, Any]) -> str:
    """Return when the project was indexed, and how many files changed since."""
    if output["indexed_at"] is None:
        return "never"
    parts = [f"{format_timestamp(output['indexed_at'])} UTC"]
    if output["commit"]:
        parts[0] += f" at {output['commit'][:10]}"
    if output["branch"]:
        parts[0] += f" of {output['branch']}"
    if state := _STATES.get(output["state"]):
        parts.append(state)
    if output["changed"] is not None:
        since = ", ".join(f"{output[what]:,} {what}" for what in ("changed", "new", "gone") if output[what])
        fresh = "up to date" if output["new"] is not None else "no indexed file has changed, too many others to read"
        parts.append(f"since then {since} (`aur mem index`)" if since else fresh)
    return ", ".join(parts)


def _format_verdict(output: Mapping[str, Any]) -> str:
    """Return the result of a check without damage: complete, or the commands that complete it."""
    if output["note"] or not output["unfinished"]:
        return output["note"] or f"the memory is complete: {output['path']}"
    commands = dict.fromkeys(one["remedy"] for one in output["unfinished"])
    steps = " and ".join(f"`{command}`" for command in commands)
    return f"the memory is intact, but unfinished: run {steps} ({output['path']})"


def print_export(output: Mapping[str, Any], console: Console) -> None:
    """Print the exported lines, or a summary of the file they were written to."""
    if output["path"] is None:  # the lines are for another program, the summary for the person
        sys.stdout.write(escape_json(output["text"]))
        console.file = sys.stderr
    _EXPORT(output, console)


_EXPORT = View(
    Line(
        "exported: {path} ({counts.chunk:count record}, {counts.run:count run}, {counts.step:count step})",
    ),
    Each("withheld", Line(("withheld: {id} holds {rule}", "yellow"))),
)
_FINDING = Line(("{part}: ", "bold red"), "{message}")
_ONLY_BEFORE = Line(
    "only in it: {only_before.records:count record} and {only_before.runs:count run}",
    when=lambda output: any(output["only_before"].values()),
)
_UNDO_HINT = Line(("before: {backup}; `aur mem undo` restores it", "dim"))
_LEFT_OUT = Line(("  {path}", "yellow"), ("  {reason}", "dim"), (": {detail}", "dim"))
_INDEX = View(
    Line(
        "{files:count file} ({bytes:bytes}) in {seconds:.1f} s: ",
        Joined(
            ", ",
            *(Part(f"{{{key}:,}} {key}", when=key) for key in ("added", "changed", "removed", "unchanged")),
            empty="nothing to read",
        ),
    ),
    Line(
        "{chunks:count chunk} in memory, {embedded:,} newly embedded",
        Part(" ({embedding_seconds:.1f} s)", when="embedded"),
    ),
    Line(
        "{unparsed:count file} did not parse as a whole; the symbols that were recognized are indexed", when="unparsed"
    ),
    Line(
        lambda output: ", ".join(f"{count:,} {reason}" for reason, count in output["skipped"].items()),
        before="left out: ",
    ),
    When(
        lambda output: output.get("verbose"),
        Each(_list_named_files, _LEFT_OUT),
        Line((_count_unlisted, "dim")),
        otherwise=(
            Each(
                _list_named_files, _LEFT_OUT, most=_MAX_NAMED, more="  and {left:,} more; `aur mem index -v` lists them"
            ),
        ),
    ),
    Line(("{note}", "yellow"), when="note"),
    Line("left out: {left_out_lines:count line} with a secret", when="left_out_lines"),
    Each(
        "left_out",
        Line(("  {path}:{line}", "yellow"), ("  {kind}", "dim")),
        most=_MAX_NAMED,
        more="  and {left:,} more; --json lists them",
    ),
)

RENDERERS = {
    **stages.RENDERERS,
    "mem.activation": View(
        Each(
            "chunks",
            Line(
                ("{activation:7.2f}  ", "green"),
                (lambda chunk: f"{chunk['path']}:{chunk['lines']}" if chunk.get("path") else chunk["id"], "bold"),
                ("  {symbol}", "cyan"),
                ("  base {base:.2f}", "dim"),
                Part(", spread {spread:.2f}", "dim", when="spread"),
                Part(", read {uses:count time}, last {last_used}", "dim", when="uses"),
            ),
        ),
        NOTE,
    ),
    "mem.add": View(
        Line("kept: {id}  {subject}", when="created"), Line("known already: {id}  {subject}", when="!created")
    ),
    "mem.backup": View(Line("backed up: {path} ({size_bytes:bytes})")),
    "mem.backups": View(
        Table(
            "backups",
            Cell(Column("name"), "{name}"),
            Cell(Column("made", drop_order=1), "{made_at}"),
            Cell(Column("size", drop_order=2), "{size_bytes:bytes}"),
            Cell(Column("reason", drop_order=3), "{reason}"),
            titled=False,
            empty="no backups in {folder}; run `aur mem backup` to make one",
        ),
    ),
    "mem.check": View(
        Each("findings", _FINDING),
        Each("unfinished", Line("{part}: {message}; run `{remedy}` to complete it")),
        Line(_format_verdict, when="ok"),
        Line(
            "{counts.files:count file}, {counts.chunks:count chunk}, {counts.nodes:count node} of the code graph, ",
            "{counts.runs:count run}",
            when="counts",
        ),
        Line(
            "{findings:count finding}: run ",
            lambda output: ", ".join(
                f"`{name}`" for name in dict.fromkeys(one["remedy"] for one in output["findings"])
            ),
            when="!ok",
        ),
    ),
    "mem.consolidate": View(
        Each(
            "merges",
            Line(("kept   {kept.id}  {kept.text}", "bold"), overflow="cut"),
            Each("taken", Line("{score:5.2f}  {id}  {text}", overflow="cut")),
        ),
        Line(
            "{looked_at:count record} compared by {by}, {merged:,} ",
            Part("would be merged", when="dry_run"),
            Part("merged", when="!dry_run"),
        ),
        _UNDO_HINT,
    ),
    "mem.export": print_export,
    "mem.forget": View(
        Each("forgotten", Line("forgotten: {id}  {subject}")), Line(("`aur mem undo` restores it", "dim"))
    ),
    "mem.get": View(
        Each(
            "chunks",
            Line(
                (
                    Joined(
                        "  ",
                        lambda chunk: (
                            f"{chunk['path']}:{chunk['lines']}" if chunk.get("path") else chunk.get("type", "")
                        ),
                        "{symbol}",
                        "{id}",
                    ),
                    "bold cyan",
                ),
                Part("  read as {encoding}", "dim", when="encoding"),
                Part("  changed since it was indexed", "yellow", when="stale"),
            ),
            Passage("text"),
            apart=True,
        ),
        Line((lambda output: str(output.get("note", "")).partition("Truncated;")[0].strip(), "yellow")),
        Line((_format_continuation, "yellow")),
    ),
    "mem.goals": View(
        Each(
            "goals",
            Line(("{confidence:5.2f}  {goal}", "bold"), overflow="wrap"),
            Line(("       {path}", "dim"), when="path"),
            Line("       {words:join}; {size:count memory chunk}", when="words"),
        ),
        Line(("{note}", "yellow")),
        Line(("{goals:count candidate} out of {looked_at:count chunk}", "dim")),
    ),
    "mem.import": View(
        Line(
            "imported: {records:count record}, {runs:count run}, {accesses:count use}",
            Joined(
                " and ",
                Part("{records_known:count record}", when="records_known"),
                Part("{runs_known:count run}", when="runs_known"),
                before="; ",
                after=" known already",
            ),
        ),
        Line("{passed_over:count chunk} of files skipped: run `aur mem index` to make them", when="passed_over"),
        Line(("unchanged, because they differ from those of the same id here: {differing:join}", "yellow")),
        _UNDO_HINT,
    ),
    "mem.index": _INDEX,
    "mem.rebuild": _INDEX,
    "mem.related": View(
        Each(
            "related",
            Line(("{score:5.2f}  ", "dim"), ("{path}:{lines}", "bold cyan"), "  {symbol}", "  {chunk}"),
            Each("why", Line("       {_}")),
        ),
        NOTE,
    ),
    "mem.repair": View(
        Line("restored: {restored}"),
        Line("nothing to repair, the memory is complete: {path}", when="!found"),
        Each("found", _FINDING),
        Line("the damaged database is now {set_aside}"),
        Line("before: {backup}; `aur mem restore {backup}` restores it"),
        _ONLY_BEFORE,
        Line(
            lambda output: ", ".join(f"{count:,} {table}" for table, count in output["saved"].items()),
            before="saved: ",
        ),
        Line(_format_from_backup),
        Line("read again: {files:count file}"),
        Each(
            "lost", Line(("lost: ", "bold yellow"), "{_}"), most=_MAX_NAMED, more="and {left:,} more; --json lists them"
        ),
        Line(
            "a backup from before is {earlier}: `aur mem repair --backup {earlier}` takes what it has", when="earlier"
        ),
        Line("the memory is complete: {path}", when=lambda output: _is_mended(output) and not output["lost"]),
        Line("the memory can be used again: {path}", when=lambda output: _is_mended(output) and bool(output["lost"])),
        Line("still wrong:", when="!ok"),
        Each("left", _FINDING),
    ),
    "mem.restore": View(
        Line("restored: {restored.name}"),
        Line("before: {before.name}; `aur mem restore {before.name}` restores it"),
        _ONLY_BEFORE,
        Line("the damaged database is now {set_aside}"),
    ),
    "mem.stats": View(
        Report(
            {
                "database": "{path} ({size_bytes:bytes}, version {schema_version})",
                "project": lambda output: output["root"] or "not indexed yet: run `aur mem index`",
                "indexed": _format_indexed,
                "files": "{files:,}",
                "chunks": _format_chunks,
                "languages": _format_languages,
                "encodings": lambda output: ", ".join(f"{name} {n:,}" for name, n in output["encodings"].items()),
                "vectors": "{vectors:,}",
                "runs": "{runs:,}",
                "used": "{used:count chunk}, {accesses:count time}",
                "size": _format_sizes,
                "records": lambda output: output["shared"] if output["shared"] != output["path"] else "",
                "worktrees": _format_views,
                "left out": lambda output: ", ".join(f"{n:,} {why}" for why, n in output["skipped"].items()),
            }
        ),
        Each("skipped_files", _LEFT_OUT),
        Line((_count_unlisted, "dim")),
    ),
    "mem.themes": View(
        Each(
            "themes",
            Line(("{size:5,}  {name}  ({coherence:.2f})", "bold")),
            Each("typical", Line("       {id}", "  {subject}", "  {path}")),
        ),
        Line(("{themes:count theme} of {looked_at:count chunk}, {alone:,} in none", "dim")),
    ),
    "mem.undo": View(
        Line("undone: {summary} ({at})"),
        Line("{back:count record} as before, {gone:,} removed"),
        Line(("kept, because they have continued since: {runs_left:join}", "yellow")),
    ),
    "mem.why": View(
        Line(("{id}  {subject}", "bold")),
        Line("{note}"),
        Line("question:  {question}"),
        Line("from:      {workflow}", Part(" run {run}", when="run")),
        Line("stored:    {at}"),
        Line("sources:   {sources:join}"),
        Line(
            lambda output: (
                "confirmed: by {by}, {at}, at a {how}".format(**output["confirmed"]) if output.get("confirmed") else ""
            )
        ),
        Line(("elsewhere: another account wrote it; taken from {adopted}", "yellow"), when="adopted"),
        Line(("doubtful: what it cites has changed, or cannot be checked", "yellow"), when="doubtful"),
        Each("citations", Line(("cites      {state:9}", "dim"), "  {id}", "  {path}", "  {symbol}")),
    ),
}
