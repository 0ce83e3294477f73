"""Every signal stays within 0..1 on generated projects, orders two files as documented, and explains the score."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from aurora.memory import Memory
from aurora.memory.files import ROLE_PENALTIES
from aurora.memory.search.query import parse_query
from aurora.memory.search.rank_files import compute_max_scores
from aurora.memory.search.signals import (
    CANDIDATE_SIGNALS,
    SIGNALS,
    CandidateInputs,
    compute_name_coverage,
    compute_namesake,
    get_weights,
    scale_to_max,
    split_file_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurora.memory.model.chunks import ChunkType
    from aurora.memory.search.query import QueryKind

TYPES: tuple[ChunkType, ...] = ("code", "know", "reas")
KINDS: tuple[QueryKind, ...] = ("question", "report")
NOUNS = ("kettle", "teapot", "leaf", "cup", "water", "steam")
NAMES = st.sampled_from(NOUNS)
QUERIES = st.lists(
    st.sampled_from([*NOUNS, "`kettle`", "kettle.leaf", "how", "test", '"cup"']), min_size=1, max_size=5
).map(" ".join)
SOURCES = st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=4).map(
    lambda pairs: "\n\n".join(f"def {one}_{other}({one}):\n    return {other}({one})" for one, other in pairs)
)
PROJECTS = st.dictionaries(st.builds("{}/{}.py".format, NAMES, NAMES), SOURCES, min_size=2, max_size=5)
PATHS = st.lists(st.text("abcXYZ_-. 9é", max_size=10), min_size=1, max_size=3).map("/".join)
QUICK = settings(max_examples=30)
FEW = settings(max_examples=4, suppress_health_check=list(HealthCheck))


@contextmanager
def index_files(files: Mapping[str, str]) -> Iterator[Memory]:
    """A memory of these files, in a folder that exists as long."""
    root = Path(tempfile.mkdtemp())
    try:
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        with Memory.open(root / ".aurora" / "memory.db") as memory:
            memory.index(root)
            yield memory
    finally:
        shutil.rmtree(root)


def read_parts(memory: Memory, query: str, name: str) -> dict[str, float]:
    """The share of a signal in the score of each file that the query finds."""
    shares: dict[str, float] = {}
    for hit in memory.search(query, types=("code",), limit=50).hits:
        shares.setdefault(hit.chunk.path or "", hit.parts.get(name, 0.0))
    return shares


@pytest.mark.parametrize("signal", SIGNALS, ids=[signal.name for signal in SIGNALS])
def test_a_signal_counts_somewhere_and_its_weight_has_one_digit(signal: Any) -> None:
    weights = [get_weights(type_, kind).get(signal.name, 0.0) for type_ in TYPES for kind in KINDS]
    assert max(weights) > 0
    for weight in weights:
        assert 0 <= weight <= 1
        assert round(weight, 1) == weight


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("type_", TYPES)
def test_the_greatest_score_is_the_sum_of_the_weights(type_: ChunkType, kind: QueryKind) -> None:
    bounds, weights = compute_max_scores(type_, kind), get_weights(type_, kind)
    named = [signal.name for signal in CANDIDATE_SIGNALS if signal.needs_name]

    assert bounds.named == pytest.approx(sum(weights.values()))
    assert bounds.named - bounds.plain == pytest.approx(sum(weights.get(name, 0.0) for name in named))


@QUICK
@given(arrays(np.float32, st.integers(0, 6), elements=st.floats(0, 1e6, width=32)))
def test_scaled_values_are_between_0_and_1_and_keep_their_order(values: np.ndarray) -> None:
    scaled = scale_to_max(values)

    assert np.all((scaled >= 0) & (scaled <= 1))
    assert np.all(np.diff(scaled[np.argsort(values, kind="stable")]) >= 0)
    assert scaled.max(initial=0) == (1 if values.max(initial=0) > 0 else 0)


@FEW
@given(PROJECTS, st.lists(QUERIES, min_size=3, max_size=3))
def test_the_parts_of_every_hit_are_within_their_weights(files: dict[str, str], queries: list[str]) -> None:
    with index_files(files) as memory:
        for query in [*queries, "\n".join(queries)]:
            weights = get_weights("code", parse_query(query).kind)
            result = memory.search(query, types=("code",))
            assert 0 <= result.confidence <= 1
            scores = [hit.score for hit in result.hits]
            assert all(0 <= score <= 1 for score in scores)
            for hit in result.hits:
                for name, share in hit.parts.items():
                    greatest = ROLE_PENALTIES.get(name, weights.get(name, 1.0))
                    assert 0 <= share <= greatest + 0.001, (name, share)


ORDERED: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "file": (
        "steam water",
        "much.py",
        "little.py",
        {
            "much.py": "def a():\n    steam(water)\n    water(steam)\n",
            "little.py": "def a():\n    steam(cup)\n    cup(leaf)\n",
        },
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
    "top chunk": (
        "steam water",
        "one.py",
        "two.py",
        {
            "one.py": "def a():\n    return steam(water)\n",
            "two.py": "def a():\n    return steam(cup)\n\n\ndef b():\n    return water(cup)\n",
        },
    ),
    "top chunks": (
        "steam\nwater\nleaf",
        "many.py",
        "one.py",
        {
            "many.py": "def a():\n    return steam(water)\n\n\ndef b():\n    return water(leaf)\n",
            "one.py": "def a():\n    return steam(cup)\n",
        },
    ),
    "mention": (
        "steam\nis lost\nin app/teapot/lid.py",
        "teapot/lid.py",
        "kettle/lid.py",
        {
            "teapot/lid.py": "def a():\n    return steam\n",
            "kettle/lid.py": "def a():\n    return steam\n\n\ndef b():\n    return lost\n",
        },
    ),
    "coverage": (
        "steam water leaf",
        "all.py",
        "one.py",
        {
            "all.py": "def a():\n    return steam(water, leaf)\n",
            "one.py": "def a():\n    return steam(steam, cup)\n",
        },
    ),
    "path": (
        "steam in the teapot",
        "teapot/a.py",
        "kettle/a.py",
        {
            "teapot/a.py": "def a():\n    return steam\n",
            "kettle/a.py": "def a():\n    return steam\n\n\ndef b():\n    return 1\n",
        },
    ),
    "stem": (
        "steam of a kettle",
        "kettle.py",
        "kettle_lid_spout.py",
        {
            "kettle.py": "def a():\n    return steam\n",
            "kettle_lid_spout.py": "def a():\n    return steam\n\n\ndef b():\n    return 1\n",
        },
    ),
    "size": (
        "steam",
        "long.py",
        "short.py",
        {
            "long.py": "\n".join(f"def steam_{number}():\n    return {number}\n" for number in range(30)),
            "short.py": "def steam():\n    return 1\n",
        },
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
    "namesake": (
        "`kettle`",
        "kettle.py",
        "other.py",
        {
            "kettle.py": "def a():\n    return kettle\n",
            "other.py": "def kettle():\n    return 1\n",
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
}
"""Signal -> a query, the file that has more of the signal, the one that has less, and their sources."""


@pytest.mark.parametrize("name", ORDERED)
def test_a_signal_orders_two_files_as_documented(name: str) -> None:
    query, more, less, files = ORDERED[name]

    with index_files(files) as memory:
        shares = read_parts(memory, query, name)

    assert shares[more] > shares.get(less, 0.0)


def test_every_signal_has_two_files_above() -> None:
    assert sorted(ORDERED) == sorted(signal.name for signal in SIGNALS)


@pytest.mark.parametrize(
    ("path", "query", "expected"),
    [
        ("web/tea_pot.py", "a tea pot", 1.0),
        ("web/tea_pot.py", "tea", 0.5),
        ("web/tea_pot.py", "`tea_pot`", 1.0),
        ("tea/pot.py", "tea", 0.0),
        ("Tea.Py", "TEA", 1.0),
        ("", "tea", 0.0),
        ("a/.tea", "tea", 0.0),
    ],
)
def test_the_coverage_of_a_file_name_counts_its_parts(path: str, query: str, expected: float) -> None:
    assert compute_name_coverage(CandidateInputs(path, parse_query(query), 0.0)) == expected


@pytest.mark.parametrize(
    ("path", "query", "expected"),
    [
        ("web/kettle.py", "`kettle`", 1.0),
        ("web/Kettle.java", "`Kettle`", 1.0),
        ("web/kettle.py", "`web.kettle`", 1.0),
        ("web/kettle.py", "`kettle.boil`", 0.0),
        ("web/kettle.py", "how does the kettle work", 0.0),
        ("web/", "`web`", 0.0),
    ],
)
def test_a_namesake_is_named_as_code(path: str, query: str, expected: float) -> None:
    assert compute_namesake(CandidateInputs(path, parse_query(query), 0.0)) == expected


@QUICK
@given(PATHS)
def test_the_parts_of_a_file_name_do_not_depend_on_its_folder_or_its_endings(path: str) -> None:
    own = path.rpartition("/")[2].partition(".")[0]

    assert split_file_name(path) == split_file_name(own) == split_file_name(f"a/b.c/{own}.tar.gz")
