"""Views of the set-up: plan and outcome of `aur init`, the doctor, the state of the assistants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.cli.output import Column, format_count, put
from aurora.memory.files import DATA_FOLDER

from .printer import print_troubles

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from aurora.cli.output import Output

    from .printer import Fields

_FINDING_STYLES = {"pass": "green", "warn": "yellow", "fail": "red", "skip": "dim"}


def print_doctor(output: Fields, out: Output) -> None:
    """Print what was fixed, the findings by group, then what puts them right."""
    if output["fixed"]:
        out.line(("=== Fixes ===", "bold"))
        for one in output["fixed"]:
            out.line(("[DONE]", "green") if one["done"] else ("[LEFT]", "yellow"), f" {one['message']}")
        out.line()
    for group in output["groups"]:
        _print_group(group, out)
        out.line()
    found = list_problems(output["groups"])
    if found:
        out.line(("=== Suggested Fixes ===", "bold"))
        if any(one["fixable"] for one in found):
            out.line("- Run `aur doctor --fix`, which does this:")
        for remedy in _list_remedies(found):
            out.line(remedy)
        out.line()
    counts = output["counts"]
    warnings = format_count(counts["warn"] or 0, "warning")
    out.line(f"{counts['pass']} passed, {warnings}, {counts['fail']} failed, {counts['skip']} skipped")


def _print_group(group: Fields, out: Output, *, helps: bool = False) -> None:
    out.line((f"=== {group['title']} ===", "bold"))
    for one in group["findings"]:
        out.line((f"[{one['status'].upper()}]", _FINDING_STYLES[one["status"]]), f" {one['message']}")
        if helps and one["steps"]:
            out.line(f"  help: {'  '.join(one['steps'])}")


def list_problems(groups: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the findings that are warnings or failures."""
    return [one for group in groups for one in group["findings"] if one["status"] in {"warn", "fail"}]


def _list_remedies(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return each remedy once: those of `aur doctor --fix` first, marked with a star."""
    ordered = sorted(found, key=lambda one: not one["fixable"])
    return list(dict.fromkeys(f"{'  *' if one['fixable'] else '-'} {' '.join(one['steps'])}" for one in ordered))


_ACTIONS = {"create": "created", "edit": "changed", "delete": "deleted"}
_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}
_DIFF_HEADER_LINES = 2
_MAX_DIFF_LINES = 60
"""Lines of a file's diff on a screen; the skill fits whole."""


def print_init(output: Fields, out: Output) -> None:
    """Print the plan, with its diffs where they were asked for, or the outcome with its checks."""
    for host in output["hosts"]:
        out.line((host["title"], "bold"), (f"  {', '.join(host['found']) or 'named by you'}", "dim"))
    if output["planned"]:
        _print_plan(output, out)
    else:
        _print_outcome(output, out)
    print_troubles(output["troubles"] or (), out)
    out.line((put("not set up: ", output["failed"]), "yellow"))
    for one in output["advice"] or ():
        out.line(f"note: {one}")
    if not output["planned"] and _is_ready(output):
        out.line('Ready. Ask your assistant, for example: "Use aurora_query to find out how … works."')


def _print_plan(output: Fields, out: Output) -> None:
    for change in output["changes"]:
        out.line((f"{change['action']} {change['path']}", "bold"), (f"  {', '.join(change['why'])}", "dim"))
    for path in output["standing"]:
        out.line((f"{path} needs no change", "dim"))
    if output["verbose"]:
        print_diffs(output, out)
        out.line()
    if not output["changes"]:
        out.line("There is nothing to change.")


def print_diffs(output: Fields, out: Output) -> None:
    """Print what a plan writes into each file."""
    for change in output["changes"]:
        out.line((f"{change['action']} {change['path']}", "bold"), apart=True)
        lines = [] if change["action"] == "delete" else change["diff"].splitlines()[_DIFF_HEADER_LINES:]
        for line in lines[:_MAX_DIFF_LINES]:
            out.line((f"  {line}", _DIFF_STYLES.get(line[:1], "")))
        if len(lines) > _MAX_DIFF_LINES:
            out.line((f"  … {len(lines) - _MAX_DIFF_LINES} more lines; --json shows them", "dim"))


def _print_outcome(output: Fields, out: Output) -> None:
    for change in output["changes"]:
        out.line((f"{_ACTIONS[change['action']]} {change['path']}", "bold"), (f"  {', '.join(change['why'])}", "dim"))
    if not output["changes"]:
        out.line("Nothing was changed." if output["troubles"] else "Already set up; nothing to change.")
    if indexed := output["indexed"]:
        files, chunks = format_count(indexed["files"], "file"), format_count(indexed["chunks"], "chunk")
        out.line(f"indexed {files}, {indexed['added']:,} of them new: {chunks} in memory")
    for group in output["checks"] or ():
        out.line()
        _print_group(group, out, helps=True)
    if output["checks"]:
        out.line()


def is_set_up(output: Mapping[str, Any]) -> bool:
    """Return whether `.aurora/` exists, without which nothing is written, and no named assistant failed."""
    return not output["failed"] and not any(trouble["where"] == DATA_FOLDER for trouble in output["troubles"] or ())


def _is_ready(output: Fields) -> bool:
    """Return whether an assistant starts Aurora now, and every check passed."""
    found = [one for group in output["checks"] or () for one in group["findings"]]
    is_connected = any(one["check"] == "mcp.config" and one["status"] == "pass" for one in found)
    is_unproved = any(one["kind"].startswith("mcp.http.") for one in found)
    if output["removed"] or not is_set_up(output):
        return False
    return is_connected and not is_unproved and not list_problems(output["checks"] or ())


_STATUS_STYLES = {"configured": "green", "absent": "dim"}
_STATUS_COLUMNS = (
    Column("assistant"),
    Column("status"),
    Column("trusted"),
    Column("connected"),
    Column("file", 1, wraps=True),
    Column("hooks", 4),
    Column("command", 2),
)


def print_hosts(output: Fields, out: Output) -> None:
    """Print how each assistant is configured, and what each was asked and said."""
    files = output["files"]
    if not files:
        out.text("No assistant found; run `aur hosts list` to see the supported ones.", wraps=True)
        return
    rows = [
        (
            (one["title"], "bold"),
            (one["status"], _STATUS_STYLES.get(one["status"], "yellow")),
            (put("trusted: ", one["trusted"]), "dim"),
            (put("connected: ", one["connected"]), "dim"),
            one["file"],
            (put("hooks: ", one["hooks"]), "dim"),
            (one["url"] or " ".join(one["command"]), "dim"),
        )
        for one in files
    ]
    out.table(_STATUS_COLUMNS, rows, titled=False)
    print_troubles([one for one in files if one["message"]], out)
    for one in files:
        out.text(put(f"{one['title']}: ", one["said"]), wraps=True)
    out.text(_explain_connection(files), wraps=True)
    if any(one["status"] == "absent" for one in files):
        out.line("Run `aur init` to connect the others.")


def _explain_connection(files: Sequence[Fields]) -> str:
    """Say how to learn whether the servers are connected, unless the hosts were asked."""
    if any(one["said"] for one in files) or not any(one["connected"] for one in files):
        return ""
    ask = "; `aur hosts status --ask` asks the assistants" if any(one["ask"] for one in files) else ""
    return f"Whether they are connected is not in any file{ask}."


VIEWS = {
    "doctor.fix": print_doctor,
    "doctor.run": print_doctor,
    "hosts.status": print_hosts,
    "init.plan": print_init,
    "init.remove": print_init,
    "init.run": print_init,
}
