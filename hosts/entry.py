"""Entry of a host that starts Aurora's server, or leads to one over HTTP."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import sys
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from aurora.errors import Code, Fault

from .host import Slot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .files import Draft
    from .host import Host, Scope
    from .person import UserPaths


SERVER_NAME = "aurora"
"""Name of the server in a project's file."""

_PROGRAM_NAMES = frozenset({"aur", "aurora"})
_MODULE = ("-P", "-m", "aurora")
"""Options of Python that run Aurora; without `-P`, Python imports from the folder in which a host starts it."""


@dataclass(frozen=True, slots=True)
class Launch:
    """Command line that starts `aur`, without its arguments.

    Attributes:
        shared: for files that a team shares: `aur` if it is on PATH outside of a virtual environment, since hosts
            do not start in an activated shell, and others have their environment elsewhere.
        own: for a user's own files: the absolute path of the running program.
    """

    shared: tuple[str, ...]
    own: tuple[str, ...]

    @classmethod
    def detect(cls, person: UserPaths) -> Launch:
        """Find the command that starts the running installation.

        Without an installed script it is `python -P -m aurora`: an assistant starts it in the project's folder, and
        without `-P`, Python would import a `click.py` from there.
        """
        installed = Path(sys.executable).parent / ("aur.exe" if sys.platform == "win32" else "aur")
        own = (str(installed),) if os.access(installed, os.X_OK) else (sys.executable, *_MODULE)
        return cls(("aur",) if shutil.which("aur", path=person.lasting_path) else own, own)

    @property
    def is_portable(self) -> bool:
        """Check whether a shared file works the same on another machine."""
        return self.shared == ("aur",)


def build_entry(host: Host, argv: Sequence[str], name: str) -> dict[str, Any]:
    """Build the host's entry for a server command line."""
    filled: Mapping[Any, Any] = {
        Slot.COMMAND: argv[0],
        Slot.ARGS: list(argv[1:]),
        Slot.ARGV: list(argv),
        Slot.NAME: name,
    }
    required = {key: filled[value] if isinstance(value, Slot) else value for key, value in host.shape.items()}
    return {**required, **host.helpful}


def add_safe_path(argv: Sequence[str]) -> tuple[str, ...]:
    """Add `-P` to `python -m aurora …` of earlier versions; leave any other command unchanged."""
    is_module = tuple(argv[1:3]) == _MODULE[1:]
    return (argv[0], *_MODULE, *argv[3:]) if is_module else tuple(argv)


def find_missing_fields(host: Host, entry: Mapping[str, Any]) -> tuple[str, ...]:
    """List the fields that an entry lacks; `false` and `[]` may be absent."""
    return tuple(key for key, value in host.shape.items() if key not in entry and value not in (False, []))


def read_argv(host: Host, entry: Any) -> tuple[str, ...]:
    """Read the command line of an entry; empty if it has none."""
    if not isinstance(entry, dict):
        return ()
    keys = {value: key for key, value in host.shape.items() if isinstance(value, Slot)}
    command = [entry.get(keys[Slot.COMMAND])] if Slot.COMMAND in keys else []
    arguments = entry.get(keys[Slot.ARGV if Slot.ARGV in keys else Slot.ARGS])
    words: list[Any] = [*command, *(arguments if isinstance(arguments, list) else [])]
    if not all(isinstance(word, str) for word in words):
        return ()
    return tuple(word.encode("utf-8", "replace").decode("utf-8") for word in words)  # JSON can contain a lone surrogate


def is_aurora_command(argv: Sequence[str]) -> bool:
    """Check whether a command line starts Aurora's server.

    For example `aur mcp`, `/a/b/aur mcp`, `python -P -m aurora mcp`, `uvx … aur mcp`.
    """
    if "mcp" not in argv:
        return False
    return any(map(is_aurora_program, argv[: list(argv).index("mcp")]))


def is_aurora_program(word: str) -> bool:
    """Check whether a word names the program `aur`, with or without a folder, or the module `aurora`."""
    return word.replace("\\", "/").rpartition("/")[2].removesuffix(".exe") in _PROGRAM_NAMES


