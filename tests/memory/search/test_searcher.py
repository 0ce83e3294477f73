from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.errors import Code, Fault
from aurora.memory import Memory
from aurora.memory.search.session import LOW_CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_KNOWN = [
    ("how does the client read a chunked response body", "http/client.py"),
    ("scan a JSON string and decode escapes", "json/decoder.py"),
    ("serialize python object to json formatted string", "json/__init__.py"),
    ("wait for several futures to complete", "asyncio/tasks.py"),
    ("queue with a maximum size that blocks", "asyncio/queues.py"),
    ("parse a Netscape Set-Cookie header", "http/cookiejar.py"),
    ("quote a cookie value", "http/cookies.py"),
    ("shell completion for bash", "click/shell_completion.py"),
    ("convert a parameter to a file", "click/types.py"),
    ("run a subprocess and read its output asynchronously", "asyncio/subprocess.py"),
    ("lock that only one coroutine holds", "asyncio/locks.py"),
    ("serve files from a directory over http", "http/server.py"),
    ("ssl handshake", "asyncio/sslproto.py"),
    ("how do I rotate credentials", "docs/guide.md"),
    ("how often must the keys be changed", "docs/guide.md"),
]


@pytest.mark.requirement("prd-32")
@pytest.mark.parametrize(("query", "path"), _KNOWN)
def test_a_question_about_real_code_is_answered_from_the_right_file_first(
    indexed_library: Memory, query: str, path: str
) -> None:
    result = indexed_library.search(query)
    assert result.hits[0].chunk.path == path
    assert result.confidence > 0.25
    assert not result.note


@pytest.mark.parametrize(
    ("query", "symbol"),
    [
        ("raw_decode", "JSONDecoder.raw_decode"),
        ("where is raw_decode defined", "JSONDecoder.raw_decode"),
        ("what does JSONDecoder.raw_decode() return", "JSONDecoder.raw_decode"),
        ("JSONDecodeError", "JSONDecodeError"),
        ("Context.invoke", "Context.invoke"),
        ("`make_context` please", "Command.make_context"),
        ("run_until_complete", "BaseEventLoop.run_until_complete"),
    ],
)
def test_an_identifier_that_names_a_symbol_wins_at_once(indexed_library: Memory, query: str, symbol: str) -> None:
    result = indexed_library.search(query)
    assert symbol in [hit.chunk.symbol for hit in result.hits[:2]]
    best = result.hits[0]
    assert best.chunk.symbol.rpartition(".")[2] == symbol.rpartition(".")[2]
    assert best.score > 0.9
    assert best.parts["symbol"] >= 0.9
    assert 0.7 < result.confidence < 1


@pytest.mark.parametrize("question", ["fetch_index", "where is fetch_index defined"])
def test_a_definition_in_a_language_without_a_grammar_wins_too(memory: Memory, tmp_path: Path, question: str) -> None:
    definition, use = "sub fetch_index {\n  return 1;\n}", "my $FETCH_INDEX = fetch_index();  # fetch_index again"
    uses = "\n".join([use, use, "", *(f"step{i} of the way" for i in range(30)), ""])
    (tmp_path / "run.pl").write_text(f"{uses}\n{definition}\n\n{uses}", encoding="utf-8")
    memory.index(tmp_path)
    first = memory.search(question).hits[0]
    assert definition in first.chunk.text
    assert first.parts["symbol"] == 0.9


@pytest.mark.parametrize("question", ["fetch_index", "FETCH_INDEX", "where is fetch_index defined"])
def test_a_name_is_that_of_the_definition_with_its_case(memory: Memory, tmp_path: Path, question: str) -> None:
    (tmp_path / "run.sh").write_text("FETCH_INDEX=$(fetch_index | sort)  # fetch_index\n" * 20, "utf-8")
    (tmp_path / "fetch.sh").write_text("fetch_index() {\n  cat index\n}\n", "utf-8")
    memory.index(tmp_path)
    wanted = "FETCH_INDEX" if question.isupper() else "fetch_index"
    assert memory.search(question).hits[0].chunk.symbol == wanted


