"""Each ranking signal is registered, and its value is in the parts of a hit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.memory.search.query import parse_query
from aurora.memory.search.signals import SIGNALS, get_weights, split_file_name

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory import Memory

FILES = {
    "kettle.py": (
        "def kettle():\n    return boil('water')\n\n\ndef pour_tea(cup):\n    return cup.fill('tea from the kettle')\n"
    ),
    "teapot/cups.py": "class Cup:\n    def fill(self, drink):\n        self.drink = drink\n",
    "long.py": "\n".join(f"def drink_{n}(tea):\n    return tea + {n}\n" for n in range(60)),
}
MATCHES = [
    ("file", "tea from the kettle", "kettle.py"),
    ("chunks", "tea from the kettle", "kettle.py"),
    ("coverage", "tea from the kettle", "kettle.py"),
    ("top chunk", "tea from the kettle", "kettle.py"),
    ("top chunks", "tea\nfrom the\nkettle", "kettle.py"),
    ("mention", "tea\nlost in\nhome/teapot/cups.py", "teapot/cups.py"),
    ("path", "what is in the teapot for a drink", "teapot/cups.py"),
    ("stem", "boil water in a kettle", "kettle.py"),
    ("size", "drink tea", "long.py"),
    ("meaning", "tea from the kettle", "kettle.py"),
    ("namesake", "`kettle`", "kettle.py"),
    ("symbol", "`pour_tea`", "kettle.py"),
]


@pytest.fixture
def tea(memory: Memory, tmp_path: Path) -> Memory:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    memory.index(tmp_path)
    return memory


@pytest.mark.parametrize(("name", "query", "path"), MATCHES, ids=[name for name, *_ in MATCHES])
def test_a_signal_adds_at_most_its_weight_to_the_score_of_a_matching_file(
    tea: Memory, name: str, query: str, path: str
) -> None:
    weight = get_weights("code", parse_query(query).kind)[name]
    hits = [hit for hit in tea.search(query, types=("code",)).hits if hit.chunk.path == path]
    assert hits
    assert 0 < hits[0].parts[name] <= weight


def test_every_signal_has_a_name_of_its_own_and_an_example_here() -> None:
    assert sorted(signal.name for signal in SIGNALS) == sorted(name for name, *_ in MATCHES)


def test_the_parts_of_a_file_name_count_without_the_whole_name() -> None:
    assert split_file_name("web/tea_pot.py") == ("tea_pot", {"tea", "pot"})
    assert split_file_name("web/app.py") == ("app", {"app"})
    assert split_file_name("") == ("", frozenset())
