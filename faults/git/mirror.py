"""Mirror of a repository, fetched by git without hooks, filters or links."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from threading import Lock
from typing import IO, TYPE_CHECKING

from aurora.faults.fault import Code, Fault
from aurora.faults.programs import find_program_outside

from .address import find_protocol
from .process import build_environment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

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
_REASON = ("fatal:", "error:", "remote:", "ERROR:")


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
        self._running: subprocess.Popen[bytes] | None = None
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
        self._run("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--force", self._url, f"+{ref}:{_FETCHED}")
        commit = self._run("rev-parse", "--verify", f"{_FETCHED}^{{commit}}").decode().strip()
        self._run("checkout", "--quiet", "--force", "--detach", commit)
        return commit

    def stop(self) -> None:
        """Stop a fetch that runs, and let no other begin."""
        with self._lock:
            self._is_stopped = True
            if self._running is not None:
                _kill(self._running)

    def _prepare(self) -> None:
        """Make the repository, and remove the locks of a killed git: nobody else writes here."""
        metadata = self.folder / ".git"
        if not (metadata / "HEAD").is_file():
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
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
        with tempfile.TemporaryFile() as log:  # a remote may say any amount
            process = self._start([program, *options, *words], log)
            try:
                output, _ = process.communicate(timeout=FETCH_SECONDS)
            except subprocess.TimeoutExpired:
                message = f"git took longer than {FETCH_SECONDS:.0f} s"
                raise Fault(Code.TIMEOUT, message, help="Fetch a smaller repository.") from None
            finally:
                _kill(process)
                with self._lock:
                    self._running = None
            log.seek(0)
            said = log.read(_MAX_SAID)
        if process.returncode != 0:
            message = f"git cannot fetch: {_read_reason(said)}"
            raise Fault(Code.UPSTREAM_ERROR, message, help="Try the address with `git ls-remote` as this account.")
        return output

    def _start(self, argv: Sequence[str], log: IO[bytes]) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._is_stopped:
                raise Fault(Code.UPSTREAM_ERROR, "the server is stopping")
            self._running = subprocess.Popen(  # noqa: S603 - git with fixed options and a checked address
                argv,
                cwd=self.folder,
                env=self._build_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
            return self._running

    def _build_environment(self) -> dict[str, str]:
        """Return git's environment: no configuration of the account, and no other protocol than the address's."""
        own = {
            "XDG_CONFIG_HOME": os.devnull,
            "HOME": os.path.expanduser("~"),  # noqa: PTH111 - never raises; ssh and .netrc are there
            "GIT_DIR": str(self.folder / ".git"),
            "GIT_WORK_TREE": str(self.folder),
            "GIT_ALLOW_PROTOCOL": find_protocol(self._url),
            "GIT_OPTIONAL_LOCKS": "1",
            "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
        }
        return build_environment(self.folder, own)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill git and the programs that it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _read_reason(said: bytes) -> str:
    """Return git's own sentence about a failure."""
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    found = [line for line in lines if line.startswith(_REASON)] or lines or ["it gave no reason"]
    return "".join(one for one in found[0] if one.isprintable())[:_MAX_REASON]