def test_a_definition_next_to_a_longer_name_is_not_a_definition_of_that_name(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "start.pl").write_text("# as mini.pick does\nsub pick {\n  return 1;\n}\n", "utf-8")
    (tmp_path / "pick.pl").write_text("# *mini.pick* finds, mini.pick shows\nmy $m = 1;\nreturn $m;\n", "utf-8")
    memory.index(tmp_path)
    assert memory.search("how mini.pick finds things").hits[0].chunk.path == "pick.pl"


def test_an_exact_name_is_found_among_very_many_that_hold_it(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("\n".join(f"def load_{i}():\n    return {i}\n" for i in range(450)), "utf-8")
    (tmp_path / "z.py").write_text("def load():\n    return None\n", encoding="utf-8")
    memory.index(tmp_path)
    assert memory.search("load").hits[0].chunk.path == "z.py"


def test_a_definition_ranks_above_its_uses_and_both_above_its_test(indexed_library: Memory) -> None:
    paths = [hit.chunk.path for hit in indexed_library.search("decode a document with raw_decode").hits]
    assert paths[0] == "json/decoder.py"
    assert paths.index("tests/test_decoder.py") > 0


def test_a_test_file_has_no_penalty_when_the_query_mentions_tests(indexed_library: Memory) -> None:
    result = indexed_library.search("the test that finds the end of the document")
    assert result.hits[0].chunk.path == "tests/test_decoder.py"
    assert "test" not in result.hits[0].parts


def test_the_chunks_that_hold_a_quoted_text_come_first_and_others_follow(indexed_library: Memory) -> None:
    held = [
        "chunked transfer" in hit.chunk.text.lower()
        for hit in indexed_library.search('the "chunked transfer" encoding').hits
    ]

    assert held[0]
    assert held == sorted(held, reverse=True)
    assert not all(held)


def test_a_quotation_in_a_pasted_traceback_filters_nothing(indexed_library: Memory) -> None:
    trace = """Traceback (most recent call last):
      File "/usr/lib/python3.11/http/client.py", line 1386, in getresponse
        response.begin()
    http.client.RemoteDisconnected: Remote end closed connection without response"""
    result = indexed_library.search(trace)
    assert result.hits[0].chunk.path == "http/client.py"
    assert not result.note


def test_a_quoted_text_that_nothing_holds_is_searched_by_its_words(indexed_library: Memory) -> None:
    result = indexed_library.search('decode a document with "raw decode of it all"')
    assert result.hits[0].chunk.path == "json/decoder.py"
    assert result.note.startswith('Nothing in the memory contains "raw decode of it all" as it is')


@pytest.mark.parametrize(
    "question",
    [
        "http/client.py:{}",
        "/usr/lib/python3.11/http/client.py:{}: warning",
        'File "C:\\py\\http\\client.py", line {}, in somewhere',
        "at http/client.py({},5)",
        "x " * 3000 + 'File "/srv/http/client.py", line {}',
    ],
)
def test_a_location_finds_the_chunk_with_that_line(indexed_library: Memory, question: str) -> None:
    (place,) = [hit.chunk for hit in indexed_library.search("HTTPConnection.endheaders", limit=1).hits]
    found = indexed_library.search(question.format(place.end_line)).hits[0].chunk
    assert (found.path, found.symbol) == ("http/client.py", "HTTPConnection.endheaders")


def test_types_language_and_path_keep_everything_else_out(indexed_library: Memory) -> None:
    search = indexed_library.search
    assert {hit.chunk.type for hit in search("release", types=["know"]).hits} == {"know"}
    assert {hit.chunk.type for hit in search("release", types=["code"]).hits} == {"code"}
    assert {hit.chunk.language for hit in search("release the wheel", language="markdown").hits} == {"markdown"}
    for glob in ("json/", "json", "json/*.py", "**/decoder.py", "decoder.py", "/json/**", "json/[a-e]*.py"):
        paths = {str(hit.chunk.path) for hit in search("decode a string", path_glob=glob).hits}
        assert paths, glob
        assert all("json" in path or "decoder" in path for path in paths), glob
    assert search("decode", path_glob="*.rs").hits == ()
    assert search("decode", types=[]).hits == ()


def test_pages_follow_each_other_without_gap_or_repetition(indexed_library: Memory) -> None:
    whole = [hit.chunk.id for hit in indexed_library.search("read a line from the stream", limit=12).hits]
    paged = [
        hit.chunk.id
        for offset in (0, 4, 8)
        for hit in indexed_library.search("read a line from the stream", limit=4, offset=offset).hits
    ]
    assert paged == whole
    assert len(set(whole)) == 12
    assert indexed_library.search("read a line", limit=0).hits == ()


def test_scores_fall_from_hit_to_hit_and_stay_between_0_and_1(indexed_library: Memory) -> None:
    for query, _ in _KNOWN:
        result = indexed_library.search(query, limit=50)
        scores = [hit.score for hit in result.hits]
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)
        assert result.total >= len(scores)


