"""Check that the servers of entries over HTTP answer with the three tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.doctor.finding import report_failure, report_nothing, report_pass, report_skip
from aurora.faults import Fault
from aurora.faults.paths import read_inside
from aurora.hosts import DEFAULT_TOOLS, RemoteServer, list_http_tools, read_token_name

from .entries import ServerEntry, list_entries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor.context import DoctorContext
    from aurora.doctor.finding import Finding

_MAX_BYTES = 2_000_000


def check_http(context: DoctorContext) -> Iterator[Finding]:
    """Check each address once for each token.

    A clone can name any address and any variable, so only those of a trusted folder are called, and the one of the
    command line.
    """
    addresses: dict[RemoteServer, list[ServerEntry]] = {}
    for entry in list_entries(context):
        if entry.state.url and not entry.is_disabled:
            remote = RemoteServer(entry.state.url, read_token_name(entry.host, entry.raw))
            addresses.setdefault(remote, []).append(entry)
    if not addresses:
        yield report_nothing("no assistant's file names a server over HTTP")
    for remote, entries in addresses.items():
        titles = ", ".join(entry.host.title for entry in entries)
        is_trusted = remote.url == context.named_url or all(_is_trusted(entry, context) for entry in entries)
        yield _check_address(remote, f", for {titles}", context, is_trusted=is_trusted)


def _is_trusted(entry: ServerEntry, context: DoctorContext) -> bool:
    """Return whether the person trusts the folder, and was shown its file that names the address."""
    if entry.state.scope != "project":
        return context.equipment.trust().trusted
    try:
        content = read_inside(context.root, entry.state.file, _MAX_BYTES)
    except Fault:
        return False
    return context.equipment.is_used(context.root / entry.state.file, content)


def _check_address(remote: RemoteServer, for_whom: str, context: DoctorContext, *, is_trusted: bool) -> Finding:
    if not is_trusted:
        is_changed = context.equipment.trust().trusted
        reason = (
            "the file is new or changed since you trusted this folder" if is_changed else "this folder is not trusted"
        )
        message = f"{remote.url} is not called, since {reason}{for_whom}"
        return report_skip("mcp.http.untrusted", message)
    token = context.environ.get(remote.token_name, "").strip() if remote.token_name else ""
    if remote.token_name and not token:
        message = f"{remote.url} is not called, since {remote.token_name} is not set here{for_whom}"
        return report_skip("mcp.http.token", message)
    answer = list_http_tools(remote, token, context.patience)
    lacking = [name for name in DEFAULT_TOOLS if name not in answer.tools]
    if answer.problem or lacking:
        message = f"{remote.url}: {answer.problem or 'it does not offer ' + ', '.join(lacking)}{for_whom}"
        return report_failure("mcp.http.fails", message, "Start the server with `aur serve`, or correct the address.")
    return report_pass(f"{remote.url} answers, and offers {', '.join(DEFAULT_TOOLS)}{for_whom}")
