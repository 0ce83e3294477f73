"""An address is checked before it is written, and a host's entry over HTTP is read as it was built."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.errors import Code, Fault
from aurora.hosts import HOSTS, RemoteServer, read_token_name
from aurora.hosts.entry import build_http_entry, is_aurora_url, read_url

if TYPE_CHECKING:
    from aurora.hosts import Host

URL = "https://aurora.example.org/p/shop/mcp"
HTTP_HOSTS = [host for host in HOSTS if host.http is not None]
VARIABLE_HOSTS = [host for host in HTTP_HOSTS if host.http is not None and host.http.takes_variable]


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ftp://aurora.example.org/mcp", "does not begin with http"),
        ("aurora.example.org/mcp", "does not begin with http"),
        ("https:///mcp", "does not begin with http"),
        ("https://ann:secret@aurora.example.org/mcp", "has credentials"),
        ("https://secret@aurora.example.org/mcp", "has credentials"),
        ("https://aurora.example.org/mcp?token=secret", "after `?`"),
        ("https://aurora.example.org/mcp?", "after `?`"),
        ("https://aurora.example.org/mcp#secret", "after `?`"),
        ("https://aurora.example.org/sse", "does not end in /mcp"),
        ("https://aurora.example.org:port/mcp", "not an address"),
        ("https://[::1/mcp", "not an address"),
        ("https://${SECRET}.example.org/mcp", "characters that no URL has"),
        ("https://aurora.example.org/a b/mcp", "characters that no URL has"),
        ("https://aurora.example.org/\n/mcp", "characters that no URL has"),
        ("https://example.org/" + "a" * 500 + "/mcp", "too long"),
    ],
)
def test_an_address_that_is_none_of_auroras_is_refused_without_its_secret(url: str, said: str) -> None:
    with pytest.raises(Fault) as caught:
        RemoteServer.parse(url)
    assert caught.value.code is Code.INVALID_INPUT
    assert said in caught.value.message
    assert "secret" not in caught.value.message + caught.value.help
    assert not is_aurora_url(url)


@pytest.mark.parametrize("name", ["aur_0123456789ab_" + "x" * 43, "a-b", "A B", "1A", "$A", "A" * 101, "A\n"])
def test_a_name_that_is_no_variable_is_refused_and_not_repeated(name: str) -> None:
    with pytest.raises(Fault) as caught:
        RemoteServer.parse(URL, name)
    assert "--token-env" in caught.value.message
    assert name not in caught.value.message + caught.value.help


def test_a_token_goes_over_plain_http_to_this_machine_only() -> None:
    for url in ("http://127.0.0.1:8320/mcp", "http://localhost:8320/mcp", "http://[::1]:8320/mcp"):
        assert RemoteServer.parse(url, "TEAM").token_name.startswith("TEAM")
    for url in ("http://10.0.0.7:8320/mcp", "http://localhost.example.org/mcp", "http://127.0.0.1.example.org/mcp"):
        assert RemoteServer.parse(url).url == url
        with pytest.raises(Fault, match="over plain http"):
            RemoteServer.parse(url, "TOKEN")


@pytest.mark.parametrize("host", HTTP_HOSTS, ids=lambda host: host.name)
def test_the_address_of_an_entry_is_read_as_it_was_built(host: Host) -> None:
    entry = build_http_entry(host, RemoteServer(URL), "aurora")
    assert (read_url(host, entry), read_token_name(host, entry)) == (URL, "")


@pytest.mark.parametrize("host", VARIABLE_HOSTS, ids=lambda host: host.name)
def test_the_variable_of_an_entry_is_read_as_it_was_built(host: Host) -> None:
    entry = build_http_entry(host, RemoteServer(URL, "TEAM_TOKEN"), "aurora")
    assert read_token_name(host, entry) == "TEAM_TOKEN"
    assert "TEAM_TOKEN" in repr(entry)
