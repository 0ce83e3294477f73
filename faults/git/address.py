"""Addresses that a server fetches from: which there are, and the protocol of each."""

from __future__ import annotations

import re
from pathlib import PurePath
from urllib.parse import urlsplit

_SSH_PLACE = re.compile(r"[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:(?!/?/)[A-Za-z0-9._~/-]+")
"""`git@host:team/app.git`."""
_BRANCH = re.compile(r"(?![-/.])(?!.*(?:\.\.|//|@\{))[A-Za-z0-9._/@+-]{1,200}(?<![/.])")


def check_git_url(text: str) -> str:
    """Check the address of a repository.

    Args:
        text: `https://…`, `ssh://…`, `git@host:path`, or the absolute path of a repository of this machine.

    Raises:
        ValueError: any other address: `ext::` runs a program, `git://` and `http://` are not encrypted, and a secret in
            an address is shown in messages and lists of processes.
    """
    find_protocol(text)
    return text


def find_protocol(text: str) -> str:
    """Return git's name of the address's protocol: `https`, `ssh` or `file`.

    Raises:
        ValueError: as `check_git_url`.
    """
    if not text.isprintable() or " " in text:
        raise ValueError("the address of a repository has no spaces and no invisible characters")
    if PurePath(text).is_absolute():
        return "file"
    if _SSH_PLACE.fullmatch(text):
        return "ssh"
    parts = urlsplit(text)
    if parts.scheme not in {"https", "ssh"} or not parts.hostname or parts.hostname.startswith("-"):
        raise ValueError("the address of a repository is https://…, ssh://…, git@host:path or an absolute path")
    if parts.password or (parts.username and parts.scheme == "https"):
        raise ValueError("the address holds a name or a password: put them in ~/.netrc of the server's account")
    return parts.scheme


def check_branch(text: str) -> str:
    """Check the name of a branch; empty is the repository's own.

    Raises:
        ValueError: no name that a branch can have.
    """
    if text and not _BRANCH.fullmatch(text):
        raise ValueError(f'"{text[:80]}" is no name of a branch')
    return text