def test_the_same_query_has_the_same_answer(indexed_library: Memory) -> None:
    assert indexed_library.search("open a connection") == indexed_library.search("open a connection")


def test_one_file_does_not_fill_the_answer(memory: Memory, tmp_path: Path) -> None:
    root = tmp_path / "crowd"
    root.mkdir()
    body = "\n\n\n".join(
        f'def invoice_{i}():\n    """Print the invoice number {i}."""\n    return {i}' for i in range(30)
    )
    (root / "invoices.py").write_text(body, encoding="utf-8")
    (root / "printing.py").write_text(
        'def send_to_printer(invoice):\n    """Print one invoice on paper."""\n    return invoice\n', encoding="utf-8"
    )
    memory.index(root)
    assert "printing.py" in [hit.chunk.path for hit in memory.search("print the invoice", limit=5).hits]


def test_a_copy_of_a_file_ranks_below_files_with_other_content(memory: Memory, tmp_path: Path) -> None:
    text = "def rotate_invoice(invoice):\n    return invoice.rotated()\n"
    for place in ("billing", "dist/billing", "site/billing"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "invoice.py").write_text(text, encoding="utf-8")
    (tmp_path / "printing.py").write_text("def show(invoice):\n    # rotate it\n    return invoice\n", encoding="utf-8")
    memory.index(tmp_path)
    first, second, *rest = memory.search("rotate the invoice").hits
    assert (first.chunk.path, second.chunk.path) == ("billing/invoice.py", "printing.py")
    assert [hit.parts["copy"] for hit in rest] == [0.4, 0.4]
    assert [memory.search("rotate the invoice", limit=1, offset=at).hits[0] for at in range(4)] == [
        first,
        second,
        *rest,
    ]


def test_a_preview_is_short_and_shows_the_words_of_the_query(indexed_library: Memory) -> None:
    for query, _ in _KNOWN:
        for hit in indexed_library.search(query).hits:
            assert 0 < len(hit.preview) <= 900
    (hit, *_) = indexed_library.search("fresh keys every ninety days").hits
    assert "ninety days" in hit.preview


@pytest.mark.parametrize(
    "query", ["photosynthesis in plants", "kubernetes ingress controller", "the recipe for apple pie", "zxqv"]
)
def test_a_query_without_a_good_match_has_low_confidence_and_a_note(indexed_library: Memory, query: str) -> None:
    result = indexed_library.search(query)
    assert result.confidence < LOW_CONFIDENCE
    assert "Nothing in the memory matches" in result.note


def test_the_note_of_a_weak_answer_names_the_missing_words_and_the_rarest_to_try(indexed_library: Memory) -> None:
    note = indexed_library.search("recipe of a pie with walnuts that a shell of elephants bakes in a command").note
    assert note.startswith("Nothing in the memory matches this query well; these are the nearest. ")
    assert 'No text contains "recipe", "pie", "walnuts". Try fewer words, as "' in note


