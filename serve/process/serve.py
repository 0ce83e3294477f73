"""Start of a server for many projects: bind the address, decide on tokens, run one process or several."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.serve.mirrors import Updater, place_mirrors
from aurora.tools.http import ListenAddress, bind_socket, parse_listen_address

from .plan import plan_server
from .start import run_process
from .supervisor import Supervisor

if TYPE_CHECKING:
    from aurora.serve.settings import ServeSettings

    from .plan import ServerPlan


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
    with bind_socket(address) as listening, updater.run():
        plan = plan_server(settings, ListenAddress(address.host, listening.getsockname()[1]))
        _warn(plan)
        if settings.workers == 1:
            run_process(plan, listening, lambda: _announce(plan))
        else:
            Supervisor(plan, listening).run(lambda: _announce(plan))


def _announce(plan: ServerPlan) -> None:
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
