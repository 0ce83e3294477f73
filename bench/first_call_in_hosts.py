"""First calls of real assistants whose model answers at once: when they come, and how long they take.

    python bench/first_call_in_hosts.py FOLDER --hosts claude-code,gemini

FOLDER is that of `make hosts`. Each assistant is started with the same question, which takes two calls. The first
session of a project has no cache of the server's answers; those after it have one.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hosts.launches import LAUNCHES, Setting
from hosts.model import Script, ScriptedModel
from hosts.packages import choose_names, is_installed, locate_programs
from hosts.project import Project
from hosts.server import serve_model
from hosts.stopwatch import read_calls

if TYPE_CHECKING:
    from hosts.stopwatch import TimedCall

QUERY = "Where is HelpFormatter defined?"
SESSIONS = 4
CALLS = 2


def time_session(project: Project, host: str, log: Path) -> list[TimedCall]:
    """Let a host ask its question once; return its calls."""
    log.unlink(missing_ok=True)
    with serve_model(ScriptedModel(Script(QUERY))) as server:
        path = project.write_server("hosts.stopwatch", str(log), project.find_server())
        launch = LAUNCHES[host](Setting(project.home, project.root, server.url, f"Use Aurora: {QUERY}"))
        output = project.run_host(replace(launch, environment={**launch.environment, "PATH": path}))
    calls = read_calls(log) if log.exists() else []
    if len(calls) != CALLS:
        sys.exit(f"{host} has made {len(calls)} calls instead of {CALLS}: {output[-2000:]}")
    return calls


def format_session(calls: list[TimedCall]) -> str:
    """Format when the first call came, and how long both took."""
    first, second = calls
    return f"after {first.began:.2f} s {first.took * 1000:3.0f} and {second.took * 1000:3.0f} ms"


def main() -> None:
    """Measure the hosts that are installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=Path, help="the folder in which npm has installed the hosts")
    parser.add_argument("--hosts", default="", help="names of hosts, separated by commas; by default all")
    given = parser.parse_args()
    hosts = [name for name in choose_names(given.hosts) if is_installed(given.programs, name)]
    folder = Path(tempfile.mkdtemp(prefix="aurora-hosts-")).resolve()
    try:
        project = Project(folder, locate_programs(given.programs))
        project.create(LAUNCHES)
        for host in hosts:
            project.restore()
            sessions = [time_session(project, host, folder / "calls.log") for _ in range(SESSIONS)]
            print(f"{host:12} " + "; ".join(map(format_session, sessions)), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
