"""Views of runs: the list, and one run, phase by phase."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import Column
from aurora.interpreter.language.model import CONTINUE
from aurora.tools.runs import describe_wait

from .view import Blank, Cell, Each, JsonTree, Line, Raw, Table, View, choose_style

if TYPE_CHECKING:
    from collections.abc import Mapping

STATUS_STYLES = {"ended": "green", "open": "cyan", "waiting": "yellow", "failed": "red"}
STEP_STYLES = {"approved": "green", "complete": "green", "skipped": "dim"}

_MAX_QUESTION = 100
"""Characters of a question in the list."""


def format_tokens(run: Mapping[str, Any]) -> str:
    """Format the tokens that a run has used, and its budget: `5,312 of 5,000`."""
    used, budget = run.get("tokens_used"), run.get("token_budget")
    if used is None:
        return ""
    return f"{used:,}" if budget is None else f"{used:,} of {budget:,}"


def choose_token_style(run: Mapping[str, Any]) -> str:
    """Choose the style of the tokens: a warning past the budget."""
    used, budget = run.get("tokens_used"), run.get("token_budget")
    return "yellow" if used is not None and budget is not None and used > budget else ""


def format_status(run: Mapping[str, Any]) -> str:
    """Format the state of a run: what an ended one reached, for whom one waits."""
    outcome = run.get("outcome")
    if run["status"] == "ended" and outcome and outcome != "complete":
        return f"ended, {outcome}"
    return "waits for you" if run["status"] == "waiting" else str(run["status"])


def _format_next(run: Mapping[str, Any]) -> str:
    """Format what comes next in a run: a phase, `end`, or the answer to the last phase."""
    if run.get("next") != CONTINUE:
        return str(run.get("next") or "")
    return "your answer" if run["status"] == "waiting" else "an answer"


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_QUESTION else f"{text[: _MAX_QUESTION - 1]}…"


def _format_remaining(run: Mapping[str, Any]) -> str:
    """Format what remains: `1 to 32 phases of retrieve, decompose`, `nothing`, or that it is not known."""
    left = run.get("phases_remaining")
    if left is None:
        return "not known"
    if not left["phases"]:
        return "nothing"
    most = left["most"]
    count = str(left["least"]) if most == left["least"] else f"{left['least']} or more" if most is None else ""
    count = count or f"{left['least']} to {most}"
    return f"{count} phase{'' if count == '1' else 's'} of {', '.join(left['phases'])}"


def _format_confidence(run: Mapping[str, Any]) -> str:
    """Format how well the workflow fits, and what the figure rests on."""
    basis = run["basis"]
    other = "" if basis["best"] == run["workflow"] else f"; {basis['best']} fits better"
    words = f"; the question speaks of {', '.join(basis['words'])}" if basis["words"] else ""
    return f"{run['confidence']:.0%} among {basis['compared']} workflows{other}{words}"


def _format_fired_rule(rule: Mapping[str, Any]) -> str:
    if rule.get("rule") is None:
        return f"  {rule.get('reason', '')}".rstrip()
    reason = "the only rule" if rule["rule"] == 1 else "nothing before it held"
    reason = f"{rule['when']} is true" if rule.get("when") else reason
    return f"  rule {rule['rule']}: {reason}"


def _format_origins(step: Mapping[str, Any]) -> str:
    """Format where the inputs came from: `sent: query; default: depth`."""
    names: dict[str, list[str]] = {}
    for name, origin in step["origins"].items():
        names.setdefault(origin, []).append(name)
    return "           " + "; ".join(f"{origin}: {', '.join(found)}" for origin, found in names.items())


_WAYS = {"elicitation": "in a form of the assistant", "terminal": "in a terminal", "page": "on the page"}


def format_state(step: Mapping[str, Any]) -> str:
    """Format the state of a step that is not simply complete, and who replied."""
    if step.get("waits") or step["status"] == "complete":
        return ""
    by, how = step.get("by") or {}, str((step.get("by") or {}).get("how", ""))
    who = f" by {by.get('who') or 'a person'} {_WAYS.get(how, how)}" if by else ""
    return f"  {step['status']}{who}".rstrip()


def format_wait(step: Mapping[str, Any]) -> str:
    """Format what a step waits for; empty when it has led on."""
    return describe_wait(step["waits"]) if step.get("waits") else ""


def _describe_no_run(output: Mapping[str, Any]) -> str:
    if output.get("filtered"):
        return "no run fits: `aur runs list` shows all"
    return "no run: `aur workflow step assess --input query='…'` starts one"


def _format_answer_option(run: Mapping[str, Any]) -> str:
    """Format the option that the next call needs where the last step waits for an answer."""
    last = run["steps"][-1] if run["steps"] and run.get("next_offset") is None else {}
    return " --answer 'JSON'" if last.get("asked") and last.get("answer") is None else ""


WAITS_FOR_PERSON = Line(
    ("it waits for you: aur runs approve {run}", "bold yellow"),
    when=lambda run: run["status"] == "waiting",
    apart=True,
)
RENDERERS: Mapping[str, View] = {
    "runs.export": View(Raw(lambda output: str(output["text"]))),
    "runs.list": View(
        Table(
            "runs",
            Cell(Column("run"), "{run}", "bold"),
            Cell(Column("workflow", drop_order=6), "{workflow}"),
            Cell(Column("question", wraps=True), lambda run: _shorten(run.get("question", ""))),
            Cell(Column("state"), format_status, choose_style("status", STATUS_STYLES)),
            Cell(Column("last phase", drop_order=3), "{phase}"),
            Cell(Column("next", drop_order=2), _format_next),
            Cell(Column("steps", drop_order=4), "{steps}"),
            Cell(Column("tokens", drop_order=5), format_tokens, choose_token_style),
            Cell(Column("updated (UTC)", drop_order=1), "{updated_at:time}"),
            empty=_describe_no_run,
        ),
        Line(("older: --offset {next_offset}", "dim")),
    ),
    "runs.status": View(
        Line(
            ("run {run}", "bold"),
            "  {workflow}",
            (lambda run: f"  {format_status(run)}", choose_style("status", STATUS_STYLES)),
        ),
        Line(("question   ", "dim"), "{question}", when="question"),
        Line(("due        ", "dim"), "{phase}", when="phase"),
        Line(("completed  ", "dim"), lambda run: ", ".join(run["phases_completed"]) or "nothing"),
        Line(("remaining  ", "dim"), _format_remaining),
        Line(("fits       ", "dim"), _format_confidence, when="basis"),
        Line(("suits      ", "dim"), "{basis.nearest}", when="basis.nearest"),
        Line(("{note}", "yellow")),
        WAITS_FOR_PERSON,
    ),
    "runs.show": View(
        Line(
            ("run {run}", "bold"),
            "  {workflow}",
            (lambda run: f"  {format_status(run)}", choose_style("status", STATUS_STYLES)),
            ("  {created_at:time} UTC", "dim"),
            ("  forked from {forked_from}", "dim"),
            ("  on {branch}", "dim"),
            ("  in worktree {worktree}", "dim"),
        ),
        Line("tokens of its responses: ", (format_tokens, choose_token_style), when="tokens_used"),
        JsonTree("output", label="output  "),
        Each(
            "steps",
            Blank(),
            Line(
                ("{seq}. {phase}", "bold cyan"),
                ("  {kind}", "dim"),
                (format_state, choose_style("status", STEP_STYLES, "red")),
                ("  {duration_ms:g} ms", "dim"),
            ),
            JsonTree("inputs", label="   in      "),
            Line((_format_origins, "dim"), when="origins"),
            JsonTree("arguments", label="   with    "),
            JsonTree("result", label="   out     "),
            Line(("   {error.code}: {error.message}", "red")),
            Line(("   asked   prompt sent to the assistant", "dim"), when="asked"),
            Line(("   asked   the person", "dim"), when="asked_person"),
            JsonTree("answer", label="   answer  "),
            Each(
                "decision",
                Line(("   → {then}", "bold green"), _format_fired_rule, ("; {spent}", "yellow"), when="fired"),
                Line(("   · {then}  rule {rule}: {when} is false", "dim"), when="!fired"),
            ),
            Line(("   → {next_action}", "bold"), when="!decision"),
            Line("   ", (format_wait, "bold yellow"), when="waits"),
        ),
        Line(("more: --offset {next_offset}", "dim"), apart=True),
        Line(
            ("next: aur workflow step {next} --run {run}", "dim"),
            (_format_answer_option, "dim"),
            when=lambda run: run["status"] == "open",
            apart=True,
        ),
        WAITS_FOR_PERSON,
    ),
}
