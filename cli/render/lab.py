"""Views of workflows that are tried: test cases, simulations, backtests, and their coverage."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Any

from aurora.cli.output import format_count, put

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.cli.output import Output

    from .printer import Fields

_MARKS = {
    "passed": ("ok", "green"),
    "failed": ("FAILED", "red"),
    "broken": ("BROKEN", "red"),
    "updated": ("updated", "cyan"),
}


def print_cases(output: Fields, out: Output) -> None:
    """Print which cases passed, and where the others differ from what was expected."""
    for file, cases in groupby(output["cases"], key=lambda case: case["file"]):
        out.line((file, "bold"))
        for case in cases:
            _print_case(case, out)
    for one in output["coverage"] or ():
        out.line((f"coverage of {one['workflow']}", "bold"))
        _print_coverage(one["coverage"], out)
    counts = ", ".join(f"{output[key]} {key}" for key in ("passed", "failed", "updated") if output[key])
    out.line((f"{format_count(output['cases'], 'case')}: {counts}", "green" if output["ok"] else "red"))


def _print_case(case: Fields, out: Output) -> None:
    mark, style = _MARKS[case["status"]]
    out.line((f"  {mark:8}", style), case["name"])
    out.line((put("    ", case["error"]), "red"))
    out.line((put("    help: ", case["help"]), "dim"))
    for one in case["differences"] or ():
        out.line(f"    {one['place']}: {one['where']}")
        out.line((f"      expected  {_format_value(one['expected'])}", "green"))
        out.line((f"      actual    {_format_value(one['actual'])}", "red"))
    if case["differences"] and case["path"]:
        out.line((f"    the path was {json.dumps(case['path'], ensure_ascii=False)}", "dim"))


def _format_value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


_COUNTERS = {
    "phases": "phases",
    "rules_true": "rules taken",
    "rules_false": "rules false",
    "bounds": "bounds used up",
    "error_routes": "error routes",
    "skips": "phases skipped",
}


def _print_coverage(coverage: Fields, out: Output) -> None:
    """Print how much of a workflow was taken, and what was not."""
    counters = {label: coverage[key] for key, label in _COUNTERS.items()}
    out.line("  " + ", ".join(f"{label} {one['taken']}/{one['of']}" for label, one in counters.items() if one["of"]))
    for phase in coverage["untaken_phases"]:
        out.line((f'  phase "{phase}" was not taken', "yellow"))
    for rule in coverage["rules"]:
        sides = {"true": rule["true"] or 0, "false": rule["false"], "spent": rule["otherwise"]}
        lacks = [side for side, count in sides.items() if count == 0]
        if lacks and rule["phase"] not in coverage["untaken_phases"]:
            when = rule["when"] or "without when"
            out.line((f'  rule {rule["rule"]} of "{rule["phase"]}" ({when}) was never {" or ".join(lacks)}', "yellow"))


_MAX_PATHS = 40
_TIMES_SIGN = "\N{MULTIPLICATION SIGN}"
_PATH_ENDS = {"ended": ("end", "green"), "stuck": ("stuck", "red"), "cut": ("cut", "yellow")}


def print_simulation(output: Fields, out: Output) -> None:
    """Print the paths of each workflow, what was covered, and what could not be reached."""
    for number, workflow in enumerate(output["workflows"]):
        if number:
            out.line()
        calls = workflow["longest"]["calls"] if workflow["longest"] else 0
        paths = format_count(workflow["paths_walked"], "path")
        out.line((workflow["workflow"], "bold"), f"  {paths}, the longest of {format_count(calls, 'call')}")
        for path in workflow["paths"][:_MAX_PATHS]:
            end, style = _PATH_ENDS[path["status"]]
            reason = put("  ", path["reason"])
            out.line(f"  {' → '.join(_format_steps(path['steps']))}", (f" → {end}", style), (reason, "red"))
        rest = workflow["paths_walked"] - min(len(workflow["paths"]), _MAX_PATHS)
        out.line((put("  … ", rest or None, " more"), "dim"))
        if workflow["scripted"]:
            out.line(f"  the walk {'reached its end' if workflow['ok'] else 'did not reach an end'}")
        else:
            _print_summary(workflow, out)


def _print_summary(workflow: Fields, out: Output) -> None:
    for one in workflow["inner"] or ():
        phase = f'  phase "{one["phase"]}": the workflow {one["workflow"]} '
        if one["outputs"]:
            outputs = format_count(one["outputs"], "output")
            out.line((f"{phase}is simulated on its own, and gives {outputs} that runs of it end with", "dim"))
        else:
            out.line((f"{phase}is not walked: its output is made from its schema", "yellow"))
    _print_coverage(workflow["coverage"], out)
    if not workflow["whole"]:
        calls = format_count(workflow["calls"] or 0, "call")
        out.line((f"  the search ended at a bound, after {calls}: there may be more paths", "yellow"))
    for one in workflow["suspects"] or ():
        out.line((f"{one['place']}: {_name_suspect(one)} was never taken: ", "yellow"), one["reason"])
    for made_up in workflow["made_up"] or ():
        phase, _, name = made_up.partition(".")
        out.line((f'  input "{name}" of "{phase}" was made up: on some path nothing had written it', "yellow"))
    style = "green" if workflow["covered"] else "yellow" if workflow["ok"] else "red"
    out.line((_format_verdict(workflow), style))


def _name_suspect(suspect: Fields) -> str:
    rule = suspect["rule"]
    kinds = {"phase": "phase", "rule": f"rule {rule} of", "else": f"the else of rule {rule} of"}
    return f'{kinds[suspect["kind"]]} "{suspect["phase"]}"'


def _format_verdict(workflow: Fields) -> str:
    if workflow["covered"]:
        skips = workflow["coverage"]["skips"]
        others = "" if skips["taken"] == skips["of"] else "; not every `when` of a phase was tried both ways"
        return f"  every phase and every rule was taken, and every path that was tried ends{others}"
    parts = [format_count(workflow["suspects"], "suspect")] if workflow["suspects"] else []
    parts += [f"{format_count(workflow['unended'], 'path')} without an end"] if workflow["unended"] else []
    left_out = workflow["left_out"]
    parts += [f"{format_count(left_out, 'part')} not reached within the bounds of the search"] if left_out else []
    return f"  {'no path is stuck; ' if workflow['ok'] else ''}{', '.join(parts)}"


def _format_steps(steps: Sequence[Fields]) -> Iterator[str]:
    """Yield the text of each step, with a count where steps are equal.

    `verify[2]` is rule 2 of the phase, and `verify[2 else]` is the `else` of that rule.
    """
    for name, same in groupby(map(_format_step, steps)):
        count = len(list(same))
        yield name if count == 1 else f"{name} {_TIMES_SIGN}{count}"


def _format_step(step: Fields) -> str:
    for mark in ("failed", "skipped", "declined"):
        if step[mark]:
            return f"{step['phase']}[{mark}]"
    return f"{step['phase']}[{step.get('rule', 'list too long')}{' else' if step['spent'] else ''}]"


_MAX_RUNS = 10
_NOTES = {
    "start": 'began at "{phase}", and the workflow begins elsewhere now',
    "tool": 'the result of "{phase}" was made by another tool, or with other settings or arguments',
    "unknown": '"{phase}" was edited, and its result may have been made with other settings',
    "arguments": 'the result of "{phase}" was made from other inputs',
    "prompt": '"{phase}" received another prompt',
    "unasked": '"{phase}" no longer asks for the recorded answer',
    "dropped": '"{phase}" no longer takes the input "{name}"',
}
_HEADLINES = {
    "next_action": '"{phase}" leads elsewhere (step {step})',
    "gone": 'there is no phase "{phase}" any more (step {step})',
    "fails": '"{phase}" fails (step {step})',
    "unreadable": "the recording cannot be read",
    "answer": 'the answer to "{phase}" no longer fits (step {step})',
    "inputs": 'the inputs of "{phase}" no longer fit (step {step})',
    "result": 'the result of "{phase}" no longer fits (step {step})',
}


def print_backtest(output: Fields, out: Output) -> None:
    """Print the runs that diverge from their recordings, grouped by how."""
    if not output["tried"]:
        out.line(f'no run of "{output["of"]}" is recorded in this project: there is nothing to try')
        out.line((put("help: ", output["hint"]), "dim"))
        return
    for group in output["groups"]:
        _print_divergence(group, group["divergence"], out)
    for note in output["notes"]:
        text = _NOTES.get(note["kind"], "{phase}").format(phase=note["phase"], name=note["name"] or "")
        out.line((f"note: {format_count(note['runs'], 'run')}: {text}", "yellow"))
    counts = f"{output['same']} the same, {output['diverged']} diverge"
    tried = f"{format_count(output['tried'], 'run')} of {output['of']} through {output['workflow']}"
    out.line((f"{tried}: {counts}", "green" if output["ok"] else "red"))


def _print_divergence(group: Fields, found: Fields, out: Output) -> None:
    headline = _HEADLINES[found["kind"]].format(**{"step": "", **found})
    out.line((f"{format_count(group['runs'], 'run')}: ", "bold"), (headline, "red"))
    if found["old"] is not None and found["new"] is not None:
        out.line(f"  was  {_format_transition(found['old'])}")
        out.line(f"  is   {_format_transition(found['new'])}")
    for path, value in (found["values"] or {}).items():
        out.line((f"       {path} = {json.dumps(value, ensure_ascii=False)}", "dim"))
    for fault in found["faults"] or ():
        out.line(f"  {fault['path']} {fault['message']}")
    out.line((put("  at ", found["place"]), "dim"))
    shown, more = ", ".join(group["runs"][:_MAX_RUNS]), len(group["runs"]) - _MAX_RUNS
    out.line((f"  {shown}{f' and {more} more' if more > 0 else ''}", "dim"))
    out.line()


def _format_transition(transition: Mapping[str, Any]) -> str:
    target = (transition["then"] or "nowhere") + (" (early exit)" if transition["early_exit"] else "")
    if transition["rule"] is None:
        return f"{target}  by on_error" if transition["then"] else target
    reason = transition["when"] or "without when"
    return f"{target}  by {'the else of ' if transition['spent'] else ''}rule {transition['rule']}: {reason}"