def test_the_note_of_an_empty_memory_names_the_index_command(memory: Memory) -> None:
    result = memory.search("anything")
    assert (result.hits, result.confidence, result.total) == ((), 0, 0)
    assert "aur mem index" in result.note


def test_a_hit_in_a_changed_file_is_stale_and_the_note_reports_it(memory: Memory, library: Path) -> None:
    memory.index(library)
    assert not any(hit.stale for hit in memory.search("raw_decode").hits)
    (library / "json" / "decoder.py").write_text("# all new\n", encoding="utf-8")
    result = memory.search("raw_decode", limit=2)
    assert result.hits[0].stale
    assert "1 file changed since it was indexed" in result.note
    (library / "json" / "decoder.py").unlink()
    assert memory.search("raw_decode", limit=1).hits[0].stale


def test_a_project_that_was_moved_away_is_not_called_stale(memory: Memory, library: Path) -> None:
    memory.index(library)
    library.rename(library.with_name("elsewhere"))
    assert not any(hit.stale for hit in memory.search("raw_decode").hits)


def test_a_search_writes_nothing(indexed_library: Memory) -> None:
    log = indexed_library.path.with_name("memory.db-wal")
    before = (indexed_library.path.stat().st_mtime_ns, log.stat().st_mtime_ns if log.exists() else 0)
    for query, _ in _KNOWN:
        indexed_library.search(query)
    assert (indexed_library.path.stat().st_mtime_ns, log.stat().st_mtime_ns if log.exists() else 0) == before


def test_another_process_s_writing_is_seen_by_the_next_search(
    memory: Memory, open_again: Callable[..., Memory], library: Path
) -> None:
    memory.index(library)
    assert memory.search("flamingo husbandry").confidence < 0.3
    with open_again() as other:
        id_, _ = other.remember(
            type="reas", kind="pattern", symbol="Flamingos", text="Flamingo husbandry needs brine shrimp.", metadata={}
        )
        (library / "json" / "decoder.py").unlink()
        other.index(library)
    assert memory.search("flamingo husbandry").hits[0].chunk.id == id_
    assert memory.search("pink birds eat crustaceans", types=["reas"]).total >= 0
    assert all(hit.chunk.path != "json/decoder.py" for hit in memory.search("raw_decode").hits)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        '"',
        '""""',
        "AND OR NOT NEAR(",
        "a* b^2 {c} : d - e + f (g",
        'symbol:"x" path : y',
        "'; DROP TABLE chunks; --",
        "%_[]?*",
        "\x00\x01 nul",
        "half a pair \ud800",
        "👩‍🚀 emoji 漢字 かな 한국어 Ünïcödé",
        "x" * 1_000_000,
        "word " * 200_000,
        "(" * 10_000,
        "::.::.#().",
        "`a` `` `b",
        "-",
        "->",
        '"->"',
        "\n".join(f"line {i} of_a_paste()" for i in range(5000)),
    ],
)
def test_any_text_at_all_is_a_query(indexed_library: Memory, query: str) -> None:
    result = indexed_library.search(query)
    assert 0 <= result.confidence <= 1
    assert result.hits or result.note


@settings(max_examples=50)
@given(st.text(max_size=60), st.sampled_from([None, "*.py", "[", "**", "[!a]*", "a[b", "\\", "?"]))
def test_no_query_and_no_glob_is_ever_an_error(indexed_library: Memory, query: str, glob: str | None) -> None:
    result = indexed_library.search(query, path_glob=glob, limit=3)
    assert len(result.hits) <= 3


def test_text_in_other_scripts_is_found_by_its_own_words(memory: Memory, tmp_path: Path) -> None:
    root = tmp_path / "scripts"
    root.mkdir()
    (root / "a.md").write_text("# 数据库\n\n数据库连接超时的处理方法\n", encoding="utf-8")
    (root / "b.md").write_text("# Größe\n\nDie Übergrößenträger tragen schwer.\n", encoding="utf-8")
    memory.index(root)
    assert memory.search("连接超时").hits[0].chunk.path == "a.md"
    assert memory.search("übergrößenträger").hits[0].chunk.path == "b.md"


