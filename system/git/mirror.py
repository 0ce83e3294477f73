"""Mirror of a repository: its address checked, and fetched by git without hooks, filters or links."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from pathlib import PurePath
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from aurora.errors import Code, Fault
from aurora.system.programs import find_program_outside

from .process import Command, build_environment, stream_command

if TYPE_CHECKING:
    from pathlib import Path

    from .process import RunningGit

FETCH_SECONDS = 1800.0
"""Seconds after which a fetch is stopped: a first one of a large repository takes minutes."""
_MAX_REASON = 300
_MAX_SAID = 10_000
_FETCHED = "refs/aurora/fetched"
_OPTIONS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.symlinks=false",  # a link in the repository is a file with its target's name, and leads nowhere
    "core.attributesFile=/dev/null",
    "core.sparseCheckout=true",
    "core.sparseCheckoutCone=false",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "gc.autoDetach=false",
    "advice.detachedHead=false",
)
_TAKEN = ("/*", "!/.aurora", "/.aurora/workflows/", "/.aurora/agents/")
"""What is checked out: `.aurora` holds the server's own memory, and a repository cannot bring one."""
_SSH_PLACE = re.compile(r"[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:(?!/?/)[A-Za-z0-9._~/-]+")
"""`git@host:team/app.git`."""
_BRANCH = re.compile(r"(?![-/.])(?!.*(?:\.\.|//|@\{))[A-Za-z0-9._/@+-]{1,200}(?<![/.])")
_REASON = ("fatal:", "error:", "remote:", "ERROR:")


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
    # A host such as `-oProxyCommand=…` is an option for ssh, which starts a program (CVE-2017-1000117).
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


class Mirror:
    """Mirror of a branch; one at a time updates it.

    Args:
        folder: a folder of the server's own; made if it is missing.
        url: an address that `check_git_url` accepts.
        branch: empty for the repository's own.
    """

    def __init__(self, folder: Path, url: str, branch: str = "") -> None:
        self.folder = folder
        self._url = url
        self._branch = branch
        self._lock = Lock()
        self._running: RunningGit | None = None
        self._is_stopped = False

    def read_commit(self) -> str:
        """Return the commit that is checked out; empty before the first one."""
        if not (self.folder / ".git").is_dir():
            return ""
        with contextlib.suppress(Fault):
            return self._run("rev-parse", "--verify", "--quiet", "HEAD^{commit}").decode().strip()
        return ""

    def update(self) -> str:
        """Fetch the branch, check it out, and return its commit.

        Raises:
            Fault: UPSTREAM_ERROR with git's reason; what was checked out before stays. TIMEOUT after `FETCH_SECONDS`.
        """
        self._prepare()
        ref = f"refs/heads/{self._branch}" if self._branch else "HEAD"
        # With force, since a branch may be rewritten. No hook, filter or other repository is asked.
        self._run("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--force", self._url, f"+{ref}:{_FETCHED}")
        commit = self._run("rev-parse", "--verify", f"{_FETCHED}^{{commit}}").decode().strip()
        self._run("checkout", "--quiet", "--force", "--detach", commit)
        return commit

    def stop(self) -> None:
        """Stop a fetch that runs, and let no other begin."""
        with self._lock:
            self._is_stopped = True
            if self._running is not None:
                self._running.kill()

    def _prepare(self) -> None:
        """Make the repository, and remove the locks of a killed git: nobody else writes here."""
        metadata = self.folder / ".git"
        if not (metadata / "HEAD").is_file():
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            # The templates of the account may contain hooks.
            with tempfile.TemporaryDirectory() as empty:
                self._run("init", "--quiet", f"--template={empty}")
        for lock in metadata.rglob("*.lock"):
            lock.unlink(missing_ok=True)
        (metadata / "info").mkdir(exist_ok=True)
        (metadata / "info" / "sparse-checkout").write_text("\n".join(_TAKEN) + "\n", "utf-8")

    def _run(self, *words: str) -> bytes:
        """Run git in the mirror and return its output.

        Raises:
            Fault: UPSTREAM_ERROR with git's reason, TIMEOUT.
        """
        program = find_program_outside("git", self.folder)
        if program is None:
            raise Fault(Code.UPSTREAM_ERROR, "git is not installed", help="Install git on the server.")
        options = [word for option in _OPTIONS for word in ("-c", option)]
        argv = (program, *options, *words)
        command = Command(
            argv, self.folder, self._build_environment(), timeout=FETCH_SECONDS, remedy="Fetch a smaller repository."
        )
        with tempfile.TemporaryFile() as log:  # a remote may say any amount
            with stream_command(command, log) as running:
                self._follow(running)
                output = running.output.read()
            log.seek(0)
            said = log.read(_MAX_SAID)
        if not running.succeeded:
            message = f"git cannot fetch: {_read_reason(said)}"
            raise Fault(Code.UPSTREAM_ERROR, message, help="Try the address with `git ls-remote` as this account.")
        return output

    def _follow(self, running: RunningGit) -> None:
        """Let `stop` end a command, or refuse it after one."""
        with self._lock:
            self._running = running
            if self._is_stopped:
                raise Fault(Code.UPSTREAM_ERROR, "the server is stopping")

    def _build_environment(self) -> dict[str, str]:
        """Return git's environment: no configuration of the account, and no other protocol than the address's."""
        own = {
            "XDG_CONFIG_HOME": os.devnull,
            "HOME": os.path.expanduser("~"),  # noqa: PTH111 - never raises; ssh and .netrc are there
            "GIT_DIR": str(self.folder / ".git"),
            "GIT_WORK_TREE": str(self.folder),
            "GIT_ALLOW_PROTOCOL": find_protocol(self._url),
            "GIT_OPTIONAL_LOCKS": "1",
            # Nobody answers a question for a password.
            "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
        }
        return build_environment(self.folder, own)


def _read_reason(said: bytes) -> str:
    """Return git's own sentence about a failure."""
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    found = [line for line in lines if line.startswith(_REASON)] or lines or ["it gave no reason"]
    return "".join(one for one in found[0] if one.isprintable())[:_MAX_REASON]
