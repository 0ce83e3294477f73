"""Searcher: ranks files, selects chunks within them, merges the types; read-only."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aurora.errors import did_you_mean, list_names
from aurora.memory.embeddings import VectorIndex, get_embedder, get_load_error, get_semantic_error
from aurora.memory.files import FileRoles
from aurora.memory.indexing.state import PARTIAL, STOPPED, describe_state
from aurora.memory.model.chunks import Hit, Place, SearchResult
from aurora.memory.records import is_adopted, list_source_paths
from aurora.memory.text_index import TextIndex
from aurora.memory.text_index.tokens import extract_terms, stem_word

from .excerpts import GAP, PREVIEW_CHARS, PREVIEW_LINES, build_excerpt, find_symbol_line, number_line
from .literals import extract_literal_terms, find_literals
from .material import Match, Material
from .options import compile_glob, find_stale_paths, parse_moment
from .pages import PageQuestion, find_pages, read_page_question
from .past_answers import read_marks
from .query import parse_query, weaken_words
from .rank import explain_score
from .rank_terms import VisibleScope, confirm_name, extract_name_terms, find_definitions
from .record_vectors import MAX_NEW_AHEAD, RecordVectors
from .session import LOW_CONFIDENCE, SearchSession, compute_confidence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from aurora.memory.embeddings import Embedder
    from aurora.memory.model.chunks import Chunk
    from aurora.memory.storage.store import Store, Tables
    from aurora.memory.text_index import PostingList

    from .material import SelectedChunk
    from .options import SearchOptions
    from .query import Query

    Numbers = NDArray[np.int64]


class Searcher:
    """Searcher of one store, with indexes in memory that follow it; thread-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._vectors = VectorIndex()
        self._record_vectors = RecordVectors(store)
        self._text_index = TextIndex()
        self._lock = threading.Lock()
        self._epoch = store.epoch
        self._cached_roles: tuple[TextIndex | None, FileRoles] = (None, FileRoles(()))

    def warm_up(self) -> None:
        """Load the embedder and all vectors ahead of the next search."""
        embedder = get_embedder()
        with self._store.begin_read() as db:
            generation = _read_generation(db.meta.get_all())
            index = self._refresh(db, generation, embedder, whole=True)
            if embedder and _has_records(index):
                self._record_vectors.refresh(db, generation, MAX_NEW_AHEAD)
        if embedder:
            embedder.warm_up()

    def search(self, text: str, options: SearchOptions) -> SearchResult:
        """Return the chunks that match a query best.

        Raises:
            Fault: INVALID_INPUT for invalid options; faults of the store.
        """
        options.validate()
        query = parse_query(text)
        embedder = get_embedder() if query.text and options.embeddings else None
        with self._store.begin_read() as db:
            meta = db.meta.get_all()
            query = weaken_words(query, _extract_project_words(meta.get("root", "")))
            index = self._refresh(db, _read_generation(meta), embedder)
            postings = _read_postings(db, index, query, _read_generation(meta))
            visible = _find_visible(db, index, options)
            uses_extra = embedder is not None and _asks_for_records(query, options) and _has_records(index)
            pages = _read_page_question(query, meta.get("root", ""))
            query = query.ask_for_page(pages) if pages else confirm_name(db, query, postings)
            matches = _find_matches(db, index, query, postings, pages)
            material = Material(
                db=db,
                text_index=index,
                vectors=self._vectors,
                roles=self._get_roles(index),
                query=query,
                postings=postings,
                matches=matches,
                visible=visible,
                embedding=embedder.embed([query.text])[0] if embedder else None,
                record_cosines=self._record_vectors.compare(db, index.generation, query.text) if uses_extra else None,
            )
            ranked = SearchSession(material).rank_chunks(options.types)
            files = _group_by_file(ranked.chunks, index)
            groups: Sequence[Sequence[SelectedChunk]] = [(chunk,) for chunk in ranked.chunks]
            total = ranked.total
            if options.by_file:
                groups, total = files, len(files)
            page = groups[options.offset : options.offset + options.limit]
            outcome = SearchOutcome(
                query=query,
                hits=tuple(_build_hits(db, page, query, options, options.root or meta.get("root"))),
                confidence=compute_confidence(_leave_answers_out(files, index) or files),
                chunk_count=sum(chunks for chunks, _ in index.totals),
                words=_count_words(query, postings),
                empty_filters=explain_empty_filters(db, options, total),
                missing_literals=_misses_literals(query, matches),
                extra_error=get_semantic_error() if uses_extra else "",
            )
        load_error = get_load_error() if query.text and options.embeddings else ""
        note = build_note(outcome, describe_state(self._store, meta), load_error, options.index_step)
        return SearchResult(outcome.hits, round(outcome.confidence, 3), total, note)

    def _refresh(self, db: Tables, generation: int, embedder: Embedder | None, *, whole: bool = False) -> TextIndex:
        """Refresh the indexes in memory from the store; return the text index."""
        with self._lock:
            if self._epoch != self._store.epoch:  # the database file was replaced: drop everything in memory
                self._vectors, self._text_index, self._epoch = VectorIndex(), TextIndex(), self._store.epoch
                self._record_vectors = RecordVectors(self._store)
            index = self._text_index = self._text_index.refresh(db, generation)
        if embedder:
            self._vectors.refresh(db, generation, whole=whole)
        return index

    def _get_roles(self, index: TextIndex) -> FileRoles:
        """Return the roles of the indexed files, computed once per index."""
        with self._lock:
            if self._cached_roles[0] is not index:
                self._cached_roles = (index, FileRoles(index.docs.paths))
            return self._cached_roles[1]


