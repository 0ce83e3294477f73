"""Two projects in one database server, served with a token each."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

from .conftest import SECRETS, Tenants

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .conftest import Home

CALLS = 250
ODD = ["", "*", "%", "' OR 1=1 --", "\0", "\ud83d", "$1", "@chunks", "9" * 99, -1, 0, 1e300, None, True, [], {}]
NAMES = ["query", "run", "ids", "path", "lines", "phase", "answer", "limit", "types", "path_glob", "workflow"]


@pytest.fixture(scope="module")
def tenants(make_home: Callable[..., Home], postgres_url: str) -> Iterator[Tenants]:
    home = make_home(postgres_url)
    home.environ["AURORA_PROJECT"] = "of-nobody"  # each project has its own name there
    alpha = home.add_token("Ann", "--project", "alpha", "--scope", "write")
    beta = home.add_token("Bob", "--project", "beta", "--scope", "write")
    with home.start() as server:
        yield Tenants(home, server, alpha, beta)


def test_each_token_finds_its_own_project(tenants: Tenants) -> None:
    assert tenants.server.get("/readyz").text == "ready\n"
    for name, token in (("alpha", tenants.alpha), ("beta", tenants.beta)):
        for word in SECRETS.values():
            found = tenants.server.call("/mcp", "aurora_search", {"query": word}, token)
            shown = json.dumps(found["hits"])
            assert (f"of {name}" in shown) is (word == SECRETS[name])
    assert not (tenants.home.path / "alpha" / ".aurora" / "memory.db").exists()


def test_fuzzed_calls_show_no_byte_of_another_project(tenants: Tenants) -> None:
    question = "Is the quartz heron of alpha_pelican asleep?"
    run = tenants.server.call("/mcp", "aurora_query", {"query": question}, tenants.alpha)["run"]
    hits = tenants.server.call("/mcp", "aurora_search", {"query": SECRETS["alpha"]}, tenants.alpha)["hits"]
    known = [run, hits[0]["id"], "module.py", str(tenants.home.path / "alpha"), "alpha", "../alpha/module.py", "last"]
    dice = random.Random(7)  # noqa: S311 - the calls are repeatable
    for number in range(CALLS):
        answer = tenants.server.post("/mcp", make_call(number, known, dice), tenants.beta)
        assert answer.status in {200, 400, 404}, answer
        assert "quartz heron" not in answer.text
        assert "pelican of alpha" not in answer.text
    mine = tenants.server.call("/mcp", "aurora_query", {"phase": "continue", "run": run}, tenants.alpha)
    assert mine["run"] == run


def make_call(number: int, known: list[str], dice: random.Random) -> dict[str, Any]:
    """Make a call that names what another project has, among odd values."""
    values = [dice.choice([*known, *ODD]), [dice.choice([*known, *ODD])], f"{dice.choice(known)}{dice.choice(ODD)}"]
    arguments = {name: dice.choice(values) for name in dice.sample(NAMES, dice.randint(1, 4))}
    method, params = "tools/call", {"name": dice.choice(["aurora_query", "aurora_search", "aurora_get"])}
    params |= {"arguments": arguments}  # type: ignore[dict-item]
    if number % 5 == 0:
        method, params = "resources/read", {"uri": f"aurora://{dice.choice(['run', 'chunk'])}/{dice.choice(known)}"}
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
