"""A pasted issue, traceback or log is read in its parts, whole, and nothing quoted in it filters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aurora.memory.search.query import MAX_LENGTH, parse_query
from aurora.memory.text_index.tokens import stem_word

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory import Memory

ISSUE = """\
Cookies are dropped after a redirect

<!-- Please describe the defect below. -->
A session that follows a "302 Found" loses its `SessionCookie`. The cookie jar is empty, although
the cookie was accepted before.

```python
jar = CookieJar()
jar.accept(response)
jar.accept(response)
```

See web/cookies/jar.py and web.session.follow.

Traceback (most recent call last):
  File "/home/me/env/lib/web/session.py", line 40, in follow
    raise TooManyRedirects
web.errors.TooManyRedirects: more than 30
"""


def test_a_long_text_and_a_text_of_several_lines_are_reports() -> None:
    assert parse_query("one\ntwo\nthree").kind == "report"
    assert parse_query("word " * 100).kind == "report"
    assert parse_query("How does the session follow a redirect?\n").kind == "question"


def test_nothing_quoted_in_a_report_is_a_literal() -> None:
    query = parse_query(ISSUE)
    assert query.literals == ()
    assert {"302", "found"} <= set(query.terms)


def test_the_title_weighs_most_and_code_least() -> None:
    weights = {word: parse_query(ISSUE).weights[stem_word(word)] for word in ("cookies", "empty", "toomanyredirects")}
    assert weights["cookies"] > weights["empty"] > weights["toomanyredirects"] > 0


def test_a_word_that_is_repeated_weighs_more_but_not_as_often() -> None:
    once, often = (parse_query("Title of it\n\n" + "steam " * count + "\n") for count in (1, 9))
    assert once.weights["steam"] < often.weights["steam"] < 9 * once.weights["steam"]


def test_the_comments_of_a_template_are_not_read() -> None:
    assert "defect" not in parse_query(ISSUE).terms


def test_a_report_mentions_paths_frames_and_modules() -> None:
    mentions = parse_query(ISSUE).mentions
    assert mentions.paths[0] == "/home/me/env/lib/web/session.py"
    assert "web/cookies/jar.py" in mentions.paths
    assert "web.session.follow" in mentions.modules


def test_the_locations_of_a_bare_traceback_are_kept_and_those_of_an_issue_are_not() -> None:
    trace = ISSUE[ISSUE.index("Traceback") :]
    assert ("web/session.py", 40) in parse_query(trace).places
    assert not parse_query(ISSUE).places


def test_the_end_of_a_very_long_log_is_read() -> None:
    log = "INFO started\n" * 10_000 + "SprocketError: the sprocket is worn\n"
    assert "sprocketerror" in parse_query(log).terms


@pytest.mark.parametrize(
    "piece",
    ["a.", "a/", "a_", "(", "=", "    ", "```\n", "<!--", ">>> ", 'File "a", line 1\n', "a.b/", "\\", "[", "'", "Aa"],
)
def test_a_hostile_text_is_parsed_in_bounded_steps(piece: str) -> None:
    query = parse_query(piece * (2 * MAX_LENGTH // len(piece)))
    assert len(query.words) <= 400
    assert len(query.mentions.paths) <= 64


@given(st.text(max_size=400))
def test_any_text_can_be_parsed(text: str) -> None:
    query = parse_query(text)
    assert set(query.weights) <= set(query.words)
    assert all(weight > 0 for weight in query.weights.values())


def test_an_issue_finds_the_code_before_documents_tests_and_change_logs(memory: Memory, tmp_path: Path) -> None:
    sentence = "A session that follows a redirect loses the cookie that the cookie jar accepted before"
    files = {
        "web/cookies/jar.py": f'def accept(cookie):\n    """{sentence}."""\n',
        "tests/test_jar.py": f'def test_accept(cookie):\n    """{sentence}."""\n',
        "examples/jar.py": f'def accept(cookie):\n    """{sentence}."""\n    return cookie\n',
        "docs/cookies.rst": f"Cookies\n=======\n\n{sentence}.\n",
        "CHANGES.md": f"# 1.0\n\n- {sentence}.\n",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    memory.index(tmp_path)

    assert memory.search(ISSUE).hits[0].chunk.path == "web/cookies/jar.py"