def _asks_for_records(query: Query, options: SearchOptions) -> bool:
    """Return True for a question in words that facts or patterns may answer."""
    return query.kind == "question" and not query.only_names and not {"know", "reas"}.isdisjoint(options.types)


def _read_page_question(query: Query, root: str) -> PageQuestion:
    """Read which pages of the project a question asks for; a report asks for none."""
    if query.kind != "question":
        return PageQuestion()
    return read_page_question(query.text, frozenset([root.rstrip("/").rpartition("/")[2].lower()]))


def _find_matches(
    db: Tables, index: TextIndex, query: Query, postings: Mapping[str, PostingList], pages: PageQuestion
) -> dict[int, Match]:
    """Find the chunks that the query asks for by name; a chunk that is several of these is the last."""
    found = {
        "page": find_pages(db, index, pages),
        "literal": find_literals(db, query, postings),
        "symbol": find_definitions(db, query, postings),
    }
    return {n: Match(value, why) for why, chunks in found.items() for n, value in chunks.items()}


def _count_words(query: Query, postings: Mapping[str, PostingList]) -> dict[str, int]:
    """Count the chunks that contain each word of the query, as it is typed."""
    found = ((word, postings.get(stem_word(word))) for word in query.terms)
    return {word: 0 if posting is None else len(posting.n) for word, posting in found}


def _misses_literals(query: Query, matches: Mapping[int, Match]) -> bool:
    """Return True when no chunk holds what the query quotes."""
    return bool(query.literals) and all(match.why != "literal" for match in matches.values())


def _has_records(index: TextIndex) -> bool:
    """Return True when any document of the index has no file."""
    return index.get_or_compute("has records", lambda: None in index.docs.paths)


def _extract_project_words(root: str) -> frozenset[str]:
    """Extract the words of the project's own name, which is that of its folder."""
    return frozenset(extract_terms(root.rstrip("/").rpartition("/")[2]))


def _read_generation(meta: Mapping[str, str]) -> int:
    return int(meta.get("generation", 0))


def _read_postings(db: Tables, index: TextIndex, query: Query, generation: int) -> Mapping[str, PostingList]:
    """Read the posting lists of the query's words, names and literals."""
    names = extract_name_terms(query.names)
    terms = [*query.words, *names.values(), *extract_literal_terms((*query.literals, *query.likely_literals))]
    return index.read_postings(db, terms, generation=generation)


def _find_visible(db: Tables, index: TextIndex, options: SearchOptions) -> VisibleScope:
    """Find what the filters allow."""
    search_filter = build_filter(db, options)
    kinds = search_filter.kinds
    chunks = None if kinds is None else np.array(db.chunks.find_with_phrases((), kinds), np.int64)
    return VisibleScope(search_filter.mask_documents(index.docs.paths), chunks)


_MOST_PLACES = 2
"""Further chunks of a hit's file that are named with it."""
_MOST_MEMBERS = 12
_MAX_SIGNATURE = 100


def _group_by_file(chunks: Sequence[SelectedChunk], index: TextIndex) -> Sequence[Sequence[SelectedChunk]]:
    """Group the chunks of each file, best first; a record is a group of its own."""
    groups: dict[int, list[SelectedChunk]] = {}
    for chunk in chunks:
        groups.setdefault(int(index.doc_at[chunk.n]), []).append(chunk)
    return list(groups.values())


def _leave_answers_out(files: Sequence[Sequence[SelectedChunk]], index: TextIndex) -> Sequence[Sequence[SelectedChunk]]:
    """Leave past answers out: they are claims about files, and make no answer surer."""
    claims = index.types.index("reas")
    return [chunks for chunks in files if index.docs.type[index.doc_at[chunks[0].n]] != claims]