def is_bare(argv: Sequence[str]) -> bool:
    """Check whether the program has no folder and is looked up on PATH."""
    return bool(argv) and PurePath(argv[0]).name == argv[0]


def split_trusted_command(argv: Sequence[str], root: Path, person: UserPaths) -> tuple[str, ...] | None:
    """Return the arguments of a command line that may be run although the project's files name it.

    Its program is that of the running installation, or the `aur` on the user's PATH, and not in the project: a clone
    can bring programs, and can name any other with any arguments.

    Args:
        argv: the command line; the program as it is written.
        root: the project's folder, resolved.
        person: the user's paths.

    Returns:
        The words behind `aur`, or behind `python -P -m aurora`; None for any other program.
    """
    found = find_executable(argv, root, person)
    if found is None or os.pardir in PurePath(argv[0]).parts:  # behind a link `..` leads elsewhere than the text says
        return None
    program = os.path.normpath(root / found)
    own = Launch.detect(person).own
    if tuple(argv[1 : 1 + len(_MODULE)]) == _MODULE:
        # Another Python could have another `aurora`.
        return tuple(argv[1 + len(_MODULE) :]) if program == sys.executable else None
    on_path = shutil.which("aur", path=person.path)
    outside = [one for one in (on_path,) if one and not Path(os.path.realpath(one)).is_relative_to(root)]
    # The program as it is installed and as it is linked, such as by pipx; what PATH finds in the project counts for
    # none.
    known = {path for one in (*(own if len(own) == 1 else ()), *outside) for path in (one, os.path.realpath(one))}
    # No link is followed from what the file says: a clone can bring links, also by way of `/proc/self/cwd`.
    return tuple(argv[1:]) if program in known else None


def read_project_option(argv: Sequence[str]) -> str | None:
    """Return the value of `--project`; None means the current folder."""
    words = list(argv)
    return words[words.index("--project") + 1] if "--project" in words[:-1] else None


def find_executable(argv: Sequence[str], root: Path, person: UserPaths) -> str | None:
    """Find the program of a command line; None if it cannot be run."""
    if not argv:
        return None
    command = Path(argv[0])
    with contextlib.suppress(RuntimeError):  # `~name` of an unknown user
        command = command.expanduser()
    # A host starts the server in the project's folder, so a relative program is one of the project.
    return shutil.which(argv[0] if is_bare(argv) else root / command, path=person.path)


_MAX_URL_CHARS = 500
_SETTING_KEYS = frozenset({"alwaysLoad", "autoApprove", "disabled", "enabled", "timeout", "tools", "trust"})
"""Fields that an entry keeps when it changes from a program to an address; most others belong to the program."""
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_TOKEN = re.compile(r"aur_[0-9a-f]{12}_")
_PLAIN = re.compile(r"[!-~]+")
"""Printable ASCII without blanks."""
_UNSAFE = frozenset("$`\"'\\<>{}")
"""Characters that a URL never needs, and that hosts expand or that would end a text."""


@dataclass(frozen=True, slots=True)
class RemoteServer:
    """Address of a server over HTTP.

    Attributes:
        url: the address of `aur serve` or `aur mcp --http`.
        token_name: the environment variable with the token; empty without a token.
    """

    url: str
    token_name: str = ""

    @classmethod
    def parse(cls, url: str, token_name: str = "") -> RemoteServer:
        """Check an address and the name of a variable.

        Raises:
            Fault: INVALID_INPUT, with what would be right; the address is not repeated where it may have a secret.
        """
        parts = _split_url(url)
        if token_name:
            _check_variable(token_name)
            if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
                raise _refuse(
                    f'the token would go to "{parts.hostname}" over plain http, where others can read it',
                    "Use the https address of the server, or a tunnel to 127.0.0.1.",
                )
        return cls(url, token_name)


def is_loopback(hostname: str) -> bool:
    """Check whether a host name is this machine."""
    if hostname == "localhost":
        return True
    try:
        return ip_address(hostname).is_loopback
    except ValueError:
        return False


