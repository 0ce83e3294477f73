"""Views of runs: the list, one run phase by phase, its reasons rule by rule, and jobs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aurora.cli.output import Column, format_count, format_timestamp, put
from aurora.interpreter.language.model import CONTINUE
from aurora.tools.runs import describe_wait

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.cli.output import Output

    from .printer import Fields

_STATUS_STYLES = {"ended": "green", "open": "cyan", "waiting": "yellow", "failed": "red"}
_STEP_STYLES = {"approved": "green", "complete": "green", "skipped": "dim"}
_MAX_QUESTION = 100
"""Characters of a question in the list."""
_RUN_COLUMNS = (
    Column("run"),
    Column("workflow", 6),
    Column("question", wraps=True),
    Column("state"),
    Column("last phase", 3),
    Column("next", 2),
    Column("steps", 4),
    Column("tokens", 5),
    Column("updated (UTC)", 1),
)


def print_runs(output: Fields, out: Output) -> None:
    """Print the newest runs as a table."""
    if not output["runs"]:
        start = "no run: `aur workflow step assess --input query='…'` starts one"
        out.line("no run fits: `aur runs list` shows all" if output["filtered"] else start)
        return
    rows = [
        (
            (run["run"], "bold"),
            run["workflow"],
            _shorten(run["question"] or ""),
            (_format_status(run), _STATUS_STYLES.get(run["status"], "")),
            run["phase"],
            _format_next(run),
            str(run["steps"]),
            (_format_tokens(run), _choose_token_style(run)),
            format_timestamp(run["updated_at"]),
        )
        for run in output["runs"]
    ]
    out.table(_RUN_COLUMNS, rows)
    out.more(output["next_offset"], "older")


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_QUESTION else f"{text[: _MAX_QUESTION - 1]}…"


def _format_status(run: Fields) -> str:
    """Format the state of a run: what an ended one reached, for whom one waits."""
    outcome = run["outcome"]
    if run["status"] == "ended" and outcome and outcome != "complete":
        return f"ended, {outcome}"
    return "waits for you" if run["status"] == "waiting" else str(run["status"])


def _format_next(run: Fields) -> str:
    """Format what comes next in a run: a phase, `end`, or the answer to the last phase."""
    if run["next"] != CONTINUE:
        return str(run["next"] or "")
    return "your answer" if run["status"] == "waiting" else "an answer"


def _format_tokens(run: Fields) -> str:
    """Format the tokens that a run has used, and its budget: `5,312 of 5,000`."""
    used, budget = run["tokens_used"], run["token_budget"]
    if used is None:
        return ""
    return f"{used:,}" if budget is None else f"{used:,} of {budget:,}"


def _choose_token_style(run: Fields) -> str:
    """Choose the style of the tokens: a warning past the budget."""
    used, budget = run["tokens_used"], run["token_budget"]
    return "yellow" if used is not None and budget is not None and used > budget else ""


def print_status(run: Fields, out: Output) -> None:
    """Print where a run is, and what remains."""
    _print_head(run, out)
    basis = run["basis"]
    out.report(
        {
            "question": run["question"],
            "due": run["phase"],
            "completed": ", ".join(run["phases_completed"]) or "nothing",
            "remaining": _format_remaining(run["phases_remaining"]),
            "fits": _format_confidence(run, basis) if basis else "",
            "suits": basis["nearest"] if basis else "",
        }
    )
    out.line((run["note"], "yellow"))
    _print_wait(run, out)


def _print_head(run: Fields, out: Output, *further: str) -> None:
    style = _STATUS_STYLES.get(run["status"], "")
    out.line(
        (f"run {run['run']}", "bold"),
        f"  {run['workflow']}",
        (f"  {_format_status(run)}", style),
        *((one, "dim") for one in further),
    )


def _print_wait(run: Fields, out: Output) -> None:
    if run["status"] == "waiting":
        out.line((f"it waits for you: aur runs approve {run['run']}", "bold yellow"), apart=True)


def _format_remaining(left: Fields | None) -> str:
    """Format what remains: `1 to 32 phases of retrieve, decompose`, `nothing`, or that it is not known."""
    if left is None:
        return "not known"
    if not left["phases"]:
        return "nothing"
    least, most = left["least"], left["most"]
    count = str(least) if most == least else f"{least} or more" if most is None else f"{least} to {most}"
    return f"{count} phase{'' if count == '1' else 's'} of {', '.join(left['phases'])}"


def _format_confidence(run: Fields, basis: Fields) -> str:
    """Format how well the workflow fits, and what the figure rests on."""
    other = "" if basis["best"] == run["workflow"] else f"; {basis['best']} fits better"
    words = put("; the question speaks of ", basis["words"])
    return f"{run['confidence']:.0%} among {basis['compared']} workflows{other}{words}"


def print_run(run: Fields, out: Output) -> None:
    """Print one run: each phase, what it took and returned, and the rule that fired."""
    origins = {"forked from": run["forked_from"], "on": run["branch"], "in worktree": run["worktree"]}
    further = [f"  {label} {value}" for label, value in origins.items() if value]
    _print_head(run, out, f"  {format_timestamp(run['created_at'])} UTC", *further)
    if run["tokens_used"]:
        out.line("tokens of its responses: ", (_format_tokens(run), _choose_token_style(run)))
    out.tree(run["output"], "output  ")
    for step in run["steps"]:
        _print_step(step, out)
    out.more(run["next_offset"], apart=True)
    if run["status"] == "open":
        # Only on the last page is the last step that of the run.
        last = run["steps"][-1] if run["steps"] and run["next_offset"] is None else {}
        answer = " --answer 'JSON'" if last.get("asked") and last.get("answer") is None else ""
        out.line((f"next: aur workflow step {run['next']} --run {run['run']}{answer}", "dim"), apart=True)
    _print_wait(run, out)


def _print_step(step: Fields, out: Output) -> None:
    took = f"  {step['duration_ms']:g} ms" if step["duration_ms"] is not None else ""
    out.line(
        (f"{step['seq']}. {step['phase']}", "bold cyan"),
        (put("  ", step["kind"]), "dim"),
        (_format_state(step), _STEP_STYLES.get(step["status"], "red")),
        (took, "dim"),
        apart=True,
    )
    out.tree(step["inputs"], "   in      ")
    out.line((_format_origins(step["origins"] or {}), "dim"))
    out.tree(step["arguments"], "   with    ")
    out.tree(step["result"], "   out     ")
    if error := step["error"]:
        out.line((f"   {error['code']}: {error['message']}", "red"))
    out.line(("   asked   prompt sent to the assistant" if step["asked"] else "", "dim"))
    out.line(("   asked   the person" if step["asked_person"] else "", "dim"))
    out.tree(step["answer"], "   answer  ")
    for rule in step["decision"] or ():
        if rule["fired"]:
            spent = put("; ", rule["spent"])
            out.line((f"   → {rule['then']}", "bold green"), _format_fired_rule(rule), (spent, "yellow"))
        else:
            out.line((f"   · {rule['then']}  rule {rule['rule']}: {rule['when']} is false", "dim"))
    if not step["decision"] and step["next_action"]:
        out.line((f"   → {step['next_action']}", "bold"))
    if step["waits"]:
        out.line("   ", (describe_wait(step["waits"]), "bold yellow"))


_WAYS = {"elicitation": "in a form of the assistant", "terminal": "in a terminal", "page": "on the page"}


def _format_state(step: Fields) -> str:
    """Format the state of a step that is not simply complete, and who replied."""
    if step["waits"] or step["status"] == "complete":
        return ""
    by = step["by"]
    how = str(by["how"] or "") if by else ""
    return f"  {step['status']}" + (f" by {by['who'] or 'a person'} {_WAYS.get(how, how)}".rstrip() if by else "")


def _format_origins(origins: Mapping[str, str]) -> str:
    """Format where the inputs came from: `sent: query; default: depth`."""
    names: dict[str, list[str]] = {}
    for name, origin in origins.items():
        names.setdefault(origin, []).append(name)
    found = "; ".join(f"{origin}: {', '.join(each)}" for origin, each in names.items())
    return put("           ", found)


def _format_fired_rule(rule: Fields) -> str:
    if rule["rule"] is None:
        return f"  {rule['reason'] or ''}".rstrip()
    reason = "the only rule" if rule["rule"] == 1 else "nothing before it held"
    reason = f"{rule['when']} is true" if rule["when"] else reason
    return f"  rule {rule['rule']}: {reason}"


_RULE_STYLES = {"fired": "bold green", "spent": "bold yellow", "failed": "bold red", "false": ""}
_WITHOUT = "no condition, and nothing before it held"
_VERDICTS = {
    "fired": ("{when} is true", _WITHOUT),
    "spent": ("{when} is true", _WITHOUT),
    "due": ("{when} is true", _WITHOUT),
    "false": ("{when} is false", "it is false"),
    "failed": ("{when} could not be decided", "it could not be decided"),
    "open": ("if {when}", "else"),
}
"""Verdict -> what is said of a rule with a condition, and of one without."""
_NOT_REACHED = ("not reached, a rule before it held: {when}", "not reached, a rule before it held")
_REASONS = {
    "limit": "the list is longer than its limit",
    "on_decline": "the person declined",
    "skipped": "the phase was skipped, as its `when` is false",
}
_RULE_SIGNS = {"fired": "→", "spent": "→", "failed": "✗"}


def print_explanation(run: Fields, out: Output) -> None:
    """Print the path of a run: each step, its rules, and the values of their parts."""
    fork = put("  forked from ", run["forked_from"], "; the steps before are shared")
    _print_head(run, out, fork)
    out.line((run["path"], "dim"))
    out.line((put("note: ", run["file"]), "yellow"))
    for step in run["steps"]:
        edited = "  the phase was edited since; these rules are the recorded ones" if step["edited"] else ""
        out.line(
            (f"{step['seq']}. {step['phase']}", "bold cyan"),
            (_describe_target(step), "bold"),
            (_format_state(step), _STEP_STYLES.get(step["status"], "red")),
            (edited, "yellow"),
            apart=True,
        )
        out.line((put("   for each: ", step["items"]), "dim"))
        _print_rules(step["rules"] or (), out)
    out.more(run["next_offset"], apart=True)
    _print_wait(run, out)
    coming = run["coming"]
    if coming and run["status"] != "waiting":
        needs = put(", which needs ", coming["needs"])
        out.line((f"next: {coming['phase']}{needs}", "bold"), apart=True)
        _print_rules(coming["rules"] or (), out)
        out.line((f"go on: aur workflow run --run {run['run']}", "dim"))


def _describe_target(step: Fields) -> str:
    """Describe where a step led, or what it waits for; an answer decides on some in a step of its own."""
    if step["waits"]:
        return f"  {describe_wait(step['waits'])}"
    if step["next_action"]:
        return f" led to {step['next_action']}"
    if step["kind"]:
        return " began another workflow" if step["kind"] == "enter" else " was answered in part"
    if step["status"] in {"approved", "declined"}:
        return " asked the person"
    return "  asked for an answer" if step["status"] == "complete" else " led nowhere"


def _print_rules(rules: Sequence[Fields], out: Output) -> None:
    for rule in rules:
        name = rule["key"] if rule["rule"] == 0 else f"rule {rule['rule']}"
        out.line(
            (f"   {_RULE_SIGNS.get(rule['verdict'], '·')} ", _RULE_STYLES.get(rule["verdict"], "dim")),
            f"{name}, to {rule['then']}: {_describe_verdict(rule)}",
            put("; ", rule["note"]),
            (put("  ", rule["place"]), "dim"),
        )
        for part in rule["parts"] or ():
            out.line(f"       {'  ' * (part['depth'] or 0)}{_format_part(part)}")


def _describe_verdict(rule: Fields) -> str:
    when = rule["when"]
    if rule["rule"] == 0:
        return _REASONS.get(rule["key"] or "", "the phase failed")
    if rule["rule"] == 1 and not when and rule["verdict"] in {"fired", "due", "open"}:
        return "the only rule"
    conditional, unconditional = _VERDICTS.get(rule["verdict"], _NOT_REACHED)
    return conditional.format(when=when) if when else unconditional


def _format_part(part: Mapping[str, Any]) -> str:
    name, state, value = part["part"], part.get("state", "known"), part.get("value")
    if state == "skipped":
        return f"{name} was not evaluated: the part before it had decided"
    if state == "failed":
        return f"{name} failed: {part['note']}"
    text = value if isinstance(value, str) and value.startswith("(") else json.dumps(value, ensure_ascii=False)
    return f"{name} = {text}" + (f", for {part['note']}" if part.get("note") else "")


_ENDINGS = {"ended": "done", "stopped": "stopped early", "failed": "failed"}
_ENDING_STYLES = {"ended": "green", "stopped": "yellow", "failed": "red"}


def print_job(output: Fields, out: Output) -> None:
    """Print the run of a job, phase by phase."""
    if output["resumed_after"]:
        out.line(f"went on after {format_count(output['resumed_after'], 'step')}")
    for step in output["steps"]:
        is_complete = step["status"] == "complete"
        sign = ("✓ ", "green") if is_complete else ("✗ ", "red")
        out.line(sign, (step["phase"], "bold"), (f"  {step['duration_ms'] / 1000:.1f} s", "dim"))
        if not is_complete:
            out.line(f"    {step['error']} [{step['code']}]")
    ending = _ENDINGS[output["status"]]
    out.line((f"{output['job']}: {ending}", _ENDING_STYLES[output["status"]]), (f"  run {output['run']}", "dim"))
    out.line(output["say"])
    out.line(output["help"])


VIEWS = {
    "jobs.run": print_job,
    "runs.export": lambda output, out: out.raw(output["text"]),
    "runs.list": print_runs,
    "runs.show": print_run,
    "runs.status": print_status,
}
