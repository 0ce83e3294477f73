"""Tokens of an identity provider, whose keys a server on loopback gives."""

from __future__ import annotations

import http.server
import json
import re
import threading
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .conftest import Answer, Home, Served

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
AUDIENCE, ISSUER = "https://aurora.example.org", "https://login.example.org/"
KEYS = {name: rsa.generate_private_key(65537, 2048) for name in ("one", "two", "unknown")}


class Provider(http.server.BaseHTTPRequestHandler):
    """Identity provider that counts how often its keys are fetched."""

    fetched = 0
    body = b""

    def do_GET(self) -> None:
        Provider.fetched += 1
        self.send_response(200)
        self.end_headers()
        self.wfile.write(Provider.body)

    def log_message(self, *_given: Any) -> None:
        """Log nothing."""


def publish(*names: str) -> None:
    keys = [json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEYS[name].public_key())) | {"kid": name} for name in names]
    Provider.body = json.dumps({"keys": keys}).encode()


def sign(key: str = "one", algorithm: str = "RS256", headers: Any = None, **change: Any) -> str:
    claims: dict[str, Any] = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "ann",
        "exp": time.time() + 600,
        "scope": "openid aurora:alpha:write aurora:beta:read",
    }
    claims = {name: value for name, value in {**claims, **change}.items() if value is not None}
    return jwt.encode(claims, KEYS[key], algorithm, headers={"kid": key, **(headers or {})})


@pytest.fixture(scope="module")
def served(make_home: Callable[[], Home]) -> Iterator[Served]:
    publish("one")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider) as provider:
        threading.Thread(target=provider.serve_forever, daemon=True).start()
        home = make_home()
        projects = (home.path / "config" / "aurora" / "serve.toml").read_text()
        url = f"http://127.0.0.1:{provider.server_port}/keys"
        home.write(f'{projects}[jwt]\nissuer = "{ISSUER}"\naudience = "{AUDIENCE}"\njwks_url = "{url}"\n')
        with home.start() as server:
            yield server
        provider.shutdown()


def test_a_signed_token_has_the_scopes_of_its_claims(served: Served) -> None:
    token = sign()
    assert served.post("/p/alpha/mcp", LIST, token).status == 200
    assert served.post("/p/beta/mcp", LIST, token).status == 200
    read_only = served.post("/p/beta/mcp", LIST, token).body["result"]["tools"]
    assert all(tool["annotations"]["readOnlyHint"] for tool in read_only)
    assert served.post("/p/alpha/mcp", LIST, sign(scope=None, scp=["aurora:alpha:read"])).status == 200
    assert served.post("/p/beta/mcp", LIST, sign(scope="aurora:alpha:admin")).status == 404
    assert served.post("/p/alpha/mcp", LIST, sign(scope="aurora:alpha aurora::read read x:alpha:read")).status == 404
    metadata = served.get("/.well-known/oauth-protected-resource/p/alpha/mcp").body
    assert metadata["authorization_servers"] == [ISSUER]
    assert metadata["scopes_supported"] == ["aurora:alpha:read", "aurora:alpha:write", "aurora:alpha:admin"]


@pytest.mark.parametrize(
    "change",
    [
        {"exp": time.time() - 3600},
        {"exp": None},
        {"aud": "https://other.example"},
        {"aud": None},
        {"iss": "https://evil.example"},
        {"sub": None},
        {"nbf": time.time() + 3600},
        {"key": "unknown"},
        {"key": "unknown", "headers": {"kid": "one"}},
        {"headers": {"kid": "../one", "jku": "http://127.0.0.1:1/keys"}},
        {"algorithm": "RS512"},
    ],
)
def test_a_token_that_is_not_for_this_server_is_refused(served: Served, change: Any) -> None:
    answer = served.post("/p/alpha/mcp", LIST, sign(**change))
    assert (answer.status, answer.fault["code"]) == (401, "UNAUTHORIZED")


def test_the_public_key_is_no_secret_to_sign_with(served: Served) -> None:
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ann", "exp": time.time() + 600, "scope": "aurora:alpha:admin"}
    unsigned = jwt.encode(claims, None, "none", headers={"kid": "one"})
    shared = jwt.encode(claims, "x" * 64, "HS256", headers={"kid": "one"})
    other = jwt.encode(claims, ec.generate_private_key(ec.SECP256R1()), "ES256", headers={"kid": "one"})
    for token in (unsigned, shared, other, unsigned + "x", sign()[:-4] + "AAAA"):
        assert served.post("/p/alpha/mcp", LIST, token).status == 401


def sign_in(served: Served, token: str) -> Answer:
    headers = {"content-type": "application/x-www-form-urlencoded", "origin": f"http://127.0.0.1:{served.port}"}
    return served.send("POST", "/ui/login", urlencode({"token": token}).encode(), headers)


def get_page(served: Served, path: str, cookie: str) -> Answer:
    return served.send("GET", path, headers={"cookie": cookie})


def test_a_signed_token_opens_the_page_until_it_expires(served: Served) -> None:
    opened = sign_in(served, sign(name="Ann", exp=time.time() + 600))
    assert (opened.status, opened.headers["location"]) == (303, "/ui/")
    cookie, _, options = opened.headers["set-cookie"].partition(";")
    seconds = int(re.findall(r"Max-Age=(\d+)", options)[0])
    assert 0 < seconds <= 600
    shown = get_page(served, "/ui/", cookie)
    assert shown.status == 200
    assert "alpha" in shown.text
    assert get_page(served, "/ui/p/alpha/runs", cookie).status == 200
    reader = sign_in(served, sign(scope="aurora:alpha:read")).headers["set-cookie"].partition(";")[0]
    assert get_page(served, "/ui/p/beta/runs", reader).status == 404
    for changed in (cookie[:-1] + ("0" if cookie[-1] != "0" else "1"), cookie.replace("jwt-", "jwt-A")):
        assert get_page(served, "/ui/", changed).status == 303


def test_a_session_is_over_when_its_token_has_expired(served: Served) -> None:
    opened = sign_in(served, sign(exp=int(time.time()) - 5))  # within the leeway of the verification
    assert opened.status == 303
    cookie = opened.headers["set-cookie"].partition(";")[0]
    assert get_page(served, "/ui/", cookie).status == 303
    for wrong in (sign(exp=time.time() - 3600), sign("unknown"), sign(aud="https://other.example")):
        assert sign_in(served, wrong).status == 401
    many = " ".join(f"aurora:{'p' * 50}{number}:read" for number in range(100))
    refused = sign_in(served, sign(scope=many))
    assert (refused.status, "too many projects" in refused.text) == (400, True)


def test_keys_are_kept_and_a_name_that_anyone_can_make_up_fetches_them_seldom(served: Served) -> None:
    assert served.post("/p/alpha/mcp", LIST, sign()).status == 200
    before = Provider.fetched
    for number in range(20):
        assert served.post("/p/alpha/mcp", LIST, sign("unknown", headers={"kid": f"made-up-{number}"})).status in {
            401,
            429,
        }
    assert Provider.fetched - before <= 1
    Provider.body = b"x" * 10_000_000  # from now on the provider answers nonsense
    assert served.post("/p/alpha/mcp", LIST, sign()).status == 200
