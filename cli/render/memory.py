"""Views of the memory: hits, texts, indexing, figures, maintenance, and links of the code graph."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from aurora.cli.output import Output, format_bytes, format_count, format_timestamp, put
from aurora.errors import escape_json, show_hidden, show_hidden_line
from aurora.memory import search

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from .printer import Fields

_SIGNS = {
    "stale": ("  changed since it was indexed", "yellow"),
    "confirmed": ("  confirmed", "green"),
    "adopted": ("  from elsewhere: another account wrote it", "yellow"),
    "doubtful": ("  doubtful: what it says cannot be checked, or has changed", "yellow"),
}
"""Field of a hit -> what the line says when it is true."""


def print_hits(output: Fields, out: Output) -> None:
    """Print hits, best first: where, what, and the lines that show why; or a complete answer."""
    if output["complete"] is not None:
        _print_complete(output, out)
        return
    for number, hit in enumerate(output["hits"]):
        if number:
            out.line()
        _print_hit(hit, out, output)
    out.line((output["note"], "yellow"))
    if output["index"] is not None:
        out.line((describe_index(output["index"]), "dim"))
    out.more(output["next_offset"])


def _print_hit(hit: Fields, out: Output, output: Fields) -> None:
    where = f"{hit['path']}:{hit['lines'].partition('-')[0]}" if hit["path"] else hit["type"]
    symbol = put("  ", hit["symbol"])
    signs = [sign for name, sign in _SIGNS.items() if hit[name]]
    out.line(
        (where, "bold cyan"), (symbol, "bold"), (f"  {hit['score']:.2f}", "green"), (f"  {hit['id']}", "dim"), *signs
    )
    if hit["parts"]:
        why = "  ".join(f"{name} {value:.2f}" for name, value in hit["parts"].items())
        out.line((f"    {why}", "dim green"), cut=True)
    for line in show_hidden(hit["preview"] or "").expandtabs().splitlines():
        out.line("    ", *_highlight(line, output["query"] if out.has_color else ""), cut=True)
    for line in (*(f"also {place}" for place in hit["places"] or ()), *(hit["map"] or ())):
        out.line((f"    {show_hidden_line(line)}", "dim cyan"), cut=True)


def _print_complete(output: Fields, out: Output) -> None:
    """Print all matches by file, the places related to a definition, or a row for each file of a set."""
    if output["matches"] is not None:
        _print_files(output["matches"], out)
        further = [f"{path} {count:,}" for path, count in (output["counts"] or {}).items()]
        out.line((put("further: ", ", ".join(further)), "dim"))
        out.line(f"{format_count(output['total'], 'line')}; searched: {output['searched']}")
    for symbol in output["symbols"] or ():
        out.line((f"{symbol['id']}  {symbol['lines'] or ''}".rstrip(), "bold"), f"  {symbol['total']:,} sure")
        _print_files(symbol["matches"], out)
        if symbol["possible_total"]:
            out.line((f"{symbol['possible_total']:,} possible, by the name alone", "yellow"))
            _print_files(symbol["possible"] or (), out)
    for row in output["rows"] or ():
        out.line((row["path"], "bold cyan"))
        for name, how in row["reaches"].items():
            out.line((f"    {name}: {how}", "dim" if how == "no" else ""))
    out.line((output["note"], "yellow"))
    out.more(output["next_offset"])


def _print_files(files: Iterable[Fields], out: Output) -> None:
    for file in files:
        total = f"  {format_count(file['total'], 'line')} in all" if file["total"] else ""
        out.line((file["path"], "bold cyan"), (f"  {file['role']}{total}", "dim"))
        for line in show_hidden(file["text"]).expandtabs().splitlines():
            out.line((f"    {line}", "bold" if line.startswith("[") else ""), cut=True)


def _highlight(line: str, query: str) -> Iterator[tuple[str, str]]:
    """Yield the line in parts, those that match the query in a style of their own."""
    done = 0
    for start, end in search.find_matches(line, query) if query else ():
        yield line[done:start], "dim"
        yield line[start:end], "bold red"
        done = end
    yield line[done:], "dim"


def describe_index(index: Mapping[str, Any]) -> str:
    """Describe the commit of the index, and how many files the index is behind."""
    at = f"indexed at {show_hidden_line(index['commit'])}" if index.get("commit") else "indexed"
    behind = index.get("behind")
    if behind is None:
        return f"{at}; how many files it is behind is not known"
    if not behind:
        return f"{at}, up to date"
    return f"{at}, {format_count(behind, 'file')} behind: run `aur mem index`"


def print_texts(output: Fields, out: Output) -> None:
    """Print the texts of chunks or files, each below its place."""
    for number, chunk in enumerate(output["chunks"]):
        where = f"{chunk['path']}:{chunk['lines']}" if chunk["path"] else chunk["type"]
        out.line(
            ("  ".join(filter(None, (where, chunk["symbol"], chunk["id"]))), "bold cyan"),
            (put("  read as ", chunk["encoding"]), "dim"),
            ("  changed since it was indexed" if chunk["stale"] else "", "yellow"),
            apart=number > 0,
        )
        out.text(chunk["text"])
    # What follows tells an assistant how to go on; a person gets the command below.
    out.line(((output["note"] or "").partition("Truncated;")[0].strip(), "yellow"))
    rest, offset = output["remaining"], output["next_offset"]
    further = "" if offset is None else f" --offset {offset}"
    if rest:
        out.line((f"cut; for the rest: {' '.join(['aur mem get', *rest])}{further}", "yellow"))
    elif further:
        out.line((f"cut;{further} shows the rest", "yellow"))


_NAMED_REASONS = frozenset({"secret", "unreadable", "outside", "worktree", "clone"})
"""Reasons to skip a file that name it: a person may want to act on them."""
_MAX_NAMED = 20


def print_index(output: Fields, out: Output) -> None:
    """Print what an indexing read, and what it left out."""
    counts = ", ".join(f"{output[key]:,} {key}" for key in ("added", "changed", "removed", "unchanged") if output[key])
    out.line(
        f"{format_count(output['files'], 'file')} ({format_bytes(output['bytes'])}) in {output['seconds']:.1f} s: ",
        counts or "nothing to read",
    )
    embedding = f" ({output['embedding_seconds']:.1f} s)" if output["embedded"] else ""
    out.line(f"{format_count(output['chunks'], 'chunk')} in memory, {output['embedded']:,} newly embedded{embedding}")
    if output["unparsed"]:
        unparsed = format_count(output["unparsed"], "file")
        out.line(f"{unparsed} did not parse as a whole; the symbols that were recognized are indexed")
    if output["skipped"]:
        out.line(f"left out: {_list_counts(output['skipped'])}")
    _print_skipped(output, out)
    out.line((output["note"], "yellow"))
    if output["left_out_lines"]:
        out.line(f"left out: {format_count(output['left_out_lines'], 'line')} with a secret")
    for one in output["left_out"][:_MAX_NAMED]:
        out.line((f"  {one['path']}:{one['line']}", "yellow"), (f"  {one['kind']}", "dim"))
    _print_rest(out, "  and {} more; --json lists them", len(output["left_out"]) - _MAX_NAMED)


def _print_skipped(output: Fields, out: Output) -> None:
    """Print the skipped files: those that a person may want to act on, or with `verbose` all of them."""
    if output["verbose"]:
        _print_left_out(output["skipped_files"], out)
        _print_unlisted(output, out)
        return
    files = [one for one in output["skipped_files"] if one["reason"] in _NAMED_REASONS]
    _print_left_out(files[:_MAX_NAMED], out)
    _print_rest(out, "  and {} more; `aur mem index -v` lists them", len(files) - _MAX_NAMED)


def _print_rest(out: Output, sentence: str, left: int) -> None:
    if left > 0:
        out.line((sentence.format(f"{left:,}"), "dim"))


def _print_left_out(files: Iterable[Fields], out: Output) -> None:
    for one in files:
        detail = put(": ", one["detail"])
        out.line((f"  {one['path']}", "yellow"), (f"  {one['reason']}{detail}", "dim"))


def _print_unlisted(output: Fields, out: Output) -> None:
    """Print the command that lists the files that do not fit into the output."""
    left = sum((output["skipped"] or {}).values()) - len(output["skipped_files"] or ())
    _print_rest(out, "  and {} more; `aur mem stats --left-out --limit 100000` lists them", left)


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


def print_stats(output: Fields, out: Output) -> None:
    """Print the figures of the memory."""
    languages = sorted(output["languages"].items(), key=lambda one: (-one[1], one[0]))[:_MAX_LANGUAGES]
    sizes = (f"{part} {format_bytes(size)}" for part, size in output["sizes"].items() if size)
    chunks = (f"{count:,} {_CHUNK_NOUNS[kind][count != 1]}" for kind, count in output["chunks"].items())
    out.report(
        {
            "database": f"{output['path']} ({format_bytes(output['size_bytes'])}, version {output['schema_version']})",
            "project": output["root"] or "not indexed yet: run `aur mem index`",
            "indexed": _format_indexed(output),
            "files": f"{output['files']:,}",
            "chunks": ", ".join(chunks),
            "languages": ", ".join(f"{name} {count:,}" for name, count in languages) or "none",
            "encodings": ", ".join(f"{name} {count:,}" for name, count in output["encodings"].items()),
            "vectors": f"{output['vectors']:,}",
            "runs": f"{output['runs']:,}",
            "used": f"{format_count(output['used'], 'chunk')}, {format_count(output['accesses'], 'time')}",
            "size": ", ".join(sizes) or "nothing",
            "records": output["shared"] if output["shared"] != output["path"] else "",
            "worktrees": ", ".join(map(_describe_view, output["views"])),
            "left out": _list_counts(output["skipped"] or {}),
        }
    )
    _print_left_out(output["skipped_files"] or (), out)
    _print_unlisted(output, out)


def _list_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())


def _describe_view(view: Fields) -> str:
    """Describe the index of a linked worktree: its branch, state and size."""
    state = view["state"] if view["exists"] else "removed"
    branch = put("", view["branch"], ", ")
    return f"{view['name']} ({branch}{state}, {format_bytes(view['size_bytes'])})"


def _format_indexed(output: Fields) -> str:
    """Return when the project was indexed, and how many files changed since."""
    if output["indexed_at"] is None:
        return "never"
    commit = f" at {output['commit'][:10]}" if output["commit"] else ""
    branch = put(" of ", output["branch"])
    parts = [f"{format_timestamp(output['indexed_at'])} UTC{commit}{branch}"]
    if state := _STATES.get(output["state"]):
        parts.append(state)
    if output["changed"] is not None:
        since = ", ".join(f"{output[what]:,} {what}" for what in ("changed", "new", "gone") if output[what])
        fresh = "up to date" if output["new"] is not None else "no indexed file has changed, too many others to read"
        parts.append(f"since then {since} (`aur mem index`)" if since else fresh)
    return ", ".join(parts)


def print_check(output: Fields, out: Output) -> None:
    """Print the findings of a check, and the commands that put them right."""
    _print_findings(output["findings"], out)
    for one in output["unfinished"]:
        out.line(f"{one['part']}: {one['message']}; run `{one['remedy']}` to complete it")
    if not output["ok"]:
        out.line(f"{format_count(output['findings'], 'finding')}: run {_join_remedies(output['findings'], ', ')}")
    elif output["note"] or not output["unfinished"]:
        out.line(output["note"] or f"the memory is complete: {output['path']}")
    else:
        steps = _join_remedies(output["unfinished"], " and ")
        out.line(f"the memory is intact, but unfinished: run {steps} ({output['path']})")
    if counts := output["counts"]:
        nouns = {"files": "file", "chunks": "chunk", "nodes": "node", "runs": "run"}
        words = {name: format_count(counts[name], noun) for name, noun in nouns.items()}
        out.line("{files}, {chunks}, {nodes} of the code graph, {runs}".format_map(words))


def _join_remedies(findings: Iterable[Fields], separator: str) -> str:
    return separator.join(f"`{command}`" for command in dict.fromkeys(one["remedy"] for one in findings))


def _print_findings(findings: Iterable[Fields], out: Output) -> None:
    for one in findings:
        out.line((f"{one['part']}: ", "bold red"), one["message"])


def print_repair(output: Fields, out: Output) -> None:
    """Print what was wrong, what was done, what is lost, and what is still wrong."""
    _print_fact(out, "restored: {}", output["restored"])
    if not output["found"]:
        out.line(f"nothing to repair, the memory is complete: {output['path']}")
    _print_findings(output["found"], out)
    _print_fact(out, "the damaged database is now {}", output["set_aside"])
    _print_fact(out, "before: {0}; `aur mem restore {0}` restores it", output["backup"])
    _print_only_before(output, out)
    _print_fact(out, "saved: {}", _list_counts(output["saved"]))
    _print_fact(out, f"from {output['backup_used']}: {{}}", _list_counts(output["from_backup"]))
    if output["files"] is not None:
        out.line(f"read again: {format_count(output['files'], 'file')}")
    for one in output["lost"][:_MAX_NAMED]:
        out.line(("lost: ", "bold yellow"), one)
    _print_rest(out, "and {} more; --json lists them", len(output["lost"]) - _MAX_NAMED)
    earlier = "a backup from before is {0}: `aur mem repair --backup {0}` takes what it has"
    _print_fact(out, earlier, output["earlier"])
    if output["found"] and output["ok"]:
        state = "can be used again" if output["lost"] else "is complete"
        out.line(f"the memory {state}: {output['path']}")
    if not output["ok"]:
        out.line("still wrong:")
    _print_findings(output["left"], out)


def _print_fact(out: Output, sentence: str, value: str | None) -> None:
    out.line(sentence.format(value) if value else "")


def _print_only_before(output: Fields, out: Output) -> None:
    only = output["only_before"]
    if any(only.values()):
        out.line(f"only in it: {format_count(only['records'], 'record')} and {format_count(only['runs'], 'run')}")


def print_restore(output: Fields, out: Output) -> None:
    """Print the restored backup, and the one of the state before."""
    out.line(f"restored: {output['restored']['name']}")
    _print_fact(out, "before: {0}; `aur mem restore {0}` restores it", output["before"] and output["before"]["name"])
    _print_only_before(output, out)
    _print_fact(out, "the damaged database is now {}", output["set_aside"])


def print_export(output: Fields, out: Output) -> None:
    """Print the exported lines, or a summary of the file they were written to."""
    if output["path"] is None:  # the lines are for another program, the summary for the person
        sys.stdout.write(escape_json(output["text"] or ""))
        out = Output(sys.stderr)
    else:
        nouns = {"chunk": "record", "run": "run", "step": "step"}
        counts = ", ".join(format_count(output["counts"][name] or 0, noun) for name, noun in nouns.items())
        out.line(f"exported: {output['path']} ({counts})")
    for one in output["withheld"] or ():
        out.line((f"withheld: {one['id']} holds {one['rule']}", "yellow"))


def print_import(output: Fields, out: Output) -> None:
    """Print what an import added, and what it left as it was."""
    nouns = {"records": "record", "runs": "run", "accesses": "use"}
    counts = ", ".join(format_count(output[name], noun) for name, noun in nouns.items())
    known = {"records_known": "record", "runs_known": "run"}
    before = " and ".join(format_count(output[name], noun) for name, noun in known.items() if output[name])
    out.line(f"imported: {counts}{f'; {before} known already' if before else ''}")
    if output["passed_over"]:
        out.line(f"{format_count(output['passed_over'], 'chunk')} of files skipped: run `aur mem index` to make them")
    if output["differing"]:
        names = ", ".join(output["differing"])
        out.line((f"unchanged, because they differ from those of the same id here: {names}", "yellow"))
    _print_undo(output, out)


def _print_undo(output: Fields, out: Output) -> None:
    out.line((put("before: ", output["backup"], "; `aur mem undo` restores it"), "dim"))


def print_undone(output: Fields, out: Output) -> None:
    """Print the change that was undone, and its effects."""
    out.line(f"undone: {output['summary']} ({output['at']})")
    out.line(f"{format_count(output['back'], 'record')} as before, {output['gone']:,} removed")
    left = ", ".join(output["runs_left"])
    out.line((put("kept, because they have continued since: ", left), "yellow"))


def print_added(output: Fields, out: Output) -> None:
    """Print the id of a record, and whether it is new."""
    out.line(f"{'kept' if output['created'] else 'known already'}: {output['id']}  {output['subject']}")


def print_merges(output: Fields, out: Output) -> None:
    """Print each record that stays, and those that are merged into it."""
    for merge in output["merges"]:
        out.line((f"kept   {merge['kept']['id']}  {merge['kept']['text']}", "bold"), cut=True)
        for one in merge["taken"]:
            out.line(f"{one['score']:5.2f}  {one['id']}  {one['text']}", cut=True)
    compared = f"{format_count(output['looked_at'], 'record')} compared by {output['by']}"
    out.line(f"{compared}, {output['merged']:,} {'would be merged' if output['dry_run'] else 'merged'}")
    _print_undo(output, out)


_CERTAIN = 0.995


def print_links(nothing: str) -> Callable[[Fields, Output], None]:
    """Return the view of a page of links; `nothing` says what an empty one means."""

    def print_page(output: Fields, out: Output) -> None:
        if output["total"]:
            out.line((f"{output['id']}: {len(output['links'])} of {output['total']} links", "dim"))
        else:
            out.line(f"{output['id']}: {nothing}")
        _print_links(output["links"], out)
        if output["next_offset"] is not None:
            out.line((f"more: --offset {output['next_offset']}", "dim"))
        out.line((output["note"], "yellow"))

    return print_page


def print_path(output: Fields, out: Output) -> None:
    """Print the links from one definition to another."""
    out.line((output["start"]["id"], "bold cyan"))
    _print_links(output["links"] or (), out)
    if not output["connected"]:
        out.line((output["end"]["id"], "bold cyan"))
    out.line((output["note"], "yellow"))


def _print_links(links: Sequence[Fields], out: Output) -> None:
    """Print each link: its kind, the other end, how it was found, how certain it is, and its line of code."""
    for link in links:
        confidence = "" if link["confidence"] >= _CERTAIN else f" {link['confidence']:.2f}"
        distance = f"  {link['steps']} steps away" if (link["steps"] or 1) > 1 else ""
        out.line(
            f"{'→' if link['direction'] == 'out' else '←'} {link['kind']} ",
            (link["id"], "bold cyan"),
            (put(" → ", link["to"]), "cyan"),
            (f"  ({link['how']}{confidence}){distance}", "dim"),
        )
        out.line(f"    {link['at']}", put("  ", link["code"]))


VIEWS = {
    "graph.callers": print_links("nothing in the project calls it"),
    "graph.implementations": print_links("nothing in the project inherits from it or implements it"),
    "graph.neighbors": print_links("no link leads to it or from it"),
    "graph.path": print_path,
    "mem.add": print_added,
    "mem.check": print_check,
    "mem.consolidate": print_merges,
    "mem.export": print_export,
    "mem.get": print_texts,
    "mem.import": print_import,
    "mem.index": print_index,
    "mem.rebuild": print_index,
    "mem.repair": print_repair,
    "mem.restore": print_restore,
    "mem.search": print_hits,
    "mem.stats": print_stats,
    "mem.undo": print_undone,
}
