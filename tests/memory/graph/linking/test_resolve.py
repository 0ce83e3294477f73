"""Resolution of a reference depends on it and on the definitions of its name alone."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.memory.graph.resolve import Candidate, Candidates, ReferenceQuery, resolve_reference
from aurora.memory.model.graph import CALL, IMPORT, INHERITS, MENTIONS

_PATHS = ("a.py", "pkg/b.py", "pkg/__init__.py", "src/C.java", "src/sub/D.java", "src/e.cs", "f.go", "g.ts", "h.js")
_SYMBOLS = ("f", "A.f", "B.f", "A.B.f", "größe.f", "")
_KINDS = ("class", "function", "method", "module", "interface")
_VIAS = ("", "in:/a", "in:pkg.b", "in:src", "in:f", "of:A", "of:A@pkg.b", "self:A|B", "self:|", "on:x", "on:")
_LANGUAGES = {"py": "python", "java": "java", "cs": "csharp", "go": "go", "ts": "typescript", "js": "javascript"}


def get_language(path: str) -> str:
    return _LANGUAGES[path.rpartition(".")[2]]


_CANDIDATES = st.lists(
    st.tuples(st.sampled_from(_PATHS), st.sampled_from(_SYMBOLS), st.sampled_from(_KINDS)), max_size=12
).map(lambda rows: [Candidate(n, *row, get_language(row[0])) for n, row in enumerate(sorted(rows))])
_QUERIES = st.tuples(
    st.sampled_from((CALL, IMPORT, INHERITS, MENTIONS)),
    st.sampled_from(("f", "get")),
    st.sampled_from(_VIAS),
    st.sampled_from(_PATHS),
    st.sampled_from(_SYMBOLS),
).map(lambda row: ReferenceQuery(*row, get_language(row[3])))


@settings(max_examples=50)
@given(every=_CANDIDATES, asks=st.lists(_QUERIES, min_size=2, max_size=20), packages=st.sampled_from((set(), {"pkg"})))
def test_earlier_queries_do_not_change_a_result(
    every: list[Candidate], asks: list[ReferenceQuery], packages: set[str]
) -> None:
    shared = Candidates(every)
    for asked in asks:
        assert resolve_reference(asked, shared, packages) == resolve_reference(asked, Candidates(every), packages)


@settings(max_examples=50)
@given(every=_CANDIDATES, asked=_QUERIES.map(lambda asked: asked._replace(kind=CALL, via="on:x")))
def test_a_call_on_an_unknown_value_resolves_to_all_members_of_the_name_when_they_are_few(
    every: list[Candidate], asked: ReferenceQuery
) -> None:
    script = {"typescript", "javascript"}
    kin = [each for each in every if {each.language, asked.language} <= script or each.language == asked.language]
    last = {(each.path, each.symbol): each.n for each in kin if "." in each.symbol}
    last.pop((asked.path, asked.symbol), None)
    share = (0.2 if asked.name == "get" else 0.5) / (len(last) or 1)
    found = {n: sure for n, sure, _how in resolve_reference(asked, Candidates(every), set())}
    assert found == (dict.fromkeys(last.values(), share) if share >= 0.1 else {})


def test_a_name_with_very_many_definitions_resolves_to_none() -> None:
    every = [Candidate(n, f"pkg{n}/a.cs", "A.run", "method", "csharp") for n in range(50)]
    for via in ("on:x", ""):
        assert (
            resolve_reference(
                ReferenceQuery(CALL, "run", via, "other/b.cs", "B.go", "csharp"), Candidates(every), set()
            )
            == []
        )
