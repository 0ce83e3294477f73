"""The page of a server: sessions, what each scope sees and may do, and what stays of MCP."""

from __future__ import annotations

import contextlib
import html
import http.client
import re
import socket
import time
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

import pytest

from aurora.serve import TokenStore, create_token
from aurora.tools.runtime import Workspace, call_tool
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from .conftest import Answer, Home, Served

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
FORM = "application/x-www-form-urlencoded"
GATED = """\
aurora: 2
name: gated
version: 1.0.0
title: Ask
start: approve
phases:
  approve:
    inputs: { task: { type: string } }
    person: { message: "Is {{ task }} right?", form: { sure: { type: boolean } }, on_decline: stopped }
    next_action: stopped
  stopped:
    next_action: end
"""


class Shared(NamedTuple):
    """Server with a project whose workflow asks a person."""

    home: Home
    server: Served


@pytest.fixture(scope="module")
def shared(make_home: Callable[[], Home]) -> Iterator[Shared]:
    home = make_home()
    folder = home.path / "alpha" / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    (folder / "gated.yaml").write_text(GATED, "utf-8")
    home.add_token("first", "--project", "alpha")
    with home.start("--workers", "2") as server:
        yield Shared(home, server)


def send_form(server: Served, path: str, fields: Mapping[str, str], cookie: str = "", **headers: str) -> Answer:
    """Send a form as a browser does from a page of the server."""
    sent = {"content-type": FORM, "origin": f"http://127.0.0.1:{server.port}", **headers}
    return server.send("POST", path, urlencode(fields).encode(), {**sent, **({"cookie": cookie} if cookie else {})})


def sign_in(server: Served, token: str) -> str:
    """Return the cookie of a new session."""
    answer = send_form(server, "/ui/login", {"token": token})
    assert (answer.status, answer.headers["location"]) == (303, "/ui/"), answer
    return answer.headers["set-cookie"].partition(";")[0]


def read_fields(text: str, action: str) -> dict[str, str]:
    """Return the hidden fields of a form."""
    form = html.unescape(text).partition(f'action="{action}"')[2].partition("</form>")[0]
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form))


def make_waiting_run(home: Home, task: str) -> str:
    """Begin a run on the account of the server, which may continue it."""
    with pytest.MonkeyPatch.context() as patched, Workspace(home.path / "alpha") as workspace:
        patched.setenv("XDG_STATE_HOME", home.get_environ()["XDG_STATE_HOME"])
        waiting: Any = step_workflow(workspace, {"workflow": "gated", "phase": "approve", "task": task}, "test")
    assert waiting["status"] == "waiting", waiting
    return str(waiting["run"])


@pytest.fixture(autouse=True)
def _account(monkeypatch: pytest.MonkeyPatch, shared: Shared) -> None:
    """Act as the account of the server where a test opens a project itself."""
    monkeypatch.setenv("AURORA_TRUST", "1")
    monkeypatch.setenv("XDG_STATE_HOME", str(shared.home.path / "state"))


def test_a_token_opens_a_session_that_every_worker_knows(shared: Shared) -> None:
    home, server = shared
    token = home.add_token("Ann", "--project", "alpha", "--scope", "write")
    form = server.get("/ui/login")
    assert (form.status, form.headers["cache-control"]) == (200, "no-store")
    assert "frame-ancestors 'none'" in form.headers["content-security-policy"]
    answer = send_form(server, "/ui/login", {"token": token})
    attributes = {one.strip() for one in answer.headers["set-cookie"].split(";")[1:]}
    assert {"HttpOnly", "Path=/ui", "SameSite=strict", "Max-Age=43200"} <= attributes
    assert "Secure" not in attributes
    assert token.split("_", 2)[2] not in str(answer)
    cookie = answer.headers["set-cookie"].partition(";")[0]
    for _ in range(12):  # each on a connection of its own, which either worker may take
        shown = server.get("/ui/p/alpha/runs", cookie=cookie)
        assert (shown.status, "Sign out" in shown.text) == (200, True)
    assert server.get("/ui/", cookie=cookie).headers["location"] == "/ui/p/alpha/runs"
    style = re.search(r'href="(/ui/static/page[^"]+css)"', html.unescape(form.text))
    assert style is not None
    assert server.get(style[1]).headers["content-type"].startswith("text/css")
    log = server.log.read_text()
    assert token.split("_", 2)[2] not in log
    assert cookie.rpartition(".")[2] not in log
    assert '"path":"/ui/p/alpha/runs","status":200' in log