@pytest.mark.parametrize("wrong", [{"types": ["code", "prose"]}, {"limit": -1}, {"offset": -5}])
def test_invalid_search_options_are_invalid_input(indexed_library: Memory, wrong: dict[str, object]) -> None:
    with pytest.raises(Fault) as caught:
        indexed_library.search("anything", **wrong)
    assert caught.value.code is Code.INVALID_INPUT
    assert caught.value.help


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"language": "pyton"}, 'Nothing in this memory is of language "pyton". Did you mean "python"?'),
        (
            {"language": "kotlin"},
            'Nothing in this memory is of language "kotlin". There are "markdown", "plain", "python".',
        ),
        ({"kinds": ["clas"]}, 'Nothing in this memory is of kind "clas". Did you mean "class"?'),
        ({"path_glob": "/etc/*"}, 'No path in this memory matches "/etc/*"; paths start at the project\'s folder.'),
        ({"changed_since": "2199-01-01"}, 'No file in this memory has changed since "2199-01-01".'),
        ({"language": "markdown", "kinds": ["class"]}, "Nothing in the memory matches this query."),
    ],
)
def test_a_filter_without_a_match_is_explained_with_the_existing_values(
    indexed_library: Memory, filters: dict[str, Any], said: str
) -> None:
    result = indexed_library.search("decode", **filters)
    assert (result.hits, result.note) == ((), said)


CLASS = """class Reader:
    size = 4

    def __init__(self, file):
        self.file = file
        self.buffer = b""
        self.closed = False
        self.position = 0
        self.line = 0
        self.errors = []

    def skip_blanks(self):
        while self.peek() in " ":
            self.position += 1
            self.line += 0
            self.errors.clear()
            self.closed = False

    @property
    def rest(self):
        self.errors.clear()
        self.closed = False
        self.line += 0
        return self.buffer[self.position :]
"""


def test_a_search_by_file_lists_the_next_places_of_each_file_once(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "reader.py").write_text(CLASS, encoding="utf-8")
    (tmp_path / "notes.md").write_text("# Blanks\n\nA reader may skip blanks.\n", encoding="utf-8")
    memory.index(tmp_path)
    found = memory.search("skip the blanks of a reader", by_file=True)
    assert sorted(hit.chunk.path or "" for hit in found.hits) == ["notes.md", "reader.py"]
    (hit,) = (hit for hit in found.hits if hit.chunk.path == "reader.py")
    assert hit.chunk.symbol == "Reader.skip_blanks"
    assert {place.symbol for place in hit.places} <= {"Reader", "Reader.__init__", "Reader.rest"}
    assert 1 <= len(hit.places) <= 2
    assert found.total == 2


def test_the_head_of_a_class_shows_the_lines_of_its_members(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "reader.py").write_text(CLASS, encoding="utf-8")
    memory.index(tmp_path)
    (hit,) = memory.search("`Reader`", by_file=True).hits
    assert hit.preview.splitlines() == [
        "1:class Reader:",
        "2:    size = 4",
        "…",
        "4:    def __init__(self, file):",
        "…",
        "12:    def skip_blanks(self):",
        "…",
        "20:    def rest(self):",
        "…",
    ]


def test_a_guide_stands_before_code_for_who_wants_to_do_something(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    guide = "# Credentials\n\n## Rotate credentials\n\nOpen the console, and press *Rotate credentials*.\n"
    (tmp_path / "docs/guide.md").write_text(guide, encoding="utf-8")
    code = 'def renew_keys(store):\n    """Rotate the credentials of every account."""\n    return store.renew()\n'
    (tmp_path / "accounts.py").write_text(code, encoding="utf-8")
    with Memory.open(tmp_path / ".aurora/memory.db") as memory:
        memory.index(tmp_path)
        asked = ("how do I rotate credentials", "where are credentials rotated")
        first = [memory.search(question).hits[0].chunk.path for question in asked]
    assert first == ["docs/guide.md", "accounts.py"]
