"""Cookies of a served page: their names, their signature, and their end with the token."""

from __future__ import annotations

import asyncio
import itertools
import time
from typing import TYPE_CHECKING, Any

import pytest

from aurora.serve.authentication import Authenticator
from aurora.serve.page import PageSource, ServedPage, SessionSigner
from aurora.serve.projects import FolderSource
from aurora.serve.settings import LimitSettings, ProjectSettings
from aurora.serve.tokens import TokenStore, create_token

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.tools.http.guard import Refusal


@pytest.fixture
def page_and_cookie(tmp_path: Path) -> tuple[ServedPage, str]:
    now = time.time()
    made = create_token("ann", "read", ("shop",), now, None)
    store = TokenStore(tmp_path / "tokens.json")
    store.add(made.token)
    authenticator, signer = Authenticator(store, None, is_open=False), SessionSigner(b"k" * 32)
    folders = FolderSource({"shop": ProjectSettings(folder=str(tmp_path))}, is_local=True)
    limits = LimitSettings(requests_per_second=99_999, burst=99_999)
    page = ServedPage(PageSource(folders, authenticator, 900), authenticator, signer, limits, is_secure=False)
    return page, signer.make_cookie(signer.create_session(made.token.id, now))


def authorize(page: ServedPage, *cookies: str) -> Refusal | None:
    headers = [(b"cookie", one.encode()) for one in cookies]
    scope: dict[str, Any] = {"type": "http", "path": "/ui/p/shop/runs", "headers": headers}
    return asyncio.run(page.authorize(scope))


def test_the_session_is_found_among_other_cookies_and_headers(page_and_cookie: tuple[ServedPage, str]) -> None:
    page, cookie = page_and_cookie
    for headers in (
        [f"aurora_session={cookie}"],
        [f"theme=dark; aurora_session={cookie}; other={{}}"],
        ["theme=dark", f"aurora_session={cookie}"],
    ):
        assert authorize(page, *headers) is None
    for headers in ([], [f"other={cookie}"], [f"aurora_session2={cookie}"], ["aurora_session=; aurora_session"]):
        refusal = authorize(page, *headers)
        assert refusal is not None
        assert refusal.status == 303


PATH = "/ui/p/shop/runs"


@pytest.mark.parametrize("looks", range(1, 6))
def test_a_session_that_ends_within_a_request_leads_to_the_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, looks: int
) -> None:
    """Each look at the clock is a second later, and the token expires after some looks."""
    now = int(time.time())
    made = create_token("ann", "read", ("shop",), now, now + looks)
    store = TokenStore(tmp_path / "tokens.json")
    store.add(made.token)
    authenticator, signer = Authenticator(store, None, is_open=False), SessionSigner(b"k" * 32)
    folders = FolderSource({"shop": ProjectSettings(folder=str(tmp_path))}, is_local=True)
    page = ServedPage(PageSource(folders, authenticator, 900), authenticator, signer, LimitSettings(), is_secure=False)
    cookie = signer.make_cookie(signer.create_session(made.token.id, now, made.token.expires))
    scope: dict[str, Any] = {
        "type": "http",
        "path": PATH,
        "headers": [(b"cookie", f"aurora_session={cookie}".encode())],
    }
    seconds = itertools.count(now)
    monkeypatch.setattr(time, "time", lambda: float(next(seconds)))
    refusal: Refusal | None = asyncio.run(page.authorize(scope))
    last = next(seconds) - 1
    if refusal is None:
        assert last < now + looks
    else:
        assert (refusal.status, refusal.headers.get("location")) == (303, "/ui/login")
