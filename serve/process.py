"""Processes of a server: one, or a parent with workers."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from aurora.errors import Code, Fault, list_names
from aurora.serve.authentication import Authenticator, JwtVerifier, KeySet
from aurora.serve.tokens import TokenStore, find_token_file, load_signing_key
from aurora.system.environment import read_value
from aurora.tools import runtime
from aurora.tools.commands.process import end_programs
from aurora.tools.core import StrictModel
from aurora.tools.http.address import ListenAddress, ServerIdentity, bind_socket, is_loopback, parse_listen_address
from aurora.tools.http.run import ServerOptions, run_server

from .mirrors import Updater, place_mirrors
from .page import PageSource, ServedPage, SessionSigner
from .projects import FolderSource, ProjectPool
from .settings import DEFAULT_ADDRESS, LimitSettings, ProjectSettings, ServeSettings
from .web import FOLDER_VARIABLE, Application, Metrics, ServedProjects, build_application, configure_request_log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from aurora.serve.tokens import Token


_NAME = "project"

_REQUESTS_PER_SECOND = 1_000.0
"""Rate of the programs of one person, which share it; the default of `aur serve` protects people from each other."""

_BURST = 10_000


def serve_one_project(
    root: Path, where: str = DEFAULT_ADDRESS, *, read_only: bool = False, toolsets: tuple[str, ...] = ()
) -> None:
    """Serve one project at `/mcp` until SIGTERM or SIGINT.

    Args:
        root: the project's folder.
        where: the address to listen on.
        read_only: tools that write return FORBIDDEN.
        toolsets: toolsets to offer besides the default tools.

    Raises:
        Fault: FORBIDDEN for an address that other machines reach, CONFLICT for a taken port.
    """
    address = parse_listen_address(where, parse_listen_address(DEFAULT_ADDRESS).port)
    if not is_loopback(address.host):
        raise Fault(
            Code.FORBIDDEN,
            f"`aur mcp --http` is for programs of this machine, and {address.authority} can be reached from others",
            help="Use 127.0.0.1; `aur serve` serves other machines, and asks them for tokens.",
        )
    with bind_socket(address) as listening:
        settings = ServeSettings(
            listen=where,
            toolsets=tuple(name for text in toolsets for name in text.split(",")),
            projects={_NAME: ProjectSettings(folder=str(root), read_only=read_only)},
            limits=LimitSettings(requests_per_second=_REQUESTS_PER_SECOND, burst=_BURST),
        )
        port = listening.getsockname()[1]
        plan = ServerPlan(
            settings=settings, host=address.host, port=port, token_file=str(find_token_file()), is_open=True
        )
        url = ListenAddress(address.host, port).url
        run_process(plan, listening, lambda: _announce(root, url))


def _announce(root: Path, url: str) -> None:
    sys.stderr.write(f"aur: serving {root} at {url}/mcp, until Ctrl-C\n")
    sys.stderr.flush()


def serve_projects(settings: ServeSettings) -> None:
    """Serve until SIGTERM or SIGINT.

    Args:
        settings: the settings.

    Raises:
        Fault: FORBIDDEN for an address that other machines reach, without tokens; CONFLICT for a taken port;
            UPSTREAM_ERROR for a project that cannot be fetched and never was; INTERNAL_ERROR when the workers fail
            again and again.
    """
    address = parse_listen_address(settings.listen)
    state_folder = plan_server(settings, address).state_folder  # before anything listens
    settings = place_mirrors(settings, state_folder)
    updater = Updater(settings.projects, settings.limits.fetch_seconds)
    # The port first: to fetch the projects may take minutes, and would be in vain where it is taken.
    with bind_socket(address) as listening, updater.run():
        plan = plan_server(settings, ListenAddress(address.host, listening.getsockname()[1]))
        _warn(plan)
        if settings.workers == 1:
            run_process(plan, listening, lambda: _announce_serve(plan))
        else:
            Supervisor(plan, listening).run(lambda: _announce_serve(plan))


def _announce_serve(plan: ServerPlan) -> None:
    """Print the address of each project."""
    lines = [f"aur: serving at {plan.identity.url}, until Ctrl-C"]
    lines += [f"  {name:16} {plan.identity.url}/p/{name}/mcp" for name in plan.settings.projects]
    if not plan.is_open:
        lines.append(f"  {'the page':16} {plan.identity.url}/ui/")
    sys.stderr.write("\n".join(lines) + "\n")
    sys.stderr.flush()


def _warn(plan: ServerPlan) -> None:
    if plan.is_open:
        sys.stderr.write(
            "aur: no token exists, so each program and each account of this machine may use the projects; "
            "`aur serve token add` makes one, which the next start asks for\n"
        )
    for name, project in plan.settings.projects.items():
        if project.folder and not Path(project.folder).is_dir():
            sys.stderr.write(f'aur: warning: the folder "{project.folder}" of the project "{name}" does not exist\n')


_POLL_SECONDS = 0.1

_KILL_SECONDS = 10
"""Seconds after the limit of a graceful stop, until a worker is killed."""

_SHORT_LIFE = 5.0

_MAX_SHORT_LIVES = 5
"""Workers that may end within `_SHORT_LIFE` seconds, one after the other, before the server gives up."""


@dataclass(eq=False)
class _Worker:
    """Worker process, and when it was started."""

    process: subprocess.Popen[bytes]
    began: float


class Supervisor:
    """Supervisor of the workers of one server.

    Args:
        plan: of the server; a worker reads it from its standard input, which ends when this process does.
        listening: the bound socket.
    """

    def __init__(self, plan: ServerPlan, listening: socket.socket) -> None:
        self._plan = plan
        self._listening = listening
        self._workers: list[_Worker] = []
        self._stop = threading.Event()
        self._short_lives = 0

    def run(self, announce: Callable[[], None]) -> None:
        """Start the workers, replace those that end, and stop all after SIGTERM or SIGINT.

        Args:
            announce: called once the workers have been started.

        Raises:
            Fault: INVALID_INPUT on a system where processes cannot share a socket; INTERNAL_ERROR when workers end
                again and again.
        """
        if sys.platform == "win32":
            raise Fault(Code.INVALID_INPUT, "several workers need Linux or macOS", help="Use --workers 1.")
        with self._handle_signals(), tempfile.TemporaryDirectory(prefix="aurora-metrics-") as figures:
            try:
                self._workers = [self._start_worker(figures) for _ in range(self._plan.settings.workers)]
                announce()
                while not self._stop.wait(_POLL_SECONDS):
                    self._replace_ended(figures)
            finally:
                self._stop_workers()

    @contextlib.contextmanager
    def _handle_signals(self) -> Iterator[None]:
        before = {number: signal.signal(number, self._request_stop) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _request_stop(self, *_given: object) -> None:
        self._stop.set()

    def _start_worker(self, figures: str) -> _Worker:
        descriptor = self._listening.fileno()
        process = subprocess.Popen(  # noqa: S603 - this interpreter with Aurora's own module
            # Not with the current folder on its path: a module there could replace one of the library.
            [sys.executable, "-P", "-m", "aurora.serve.process", str(descriptor)],
            stdin=subprocess.PIPE,
            pass_fds=(descriptor,),
            env={**os.environ, FOLDER_VARIABLE: figures},
        )
        if process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):  # it has ended already, and is replaced
                process.stdin.write(self._plan.model_dump_json().encode() + b"\n")
                process.stdin.flush()  # and left open: its end tells the worker that this process is gone
        return _Worker(process, time.monotonic())

    def _replace_ended(self, figures: str) -> None:
        for index, worker in enumerate(self._workers):
            code = worker.process.poll()
            if code is None:
                continue
            is_short = time.monotonic() - worker.began < _SHORT_LIFE
            # A worker that was killed while it served is replaced; one that cannot start would be for ever.
            self._short_lives = self._short_lives + 1 if is_short else 0
            if self._short_lives >= _MAX_SHORT_LIVES:
                message = f"the workers of the server end right after their start, the last one with {code}"
                raise Fault(Code.INTERNAL_ERROR, message, help="Their messages are above; report this as a bug.")
            sys.stderr.write(f"aur: a worker ended ({code}) and is replaced\n")
            self._workers[index] = self._start_worker(figures)

    def _stop_workers(self) -> None:
        """Send SIGTERM to all, wait for their requests to end, and kill what is left."""
        deadline = time.monotonic() + self._plan.settings.limits.stop_seconds + _KILL_SECONDS
        for worker in self._workers:
            with contextlib.suppress(ProcessLookupError):
                # All are told before any is waited for, so that they finish at the same time.
                worker.process.terminate()
        for worker in self._workers:
            try:
                worker.process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                worker.process.kill()
                worker.process.wait()


def main() -> int:
    """Serve until SIGTERM, or until the parent process has ended."""
    with socket.socket(fileno=int(sys.argv[1])) as listening:
        plan = ServerPlan.model_validate_json(sys.stdin.buffer.readline())
        threading.Thread(target=_stop_with_parent, name="parent", daemon=True).start()
        try:
            run_process(plan, listening)
        except Fault as fault:
            sys.stderr.write(f"aur: a worker cannot serve: {fault.message}\n")
            return 1
    return 0


def _stop_with_parent() -> None:
    """Stop when the standard input ends, which the parent process keeps open as long as it lives."""
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


_COLLECTED_OBJECTS = 5_000
"""New objects after which the garbage collector looks for cycles; a request makes some hundred."""

_SWITCH_SECONDS = 0.001
"""Seconds that a thread computes before another one may: with many busy calls, an answer waits for each of them."""


class _BuiltServer(NamedTuple):
    """Application of a server, and its page; None where no token is asked for."""

    app: Application
    page: ServedPage | None

    def stop(self) -> None:
        """Begin the end of the server."""
        self.app.stop()
        if self.page is not None:
            self.page.source.stop()


def run_process(plan: ServerPlan, listening: socket.socket, announce: Callable[[], None] | None = None) -> None:
    """Serve until SIGTERM or SIGINT, finish what runs, and return.

    Args:
        plan: of the server.
        listening: the bound socket.
        announce: called once requests are answered.

    Raises:
        Fault: the settings or the key cannot be used.
    """
    configure_request_log()
    source = FolderSource(plan.settings.projects, is_local=plan.is_open)
    built = _build(plan, source)
    gc.freeze()  # what is loaded now stays
    gc.set_threshold(_COLLECTED_OBJECTS)  # a short command's limit lets the cycles of many requests add up
    sys.setswitchinterval(_SWITCH_SECONDS)
    options = ServerOptions(stop_seconds=plan.settings.limits.stop_seconds)
    try:
        page = built.page.guard(plan.identity) if built.page is not None else None
        guarded = build_application(built.app, plan.identity, plan.settings, page)
        run_server(guarded, listening, options, announce, built.stop)
    finally:
        if built.page is not None:
            built.page.source.close()
        end_programs()


def _build(plan: ServerPlan, source: FolderSource) -> _BuiltServer:
    settings = plan.settings
    toolsets = settings.toolsets or (os.environ.get("AURORA_TOOLSETS", ""),)
    tools = runtime.get_registry().select_mcp(toolsets)
    key = load_signing_key(plan.state_folder)
    pool = ProjectPool(source, tools, key, settings.limits.idle_project_seconds)
    verifier = JwtVerifier(settings.jwt, KeySet(settings.jwt.jwks_url)) if settings.jwt is not None else None
    authenticator = Authenticator(TokenStore(Path(plan.token_file)), verifier, is_open=plan.is_open)
    app = Application(ServedProjects(source, pool), authenticator, plan.identity, settings, Metrics())
    if plan.is_open:  # each program of this machine could answer for the person
        return _BuiltServer(app, None)
    shown = PageSource(source, authenticator, settings.limits.idle_project_seconds)
    is_secure = plan.identity.url.startswith("https://")
    return _BuiltServer(app, ServedPage(shown, authenticator, SessionSigner(key), settings.limits, is_secure=is_secure))


class ServerPlan(StrictModel):
    """Plan of a server.

    Attributes:
        settings: the settings.
        host: the bound host.
        port: the bound port.
        token_file: the path of the tokens.
        is_open: requests need no token.
    """

    settings: ServeSettings
    host: str
    port: int
    token_file: str
    is_open: bool

    @property
    def address(self) -> ListenAddress:
        """Bound address."""
        return ListenAddress(self.host, self.port)

    @property
    def identity(self) -> ServerIdentity:
        """Names of the server."""
        return ServerIdentity.from_address(self.address, self.settings.public_url)

    @property
    def state_folder(self) -> Path:
        """Folder of the tokens and the key."""
        return Path(self.token_file).parent


def plan_server(settings: ServeSettings, address: ListenAddress) -> ServerPlan:
    """Decide if requests need a token: on loopback, not before there is one, for any project.

    Args:
        settings: the settings.
        address: the address, perhaps not bound yet.

    Raises:
        Fault: FORBIDDEN when other machines could reach a server without tokens, or each token is for other projects;
            INVALID_INPUT when it has no name for other machines; the faults of reading the tokens.
    """
    _reject_shared_database(settings)
    file = find_token_file()
    identity = ServerIdentity.from_address(address, settings.public_url)
    reaches_out = not is_loopback(address.host) or identity.is_public
    tokens = TokenStore(file).read()
    # As soon as one token exists somebody decided who may use the server, and it is asked for on loopback too.
    needs_token = settings.jwt is not None or any(_concerns(one, settings) for one in tokens)
    if reaches_out and not needs_token:
        raise _make_open_fault(address if not is_loopback(address.host) else None, identity, settings)
    if tokens and not needs_token:
        raise _make_other_projects_fault(tokens, settings)
    if address.host in {"0.0.0.0", "::"} and not settings.public_url:  # noqa: S104 - compared, not bound
        raise Fault(
            Code.INVALID_INPUT,
            f"the server listens on every address of this machine ({address.host}) and has no public URL",
            help="Set public_url, or --public-url, to the address that clients use, as in https://aurora.example.org; "
            "requests for other names are refused.",
        )
    return ServerPlan(
        settings=settings, host=address.host, port=address.port, token_file=str(file), is_open=not needs_token
    )


def _reject_shared_database(settings: ServeSettings) -> None:
    """Reject projects that would share a memory: those of one file, or of one name in the database server."""
    if read_value("AURORA_DB") and len(settings.projects) > 1 and not read_value("AURORA_DATABASE"):
        raise Fault(
            Code.INVALID_INPUT,
            f"AURORA_DB names one database, and {len(settings.projects)} projects would share it",
            help="Unset AURORA_DB, or serve one project with it, and start a server for each other one.",
        )
    places: dict[str, str] = {}
    for name, project in settings.projects.items():
        other = places.setdefault(project.database_project or name, name)
        if other != name:
            raise Fault(
                Code.INVALID_INPUT,
                f'the projects "{other}" and "{name}" would share one memory in the database server',
                help="Give each its own database_project.",
            )


def _concerns(token: Token, settings: ServeSettings) -> bool:
    return any(name == "*" or name in settings.projects for name in token.projects)


def _make_other_projects_fault(tokens: Sequence[Token], settings: ServeSettings) -> Fault:
    """Refuse to serve openly next to tokens: a typo in a project's name must not open the server."""
    named = list_names({name for token in tokens for name in token.projects})
    project = next(iter(settings.projects))
    return Fault(
        Code.FORBIDDEN,
        f"each token is for other projects ({named}) than those of this server ({list_names(settings.projects)}), "
        "which every program of this machine could use without one",
        help=f"Make a token with `aur serve token add YOUR-NAME --project {project} --scope write`; or end the others: "
        "`aur serve token list` lists them, `aur serve token revoke ID` ends one.",
    )


def _make_open_fault(address: ListenAddress | None, identity: ServerIdentity, settings: ServeSettings) -> Fault:
    project = next(iter(settings.projects))
    where = f"on {address.authority}" if address is not None else f"behind {identity.url}"
    return Fault(
        Code.FORBIDDEN,
        f"a server {where} can be reached from other machines, and no token exists that it would ask for",
        help=f"Make a token with `aur serve token add YOUR-NAME --project {project} --scope write`, "
        "or configure [jwt]; or listen on 127.0.0.1 without a public URL.",
    )


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    os._exit(code)  # a cancelled call may still run in a library that aborts when its thread is unwound
