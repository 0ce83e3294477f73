"""Views of workflows: files, their problems, differences between two editions, suggestions."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Any

from aurora.cli.output import Column, format_count, put
from aurora.errors import escape_json, show_hidden

from . import lab, step
from .runs import print_explanation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.cli.output import Output

    from .printer import Fields

_LIST_COLUMNS = (
    Column("name"),
    Column("version", 2),
    Column("title", wraps=True),
    Column("phases", 3),
    Column("from", 1),
    Column("state"),
)


def print_workflows(output: Fields, out: Output) -> None:
    """Print the workflows of a project: a table, and what each valid one does."""
    rows = [
        (
            (one["name"], "bold"),
            str(one["version"]),
            one["title"],
            str(one["phases"]),
            one["source"],
            (format_count(one["problems"], "error"), "red") if one["problems"] else ("ok", "green"),
        )
        for one in output["workflows"]
    ]
    out.table(_LIST_COLUMNS, rows)
    _print_descriptions([one for one in output["workflows"] if one["phase_names"]], out)
    if any(one["problems"] for one in output["workflows"]):
        out.line(("`aur workflow validate` shows the errors", "dim"))
    if output["left_out"]:
        left = format_count(output["left_out"], "file")
        out.line((f"{left} left out: at most 200 workflow files, 4 MB in total, are read", "yellow"))
    out.line((output["notice"], "yellow"))


def _print_descriptions(valid: Sequence[Fields], out: Output) -> None:
    for number, one in enumerate(valid):
        out.line((one["name"], "bold cyan"), f"  {one['description']}", apart=number == 0)
        out.line((put("    phases: ", one["phase_names"]), "dim"))
        out.line((put("    agents here: ", one["agents"]), "dim"))
    if valid:
        out.line()


def print_workflow(output: Fields, out: Output) -> None:
    """Print one workflow: its phases with what they take, do, return and lead to."""
    out.line((f"{output['name']} {output['version']}", "bold"), f"  {output['title']}")
    out.line((output["path"], "dim"))
    out.text(output["description"], wraps=True)
    if output["pace"] == "prompt":
        out.line("pace: one call runs all phases up to the next prompt")
    if output["token_budget"]:
        out.line(f"budget: {output['token_budget']:,} tokens of responses in a run")
    for number, phase in enumerate(output["phases"], 1):
        _print_phase(phase, number, out, is_start=phase["name"] == output["start"])
    if output["on_error"]:
        out.line((f"a phase that fails leads to {output['on_error']}", "dim"), apart=True)


def _print_phase(phase: Fields, number: int, out: Output, *, is_start: bool) -> None:
    also = put("  also called ", phase["aliases"])
    title = put("  ", phase["title"])
    out.line(
        (f"{number}. {phase['name']}", "bold cyan"),
        title,
        ("  start" if is_start else "", "green"),
        (also, "dim"),
        apart=True,
    )
    for label, value in _list_facts(phase):
        out.line(f"   {label}{value}" if value else "")
    person = " ".join((phase["person"] or "").split())
    out.text(put("   asks  the person: ", person), wraps=True)
    out.line(put("         with the fields ", phase["form"]))
    out.line(f"   items {phase['limit']}" if phase["limit"] is not None else "")
    out.line(put("   returns ", phase["returns"]))
    for rule in phase["next_action"] or ():
        bound = f", at most {rule['max']} times, then {rule['otherwise'] or 'end'}" if rule["max"] else ""
        when = put(" when ", rule["when"])
        out.line((f"   → {rule['then']}", "bold"), f"{when}{bound}", " (early exit)" if rule["early_exit"] else "")
    for name, case in (("on_decline", "the person declines"), ("on_error", "it fails")):
        if phase[name]:
            out.line((f"   → {phase[name]}", "bold"), f" when {case}")


def _list_facts(phase: Fields) -> Iterator[tuple[str, str | None]]:
    yield "takes ", ", ".join(map(_format_input, phase["inputs"] or ()))
    yield "if    ", put("", phase["when"], "; else it is skipped")
    yield "runs  ", phase["uses"]
    each = put(" for each item of ", phase["each"])
    yield "runs  the workflow ", f"{phase['workflow']}{each}" if phase["workflow"] else ""
    yield "asks  the host for ", phase["asks"]
    yield "allows ", "; ".join(phase["allows"] or ())
    yield "asks  the host at once for ", ", ".join(phase["branches"] or ())


def _format_input(value: Fields) -> str:
    source = put(" (from ", value["recalled_from"], ")")
    return f"{value['name']}{'' if value['required'] else '?'}{source}"


def print_created(output: Fields, out: Output) -> None:
    """Print the files of a new workflow, and how to go on."""
    for path in output["files"]:
        out.line(f"wrote {path}")
    name = output["workflow"]
    if output["problems"]:
        out.line((f"{format_count(output['problems'], 'problem')}: aur workflow validate {name}", "red"))
    out.line((f"next: edit {output['path']}, then aur workflow validate {name}", "dim"), apart=True)
    inputs = "".join(f" --input {one}='…'" for one in output["needs"])
    out.line((f"try:  aur workflow step {output['start']} --workflow {name}{inputs}", "dim"))


def print_suggestions(output: Fields, out: Output) -> None:
    """Print the workflows that fit a task, the best first, each with its reasons."""
    if not output["suggestions"]:
        out.line("no workflow of this project runs; run `aur workflow validate` to see why")
    for one in output["suggestions"]:
        title = put("  ", one["title"])
        out.line((one["workflow"], "bold cyan"), (f"  {one['confidence']:.0%}", "green"), title)
        out.line(put("    ", one["description"]))
        out.line((put("    speaks of ", one["words"]), "dim"))
        out.line((put("    suits: ", one["nearest"]), "dim"))
        out.line((put("    phases: ", one["phases"]), "dim"))
        out.line((put("    agents here: ", one["agents"]), "dim"))
    if output["suggestions"]:
        out.line()
        out.line("" if output["certain"] else "None is clearly ahead.")
        out.line((f"begin: aur workflow run {output['suggestions'][0]['workflow']}", "dim"))


_IDENTITY = ("path", "line", "column", "code", "message")
_STOPPING = frozenset({"W310", "W405", "W502", "W506"})
"""Codes of problems that make a run stop before its end."""
_SEVERITY_STYLES = {"error": "bold red", "warning": "bold yellow"}


def print_problems(output: Fields, out: Output) -> None:
    """Print the problems and a summary, or the report in the requested format."""
    if output["report"] or output["format"] != "text":
        if output["report"]:  # for other programs: no colour, no wrapping
            show = escape_json if output["format"] == "sarif" else show_hidden
            out.raw(show(output["report"]).rstrip("\n") + "\n")
    else:
        _print_fixes(output["edits"] or (), out)
        for checked in _show_problems_once(output["files"]):
            _print_file(checked, out)
        _print_verdict(output, out)


def _print_fixes(edits: Sequence[Fields], out: Output) -> None:
    for edit in edits:
        out.line(
            (f"{edit['path']}:{edit['line']}:{edit['column']}: ", "bold"),
            ("fixed: ", "bold green"),
            f"{edit['old']} → {edit['new']} ",
            (f"[{edit['code']} {edit['name']}]", "dim"),
        )
    if edits:
        out.line((f"{format_count(edits, 'problem')} fixed", "green"))


def _show_problems_once(files: Sequence[Fields]) -> Iterator[Fields]:
    """Leave out of each workflow the problems that one before it has: workflows that extend it share them."""
    shown: set[tuple[Any, ...]] = set()
    for checked in files:
        keys = [tuple(one[key] for key in _IDENTITY) for one in checked["problems"]]
        new = [one for one, key in zip(checked["problems"], keys, strict=True) if key not in shown]
        yield type(checked)(checked, problems=new, repeated=len(keys) - len(new))
        shown.update(keys)


def _print_file(checked: Fields, out: Output) -> None:
    for problem in checked["problems"]:
        _print_problem(problem, out)
    if checked["repeated"]:
        repeated = format_count(checked["repeated"], "problem")
        out.line((f"{checked['workflow']}: {repeated} of another workflow, shown above", "dim"))
    if checked["proof"]:
        out.line((_format_proof(checked, checked["proof"]), "dim"))


def _print_problem(problem: Fields, out: Output) -> None:
    """Print a problem in the form of a compiler's message: place, source line, caret, help and note."""
    style, margin = _SEVERITY_STYLES[problem["severity"]], " " * len(str(problem["line"]))
    out.line(
        (f"{problem['path']}:{problem['line']}:{problem['column']}: ", "bold"),
        (f"{problem['severity']}: ", style),
        (f"{problem['message']} ", "bold"),
        (f"[{problem['code']} {problem['name']}]", "dim"),
    )
    if problem["source"]:
        out.line((f"{margin} |", "blue"))
        out.line((f"{problem['line']} |", "blue"), f" {problem['source']}".rstrip())
        out.line((f"{margin} | ", "blue"), (problem["caret"], style))
    for kind in ("help", "note"):
        if problem[kind]:
            out.line((f"{margin} = {kind}: ", "bold"), problem[kind])