def is_aurora_url(url: str) -> bool:
    """Check whether an address has the form of Aurora's: http or https, with a path that ends in `/mcp`."""
    try:
        _split_url(url)
    except Fault:
        return False
    return True


def build_http_entry(host: Host, remote: RemoteServer, name: str) -> dict[str, Any]:
    """Build the host's entry for a server over HTTP.

    Raises:
        LookupError: the host takes no such entry.
    """
    shape = host.http
    if shape is None:
        raise LookupError(f'"{host.name}" takes no entry for HTTP')
    entry: dict[str, Any] = {"name": name} if host.form == "yaml" else {}
    entry |= {**shape.fixed, shape.url: remote.url, **host.helpful}
    if not remote.token_name:
        return entry
    if shape.variable_key:
        return {**entry, shape.variable_key: remote.token_name}
    value: Any = shape.variable.format(name=remote.token_name)
    for key in reversed(shape.header):
        value = {key: value}
    return {**entry, **value}


def merge_http_entry(host: Host, existing: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Merge the wanted entry into an existing one of Aurora.

    An entry with the same address keeps all its other fields. A changed one keeps those that are no part of how the
    server is reached, so that no header of the old server goes to the new one.
    """
    if read_url(host, existing) and read_url(host, existing) == read_url(host, wanted):
        return _merge_values(existing, wanted)
    kept = {key: value for key, value in existing.items() if key in _SETTING_KEYS}
    return {**wanted, **kept}


def read_url(host: Host, entry: Any) -> str:
    """Read the address of an entry; empty if it has none."""
    url = entry.get(host.http.url) if isinstance(entry, dict) and host.http is not None else None
    return url.encode("utf-8", "replace").decode("utf-8") if isinstance(url, str) else ""


def find_missing_http_fields(host: Host, entry: Mapping[str, Any]) -> tuple[str, ...]:
    """List the fields that an entry over HTTP lacks; `false` and `[]` may be absent."""
    fixed = host.http.fixed if host.http is not None else {}
    return tuple(key for key, value in fixed.items() if key not in entry and value not in (False, [], True))


def read_token_name(host: Host, entry: Mapping[str, Any]) -> str:
    """Read the environment variable of an entry's token; empty if it names none."""
    shape = host.http
    if shape is None:
        return ""
    if shape.variable_key:
        name = entry.get(shape.variable_key)
        return name if isinstance(name, str) and _VARIABLE.fullmatch(name) else ""
    value: Any = entry
    for key in shape.header:
        value = value.get(key) if isinstance(value, dict) else None
    if not isinstance(value, str) or not shape.variable:
        return ""
    before, after = (re.escape(part) for part in shape.variable.format(name="\0").split("\0"))
    found = re.fullmatch(f"{before}({_VARIABLE.pattern}){after}", value)
    return found[1] if found else ""


def _merge_values(existing: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(existing)
    for key, value in wanted.items():
        before = merged.get(key)
        if isinstance(before, dict) and isinstance(value, dict):
            merged[key] = _merge_values(before, value)
        # Whether the server is on, and what it may do, is the person's choice.
        elif key not in _SETTING_KEYS or key not in merged:
            merged[key] = value
    return merged


def _split_url(url: str) -> SplitResult:
    """Split an address into its parts.

    Raises:
        Fault: INVALID_INPUT.
    """
    example = "Give the address that `aur serve` prints, such as https://aurora.example.org/p/NAME/mcp."
    # The refusals below do not repeat the address, which may have a secret in it.
    if len(url) > _MAX_URL_CHARS or not _PLAIN.fullmatch(url) or _UNSAFE & set(url):
        raise _refuse("the address has characters that no URL has, or is too long", example)
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - raises for a port that is no number
    except ValueError:
        raise _refuse("this is not an address", example) from None
    if "@" in parts.netloc:
        raise _refuse(
            "the address has credentials in it, which would be in the file",
            "Leave them out, and name the environment variable of the token with --token-env.",
        )
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise _refuse("the address does not begin with http:// or https:// and a host", example)
    if parts.query or parts.fragment or "?" in url or "#" in url:
        raise _refuse("the address has a part after `?` or `#`, which the server refuses", example)
    if not parts.path.endswith("/mcp"):
        raise _refuse("the path of the address does not end in /mcp", example)
    return parts


def _check_variable(name: str) -> None:
    """Check the name of an environment variable; do not repeat what may be a token.

    Raises:
        Fault: INVALID_INPUT.
    """
    remedy = 'Put the token into a variable, as in `export AURORA_TOKEN="…"`, and pass --token-env AURORA_TOKEN.'
    # A person may paste the token itself; the message says so without repeating it.
    if _TOKEN.match(name):
        raise _refuse("--token-env got a token, which would be in the file", remedy)
    if not _VARIABLE.fullmatch(name):
        raise _refuse("--token-env is not the name of an environment variable", remedy)


def _refuse(message: str, remedy: str) -> Fault:
    return Fault(Code.INVALID_INPUT, message, help=remedy)


_MAX_NAME_LENGTH = 24
"""Characters of a project's name: a host prefixes each tool with the server's name, and some allow 60 together."""


def choose_file(host: Host, scope: Scope, draft: Draft) -> str:
    """Choose the configuration file: the project's first existing one."""
    if scope == "person":
        return host.user
    return next((file for file in host.project if os.access(draft.root / file, os.F_OK)), host.project[0])


def choose_entry_name(scope: Scope, root: Path, entries: Mapping[str, Any], host: Host) -> str:
    """Choose the name of this project's entry.

    In a project's file the name is `aurora`. A user's file contains several projects: an existing entry keeps its name,
    a new one contains the project's name, with a hash of its path if that name exists.
    """
    if scope == "project":
        return SERVER_NAME
    existing = find_own_entries(host, scope, root, entries)
    if existing:
        return existing[0]
    name = f"{SERVER_NAME}-{_make_slug(root)}"
    # Two projects may have one name; the short one is nicer to read where it is free.
    return _make_exact_name(root) if name in entries else name


def choose_http_name(scope: Scope, root: Path) -> str:
    """Choose the name of this project's entry for a server over HTTP.

    An address does not tell the project's folder, so in a user's file the name does, by a hash of its path.
    """
    return SERVER_NAME if scope == "project" else _make_exact_name(root)


def get_entry(entries: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    """Return the entry with this name; an empty one for a wrong type."""
    if name not in entries:
        return None
    entry = entries[name]
    return entry if isinstance(entry, dict) else {}


def find_own_entries(host: Host, scope: Scope, root: Path, entries: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of Aurora's entries for this project."""
    found = []
    for name, entry in entries.items():
        argv = read_argv(host, entry)
        if is_own_http_entry(host, scope, root, name, entry) or (
            is_aurora_command(argv) and (name == SERVER_NAME if scope == "project" else is_for_project(root, argv))
        ):
            found.append(name)
    return tuple(found)


def is_own_http_entry(host: Host, scope: Scope, root: Path, name: str, entry: Any) -> bool:
    """Check by name and address that an entry leads this project to Aurora over HTTP."""
    return name == choose_http_name(scope, root) and not read_argv(host, entry) and is_aurora_url(read_url(host, entry))


def is_for_project(root: Path, argv: tuple[str, ...]) -> bool:
    """Check whether a command line names this project."""
    project = read_project_option(argv)
    return project is not None and Path(project).expanduser() == root


def can_serve(root: Path, argv: tuple[str, ...]) -> bool:
    """Check whether a server started with this command line serves the project."""
    return read_project_option(argv) is None or is_for_project(root, argv)


def _make_exact_name(root: Path) -> str:
    """Make a name that only this folder has."""
    return f"{SERVER_NAME}-{_make_slug(root)}-{hashlib.sha256(str(root).encode('utf-8')).hexdigest()[:4]}"


def _make_slug(root: Path) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", root.name).strip("-").lower()[:_MAX_NAME_LENGTH] or "project"
