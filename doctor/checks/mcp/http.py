"""Check that the servers of entries over HTTP answer with the three tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.doctor.finding import report_failure, report_pass, report_skip
from aurora.hosts import DEFAULT_TOOLS, RemoteServer, list_http_tools, read_token_name

from .entries import list_entries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor.context import DoctorContext
    from aurora.doctor.finding import Finding


def check_http(context: DoctorContext) -> Iterator[Finding]:
    """Check each address once for each token.

    A clone can name any address and any variable, so only those of a trusted folder are called, and the one of the
    command line.
    """
    addresses: dict[RemoteServer, list[str]] = {}
    for entry in list_entries(context):
        if entry.state.url and not entry.is_disabled:
            remote = RemoteServer(entry.state.url, read_token_name(entry.host, entry.raw))
            addresses.setdefault(remote, []).append(entry.host.title)
    for remote, titles in addresses.items():
        yield _check_address(remote, f", for {', '.join(titles)}", context)


def _check_address(remote: RemoteServer, for_whom: str, context: DoctorContext) -> Finding:
    if remote.url != context.named_url and not context.equipment.trust().trusted:
        message = f"{remote.url} is not called, since this folder is not trusted{for_whom}"
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
