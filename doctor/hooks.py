"""Check that the hooks of the assistants start, and in time to add anything."""

from __future__ import annotations

import shlex
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.hook import HOOK_SECONDS
from aurora.hosts import (
    HOSTS,
    Launch,
    find_executable,
    get_hosts,
    list_foreign_programs,
    list_missing_events,
    plan_hook_changes,
    read_hooks,
)

from .configuration import write_plan
from .model import report_failure, report_nothing, report_pass, report_warning

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.hosts import Host

    from .model import DoctorContext, Finding

_TRIES = 4
_MAX_SECONDS = 5.0
_REQUEST = b'{"cwd": "/"}'
"""Request of a session in no project: the hook does all but ask a server, and adds nothing."""


def check_hooks(context: DoctorContext) -> Iterator[Finding]:
    """Check each program that hooks start, and measure the quickest of four starts."""
    programs: dict[tuple[str, ...], list[Host]] = {}
    for host in HOSTS:
        for argv in read_hooks(host, context.root, context.person).values():
            # All events start the same program, so it is measured once.
            words = argv[: argv.index("hook")]
            if host not in programs.setdefault(words, []):
                programs[words].append(host)
    if not programs:
        yield report_nothing("no assistant has hooks that start Aurora here; `aur init --hooks` adds them")
    for words, readers in programs.items():
        titles = " and ".join(host.title for host in readers)
        if _is_usable(words, context) and _is_startable(words, readers, context):
            yield _measure_start(words, titles, _describe_missing_events(readers, context), context.root)
        elif _is_usable(words, context):
            yield _report_foreign(words, readers)
        else:
            for host in readers:
                yield report_failure(
                    "mcp.hooks.stale",
                    f'the hooks of {host.title} start "{words[0]}", which is no executable program outside the project',
                    f"Run `aur init --no-index --hosts {host.name} --hooks`.",
                    fix=_HooksFix(host.name),
                    about=host.name,
                )


def _is_usable(words: tuple[str, ...], context: DoctorContext) -> bool:
    found = find_executable(words, context.root, context.person)
    # A program of the project is none that an assistant should start: a clone may have brought it.
    return found is not None and context.root not in (context.root / found).parents


def _is_startable(words: tuple[str, ...], readers: list[Host], context: DoctorContext) -> bool:
    """Return whether the hooks may be run: a clone can bring the project's file, with any program."""
    return not any(words in list_foreign_programs(host, context.root, context.person) for host in readers)


def _report_foreign(words: tuple[str, ...], readers: list[Host]) -> Finding:
    files = ", ".join(host.hooks.path for host in readers if host.hooks is not None)
    titles = ", ".join(host.title for host in readers)
    return report_warning(
        "mcp.hooks.foreign",
        f"{files}: `{shlex.join(words)} hook …` was not started: it is not the program of this installation, nor `aur` "
        "on your PATH, and a file of the project names it",
        f"If you did not write it, remove it from {files} before you start {titles}: they may run it.",
    )


def _describe_missing_events(readers: list[Host], context: DoctorContext) -> str:
    """Describe the events without a hook: removed by a person, or unknown to an earlier version."""
    missing = {event: None for host in readers for event in list_missing_events(host, context.root, context.person)}
    if not missing:
        return ""
    names = ",".join(host.name for host in readers)
    return f"; none for {' and '.join(missing)} (`aur init --no-index --hosts {names} --hooks` adds it)"


def _measure_start(words: tuple[str, ...], titles: str, missing: str, root: Path) -> Finding:
    command = (*words, "hook", "session-start")
    try:
        # A slow start among them says more of a busy machine than of the program.
        quickest = min(_run_once(command, root) for _ in range(_TRIES))
    except (OSError, subprocess.SubprocessError) as error:
        message = f"`{shlex.join(command)}` does not run for {titles}: {error}"
        return report_failure("mcp.hooks.fails", message, f"Run `{shlex.join(command)} < /dev/null` to see why.")
    needed, limit = round(quickest * 1000), round(HOOK_SECONDS * 1000)
    if quickest >= HOOK_SECONDS:
        return report_warning(
            "mcp.hooks.slow",
            f"the hooks of {titles} add nothing: `{shlex.join(command)}` needs {needed} ms of at most {limit} ms",
            "Run `aur doctor --only mcp.hooks` when the machine is less busy, or remove the hooks: "
            "`aur init --remove`, then `aur init` without --hooks.",
        )
    return report_pass(f"the hooks of {titles} start in {needed} ms of at most {limit} ms{missing}")


def _run_once(command: tuple[str, ...], root: Path) -> float:
    began = time.perf_counter()
    subprocess.run(  # noqa: S603 - the assistant starts the same command
        command, input=_REQUEST, cwd=root, capture_output=True, timeout=_MAX_SECONDS, check=True
    )
    return time.perf_counter() - began


@dataclass(frozen=True, slots=True)
class _HooksFix:
    """Fix that writes the hooks of one host again; a value, so that equal remedies compare equal."""

    name: str

    def __call__(self, context: DoctorContext) -> Iterator[str]:
        plan = plan_hook_changes(context.root, context.person, get_hosts((self.name,)), Launch.detect(context.person))
        yield from write_plan(plan, context)