def test_a_token_that_is_not_valid_opens_nothing(shared: Shared) -> None:
    home, server = shared
    now = time.time()
    late = create_token("late", "read", ("alpha",), now - 10, now - 1)
    TokenStore(home.path / "state" / "aurora" / "serve-tokens.json").add(late.token)
    gone = home.add_token("gone", "--project", "alpha")
    assert home.run("serve", "token", "revoke", gone.split("_")[1]).returncode == 0
    for text in ("", "x", late.text, gone, gone[:-1] + ("A" if gone[-1] != "A" else "B"), "<script>" * 9, "é\0"):
        answer = send_form(server, "/ui/login", {"token": text})
        assert (answer.status, "set-cookie" in answer.headers) == (401, False)
        assert "The token is wrong, expired or revoked." in answer.text
        assert len(text) < 2 or text not in answer.text
    assert server.get(f"/ui/login?token={gone}").status == 400
    assert server.send("POST", "/ui/login", b"&" * 5000, {"content-type": FORM}).status == 401
    assert send_form(server, "/ui/login", {"token": gone}, origin="http://evil.example").status == 403


def test_a_session_ends_with_its_token(shared: Shared) -> None:
    home, server = shared
    token = home.add_token("leaver", "--project", "alpha")
    cookie = sign_in(server, token)
    assert server.get("/ui/p/alpha/runs", cookie=cookie).status == 200
    assert home.run("serve", "token", "revoke", token.split("_")[1]).returncode == 0
    answer = server.get("/ui/p/alpha/runs", cookie=cookie)
    assert (answer.status, answer.headers["location"]) == (303, "/ui/login")
    made = create_token("short", "read", ("alpha",), time.time(), time.time() + 8)
    TokenStore(home.path / "state" / "aurora" / "serve-tokens.json").add(made.token)
    cookie = sign_in(server, made.text)
    # 401: the session ended during the call
    while (answer := server.get("/ui/p/alpha/runs", cookie=cookie)).status in {200, 401, 429}:
        assert time.time() < (made.token.expires or 0) + 60
        time.sleep(0.2)
    assert answer.status == 303, answer


@pytest.mark.parametrize("path", ["/ui", "/ui/", "/ui/p/alpha/runs", "/ui/p/alpha/live", "/ui/x", "/ui/logout"])
def test_without_a_session_there_is_only_the_form(shared: Shared, path: str) -> None:
    home, server = shared
    good = sign_in(server, home.add_token("good", "--project", "alpha")).partition("=")[2]
    identifier, end, nonce, mac = good.split(".")
    other = home.add_token("other", "--project", "*", "--scope", "admin").split("_")[1]
    forged = [
        "",
        f"{other}.{end}.{nonce}.{mac}",
        f"{identifier}.{int(end) + 1}.{nonce}.{mac}",
        f"{identifier}.{end}.{nonce}.{'0' * 64}",
        f"{identifier}.{end}.{nonce}",
    ]
    for value in forged:
        answer = server.get(path, cookie=f"aurora_session={value}")
        assert (answer.status, answer.headers["location"]) == (303, "/ui/login")
        assert "alpha" not in answer.text
    # A bearer token is for MCP, and opens no page.
    token = home.add_token("program", "--project", "alpha")
    assert server.get(path, token).status == 303


