"""Plan of a host's entry for a server over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.hosts.formats import ConfigFileError, drop_entry, put_entry, read_entries
from aurora.hosts.launch import is_aurora_command, read_argv
from aurora.hosts.remote import build_http_entry, is_aurora_url, merge_http_entry, read_url

from .entries import choose_file, choose_http_name, find_own_entries, get_entry

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from aurora.hosts.host import Host, Scope
    from aurora.hosts.remote import RemoteServer

    from .draft import Draft


def plan_http_entry(host: Host, scope: Scope, draft: Draft, remote: RemoteServer) -> list[str]:
    """Plan the entry; return the file's name if it is up to date.

    An entry that starts Aurora as a program for this project gives way to it.

    Raises:
        ConfigFileError: its file is invalid, or the name is another server's.
        LookupError: the host takes no such entry.
    """
    path = draft.resolve_path(choose_file(host, scope, draft))
    text = draft.read_text(path)
    entries = read_entries(host, text or "")
    name = choose_http_name(scope, draft.root)
    existing = get_entry(entries, name)
    wanted = build_http_entry(host, remote, name)
    if existing is not None:
        _check_owner(host, name, existing)
        wanted = merge_http_entry(host, existing, wanted)
    former = [own for own in find_own_entries(host, scope, draft.root, entries) if own != name]
    if existing == wanted and not former:
        return [draft.format_path(path)]
    result = text or ""
    is_reached_otherwise = existing is not None and not existing.keys() <= wanted.keys()
    for own in [*former, *([name] if is_reached_otherwise else [])]:
        result = drop_entry(host, result, own) or ""
    draft.write(path, put_entry(host, result, name, wanted), f"the server for {host.title}, over HTTP")
    return []


def find_refusal(host: Host, remote: RemoteServer | None) -> ConfigFileError | None:
    """Return why a host takes no entry for this server, with what to do instead; None if it takes one."""
    if remote is None:
        return None
    if host.http is None:
        return ConfigFileError(
            f"{host.title} takes no entry for a server over HTTP in this file",
            help=f"Let it start Aurora here: `aur init --hosts {host.name}`; or add {remote.url} as a connector of "
            f"{host.title}.",
        )
    if not remote.token_name or host.http.takes_variable:
        return None
    return ConfigFileError(
        f"{host.title} is not known to read a header from a variable such as {remote.token_name}, and the token "
        "itself must not be in the file",
        help=f"Add {remote.url} and the header Authorization by hand to your own settings of {host.title}, never to a "
        f"project's file; or let it start Aurora here: `aur init --hosts {host.name}`.",
    )


def _check_owner(host: Host, name: str, existing: Mapping[str, Any]) -> None:
    """Check that an entry is Aurora's.

    Raises:
        ConfigFileError: it starts another program, or leads elsewhere.
    """
    argv, url = read_argv(host, existing), read_url(host, existing)
    if argv and not is_aurora_command(argv):
        other = f'starts another program, "{argv[0][:80]}"'
    elif url and not argv and not is_aurora_url(url):
        other = "leads to another server"
    else:
        return
    raise ConfigFileError(
        f'the entry "{name}" {other}', help=f"Rename that entry, then run `aur init --hosts {host.name}` again."
    )
