"""Complete answers on definitions: all callers, sure and possible apart, and sets of files."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FILES = {
    "src/__init__.py": "",
    "src/base.py": (
        "class Backend:\n"
        "    def fetch(self, key):\n"
        "        return self.decode(key)\n\n"
        "    def decode(self, key):\n"
        "        return key\n\n\n"
        "def helper(backend: Backend):\n"
        "    one = backend.fetch(1)\n"
        "    return one, backend.fetch(2)\n"
    ),
    "src/redis.py": (
        "from .base import Backend as Base, helper\n\n\n"
        "class Redis(Base):\n"
        "    def read(self):\n"
        "        return self.fetch('key')\n\n\n"
        "class Cluster(Redis):\n"
        "    def decode(self, key):\n"
        "        return super().fetch(key)\n\n\n"
        "class Other:\n"
        "    def fetch(self):\n"
        "        return self.fetch()\n"
    ),
    "src/app.py": (
        "from .base import Backend, helper as assist\n"
        "from .redis import Cluster\n\n\n"
        "class App:\n"
        "    def __init__(self, backend: Backend):\n"
        "        self.backend = backend\n"
        "        self.cluster = Cluster()\n\n"
        "    def run(self, thing):\n"
        "        self.backend.fetch(1)\n"
        "        self.cluster.fetch(2)\n"
        "        thing.fetch(3)  # fetch is called here\n"
        "        return assist(self.backend)\n"
    ),
    "tests/test_app.py": (
        "from src.app import App\nfrom src.base import Backend\n\n\n"
        "def test_fetch():\n    assert Backend().fetch(1) == 1\n\n\n"
        "def test_run():\n    App(Backend()).run(None)\n"
    ),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def ask(root: Path) -> Iterator[Callable[..., dict[str, Any]]]:
    with Workspace(root) as workspace:
        call_tool(workspace, "mem.index", {})
        yield lambda **given: call_tool(workspace, "mem.search", given)


def places(listed: list[dict[str, Any]]) -> list[str]:
    return [
        f"{one['path']}:{line.partition(':')[0]}"
        for one in listed
        for line in one["text"].split("\n")
        if not line.startswith("[")
    ]


def test_all_callers_are_sure_or_possible_and_those_of_another_method_neither(ask: Any) -> None:
    found = ask(of="Backend.fetch")
    [symbol] = found["symbols"]
    assert (symbol["id"], found["complete"]) == ("src/base.py::Backend.fetch", True)
    assert places(symbol["matches"]) == [
        "src/app.py:11",
        "src/app.py:12",
        "src/base.py:10",
        "src/base.py:11",
        "src/redis.py:6",
        "src/redis.py:11",
        "tests/test_app.py:6",
    ]
    assert places(symbol["possible"]) == ["src/app.py:13"]
    assert "[App.run]\n11:self.backend.fetch(1)" in symbol["matches"][0]["text"]


def test_an_alias_is_a_caller(ask: Any) -> None:
    [symbol] = ask(of="helper")["symbols"]
    assert places(symbol["matches"]) == ["src/app.py:14"]
    assert "possible" not in symbol


def test_the_type_of_an_attribute_comes_from_a_parameter_and_of_a_private_class(ask: Any, root: Path) -> None:
    text = (
        "from .base import Backend\n\n\n"
        "class _Timer:\n    def tick(self):\n        return 1\n\n\n"
        "class Clock:\n"
        "    def run(self):\n        self.timer.tick()\n        store = self.store\n        store.decode(1)\n\n"
        "    def __init__(self, store: Backend):\n        self.timer = _Timer()\n        self.store = store\n"
    )
    (root / "src/clock.py").write_text(text, encoding="utf-8")
    with Workspace(root) as workspace:
        call_tool(workspace, "mem.index", {})
    assert places(ask(of="_Timer.tick")["symbols"][0]["matches"]) == ["src/clock.py:11"]
    assert "src/clock.py:13" in places(ask(of="Backend.decode")["symbols"][0]["matches"])


def test_nothing_calls_it_is_an_answer(ask: Any) -> None:
    found = ask(of="Redis.read")
    [symbol] = found["symbols"]
    assert (symbol["total"], symbol["matches"], found["complete"]) == (0, [], True)
    assert "possible" not in symbol


def test_other_relations(ask: Any) -> None:
    assert places(ask(of="Backend", relation="implementers")["symbols"][0]["matches"]) == [
        "src/redis.py:4",
        "src/redis.py:9",
    ]
    [overrides] = ask(of="Backend.decode", relation="overrides")["symbols"]
    assert "[Cluster.decode]" in overrides["matches"][0]["text"]
    [callees] = ask(of="App.run", relation="callees")["symbols"]
    assert "[→ src/base.py:2-3 Backend.fetch]\n11:" in callees["matches"][0]["text"]
    [tests] = ask(of="Backend.fetch", relation="tests")["symbols"]
    assert places(tests["matches"]) == ["tests/test_app.py:6"]
    [uses] = ask(of="helper", relation="references")["symbols"]
    assert {"src/app.py:1", "src/redis.py:1", "src/app.py:14"} <= set(places(uses["matches"]))


def test_definitions_of_one_name_are_told_apart(ask: Any) -> None:
    found = ask(of="fetch")
    assert [one["id"] for one in found["symbols"]] == ["src/base.py::Backend.fetch", "src/redis.py::Other.fetch"]
    assert "2 definitions have this name" in found["note"]
    assert "src/redis.py:16" in places(found["symbols"][1]["matches"])


def test_an_unknown_symbol_names_the_nearest(ask: Any) -> None:
    with pytest.raises(Fault) as caught:
        ask(of="Backend.fetsh")
    assert caught.value.code is Code.NOT_FOUND
    assert caught.value.details["near"] == ["fetch"]


def test_each_file_of_a_set_reaches_a_name_itself_or_through_others_or_not(ask: Any) -> None:
    found = ask(each="src/*.py", reaches=["decode", "helper"])
    rows = {row["path"]: row["reaches"] for row in found["rows"]}
    assert found["complete"] is True
    assert rows["src/__init__.py"] == {"decode": "no", "helper": "no"}
    assert rows["src/base.py"]["decode"] == "3 Backend.fetch → decode"
    assert rows["src/app.py"]["decode"] == "11 App.run → Backend.fetch (src/base.py:3) → decode"
    assert rows["src/app.py"]["helper"] == "14 App.run → helper"
    assert rows["src/redis.py"]["helper"].startswith("possible, named at 1")


def test_ten_thousand_callers_are_counted_and_come_in_pages(root: Path) -> None:
    calls = "".join(f"    helper({number})\n" for number in range(500))
    for number in range(20):
        text = f"from .base import helper\n\n\ndef use_{number}():\n{calls}"
        (root / f"src/use_{number}.py").write_text(text, encoding="utf-8")
    with Workspace(root) as workspace:
        call_tool(workspace, "mem.index", {})
        before = time.process_time()
        first = call_tool(workspace, "mem.search", {"of": "helper"})
        assert time.process_time() - before < 20
        [symbol] = first["symbols"]
        assert (symbol["total"], first["complete"]) == (10_001, False)
        assert len(str(first)) < 19_000
        following = call_tool(workspace, "mem.search", {"of": "helper", "offset": first["next_offset"]})
    shown = [set(places(one["symbols"][0]["matches"])) for one in (first, following)]
    assert shown[0]
    assert shown[1]
    assert shown[0].isdisjoint(shown[1])


@pytest.mark.parametrize(
    "given",
    [{}, {"query": "a", "of": "b"}, {"each": "*.py"}, {"reaches": ["a"], "query": "b"}, {"of": "a", "kind": "class"}],
)
def test_forms_that_do_not_go_together_are_refused(ask: Any, given: dict[str, Any]) -> None:
    with pytest.raises(Fault) as caught:
        ask(**given)
    assert caught.value.code is Code.INVALID_INPUT


def test_text_shows_the_first_hits_whole(ask: Any) -> None:
    [hit, *_] = ask(query="Backend.fetch", text=1)["hits"]
    assert "2:    def fetch(self, key):" in hit["preview"]