def test_a_project_that_the_token_lacks_does_not_exist(shared: Shared) -> None:
    home, server = shared
    cookie = sign_in(server, home.add_token("Ann", "--project", "alpha", "--scope", "admin"))
    for part in ("runs", "memory?q=ostrich", "workflows", "doctor?run=1", "live"):
        other, none = (server.get(f"/ui/p/{name}/{part}", cookie=cookie) for name in ("beta", "gamma"))
        assert (other.status, none.status) == (404, 404)
        assert other.text.replace("beta", "gamma") == none.text
    everything = sign_in(server, home.add_token("Boss", "--project", "*"))
    listed = server.get("/ui/", cookie=everything).text
    assert ">alpha</a>" in listed
    assert ">beta</a>" in listed
    assert str(home.path) not in listed


def test_each_scope_may_do_what_it_may(shared: Shared) -> None:
    home, server = shared
    run = make_waiting_run(home, "this")
    reply = f"/ui/p/alpha/runs/{run}/reply"
    cookies = {
        scope: sign_in(server, home.add_token(f"a {scope} token", "--project", "alpha", "--scope", scope))
        for scope in ("read", "write", "admin")
    }
    pages = {scope: server.get(f"/ui/p/alpha/runs/{run}", cookie=cookie).text for scope, cookie in cookies.items()}
    assert "Is this right?" in pages["read"]
    assert all("--scope admin" in pages[scope] for scope in ("read", "write"))
    good = {**read_fields(pages["admin"], reply), "field.sure": "true", "decision": "approve"}
    own = read_fields(pages["read"], "/ui/logout")
    refused = send_form(server, reply, {**good, **own}, cookies["read"])
    assert (refused.status, "this page may change nothing" in refused.text) == (403, True)
    assert send_form(server, reply, good, cookies["read"]).status == 403
    assert send_form(server, reply, {**good, **own}, cookies["admin"]).status == 403  # of another session
    assert send_form(server, reply, good, cookies["admin"], origin="http://evil.example").status == 403
    an_assistants = {**good, **read_fields(pages["write"], "/ui/logout")}
    refused = send_form(server, reply, an_assistants, cookies["write"])
    assert (refused.status, "this page may change nothing" in refused.text) == (403, True)
    assert server.send("POST", reply, b"{}", {"content-type": "application/json"}).status == 415
    for path in ("/ui/p/alpha/memory/undo", "/ui/p/alpha/memory/forget"):
        refused = send_form(server, path, {**an_assistants, "id": "x"}, cookies["write"])
        assert (refused.status, "<code>admin</code>" in refused.text) == (403, True)
    assert server.get("/ui/p/alpha/doctor?run=1", cookie=cookies["write"]).status == 403
    assert send_form(server, reply, good, cookies["admin"]).status == 303
    with Workspace(home.path / "alpha") as workspace:
        (by,) = [one.document["by"] for one in workspace.memory.journal.steps(run) if one.document.get("by")]
    assert (by["how"], by["who"]) == ("page", "a admin token")


def test_an_admin_forgets_and_undoes(shared: Shared) -> None:
    home, server = shared
    token = home.add_token("Eve", "--project", "alpha", "--scope", "admin")
    with Workspace(home.path / "alpha") as workspace:
        added = call_tool(workspace, "mem.add", {"text": "The pelican returns at dawn."}, surface="test")
    cookie = sign_in(server, token)
    shown = server.get("/ui/p/alpha/memory", cookie=cookie).text
    assert "The pelican returns" in shown
    fields = {**read_fields(shown, "/ui/p/alpha/memory/forget"), "id": added["id"]}
    assert send_form(server, "/ui/p/alpha/memory/forget", fields, cookie).status == 303
    assert "The pelican returns" not in server.get("/ui/p/alpha/memory", cookie=cookie).text
    assert send_form(server, "/ui/p/alpha/memory/undo", fields, cookie).status == 303
    assert "The pelican returns" in server.get("/ui/p/alpha/memory", cookie=cookie).text