def _format_proof(checked: Fields, proof: Fields) -> str:
    """Return what was proved: `soar: 9 phases, at most 38 paths and 14 calls, every path ends`."""
    paths, calls = proof["paths"], proof["longest_run_calls"]
    many = "more than a million paths" if paths is None else f"at most {format_count(paths, 'path')}"
    if calls is None:
        long = ", a longest run of unknown length"
    else:
        long = f"{', at most' if paths is None else ' and'} {format_count(calls, 'call')}"
    parts = [format_count(proof["phases"], "phase"), f"{many}{long}", _format_end(checked)]
    if proof["token_budget"] is not None:
        parts.append(f"a budget of {format_count(proof['token_budget'], 'token')}")
    return f"{checked['workflow']}: {', '.join(parts)}"


def _format_end(checked: Fields) -> str:
    """Say that every path ends only where no problem says that a run may stop before."""
    if not checked["proof"]["always_ends"]:
        return "a path that may not end"
    # The repeated problems are left out of the list, so any of them may be one that stops a run.
    may_stop = any(one["code"] in _STOPPING for one in checked["problems"]) or checked["repeated"]
    return "no endless loop" if may_stop else "every path ends"


def _print_verdict(output: Fields, out: Output) -> None:
    found = [format_count(output[kind], kind[:-1]) for kind in ("errors", "warnings") if output[kind]]
    style = "red" if not output["ok"] else "yellow" if output["warnings"] else "green"
    checked = format_count(output["files"], "workflow")
    out.line((f"{checked} checked, {' and '.join(found) or 'no problems'}", style))


