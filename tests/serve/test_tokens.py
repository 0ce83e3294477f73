"""Scopes, expiry and revocation of tokens, over a real server."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import aurora
from aurora.errors import Fault
from aurora.serve import TokenStore, create_token
from aurora.tools.core.registry import ToolRegistry
from tests.wire.prepared_project import get_arguments

from .conftest import MODERN, SECRETS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .conftest import Home, Served

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ALL = 'toolsets = ["all"]\n'


@pytest.fixture(scope="module")
def scoped(make_home: Callable[[], Home]) -> Iterator[tuple[Home, Served]]:
    home = make_home()
    projects = (home.path / "config" / "aurora" / "serve.toml").read_text()
    home.write(ALL + projects)
    home.add_token("first", "--project", "alpha")
    with home.start() as server:
        yield home, server


def list_tools(server: Served, token: str) -> set[str]:
    return {tool["name"] for tool in server.post("/mcp", LIST, token).body["result"]["tools"]}


def test_a_scope_shows_and_allows_the_tools_of_its_risk(scoped: tuple[Home, Served]) -> None:
    home, server = scoped
    tokens = {
        scope: home.add_token(scope, "--project", "alpha", "--scope", scope) for scope in ("read", "write", "admin")
    }
    offered = {scope: list_tools(server, token) for scope, token in tokens.items()}
    assert offered["read"] < offered["write"] < offered["admin"]
    assert {"aurora_search", "aurora_query"} <= offered["read"]
    assert "aurora_mem_add" in offered["write"] - offered["read"]
    assert "aurora_mem_forget" in offered["admin"] - offered["write"]
    fact = {"text": "The pelican returns at dawn."}
    refused = server.call("/mcp", "aurora_mem_add", fact, tokens["read"])["error"]
    assert (refused["code"], refused["details"]["needs"]) == ("FORBIDDEN", "write")
    added = server.call("/mcp", "aurora_mem_add", fact, tokens["write"], MODERN)
    assert "error" not in added
    forget = {"ids": [added["id"]]}
    refused = server.call("/mcp", "aurora_mem_forget", forget, tokens["write"])["error"]
    assert (refused["code"], refused["details"]["needs"]) == ("FORBIDDEN", "admin")
    assert "admin" in refused["help"]
    assert "error" not in server.call("/mcp", "aurora_mem_forget", forget, tokens["admin"])


def request(server: Served, token: str, method: str, params: dict[str, object] | None = None) -> str:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
    return server.post("/mcp", message, token).text


def test_a_tool_that_is_not_listed_for_a_token_answers_it_in_no_form(scoped: tuple[Home, Served]) -> None:
    home, server = scoped
    token = home.add_token("curious", "--project", "alpha", "--scope", "read")
    listed = list_tools(server, token)
    for tool in ToolRegistry().select_mcp(("all",)):
        if tool.mcp is None or tool.mcp in listed:
            continue
        forms = [
            {},
            *([{"path": None}, {"path": ""}] if "path" in tool.input.model_fields else []),
            tool.examples[0].arguments,
        ]
        for name in (tool.mcp, *tool.alias_names):
            for arguments in forms:
                answer = json.loads(request(server, token, "tools/call", {"name": name, "arguments": arguments}))
                assert answer["result"]["structuredContent"]["error"]["code"] == "FORBIDDEN", (name, arguments)


def test_no_answer_names_a_folder_of_the_server(scoped: tuple[Home, Served]) -> None:
    home, server = scoped
    token = home.add_token("guest", "--project", "alpha", "--scope", "admin")
    written = home.path / "alpha" / "Dockerfile"
    written.write_text(f"WORKDIR {home.path / 'alpha'}\n", "utf-8")
    server.call("/mcp", "aurora_mem_index", {}, token)
    server.call("/mcp", "aurora_query", {"query": "Where is alpha_pelican?", "phase": "assess"}, token)
    texts = [
        request(server, token, "tools/call", {"name": tool.mcp, "arguments": arguments})
        for tool in ToolRegistry().select_mcp(("all",))
        for arguments in ([{"path": "/etc/passwd"}] if "path" in tool.input.model_fields else [get_arguments(tool, 0)])
        if tool.risk == "read" or tool.family == "memory"
    ]
    texts += [
        request(server, token, "tools/call", {"name": name, "arguments": {}}) for name in ("aurora_mem_stats", "x")
    ]
    texts += [request(server, token, f"{kind}/list") for kind in ("tools", "prompts", "resources")]
    uris = [one["uri"] for one in json.loads(texts[-1])["result"]["resources"]]
    uris += [
        "aurora://workflow/soar/assess",
        "aurora://file/../../etc/passwd",
        "aurora://run/none",
        "aurora://file/none",
    ]
    texts += [request(server, token, "resources/read", {"uri": uri}) for uri in uris]
    texts += [request(server, token, "prompts/get", {"name": "none"})]

    secret = (str(home.path), str(Path(aurora.__file__).parent), sys.prefix, str(Path.home()) + "/")
    for text in texts:
        for folder in secret:
            at = text.find(folder)
            if at >= 0:
                assert text.rfind("<material>", 0, at) > text.rfind("</material>", 0, at), text[at - 300 : at + 200]
    stats = server.call("/mcp", "aurora_mem_stats", {}, token)
    assert stats["path"] == ".aurora/memory.db"
    read = server.call("/mcp", "aurora_get", {"path": "Dockerfile"}, token)
    assert f"WORKDIR {home.path / 'alpha'}" in read["chunks"][0]["text"]
    assert "soar.yaml:" in request(server, token, "tools/call", {"name": "aurora_workflow_explain", "arguments": {}})


def test_a_token_that_only_reads_keeps_no_run(scoped: tuple[Home, Served]) -> None:
    home, server = scoped
    token = home.add_token("reader", "--project", "alpha")
    step = server.call("/mcp", "aurora_query", {"query": f"What is {SECRETS['alpha']}?"}, token)
    assert step["status"] != "error"
    assert step["run"] is None


def test_a_token_in_an_address_opens_nothing_and_is_not_logged(scoped: tuple[Home, Served]) -> None:
    home, server = scoped
    token = home.add_token("careless", "--project", "alpha")
    escaped = token.replace("a", "%61", 1)
    for path in (f"/p/alpha/mcp/{token}", f"/{token}/mcp", f"/ui/p/{token}", f"/mcp;{token}", f"/p/alpha/{escaped}"):
        assert server.post(path, LIST).status in {303, 401, 404, 415}
        assert server.get(path, token).status in {303, 404}
    assert token.split("_", 2)[2] not in server.log.read_text()
    assert '"/p/alpha/mcp/[hidden]"' in server.log.read_text()


def test_an_expired_and_a_revoked_token_end_at_once(scoped: tuple[Home, Served]) -> None:
    home, server = scoped
    token = home.add_token("leaver", "--project", "alpha")
    assert server.post("/mcp", LIST, token).status == 200
    done = home.run("serve", "token", "revoke", token.split("_")[1])
    assert (done.returncode, done.stdout) == (0, f"revoked: {token.split('_')[1]} of leaver\n")
    assert server.post("/mcp", LIST, token).status == 401
    assert home.run("serve", "token", "revoke", token.split("_")[1]).returncode == 1
    now = time.time()
    made = create_token("late", "read", ("alpha",), now - 10, now - 1)
    TokenStore(home.path / "state" / "aurora" / "serve-tokens.json").add(made.token)
    assert server.post("/mcp", LIST, made.text).status == 401
    listed = home.run("serve", "token", "list")
    assert f"{made.token.id}  read   expired   alpha  late" in listed.stdout
    assert made.text.split("_", 2)[2] not in listed.stdout


def test_a_damaged_file_of_tokens_lets_nobody_in(make_home: Callable[[], Home]) -> None:
    home = make_home()
    token = home.add_token("Ann", "--project", "alpha")
    file = home.path / "state" / "aurora" / "serve-tokens.json"
    with home.start() as server:
        before = file.read_bytes()
        for damaged in (b"{", b"[]", b'{"version":1,"tokens":[{}]}', before.replace(b'"read"', b'"root"')):
            file.write_bytes(damaged)
            answer = server.post("/mcp", LIST, token)
            assert (answer.status, answer.fault["code"]) == (503, "UPSTREAM_ERROR")
        file.write_bytes(before)
        assert server.post("/mcp", LIST, token).status == 200
        file.chmod(0o666)
        assert server.post("/mcp", LIST, token).status == 503


def test_too_many_requests_of_one_token_are_refused_with_the_time_to_wait(make_home: Callable[[], Home]) -> None:
    home = make_home()
    projects = (home.path / "config" / "aurora" / "serve.toml").read_text()
    home.write(projects + "[limits]\nrequests_per_second = 0.05\nburst = 3\n")
    busy, calm = (home.add_token(name, "--project", "alpha") for name in ("busy", "calm"))
    with home.start() as server:
        answers = [server.post("/mcp", LIST, busy) for _ in range(4)]
        assert [answer.status for answer in answers] == [200, 200, 200, 429]
        assert 1 <= int(answers[3].headers["retry-after"]) <= 20
        assert server.post("/mcp", LIST, calm).status == 200


def test_a_store_survives_what_a_file_can_contain(tmp_path: Path) -> None:
    store = TokenStore(tmp_path / "tokens.json")
    assert store.read() == ()
    assert store.find("aur_x") is None
    made = create_token("Ann", "read", ("alpha",), 0.0, None)
    store.add(made.token)
    assert store.find(made.text) == made.token
    assert TokenStore(store.path).find(made.text) == made.token
    for text in (
        "[]",
        "{}",
        '{"version": 2, "tokens": []}',
        '{"version": 1, "tokens": [1]}',
        "x" * 10,
        "[" * 9999,
    ):
        store.path.write_text(text)
        with pytest.raises(Fault, match="no token is valid"):
            store.read()


@pytest.mark.parametrize(
    "words",
    [
        ["Ann"],
        ["Ann", "--project", "../x"],
        ["Ann", "--project", "a/b"],
        ["", "--project", "alpha"],
        ["A\nB", "--project", "alpha"],
        ["Ann", "--project", "alpha", "--scope", "root"],
        ["Ann", "--project", "alpha", "--days", "-1"],
    ],
)
def test_wrong_words_make_no_token(scoped: tuple[Home, Served], words: list[str]) -> None:
    done = scoped[0].run("serve", "token", "add", *words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "aur serve token add --help" in done.stderr


def test_a_token_for_a_project_that_the_server_does_not_have_is_refused(make_plain_home: Callable[[], Home]) -> None:
    home = make_plain_home()
    assert (
        home.run("serve", "token", "add", "early", "--project", "nosuch").returncode == 0
    )  # before there are settings
    home.write('[projects.alpha]\nfolder = "/srv/code"\n[projects.beta]\nfolder = "/srv/code"\n')
    for words, said in (
        (["--project", "alhpa"], 'has no project "alhpa"\nhelp: Did you mean "alpha"?'),
        (["--project", "beta", "--project", "nosuch"], 'help: It has "alpha", "beta"; '),
    ):
        done = home.run("serve", "token", "add", "bob", *words)
        assert (done.returncode, done.stdout) == (1, "")
        assert said in done.stderr
        assert "aur serve --config FILE token add" in done.stderr.replace("\n", " ")
    assert home.run("serve", "token", "add", "bob", "--project", "*", "--project", "alpha").returncode == 0

    (home.path / "other.toml").write_text('[projects.gamma]\nfolder = "/srv/code"\n', "utf-8")
    command = ("serve", "--config", str(home.path / "other.toml"), "token", "add", "bob", "--project")
    assert home.run(*command, "gamma").returncode == 0
    assert 'has no project "alpha"' in home.run(*command, "alpha").stderr
    command = ("serve", "--config", str(home.path / "none.toml"), "token", "add", "bob", "--project")
    assert "does not exist" in home.run(*command, "gamma").stderr
    home.write("[projects.alpha\n")
    assert "is not TOML" in home.run("serve", "token", "add", "bob", "--project", "alpha").stderr
    assert home.run("serve", "token", "list").stdout.endswith("3 tokens\n")


def test_no_token_is_made_in_read_only_mode(make_plain_home: Callable[[], Home]) -> None:
    home = make_plain_home()
    words = ("serve", "token", "add", "bob", "--project", "alpha")
    refused = [home.run("--read-only", *words)]
    home.environ = {"READ_ONLY": "1"}
    refused.append(home.run(*words))
    for done in refused:
        assert (done.returncode, done.stdout) == (1, "")
        assert "read-only mode forbids writes" in done.stderr
    assert not list(home.path.rglob("serve-tokens.json"))
    home.environ = {}
    identifier = home.add_token("bob", "--project", "alpha").split("_")[1]
    done = home.run("--read-only", "serve", "token", "revoke", identifier)
    assert (done.returncode, "read-only mode forbids writes" in done.stderr) == (1, True)
    assert identifier in home.run("serve", "token", "list").stdout


@pytest.mark.parametrize("is_expired", [False, True])
def test_a_server_does_not_serve_openly_next_to_tokens_for_other_projects(
    make_plain_home: Callable[[], Home], *, is_expired: bool
) -> None:
    home = make_plain_home()
    home.write(f'[projects.alpha]\nfolder = "{home.path}"\n')
    now = time.time()
    made = create_token("bob", "read", ("alhpa",), now - 10, now - 1 if is_expired else None)
    TokenStore(home.path / "state" / "aurora" / "serve-tokens.json").add(made.token)
    done = home.run("serve", "--listen", "127.0.0.1:0")
    assert done.returncode == 1
    said = " ".join(done.stderr.split())
    assert 'each token is for other projects ("alhpa") than those of this server ("alpha")' in said
    assert "aur serve token add YOUR-NAME --project alpha" in said
    assert "serving" not in done.stderr

    token = home.add_token("bob", "--project", "alpha")
    with home.start() as server:
        assert server.post("/mcp", LIST).status == 401
        assert server.post("/mcp", LIST, token).status == 200
