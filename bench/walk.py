"""`make hosts`: real assistants walk the shipped workflows with a scripted model, and a table has the figures.

Every request of a host goes to loopback. Each walk begins with the same memory.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import signal
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from hosts.every_tool import EveryCodeModel, EveryToolModel, is_cut
from hosts.figures import HEADINGS, Figures, count_figures, format_row
from hosts.gate import GateModel, write_gate
from hosts.launches import LAUNCHES, Setting
from hosts.model import Script, ScriptedModel
from hosts.packages import choose_names, is_installed, locate_programs
from hosts.project import MAX_SECONDS, Project
from hosts.remote import HOSTS as HTTP_HOSTS
from hosts.remote import serve_project
from hosts.server import serve_model

QUERY = "How are options parsed, and where are errors reported?"
REVIEW = "Review my changes."
SIMPLE = "Where is HelpFormatter defined?"
COMPLEX = (
    "Add retries with a growing delay to every prompt, keep the old signatures working, "
    "change the parser so that it reports all errors at once, and write tests and documentation for both."
)
WALKS = {
    "soar": Script(QUERY),
    "soar, simple question": Script(SIMPLE),
    "soar, complex question": Script(COMPLEX),
    "soar, answers as text": Script(QUERY, sends_text=True),
    "soar, mistakes": Script(QUERY, makes_mistakes=True),
    "soar-fast": Script(QUERY, "soar-fast"),
    "soar-fast, answers as text": Script(QUERY, "soar-fast", sends_text=True),
    "soar-fast, mistakes": Script(QUERY, "soar-fast", makes_mistakes=True),
    "code-review": Script(REVIEW, "code-review"),
    "code-review, answers as text": Script(REVIEW, "code-review", sends_text=True),
    "code-review, mistakes": Script(REVIEW, "code-review", makes_mistakes=True),
}
EVERY_TOOL = "every tool, wrongly"
"""Walk without a workflow: each tool of all toolsets is called twice, and no message may be hidden."""
EVERY_CODE = "every tool, every code"
"""Walk without a workflow: each tool fails with each error code, and each message must be shown."""
GATE = "a gate, 50 tries"
"""Walk of many runs of a workflow with a gate for a person, which the model tries to pass alone."""
OVER_HTTP = ", over HTTP"
"""End of the name of a walk against `aur serve`, with a token and the entry of `aur init --url`."""
WALKS |= {name + OVER_HTTP: WALKS[name] for name in ("soar", "soar, mistakes", "soar, complex question")}
SECONDS_FOR_ALL = 1500
MODELS = {EVERY_TOOL: EveryToolModel, EVERY_CODE: EveryCodeModel, GATE: GateModel, GATE + OVER_HTTP: GateModel}
WIDTHS = (12, 29, 6, 6, 8, 9, 6, 9, 9, 10, 7, 1)


def walk(project: Project, host: str, name: str, log: Path | None) -> Figures:
    """Let a host walk a workflow to its end."""
    project.restore()
    calls_all = name in MODELS
    model = MODELS[name](Script(QUERY)) if calls_all else ScriptedModel(WALKS[name])
    own = {"PATH": project.write_server("hosts.failing_server")} if name == EVERY_CODE else {}
    if is_gate := name.startswith(GATE):
        write_gate(project.root)
        project.trust()
    remote = serve_project(project, host) if name.endswith(OVER_HTTP) else contextlib.nullcontext({})
    with serve_model(model) as server, remote as token:
        own |= token
        setting = Setting(project.home, project.root, server.url, f"Use Aurora: {model.script.query}")
        launch = LAUNCHES[host](setting)
        if calls_all:
            # Claude Code has rules for each tool, and `aur init` writes them for three
            more = ("--allowedTools", "mcp__aurora") if host == "claude-code" else ()
            launch = replace(launch, command=(*launch.command, *more))
            launch = replace(launch, environment={**launch.environment, "AURORA_TOOLSETS": "all"})
        launch = replace(launch, environment={**launch.environment, **own})
        output = project.run_host(launch, SECONDS_FOR_ALL if calls_all else MAX_SECONDS)
    if log:
        lines = [f"{one.call}\n{one.seen.text if one.seen else None}\n" for one in model.sightings]
        file = log / f"{host}-{name.replace(', ', '-').replace(' ', '-')}.txt"
        file.write_text("\n".join([json.dumps(model.schemas), *lines, model.last_words, output]), encoding="utf-8")
    if not calls_all:
        return count_figures(host, name, model, project.read_last_run())
    # there is no single run, and the results have other shapes than that of a response
    figures = count_figures(host, name, model, {"status": "ended"})
    if is_gate and (passed := project.count_steps("act")):
        figures = replace(figures, is_finished=False, last_words=f"{passed} steps behind the gate are in the journal")
    return replace(figures, truncated=sum(is_cut(one) for one in model.sightings))


def read_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=Path, help="the folder in which npm has installed the hosts")
    parser.add_argument("--hosts", default="", help="names of hosts, separated by commas; by default all")
    parser.add_argument("--walks", default="", help="only the walks whose names contain this text")
    parser.add_argument("--sources", type=Path, help="a folder with another code base than Click")
    parser.add_argument("--log", type=Path, help="a folder for the calls and results of each walk")
    return parser.parse_args()


def print_row(cells: tuple[str, ...]) -> None:
    """Print one row of the table."""
    print(" ".join(cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=True)).rstrip(), flush=True)


def walk_all(project: Project, hosts: list[str], walks: str, log: Path | None) -> bool:
    """Walk, and print a row for each walk; return True if each is as it should be."""
    print("tokens: of all results; sent: of all requests of the host to its model, which are the turns")
    print("again: what was sent before, too; tokens are characters / 4")
    print("errors: explained by Aurora + refused by the host itself / made on purpose")
    print_row(HEADINGS)
    is_good = True
    for name in (name for name in (*WALKS, *MODELS) if walks in name):
        for host in hosts:
            if name.endswith(OVER_HTTP) and host not in HTTP_HOSTS:
                continue
            figures = walk(project, host, name, log)
            print_row(format_row(figures))
            is_good = is_good and figures.is_good
    return is_good


def main() -> int:
    """Walk with the hosts that are there; the exit code is 1 if one is missing, or a walk is not as it should be."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the host of the walk is ended, too
    given = read_arguments()
    names = choose_names(given.hosts)
    hosts = [name for name in names if is_installed(given.programs, name)]
    for name in names:
        if name not in hosts:
            print(f"NOT WALKED: {name} is not installed in {given.programs}; `make hosts` installs it")
    if given.log:
        given.log.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="aurora-hosts-"))
    try:
        project = Project(folder.resolve(), locate_programs(given.programs))
        if hosts:
            project.create(LAUNCHES, given.sources)
        is_good = walk_all(project, hosts, given.walks, given.log)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0 if is_good and hosts == names else 1


if __name__ == "__main__":
    sys.exit(main())