_CHANGE_SIGNS = {"added": "+", "removed": "-", "changed": "~", "words": "·"}
_CHANGE_STYLES = {"added": "green", "removed": "red", "changed": "yellow", "words": "dim"}
_FIGURES = {"phases": "phases", "paths": "paths, at most", "longest_run": "calls of a run, at most"}


def print_diff(output: Fields, out: Output) -> None:
    """Print what differs between two editions of a workflow, phase by phase."""
    for phase, changes in groupby(output["changes"], key=lambda change: change["phase"]):
        out.line((phase or "the workflow", "bold"))
        for change in changes:
            place = change["is_at"] or change["was_at"]
            out.line(
                (f"  {_CHANGE_SIGNS[change['sign']]} {change['text']}", _CHANGE_STYLES[change["sign"]]),
                ("  breaking" if change["breaking"] else "", "bold red"),
                (put("  ", place), "dim"),
            )
            out.line(put("      was ", change["before"]))
            out.line(put("      is  ", change["after"]))
        out.line()
    before, after = output["before"], output["after"]
    for key, label in _FIGURES.items():
        if before[key] != after[key]:
            out.line(f"{label}: {_format_figure(before[key])} → {_format_figure(after[key])}")
    if output["stale"]:
        stale = ", ".join(output["stale"])
        out.line((f"a run in progress that has finished one of these phases returns to it: {stale}", "yellow"))
    out.line((_format_difference(output), "green" if output["same"] else "red"))


def _format_figure(value: int | None) -> str:
    return "unknown" if value is None else f"{value:,}"


def _format_difference(output: Fields) -> str:
    names = f"{output['before']['called']} and {output['after']['called']}"
    if not output["changes"]:
        return f"{names} do the same"
    if output["same"]:
        return f"{names} do the same, in other words"
    count = sum(change["sign"] != "words" for change in output["changes"])
    breaking = sum(bool(change["breaking"]) for change in output["changes"])
    verdict = f"{names} differ in {count} {'way' if count == 1 else 'ways'}"
    return f"{verdict}, {breaking} of them breaking" if breaking else verdict


def _print_schema(output: Mapping[str, Any], out: Output) -> None:
    out.raw(json.dumps(output["document"], indent=2, ensure_ascii=True) + "\n")


VIEWS = {
    "workflow.backtest": lab.print_backtest,
    "workflow.diff": print_diff,
    "workflow.explain": print_explanation,
    "workflow.fix": print_problems,
    "workflow.graph": lambda output, out: out.raw(output["text"]),
    "workflow.list": print_workflows,
    "workflow.new": print_created,
    "workflow.schema": _print_schema,
    "workflow.show": print_workflow,
    "workflow.simulate": lab.print_simulation,
    "workflow.step": step.print_response,
    "workflow.suggest": print_suggestions,
    "workflow.test": lab.print_cases,
    "workflow.validate": print_problems,
}
