"""Records next to three code bases: one that answers a question ranks first, the others below the code."""

from __future__ import annotations

import shutil
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from aurora.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurora.memory import Hit

_STDLIB = Path(sysconfig.get_path("stdlib"))
_CODE = {"asyncio": _STDLIB / "asyncio", "click": Path(click.__file__).parent, "email": _STDLIB / "email"}

_FACTS = {
    "asyncio": (
        "Releases are tagged from the stable branch every first Monday",
        "Worker threads are counted by the operations team, never by the code",
        "Queue sizes were chosen by Maria after the outage in March",
        "A timeout below two seconds must be agreed with the payments team",
    ),
    "click": (
        "Every command needs a help text in German",
        "Prompts for passwords are forbidden in the build pipeline",
        "Shell completion is installed by the package of the distribution",
        "We keep the exit code 3 for our own mistakes",
    ),
    "email": (
        "Attachments over ten megabytes go to the file share",
        "Message headers are archived for seven years because of the audit",
        "Base64 is what the old mainframe wants, it cannot read quoted printable",
        "The parser of bounced messages belongs to the delivery team",
    ),
}
_PATTERNS = {
    "asyncio": "Run the slow test alone under the debug mode of the loop before reading any code",
    "click": "Question: why is the option ignored\nAnswer: A callback of its parent had eaten the value.",
    "email": "Compare the raw bytes of both messages first; the policy is nearly always the reason",
}
_ANSWERED = (
    ("asyncio", "when are releases tagged", "Releases are"),
    ("asyncio", "who counts the worker threads", "Worker threads"),
    ("asyncio", "why were the queue sizes chosen after the outage", "Queue sizes"),
    ("asyncio", "which timeout must be agreed with the payments team", "A timeout"),
    ("asyncio", "run the slow test alone under debug mode", "Run the slow"),
    ("click", "does every command need a help text in German", "Every command"),
    ("click", "are password prompts forbidden in the build pipeline", "Prompts for"),
    ("click", "which exit code do we keep for our own mistakes", "We keep"),
    ("click", "why is the option ignored", "Question: why"),
    ("email", "where do attachments over ten megabytes go", "Attachments over"),
    ("email", "how many years are message headers archived", "Message headers"),
    ("email", "can the old mainframe read quoted printable", "Base64 is"),
    ("email", "who does the parser of bounced messages belong to", "The parser"),
    ("email", "compare the raw bytes of both messages", "Compare the"),
)
_ABOUT_CODE = (
    ("asyncio", "how does a queue block when it has reached its size", "queues.py"),
    ("asyncio", "run a function in a worker thread", "threads.py"),
    ("asyncio", "cancel what runs longer than a timeout", "timeouts.py"),
    ("click", "how is the completion script of a shell made", "shell_completion.py"),
    ("click", "show the help text of a command", "core.py"),
    ("click", "ask for a password without showing it", "termui.py"),
    ("email", "how is a message parsed from bytes", "parser.py"),
    ("email", "encode text as base64", "base64mime.py"),
    ("email", "how are headers folded", "_header_value_parser.py"),
)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, tuple[Memory, Memory]]]:
    """Memories per code base: one of its code alone, and one with further records."""
    folder = tmp_path_factory.mktemp("told")
    both: dict[str, tuple[Memory, Memory]] = {}
    for name, code in _CODE.items():
        with Memory.open(folder / f"{name}.db") as bare:
            bare.index(code)
        shutil.copy(folder / f"{name}.db", folder / f"{name}-told.db")
        both[name] = (Memory.open(folder / f"{name}.db"), Memory.open(folder / f"{name}-told.db"))
        for text in _FACTS[name]:
            both[name][1].remember(type="know", kind="fact", symbol=text, text=text, metadata={})
        text = _PATTERNS[name]
        title, mark = text.partition("\n")[0], {"confirmed": {"by": "ada"}}
        both[name][1].remember(type="reas", kind="pattern", symbol=title, text=text, metadata=mark)
    yield both
    for pair in both.values():
        for memory in pair:
            memory.close()


def _called(hit: Hit) -> str:
    return hit.chunk.path or hit.chunk.symbol


@pytest.mark.requirement("prd-32")
@pytest.mark.parametrize(("base", "question", "begins"), _ANSWERED)
@pytest.mark.parametrize("limit", [1, 10])
def test_a_record_that_answers_a_question_literally_ranks_first(
    told: Mapping[str, tuple[Memory, Memory]], base: str, question: str, begins: str, limit: int
) -> None:
    hits = told[base][1].search(question, limit=limit).hits
    assert _called(hits[0]).startswith(begins), [_called(hit) for hit in hits]


@pytest.mark.parametrize(("base", "question", "path"), _ABOUT_CODE)
def test_records_that_only_share_words_with_a_question_about_code_rank_below_its_answer(
    told: Mapping[str, tuple[Memory, Memory]], base: str, question: str, path: str
) -> None:
    bare, beside = told[base]
    alone = [_called(hit) for hit in bare.search(question).hits]
    first = [_called(hit) for hit in beside.search(question).hits[: alone.index(path) + 1]]
    assert first == alone[: alone.index(path) + 1]


def test_an_exact_name_ranks_above_a_record_that_mentions_it(told: Mapping[str, tuple[Memory, Memory]]) -> None:
    memory = told["click"][1]
    memory.remember(
        type="know", kind="fact", symbol="CliRunner", text="CliRunner is not used in new tests", metadata={}
    )
    first, *rest = memory.search("is CliRunner used in new tests").hits
    assert first.chunk.symbol == "CliRunner"
    assert first.chunk.path == "testing.py"
    assert "CliRunner is not used" in rest[0].preview