def _build_hits(
    db: Tables, page: Sequence[Sequence[SelectedChunk]], query: Query, options: SearchOptions, root: Path | str | None
) -> Iterator[Hit]:
    """Build the hits of the selected chunks; omit those that were deleted meanwhile."""
    chunks = db.chunks.get_by_number([one.n for group in page for one in group])
    marks = read_marks(db, chunks.values())
    stale = find_stale_paths(db, root, (path for chunk in chunks.values() for path in list_source_paths(chunk)))
    for selected, *others in page:
        if chunk := chunks.get(selected.n):
            is_stale = not stale.isdisjoint(list_source_paths(chunk))
            further = [chunks[one.n] for one in others if one.n in chunks]
            yield Hit(
                chunk=chunk,
                score=round(min(selected.score, 1.0), 4),
                preview=_build_preview(db, chunk, query, with_members=options.by_file),
                parts=explain_score(selected.parts),
                stale=is_stale,
                doubtful=chunk.id in marks.doubtful or (is_stale and chunk.type == "reas"),
                adopted=chunk.path is None and is_adopted(chunk.metadata),
                confirmed=chunk.id in marks.confirmed,
                fit=selected.fit,
                places=tuple(map(_make_place, filter(_is_place, further)))[:_MOST_PLACES],
            )


def _make_place(chunk: Chunk) -> Place:
    return Place(chunk.start_line, chunk.end_line, chunk.symbol)


def _is_place(chunk: Chunk) -> bool:
    """Return False for code between definitions, as imports, which answers no question of the benchmark."""
    return bool(chunk.symbol) or chunk.type != "code"


