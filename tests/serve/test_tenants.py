"""Two projects with a token each: what a caller reaches, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from .conftest import MODERN, SECRETS

if TYPE_CHECKING:
    from .conftest import Tenants

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


@pytest.mark.requirement("aura-16")
@pytest.mark.parametrize("era", ["2025-06-18", "2025-11-25", MODERN])
@pytest.mark.parametrize("path", ["/mcp", "/p/alpha/mcp"])
def test_a_token_reaches_its_project_in_both_eras(tenants: Tenants, era: str, path: str) -> None:
    found = tenants.server.call(path, "aurora_search", {"query": SECRETS["alpha"]}, tenants.alpha, era)
    assert [hit["path"] for hit in found["hits"]] == ["module.py"]


def test_no_byte_of_another_project_is_shown(tenants: Tenants) -> None:
    run = tenants.server.call("/mcp", "aurora_query", {"query": f"What is {SECRETS['alpha']}?"}, tenants.alpha)["run"]
    assert run
    for tool, arguments in (
        ("aurora_search", {"query": SECRETS["alpha"]}),
        ("aurora_get", {"path": "../alpha/module.py", "lines": "1-2"}),
        ("aurora_get", {"path": str(tenants.home.path / "alpha" / "module.py"), "lines": "1-2"}),
        ("aurora_query", {"phase": "continue", "run": run}),
    ):
        shown = json.dumps(tenants.server.call("/mcp", tool, arguments, tenants.beta))
        assert "alpha_pelican of alpha" not in shown, tool
        assert '"hits": []' in shown or '"error"' in shown or "beta_ostrich" in shown, tool
    read = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": f"aurora://run/{run}"}}
    assert "error" in tenants.server.post("/mcp", read, tenants.beta).body


@pytest.mark.parametrize(
    "path",
    [
        "/p/alpha/mcp",
        "/p/unknown/mcp",
        "/p/ALPHA/mcp",
        "/p/beta/mcp/",
        "/p/beta%2Fmcp",
        "/p/%62eta/mcp",
        "/p/../p/beta/mcp",
        "/p//mcp",
        "/p/beta/./mcp",
        "//mcp",
        "/p/beta\\..\\alpha/mcp",
        "/",
        "/p/" + "a" * 5000 + "/mcp",
    ],
)
def test_a_project_that_the_token_lacks_is_one_that_does_not_exist(tenants: Tenants, path: str) -> None:
    answer = tenants.server.post(path, LIST, tenants.beta)
    assert (answer.status, answer.fault["code"]) == (404, "NOT_FOUND")
    assert "module.py" not in answer.text


@pytest.mark.requirement("auditgraph-23")
@pytest.mark.parametrize("path", ["/mcp", "/p/alpha/mcp", "/p/unknown/mcp", "/metrics", "/anything"])
def test_without_a_token_nothing_is_told_but_where_to_get_one(tenants: Tenants, path: str) -> None:
    answer = tenants.server.post(path, LIST)
    assert (answer.status, answer.fault["code"]) == (401, "UNAUTHORIZED")
    about = path if path.startswith("/p/") else "/mcp"
    url = f"http://127.0.0.1:{tenants.server.port}/.well-known/oauth-protected-resource{about}"
    assert answer.headers["www-authenticate"] == f'Bearer resource_metadata="{url}"'
    described = tenants.server.get(url.partition(str(tenants.server.port))[2]).body
    assert described["resource"] == f"http://127.0.0.1:{tenants.server.port}{about}"
    assert described["bearer_methods_supported"] == ["header"]


@pytest.mark.parametrize(
    "change",
    [
        lambda token: token[:-1] + ("A" if token[-1] != "A" else "B"),
        lambda token: token[:16] + "_" + "A" * 43,
        lambda token: "aur_000000000000_" + token[17:],
        lambda token: token + "A",
        lambda token: token.upper(),
        lambda _: "x",
        lambda _: "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.",
    ],
)
def test_a_token_that_is_not_exactly_right_is_refused(tenants: Tenants, change: Any) -> None:
    answer = tenants.server.post("/mcp", LIST, change(tenants.alpha))
    assert answer.status == 401
    assert 'error="invalid_token"' in answer.headers["www-authenticate"]


@pytest.mark.parametrize("header", ["Basic {}", "{}", "Bearer", "Bearer {} x", "Bearer\t{}"])
def test_only_a_bearer_token_is_read(tenants: Tenants, header: str) -> None:
    answer = tenants.server.post("/mcp", LIST, authorization=header.format(tenants.alpha))
    assert answer.status in {400, 401}


def test_a_token_in_the_address_is_refused_and_not_logged(tenants: Tenants) -> None:
    answer = tenants.server.post(f"/mcp?access_token={tenants.alpha}", LIST)
    assert answer.status == 400
    assert tenants.alpha not in answer.text
    assert tenants.server.post(f"/mcp?x={tenants.alpha}", LIST, tenants.alpha).status == 200
    log = tenants.server.log.read_text()
    assert tenants.alpha not in log
    assert tenants.alpha.split("_", 2)[2] not in log
    assert f'"caller":"{tenants.alpha.split("_")[1]}"' in log


def test_a_request_cannot_write_lines_of_its_own_into_the_log(tenants: Tenants) -> None:
    tenants.server.get("/x%0a%7b%22status%22:200%7d")
    for line in tenants.server.log.read_text().splitlines()[1:]:
        assert line.startswith(("{", "aur:", "  ")), line
        assert line.isprintable()


def test_the_file_of_tokens_is_private_and_has_no_secret(tenants: Tenants) -> None:
    file = tenants.home.path / "state" / "aurora" / "serve-tokens.json"
    assert file.stat().st_mode & 0o777 == 0o600
    text = file.read_text()
    assert tenants.alpha.split("_", 2)[2] not in text
    assert tenants.alpha.split("_")[1] in text


def test_health_is_open_and_metrics_are_not(tenants: Tenants) -> None:
    assert tenants.server.get("/healthz", host="10.0.0.1").text == "ok\n"
    assert tenants.server.get("/readyz").text == "ready\n"
    assert tenants.server.get("/metrics", tenants.alpha).status == 403
    everything = tenants.home.add_token("Prometheus", "--project", "*")
    text = tenants.server.get("/metrics", everything).text
    assert 'aurora_http_requests_total{project="alpha",route="mcp",status="200"}' in text
    answer = tenants.server.post("/mcp", LIST, everything)
    assert (answer.status, answer.fault["message"]) == (404, "this token has 2 projects, so the address must name one")


def test_the_wrong_host_origin_and_type_are_refused_before_the_token_is_read(tenants: Tenants) -> None:
    assert tenants.server.post("/mcp", LIST, tenants.alpha, host="evil.example").status == 421
    assert tenants.server.post("/mcp", LIST, tenants.alpha, origin="null").status == 403
    assert tenants.server.post("/mcp", LIST, tenants.alpha, **{"content-type": "text/plain"}).status == 415
    big = tenants.server.send("POST", "/mcp", b"{}", {"content-type": "application/json", "content-length": "99999999"})
    assert big.status == 401  # without a token, no body is read at all


def test_get_and_delete_have_no_session(tenants: Tenants) -> None:
    for method in ("GET", "DELETE", "PUT", "OPTIONS"):
        headers = {"authorization": f"Bearer {tenants.alpha}", "content-type": "application/json"}
        answer = tenants.server.send(method, "/mcp", b"{}" if method == "PUT" else None, headers)
        assert (answer.status, answer.headers["allow"]) == (405, "POST")
