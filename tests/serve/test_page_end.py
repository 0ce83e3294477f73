"""The end of a session while a request is answered."""

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
