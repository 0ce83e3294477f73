"""Ranking: what a file promises, what a chunk holds, and the pages that a question about the project asks for."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.memory import Memory
from aurora.memory.files import ROLE_PENALTIES
from aurora.memory.search import pages

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

STEAM = "def a():\n    return steam\n"
ORDERED: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "file": (
        "steam water",
        "much.py",
        "little.py",
        {"much.py": "def a():\n    steam(water)\n    water(steam)\n", "little.py": "def a():\n    steam(cup)\n"},
    ),
    "chunks": (
        "steam water",
        "much.py",
        "little.py",
        {
            "much.py": "def a():\n    return steam(water)\n\n\ndef b():\n    return water(steam)\n",
            "little.py": "def a():\n    return steam(cup)\n\n\ndef b():\n    return leaf(cup)\n",
        },
    ),
    "text": (
        "steam water",
        "both.py",
        "one.py",
        {"both.py": "def a():\n    return steam(water)\n", "one.py": "def a():\n    return steam(cup)\n"},
    ),
    "mention": (
        "steam\nis lost\nin app/teapot/lid.py",
        "teapot/lid.py",
        "kettle/lid.py",
        {"teapot/lid.py": STEAM, "kettle/lid.py": f"{STEAM}\n\ndef b():\n    return lost\n"},
    ),
    "path": (
        "steam in the teapot",
        "teapot/a.py",
        "kettle/a.py",
        {"teapot/a.py": STEAM, "kettle/a.py": STEAM + "# 1\n"},
    ),
    "stem": (
        "steam of a kettle",
        "kettle.py",
        "kettle_lid_spout.py",
        {"kettle.py": STEAM, "kettle_lid_spout.py": f"{STEAM}\n\ndef b():\n    return 1\n"},
    ),
    "length": (
        "steam",
        "long.py",
        "short.py",
        {"long.py": "def a():\n" + "    work(water)\n" * 30 + "    return steam\n", "short.py": STEAM},
    ),
    "meaning": (
        "pour tea into a cup",
        "tea.py",
        "tax.py",
        {
            "tea.py": "def pour_tea(cup):\n    return cup.fill(tea)\n",
            "tax.py": "def compute_tax(income):\n    into = income * 0.2\n    return into\n",
        },
    ),
    "symbol": (
        "`boil_water`",
        "defines.py",
        "calls.py",
        {
            "defines.py": "def boil_water():\n    return 1\n",
            "calls.py": "from defines import boil_water\n\n\ndef a():\n    return boil_water() + boil_water()\n",
        },
    ),
    "literal": (
        'where is "no water left" raised',
        "says.py",
        "other.py",
        {
            "says.py": "def a():\n    raise Error('no water left')\n",
            "other.py": "def water_left():\n    return no(left, water)\n",
        },
    ),
}
"""Signal -> a query, the file that has more of the signal, the one that has less, and their sources."""
README = "# Kettle\n\nKettle boils water.\n\n## Installation\n\nRun pip.\n\n## Supported versions\n\nPython 3.11.\n"
CHANGES = (
    "# Changes\n\n## 2.13.0\n\n### Fixed\n\nThe lid.\n\n## 13.0.0\n\n### Added\n\nA spout.\n\n## 12.1\n\nNothing.\n"
)
KETTLE = {
    "README.md": README,
    "CHANGES.md": CHANGES,
    "LICENSE": "MIT License. Permission is hereby granted, free of charge.\n",
    "docs/contributing.md": "# Contributing\n\n## Running tests\n\nCall make test.\n",
    "kettle/version.py": "SUPPORTED = ['3.11']\n\n\ndef check_versions_supported(versions):\n    return versions\n",
    "kettle/install.py": "def install_this(what):\n    return what\n",
    "tests/test_version.py": "def test_what_changed_in_version_13():\n    assert run_the_tests()\n",
}


@pytest.fixture
def index(tmp_path: Path) -> Callable[[Mapping[str, str]], Memory]:
    def index_files(files: Mapping[str, str]) -> Memory:
        root = tmp_path / "kettle"
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        memory = Memory.open(tmp_path / "memory.db")
        memory.index(root)
        return memory

    return index_files


@pytest.mark.parametrize("name", ORDERED)
def test_a_signal_is_greater_where_there_is_more_of_it(name: str, index: Callable[..., Memory]) -> None:
    query, more, less, files = ORDERED[name]

    with index(files) as memory:
        hits = {hit.chunk.path: hit for hit in reversed(memory.search(query, types=("code",)).hits)}

    assert hits[more].parts[name] > (hits[less].parts.get(name, 0.0) if less in hits else 0.0)


def test_a_body_that_answers_comes_before_the_head_of_its_class(index: Callable[..., Memory]) -> None:
    source = (
        "class Kettle:\n    '''Kettle that boils water.'''\n\n    def fill(self):\n        self.water = 1\n\n"
        "    def heat(self):\n" + "        self.boil_water(self.water)\n" * 40
    )

    with index({"kettle.py": source}) as memory:
        assert memory.search("how is the water boiled").hits[0].chunk.symbol == "Kettle.heat"


@pytest.mark.parametrize(
    ("question", "path", "heading"),
    [
        ("what is this?", "README.md", "Kettle"),
        ("What is Kettle?", "README.md", "Kettle"),
        ("what does this project do", "README.md", "Kettle"),
        ("how do I install it?", "README.md", "Kettle > Installation"),
        ("which versions of Python are supported?", "README.md", "Kettle > Supported versions"),
        ("how do I run the tests before I send a patch?", "docs/contributing.md", "Contributing > Running tests"),
        ("what changed in 13?", "CHANGES.md", "Changes > 13.0.0 > Added"),
        ("what is new in version 2.13", "CHANGES.md", "Changes > 2.13.0 > Fixed"),
        ("what was fixed in v12.1.0?", "CHANGES.md", "Changes > 12.1"),
        ("which licence does it have?", "LICENSE", ""),
    ],
)
def test_a_question_about_the_project_finds_its_page(
    question: str, path: str, heading: str, index: Callable[..., Memory]
) -> None:
    with index(KETTLE) as memory:
        first = memory.search(question).hits[0].chunk

    assert (first.path, first.symbol) == (path, heading)


def test_only_so_many_headings_are_read_for_a_question(
    index: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "_MOST_CHUNKS", 4)
    long = {"CHANGES.md": "# Changes\n\n" + "".join(f"## {n}.0\n\nSteam and water.\n\n" for n in range(1, 9))}

    with index(KETTLE | long) as memory:
        assert all("page" not in hit.parts for hit in memory.search("what changed in 7?").hits)
        assert memory.search("what is this?").hits[0].chunk.path == "README.md"


WORDS = st.sampled_from(
    ["kettle", "lid", "water", "`Kettle`", '"A spout"', "how do I install", "what changed in", "13"]
)


@settings(max_examples=15)
@given(st.lists(WORDS, min_size=1, max_size=5))
def test_scores_fall_and_are_between_0_and_1(shared_kettle: Memory, words: list[str]) -> None:
    for query in (" ".join(words), "\n".join([*words, "lost", "water"])):
        result = shared_kettle.search(query)
        scores = [hit.score for hit in result.hits]
        assert 0 <= result.confidence <= 1
        assert all(0 <= score <= 1 for score in scores)
        assert all(one >= other for one, other in itertools.pairwise(scores))
        assert all(value >= 0 for hit in result.hits for value in hit.parts.values())
        assert all(value == ROLE_PENALTIES.get(name, value) for hit in result.hits for name, value in hit.parts.items())


@pytest.fixture(scope="module")
def shared_kettle(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    root = tmp_path_factory.mktemp("kettle")
    for path, text in KETTLE.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    memory = Memory.open(root / ".aurora" / "memory.db")
    memory.index(root)
    return memory