def test_signing_out_deletes_the_cookie(shared: Shared) -> None:
    home, server = shared
    cookie = sign_in(server, home.add_token("Ann", "--project", "alpha"))
    fields = read_fields(server.get("/ui/p/alpha/runs", cookie=cookie).text, "/ui/logout")
    assert send_form(server, "/ui/logout", {"csrf": "0" * 64}, cookie).status == 403
    assert server.get("/ui/logout", cookie=cookie).status == 405
    answer = send_form(server, "/ui/logout", fields, cookie)
    assert (answer.status, answer.headers["location"]) == (303, "/ui/login")
    assert 'aurora_session="";' in answer.headers["set-cookie"]
    assert "Max-Age=0" in answer.headers["set-cookie"]


def test_mcp_takes_json_only_and_the_page_forms_only(shared: Shared) -> None:
    home, server = shared
    token = home.add_token("Ann", "--project", "alpha")
    for path in ("/mcp", "/p/alpha/mcp", "/ui%2flogin", "/uix"):
        assert server.post(path, b"a=b", token, **{"content-type": FORM}).status == 415
    assert server.post("/ui/login", {"token": token}).status == 415
    assert server.post("/mcp", LIST, token).status == 200
    # The cookie is of the page: it opens no MCP.
    assert server.post("/mcp", LIST, cookie=sign_in(server, token)).status == 401


def test_wrong_tokens_are_limited_and_a_stream_does_not_keep_the_server(make_home: Callable[[], Home]) -> None:
    home = make_home()
    cookie_token = home.add_token("Ann", "--project", "alpha")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = f"127.0.0.1:{port}"
    with home.start("--public-url", f"https://{address}", command=("serve", "--listen", address)) as server:
        answer = send_form(server, "/ui/login", {"token": cookie_token})
        assert answer.headers["set-cookie"].startswith("__Host-aurora_session=")
        assert {"Path=/", "Secure", "HttpOnly"} <= set(answer.headers["set-cookie"].split("; "))
        cookie = answer.headers["set-cookie"].partition(";")[0]
        found = [send_form(server, "/ui/login", {"token": "x"}) for _ in range(40)]
        assert {one.status for one in found} == {401, 429}
        assert int(found[-1].headers["retry-after"]) >= 1
        assert server.get("/ui/p/alpha/runs", cookie=cookie).status == 200
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        with contextlib.closing(connection):
            connection.request("GET", "/ui/p/alpha/live", headers={"cookie": cookie})
            stream = connection.getresponse()
            assert stream.readline() == b"retry: 1000\n"
            assert home.run("serve", "token", "revoke", cookie_token.split("_")[1]).returncode == 0
            assert b"event: gone" in stream.read()


def test_nobody_takes_the_streams_of_the_others(make_home: Callable[[], Home]) -> None:
    home = make_home()
    ann, bob = (home.add_token(name, "--project", "alpha") for name in ("Ann", "Bob"))
    with home.start() as server, contextlib.ExitStack() as streams:

        def open_stream(cookie: str) -> int:
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            streams.enter_context(contextlib.closing(connection))
            connection.request("GET", "/ui/p/alpha/live", headers={"cookie": cookie})
            answer = connection.getresponse()
            if answer.status == 200:
                assert answer.readline() == b"retry: 1000\n"
            return answer.status

        sessions = [sign_in(server, ann) for _ in range(3)]
        opened = [open_stream(sessions[number % 3]) for number in range(20)]
        assert opened == [200] * 8 + [429] * 12
        assert open_stream(sign_in(server, bob)) == 200


def test_a_server_without_tokens_has_no_page(make_home: Callable[[], Home]) -> None:
    home = make_home()
    one = ("mcp", "--http", "127.0.0.1:0", "--project", str(home.path / "alpha"))
    for command in (("serve", "--listen", "127.0.0.1:0"), one):
        with home.start(command=command) as server:
            answer = server.get("/ui/")
            assert (answer.status, "there is no page, since it asks for no tokens" in answer.text) == (404, True)
            assert server.get("/ui/login").status == 404
