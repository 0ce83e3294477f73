from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aurora.memory.files.roles import is_test_file
from aurora.memory.search.options import compile_glob
from aurora.memory.search.query import parse_query
from aurora.memory.text_index.tokens import expand_identifier, extract_terms, stem_word


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("readHTTPHeader_v2", ["readhttpheader_v2", "read", "http", "header"]),
        ("snake_case_name", ["snake_case_name", "snake", "case", "name"]),
        ("plain", ["plain"]),
        ("__init__", ["init"]),
        ("MAX_SIZE", ["max_size", "max", "size"]),
        ("sha256", ["sha256", "sha", "256"]),
        ("Größe", ["größe"]),
        ("数据库连接", ["数据库连接", "数据", "据库", "库连", "连接"]),
        ("_", []),
        ("a" * 65, []),
    ],
)
def test_an_identifier_is_indexed_whole_and_in_its_parts(identifier: str, words: list[str]) -> None:
    assert expand_identifier(identifier) == words


@pytest.mark.parametrize(
    "words",
    [
        "class classes",
        "process processes processed processing processor",
        "compress compressed compressor compression",
        "address addresses",
        "alias aliases aliased",
        "cookie cookies",
        "array arrays",
        "delay delays delayed delaying",
        "copy copies copied copying",
        "retry retries retried retrying",
        "query queries querying",
        "modify modifies modified modifier",
        "library libraries",
        "stop stopped stopping",
        "cache caches cached caching",
        "key keys",
        "serialize serializer serialization serializing",
        "iterate iterates iterated iterating iterator iterators iteration iterations iter",
        "generate generates generated generator generation",
        "repeat repeats repeated repeating",
        "recreate recreated recreation",
    ],
)
def test_a_word_is_one_with_its_plural_and_what_is_done_with_it(words: str) -> None:
    assert len({stem_word(word) for word in words.split()}) == 1


@pytest.mark.parametrize(
    "words", ["generic general generate", "press process", "class close", "form format", "api app"]
)
def test_words_that_only_begin_alike_stay_apart(words: str) -> None:
    assert len({stem_word(word) for word in words.split()}) == len(words.split())


@given(st.text(max_size=200))
def test_the_words_of_any_text_are_lower_case_without_syntax(text: str) -> None:
    for word in extract_terms(text):
        assert '"' not in word
        assert word == word.lower()


def test_a_question_keeps_what_tells_something() -> None:
    query = parse_query("How does the HttpClient read_line from a `Socket`?")
    assert query.terms == ("httpclient", "http", "client", "read_line", "read", "line", "socket")
    assert query.names == ("socket", "httpclient", "read_line")
    assert not query.asked_roles


def test_a_question_of_nothing_but_small_words_keeps_them() -> None:
    assert parse_query("what is it").terms == ("what", "is", "it")


@pytest.mark.parametrize(
    ("question", "literals", "likely"),
    [
        ('find "Not Found" and "x y" but not "', ("not found", "x y"), ()),
        ("where is `text/html; charset=utf-8` sent?", ("text/html; charset=utf-8",), ()),
        ("what does 'don't panic' mean, and isn't it odd", ("don't panic",), ()),
        ("where is `read_line` called", (), ()),
        ("what does --no-color do with /api/v2?", (), ("--no-color", "/api/v2")),
        ("where is the connection reset by peer handled?", (), ("connection reset by peer",)),
        ("how does the session follow a redirect", (), ()),
    ],
)
def test_what_is_quoted_or_has_marks_in_it_is_a_literal(
    question: str, literals: tuple[str, ...], likely: tuple[str, ...]
) -> None:
    query = parse_query(question)

    assert (query.literals, query.likely_literals) == (literals, likely)


@pytest.mark.parametrize(
    ("glob", "fits", "fits_not"),
    [
        ("*.py", ["a.py", "deep/er/b.py"], ["a.pyc", "py"]),
        ("src/*.py", ["src/a.py"], ["src/deep/a.py", "other/src/a.py"]),
        ("src/**/test_*", ["src/test_a.py", "src/x/y/test_b.py"], ["test_a.py"]),
        ("docs/", ["docs/a.md", "x/docs/b.md"], ["mydocs/a.md"]),
        ("/docs", ["docs/a.md"], ["x/docs/b.md"]),
        ("**/x.c", ["x.c", "a/x.c"], ["ax.c"]),
        ("[!a]?.py", ["bc.py"], ["ab.py", "b.py"]),
        ("a.b", ["a.b"], ["aXb"]),
        ("[!a]b", ["cb", "[!a]b"], ["ab"]),
        ("app/[slug]/", ["app/[slug]/page.tsx", "app/s/page.tsx"], ["app/slug/page.tsx"]),
        ("[...all].ts", ["api/[...all].ts"], ["z.ts"]),
        (r"\*.py", ["*.py"], ["a.py"]),
        ("[z-a]", ["[z-a]", "z"], ["a"]),
        ("[a--b]", ["[a--b]"], ["x"]),
        ("[!]", ["[!]"], ["x"]),
        ("[]", ["[]"], ["x"]),
    ],
)
def test_a_glob_means_what_it_means_in_gitignore(glob: str, fits: list[str], fits_not: list[str]) -> None:
    shape = compile_glob(glob)
    assert [path for path in [*fits, *fits_not] if shape.fullmatch(path)] == fits


@pytest.mark.parametrize(
    "path", ["tests/a.py", "src/test/java/A.java", "pkg/a_test.go", "x.spec.ts", "test_a.py", "conftest.py"]
)
def test_a_test_file_is_known_by_its_path(path: str) -> None:
    assert is_test_file(path)


@pytest.mark.parametrize("path", ["src/latest.py", "contest/a.py", "attestation.go", "inspect.py", None])
def test_what_only_sounds_like_a_test_is_none(path: str | None) -> None:
    assert not is_test_file(path)


@pytest.mark.parametrize("question", ["`/:dirs{.+}/file.html`", "/users/file.html", "where is `/a/file.html` served"])
def test_a_part_of_a_route_is_no_name(question: str) -> None:
    assert parse_query(question).names == ()


@pytest.mark.parametrize(
    ("question", "is_for_guide"),
    [
        ("how do I keep a folder out of the index", True),
        ("Can we run two servers?", True),
        ("tab completion in my shell", True),
        ("recipe for a list", True),
        ("where is the parser", False),
        ("how does myModule do it", False),
        ("documentation generation for man pages", False),
        ("how to serialize models to JSON", False),
    ],
)
def test_a_guide_is_wanted_by_who_wants_to_do_something(question: str, *, is_for_guide: bool) -> None:
    assert parse_query(question).wants_guide is is_for_guide
