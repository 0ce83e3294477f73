"""Views of the memory: search, a chunk and its neighbours, facts and patterns."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from aurora.errors import Code, Fault
from aurora.memory import records
from aurora.system.secrets.masks import mask_secrets
from aurora.tools.runtime import call_tool

from .request import read_count, read_text
from .response import describe_moment, make_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.responses import Response

    from .request import PageRequest


_HITS = 20
_RECORDS = 30
_MAX_TEXT = 400
_TYPES = ("code", "know", "reas")


@dataclass(frozen=True, slots=True)
class ListedRecord:
    """Fact or pattern in the list."""

    id: str
    kind: str
    subject: str
    text: str
    origin: str
    run: str
    doubtful: bool
    confirmed: bool


def show_memory(page: PageRequest) -> Response:
    """Search the memory, or list its facts and patterns."""
    query = read_text(page.query, "q", 500)
    kind = read_text(page.query, "type")
    path = read_text(page.query, "path")
    offset = read_count(page.query, "offset")
    found = _search_memory(page, query, kind, path, offset) if query else {}
    listed, more = _list_records(page, offset) if not query else ([], False)
    stats = page.project.memory.stats()
    chosen = {"q": query, "type": kind, "path": path}
    following = found.get("next_offset") or (offset + _RECORDS if more else 0)
    return page.render(
        "memory.html",
        tab="memory",
        title="Memory",
        chosen=chosen,
        found=found,
        hits=[_describe_hit(page, hit) for hit in found.get("hits", ())],
        records=listed,
        stats=stats,
        chunks=sum(stats.chunks.values()),
        indexed=describe_moment(stats.indexed_at, time.time()) if stats.indexed_at else "",
        offset=offset,
        earlier=page.link("memory", **chosen, offset=max(offset - (_HITS if query else _RECORDS), 0)) if offset else "",
        later=page.link("memory", **chosen, offset=following) if following else "",
        done=read_text(page.query, "done"),
        index_step=page.project.index_step,
    )


def _search_memory(page: PageRequest, query: str, kind: str, path: str, offset: int) -> Mapping[str, Any]:
    given = {"query": query, "limit": _HITS, "parts": True, "offset": offset, **({"path": path} if path else {})}
    given |= {"types": [kind]} if kind in _TYPES else {}
    return call_tool(page.project, "mem.search", given, surface="page")


def _describe_hit(page: PageRequest, hit: Mapping[str, Any]) -> dict[str, Any]:
    parts = hit.get("parts") or {}
    return {
        "link": page.link("memory", "chunk", id=hit["id"]),
        "type": hit.get("type", ""),
        "score": f"{hit.get('score', 0):.3f}",
        "place": f"{hit['path']}:{hit.get('lines', '')}" if hit.get("path") else "",
        "symbol": hit.get("symbol", ""),
        "preview": hit.get("preview", ""),
        "places": hit.get("places", ()),
        "reasons": [(name, f"{value:.2f}") for name, value in parts.items()],
        "stale": hit.get("stale", False),
        "doubtful": hit.get("doubtful", False),
        "confirmed": hit.get("confirmed", False),
    }


def _list_records(page: PageRequest, offset: int) -> tuple[list[ListedRecord], bool]:
    """List a page of the facts and patterns, and whether more follow."""
    # Facts and patterns are those of the repository, also in a linked worktree.
    with page.project.memory.shared_store.begin_read() as db:
        # One more than is shown tells whether others follow.
        chunks = [chunk for _, chunk in islice(db.chunks.iter_records(), offset, offset + _RECORDS + 1)]
        doubtful = records.find_doubtful(db, chunks[:_RECORDS])
    listed = [
        ListedRecord(
            chunk.id,
            chunk.kind,
            # Masked before the cut, which could divide a secret so that no rule recognises it.
            mask_secrets(chunk.symbol)[:_MAX_TEXT],
            mask_secrets(chunk.text)[:_MAX_TEXT],
            str(chunk.metadata.get("workflow") or chunk.metadata.get("source") or "")[:80],
            str(chunk.metadata.get("run") or "")[:80],
            chunk.id in doubtful,
            records.is_confirmed(chunk.metadata),
        )
        for chunk in chunks[:_RECORDS]
    ]
    return listed, len(chunks) > _RECORDS


def show_chunk(page: PageRequest) -> Response:
    """Show a chunk, or a fact or a pattern, with its neighbours in the code graph."""
    id_ = read_text(page.query, "id", 80)
    if not id_:
        raise Fault(Code.NOT_FOUND, "no chunk is named", help="Search the memory, and choose a hit.")
    given = {"ids": [id_], "offset": read_count(page.query, "offset"), "numbers": False}
    found = call_tool(page.project, "mem.get", given, surface="page")
    chunk = found["chunks"][0]
    if page.query.get("as") == "text":
        return make_text(chunk["text"])
    return page.render(
        "chunk.html",
        tab="memory",
        title=chunk.get("symbol") or chunk.get("path") or id_,
        id=id_,
        chunk=chunk,
        place=f"{chunk['path']}:{chunk.get('lines', '')}" if chunk.get("path") else "",
        following=page.link("memory", "chunk", id=id_, offset=found["next_offset"]) if found.get("next_offset") else "",
        related=_list_related(page, id_) if chunk.get("path") else [],
        why=_explain(page, id_) if not chunk.get("path") else None,
    )


def _list_related(page: PageRequest, id_: str) -> list[dict[str, Any]]:
    try:
        related = call_tool(page.project, "mem.related", {"chunk": id_, "limit": 30}, surface="page")["related"]
    except Fault:
        return []
    return [{**one, "link": page.link("memory", "chunk", id=one["chunk"])} for one in related]


def _explain(page: PageRequest, id_: str) -> dict[str, Any] | None:
    """Explain the origin of a fact or a pattern; None for anything else."""
    try:
        why = call_tool(page.project, "mem.why", {"id": id_}, surface="page")
    except Fault:
        return None
    cited = [{**one, "link": page.link("memory", "chunk", id=one["id"])} for one in why.get("citations", ())]
    run = why.get("run", "")
    return {**why, "citations": cited, "run_link": page.link("runs", run) if run else ""}


def forget(page: PageRequest) -> Response:
    """Forget the chosen facts and patterns; undo restores them."""
    page.require_admin()
    ids = page.form.get("id", [])
    if not ids:
        raise Fault(Code.INVALID_INPUT, "no fact or pattern is chosen", help="Tick those to forget.")
    gone = call_tool(page.project, "mem.forget", {"ids": ids}, surface="page")["forgotten"]
    count = len(gone)
    return page.redirect(page.link("memory", done=f"Forgot {count} record{'' if count == 1 else 's'}."))


def undo(page: PageRequest) -> Response:
    """Undo the last forget, consolidation or import."""
    page.require_admin()
    done = call_tool(page.project, "mem.undo", {}, surface="page")
    at = datetime.fromisoformat(done["at"]).astimezone(UTC)
    return page.redirect(page.link("memory", done=f"Undid: {done['summary']} ({at:%Y-%m-%d %H:%M} UTC)."))
