"""Parts of a question: what it asks for, and the circumstances that it tells."""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from aurora.tools.reasoning.decomposition.parts import split_query
from aurora.tools.reasoning.decomposition.question import Question, parse_question
from aurora.tools.reasoning.decomposition.verify import Params, _get_clause_words

if TYPE_CHECKING:
    from aurora.tools.reasoning.decomposition.grammar import ClauseWords

SOAR = Path(__file__).resolve().parents[4] / "workflows" / "soar" / "params" / "verify.yaml"

ASKED = {
    "We run eight workers and they share a cache. Why is it never emptied?": ["Why is it never emptied"],
    "Jobs start two minutes late. Which settings change that?": ["Which settings change that"],
    "We read a large feed and still run out of memory. Why do the elements stay?": ["Why do the elements stay"],
    "Run eight workers and share a cache.": ["Run eight workers", "share a cache"],
    "In which function is it noticed, in which one is it freed, and who frees the rest?": [
        "In which function is it noticed",
        "in which one is it freed",
        "who frees the rest",
    ],
    "is my handler called with the cut value, and what does it return": [
        "is my handler called with the cut value",
        "what does it return",
    ],
    "What does this mean, and how should our loop look?": ["What does this mean", "how should our loop look"],
    "The disk was full:\n\nwhich is fair enough. Why does the file stay?": ["Why does the file stay"],
    "What can we do instead of a shell, which our security team forbids?": ["What can we do instead of a shell"],
    "The minimum has to remain 2.4, sorry :-)": ["The minimum has to remain 2.4"],
    "The index must not be rebuilt, as ours takes 8 seconds.": ["The index must not be rebuilt"],
    "With the server, search results stay stale: I edit a file, but the box has the old text. Why?": ["Why"],
    "One more question: why are only binaries compressed?": ["why are only binaries compressed"],
    "Add a writer. Round-trip tests and the README section too. ZipCrypto writing mustn't break.": [
        "Add a writer",
        "Round-trip tests",
        "the README section too",
        "ZipCrypto writing mustn't break",
    ],
    "Make the patch atomic. Same for the case sensitive one.": [
        "Make the patch atomic",
        "Same for the case sensitive one",
    ],
    "Add a limit. Mention the option in the README.": ["Add a limit", "Mention the option in the README"],
    "The file must stay the same (seconds, input order), because scripts parse it.": [
        "The file must stay the same (seconds, input order)"
    ],
    "I don't want a patch yet, only a recommendation for a better floor.": ["only a recommendation for a better floor"],
    "It breaks after reset! and the rest is kept. Both calls should fall back, e.g. to the default.": [
        "Both calls should fall back",
    ],
    "There is too much noise. What I need: (a) one line per call, (b) a switch for it, (c) nothing else changes": [
        "one line per call",
        "a switch for it",
    ],
    "It fails at night:\n\n    run the_job()\n    raise Broken\n\nWhy does the job stop?": ["Why does the job stop"],
    "Feature request: skip a day. Add `--skip`. Document it in the manual.": [
        "Add `--skip`",
        "Document it in the manual",
    ],
    "Collapse them onto one helper; no code yet, like last time.": ["Collapse them onto one helper"],
    "The reader has the same fault, please fix that as well, and add tests.": [
        "The reader has the same fault",
        "add tests",
    ],
    "There is no lock file so add one, since ours is lost. And a test that fails before.": [
        "add one",
        "a test that fails before",
    ],
    "My team needs to understand: which timers run, and is one of them a leak?": [
        "which timers run",
        "is one of them a leak",
    ],
    "I'd also like a manual page. A table is ok.": ["I'd like a manual page"],
    "When the call fails, the log should say so, whatever it logs.": ["the log should say so"],
    "Limit the results of `*` and `**` in the sandbox": ["Limit the results of `*`", "`**` in the sandbox"],
}
"""Questions, and the parts of each that ask for something."""


@cache
def read_words() -> tuple[ClauseWords, int]:
    """Read the words of the shipped workflow, and the least number of terms of a part."""
    params = YAML(typ="safe").load(SOAR)
    given = Params.model_validate_json(json.dumps(params))
    return _get_clause_words(given), given.coverage.part_words


def parse(query: str) -> Question:
    words, least = read_words()
    return parse_question(query, words, least)


@pytest.mark.parametrize("query", ASKED)
def test_what_is_asked_for_is_told_from_its_circumstances(query: str) -> None:
    assert [part.text for part in split_query(query, read_words()[0]) if not part.is_context] == ASKED[query]


@settings(max_examples=60)
@given(st.text(st.sampled_from("ab1 .,:;!?()`\"'-*\n\t\0\x01") | st.characters(), max_size=400))
def test_any_text_is_read(query: str) -> None:
    found = parse(query)
    assert {part.text for part in found.pieces} <= {part.text for part in split_query(query, read_words()[0])}


@pytest.mark.parametrize("piece", ["a: ", "a, ", "\na) b", "```\n", "(a ", "and "])
def test_the_effort_grows_with_the_length_of_a_question(piece: str) -> None:
    def count_calls(chars: int) -> int:
        calls = 0

        def count(_frame: object, event: str, _given: object) -> None:
            nonlocal calls
            calls += event == "call"

        query = (piece * chars)[:chars]
        sys.setprofile(count)
        try:
            parse(query)
        finally:
            sys.setprofile(None)
        return calls

    parse(piece)  # compiles what is kept
    assert count_calls(8000) <= 8 * count_calls(2000)