def _build_preview(db: Tables, chunk: Chunk, query: Query, *, with_members: bool) -> str:
    """Build the preview of a chunk; that of the head of a class ends with the first lines of its members."""
    members = list(_list_members(db, chunk, query)) if with_members else []
    if not members:
        return build_excerpt(chunk, query.text, max_lines=PREVIEW_LINES, max_chars=PREVIEW_CHARS)
    head = build_excerpt(chunk, query.text, max_lines=PREVIEW_LINES // 2, max_chars=PREVIEW_CHARS // 2)
    return f"\n{GAP}\n".join([head.removesuffix(f"\n{GAP}"), *members, ""]).rstrip("\n")


def _list_members(db: Tables, chunk: Chunk, query: Query) -> Iterator[str]:
    """List the lines of the members of a class whose head it is, the named ones of many."""
    if chunk.path is None or chunk.type != "code":
        return
    begun = db.nodes.find_starting_between(chunk.path, chunk.start_line, chunk.end_line)
    holders = [node for node in begun if node.symbol and node.end > chunk.end_line]
    members = [node for holder in holders[:1] for node in db.nodes.list_children(holder.n)]
    outside = [node for node in members if node.start > chunk.end_line]
    words = frozenset(query.words)
    outside.sort(key=lambda node: -len(words.intersection(extract_terms(node.name))))
    for node in sorted(outside[:_MOST_MEMBERS], key=lambda node: node.start):
        text, start = db.chunks.get_text_at(node.path, node.start) or ("", node.start)
        lines = text.split("\n")[node.start - start : node.end - start + 1]
        at = find_symbol_line([line.strip() for line in lines], node.name)
        yield number_line("".join(lines[at : at + 1]).rstrip()[:_MAX_SIGNATURE], node.start + at)


def explain_empty_filters(db: Tables, options: SearchOptions, total: int) -> str:
    """Explain which filter values match no chunk; empty when each one matches, or anything was found."""
    return "" if total else " ".join(_iter_explanations(db, options))


def _iter_explanations(db: Tables, options: SearchOptions) -> Iterator[str]:
    if options.language:
        yield from _explain_unknown("language", options.language, db.files.list_languages())
    if options.kinds:
        known = db.chunks.list_kinds()
        for kind in options.kinds:
            yield from _explain_unknown("kind", kind, known)
    if options.path_glob:
        pattern = compile_glob(options.path_glob)
        if not any(map(pattern.fullmatch, db.files.list_paths())):
            yield f'No path in this memory matches "{options.path_glob[:80]}"; paths start at the project\'s folder.'
    if options.changed_since and not db.files.has_changes_since(parse_moment(options.changed_since)):
        yield f'No file in this memory has changed since "{options.changed_since[:80]}".'


def _explain_unknown(field: str, value: str, known: list[str]) -> Iterator[str]:
    if known and value.lower() not in known:
        suggestion = did_you_mean(value, known)
        choices = f"{suggestion[:1].upper()}{suggestion[1:]}" if suggestion else f"There are {list_names(known)}."
        yield f'Nothing in this memory is of {field} "{value[:80]}". {choices}'


_MOST_SUGGESTED = 3
"""Words of a query that a note names."""


class SearchFilter(NamedTuple):
    """Filter of a search; None means any.

    Attributes:
        paths: the allowed files.
        kinds: the allowed kinds of chunk, in lower case.
    """

    paths: frozenset[str] | None = None
    kinds: frozenset[str] | None = None

    def mask_documents(self, paths: Sequence[str | None]) -> NDArray[np.bool_] | None:
        """Return the mask of allowed documents; None when all are allowed."""
        if self.paths is None:
            return None
        return np.fromiter((path in self.paths for path in paths), np.bool_, len(paths))


def build_filter(db: Tables, options: SearchOptions) -> SearchFilter:
    """Build the filter for these options.

    Raises:
        Fault: INVALID_INPUT for an invalid time.
    """
    kinds = frozenset(kind.lower() for kind in options.kinds) or None
    if not (options.language or options.changed_since or options.path_glob):
        return SearchFilter(kinds=kinds)
    language = options.language.lower() if options.language else None
    since = parse_moment(options.changed_since) if options.changed_since else None
    paths = db.files.list_paths(language=language, since=since)
    if options.path_glob:
        pattern = compile_glob(options.path_glob)
        paths = [path for path in paths if pattern.fullmatch(path)]
    return SearchFilter(frozenset(paths), kinds)


class SearchOutcome(NamedTuple):
    """Outcome of a search.

    Attributes:
        chunk_count: number of chunks of all types in the memory.
        empty_filters: explanation of filters that match nothing.
        words: the words of the query, each with the number of chunks that contain it.
        missing_literals: True when no chunk holds what the query quotes.
        extra_error: the reason why the installed extra `semantic` cannot be used; empty when it can.
    """

    query: Query
    hits: Sequence[Hit]
    confidence: float
    chunk_count: int
    words: Mapping[str, int]
    empty_filters: str = ""
    missing_literals: bool = False
    extra_error: str = ""


def build_note(outcome: SearchOutcome, state: str, load_error: str, index_step: str) -> str:
    """Build the note from all remarks, most important first; empty without remarks.

    Args:
        outcome: the hits.
        state: the state of the index, see `indexing.describe_state`.
        load_error: the reason why there are no embeddings; empty if there are.
        index_step: how the reader gets the files indexed, as an imperative.
    """
    return " ".join(_iter_remarks(outcome, state, load_error, index_step))


def _iter_remarks(outcome: SearchOutcome, state: str, load_error: str, index_step: str) -> Iterator[str]:
    yield from _describe_matches(outcome, index_step)
    yield from _describe_index(outcome.hits, state, index_step)
    if outcome.extra_error:
        yield f"Searched without the extra `semantic` ({outcome.extra_error}): install it again."
    if load_error:
        yield f"Searched by terms alone, because there are no embeddings ({load_error})."


def _describe_matches(outcome: SearchOutcome, index_step: str) -> Iterator[str]:
    if outcome.missing_literals and outcome.hits:
        quoted = ", ".join(f'"{one[:60]}"' for one in outcome.query.literals[:3])
        yield f"Nothing in the memory contains {quoted} as it is; these are found by its words."
    if not outcome.query.text:
        yield "The query is empty."
    elif not outcome.chunk_count:
        yield f"The memory is empty: {index_step}."
    elif not outcome.hits:
        yield outcome.empty_filters or "Nothing in the memory matches this query."
    elif outcome.confidence < LOW_CONFIDENCE:
        yield "Nothing in the memory matches this query well; these are the nearest."
        yield _suggest_words(outcome.words)


def _suggest_words(words: Mapping[str, int]) -> str:
    """Say which words occur nowhere, and which few to search for instead: the rarest of the others."""
    absent = [f'"{word[:40]}"' for word, count in words.items() if not count][:_MOST_SUGGESTED]
    known = sorted((word for word, count in words.items() if count), key=lambda word: words[word])
    found = f"No text contains {', '.join(absent)}. " if absent else ""
    if len(words) <= _MOST_SUGGESTED or not known:
        return f"{found}Try other words, or a name from the code."
    return f'{found}Try fewer words, as "{" ".join(known[:_MOST_SUGGESTED])}", or a name from the code.'


def _describe_index(hits: Sequence[Hit], state: str, index_step: str) -> Iterator[str]:
    if state == STOPPED:
        yield f"The last indexing has not finished: {index_step}."
    if state == PARTIAL:
        yield f"Only some paths of the project are indexed: {index_step}."
    stale = len({hit.chunk.path for hit in hits if hit.stale and hit.chunk.path})
    if stale:
        since = "1 file changed since it was" if stale == 1 else f"{stale} files changed since they were"
        yield f"{since} indexed: {index_step}."
