"""Tool `runs.export`: one run as a page in one file, to read in a browser or to attach to a review."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import Field

from aurora.interpreter import diagram, drawing
from aurora.system.secrets.masks import mask_secrets
from aurora.tools.core import Command, Example, StrictModel, Tool

from .show import build_output, describe_step
from .status import count_visits, describe_wait, find_run, find_run_workflow, find_wait

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import minijinja

    from aurora.tools.core import Context

    from .show import Rule, RunOutput, ShownStep


_MAX_STEPS = 500
"""Steps of a page, the first ones; a browser shows them without waiting."""


class ExportRunInput(StrictModel):
    """Run to export."""

    run: str = Field(min_length=1, max_length=80, description="The run's id, as `runs list` shows it, or `last`.")


class ExportRunOutput(StrictModel):
    """Page as HTML, which loads nothing, and the number of its steps."""

    run: str
    steps: int
    text: str


def export_run(given: ExportRunInput, context: Context) -> ExportRunOutput:
    """Export a run as a page.

    Raises:
        Fault: NOT_FOUND for an unknown run.
    """
    row = find_run(context.project, given.run)
    steps = context.project.memory.journal.steps(row.run)
    wait = find_wait(context.project, row.workflow, steps[-1].document) if steps else None
    shown = [describe_step(steps, at, wait=wait) for at in range(min(len(steps), _MAX_STEPS))]
    definition, notes = find_run_workflow(context.project, row)
    if len(steps) > _MAX_STEPS:
        notes.append(f"This page has the first {_MAX_STEPS:,} of {len(steps):,} steps.")
    drawn = ""
    if definition is not None:
        visits = count_visits(definition, row, steps)
        drawn = drawing.render_svg(diagram.build_diagram(definition, ()), visits)
    title = definition.workflow.title if definition is not None else ""
    page = render_page(build_output(row, (), None), shown, title, drawn, notes)
    return ExportRunOutput(run=row.run, steps=len(shown), text=page)


EXPORT_TOOL = Tool(
    name="runs.export",
    title="Export a run as a page",
    description=(
        "One run as an HTML page in one file that loads nothing: the workflow with the ways that were taken, and each "
        "step with its inputs, the rules with the values they saw, its result and answer. Secrets are masked."
    ),
    input=ExportRunInput,
    output=ExportRunOutput,
    run=export_run,
    family="runs",
    risk="read",
    idempotent=True,
    timeout=60.0,
    constraints=("Runs of a read-only project are not stored.",),
    examples=(Example("A run, by the id in its responses", {"run": "k3f9wq2m"}),),
    command=Command("runs export", "Write one run as an HTML page.", arguments=("run",)),
)


MAX_VALUE = 20_000
"""Characters of one value that are shown."""
_ENDS = {"ended": "good", "failed": "bad"}
_HEAD_FIELDS = ("run", "workflow", "status", "created_at", "branch", "total_steps")
_TEMPLATE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{{ run.workflow }}, run {{ run.run }}</title>
<style>
:root{color-scheme:light dark;--line:#d3d9e6;--soft:#5b6475;--good:#2e7d46;--bad:#c62828;--main:#2f62b0}
@media(prefers-color-scheme:dark){:root{--line:#333a4a;--soft:#a6afc2;--good:#6cc188;--bad:#ff7b72;--main:#7fb0f5}}
body{margin:0;font:14px/1.45 system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif}
header{padding:1em 1.5em;border-bottom:1px solid var(--line)}h1{font-size:1.35em;margin:0}h2{font-size:1.05em;margin:0}
.soft,th{color:var(--soft)}.good{color:var(--good)}.bad{color:var(--bad)}.question{margin:.5em 0 0;max-width:60em}
main{display:flex;flex-wrap:wrap;align-items:flex-start}
.picture{flex:0 1 auto;max-width:44em;padding:1em;box-sizing:border-box}
.picture svg{max-width:100%;height:auto}
.steps{flex:1 1 34em;max-width:70em;min-width:0;padding:1em 1.5em;box-sizing:border-box}
.step{border:1px solid var(--line);border-radius:8px;padding:.7em 1em;margin:0 0 .8em}
.step:target{border-color:var(--main);border-width:2px}
.line{display:flex;gap:.8em;align-items:baseline;flex-wrap:wrap}.next{color:var(--main);font-weight:600}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.2em 0;font:12px/1.4 ui-monospace,Menlo,Consolas,monospace}
table{border-collapse:collapse;width:100%;margin:.3em 0}
td,th{text-align:left;vertical-align:top;padding:.15em .8em .15em 0;font-weight:400}
th,td.outcome{width:9em}td.number{width:1.5em}td.rule{overflow-wrap:anywhere}summary{cursor:pointer;color:var(--soft)}a{color:var(--main)}
</style>
</head>
<body>
<header>
<h1>{{ title }}</h1>
<div class="soft">{{ run.workflow }} · run {{ run.run }} · <span class="{{ state }}">{{ run.status }}</span>
 · {{ run.created_at[:19] | replace("T", " ") }} UTC{% if run.branch %} · on {{ run.branch }}{% endif %}
 · {{ run.total_steps }} step{{ "" if run.total_steps == 1 else "s" }}
{%- if tokens %} · {{ tokens }} tokens of responses{% endif %}</div>
{% if question %}<p class="question">{{ question }}</p>{% endif %}
{% for note in notes %}<p class="soft">{{ note }}</p>{% endfor %}
</header>
<main>
{% if drawing %}<div class="picture">{{ drawing | safe }}</div>{% endif %}
<div class="steps">
{% for step in steps %}<section class="step" id="step-{{ step.seq }}">
<div class="line"><h2>{{ step.seq }}. {{ step.phase }}</h2>
{% if step.kind %}<span class="soft">{{ step.kind }}</span>{% endif %}
{% if step.state %}<span class="{{ step.tone }}">{{ step.state }}</span>{% endif %}
{% if step.duration %}<span class="soft">{{ step.duration }}</span>{% endif %}
{% if step.next %}<span class="next">{{ step.next }}</span>{% endif %}</div>
{% if step.error %}<p class="bad">{{ step.error }}</p>{% endif %}
{% if step.say %}<p class="soft">{{ step.say }}</p>{% endif %}
{% if step.rules %}<table>
{% for rule in step.rules %}<tr><td class="number soft">{{ rule.number }}</td><td class="rule">
<code>{{ rule.when }}</code>{% for name, value in rule.values %}
<div class="soft"><code>{{ name }}</code> was <code>{{ value }}</code></div>{% endfor %}</td>
<td class="outcome {{ 'good' if rule.fired else 'soft' }}">{{ rule.outcome }}</td></tr>
{% endfor %}</table>{% endif %}
{% for part in step.parts %}<details{% if part.is_open %} open{% endif %}><summary>{{ part.name }}</summary>
<table>{% for row in part.rows %}<tr>
<th scope="row">{{ row.name }}{% if row.origin %}<br><small>{{ row.origin }}</small>{% endif %}</th>
<td><pre>{{ row.text }}</pre></td></tr>{% endfor %}</table></details>
{% endfor %}</section>
{% endfor %}</div>
</main>
</body>
</html>
"""


@cache
def _load_template() -> minijinja.Environment:
    import minijinja  # noqa: PLC0415 - a list of tools does not load it

    return minijinja.Environment(
        # Any text of a run may come from a clone; only the drawing is inserted as it is, since it escapes its own
        # texts.
        templates={"run.html": _TEMPLATE},
        undefined_behavior="strict",
        auto_escape_callback=lambda _: "html",
    )


def render_page(run: RunOutput, steps: Sequence[ShownStep], title: str, drawing: str, notes: Sequence[str]) -> str:
    """Render the page.

    Args:
        run: the run.
        steps: its steps, with complete values.
        title: the workflow's title.
        drawing: the workflow as SVG, whose texts are escaped; empty without one.
        notes: what a reader must know first.
    """
    first: Any = steps[0].inputs.get("query") if steps else None
    used, budget = run.tokens_used, run.token_budget
    return _load_template().render_template(
        "run.html",
        run={name: getattr(run, name) for name in _HEAD_FIELDS},
        title=title or run.workflow,
        state=_ENDS.get(run.status, "soft"),
        question=format_value(first) if isinstance(first, str) else "",
        tokens="" if used is None else f"{used:,} of {budget:,}" if budget is not None else f"{used:,}",
        notes=list(notes),
        drawing=drawing,
        steps=[_describe(step) for step in steps],
    )


def _describe(step: ShownStep) -> dict[str, Any]:
    """Describe a step by the words of the page."""
    error = step.error or {}
    parts = [
        _build_part("inputs", step.inputs, step.origins),
        _build_part("arguments", step.arguments, {}),
        _build_part("result", step.result, {}),
        _build_part("answer", step.answer, {}, is_open=True),
    ]
    return {
        "seq": step.seq,
        "phase": step.phase,
        "kind": step.kind,
        "state": _describe_state(step),
        "tone": "bad" if step.status in {"error", "declined"} else "soft",
        "duration": "" if step.duration_ms is None else f"{step.duration_ms:g} ms",
        "next": _describe_next(step),
        "say": format_value(step.say) if step.say else "",
        "error": format_value(f"{error.get('code', '')}: {error.get('message', '')}") if error else "",
        "rules": [_describe_rule(rule) for rule in step.decision],
        "parts": [part for part in parts if part["rows"]],
    }


def _describe_state(step: ShownStep) -> str:
    """Describe a state other than complete; of a question to the person, who decided what."""
    who = str((step.by or {}).get("who", ""))
    return "" if step.status == "complete" else f"{step.status} by {who}" if who else step.status


def _describe_next(step: ShownStep) -> str:
    if step.waits:
        return describe_wait(step.waits.model_dump())
    return f"→ {step.next_action}" if step.next_action else ""


def _describe_rule(rule: Rule) -> dict[str, Any]:
    always = "always" if not rule.reason else rule.reason
    return {
        "number": "" if rule.rule is None else rule.rule,
        "when": rule.when or always,
        "values": [(name, format_value(value)) for name, value in rule.values.items()],
        "fired": rule.fired,
        "outcome": f"→ {rule.then}{f' ({rule.spent})' if rule.spent else ''}" if rule.fired else "false",
    }


def _build_part(name: str, value: Any, origins: Mapping[str, str], *, is_open: bool = False) -> dict[str, Any]:
    """Build a part of a step: a row for each field of an object, else one row."""
    fields = value if isinstance(value, dict) else {} if value is None else {"": value}
    rows = [{"name": key, "origin": origins.get(key, ""), "text": format_value(one)} for key, one in fields.items()]
    return {"name": name, "rows": rows, "is_open": is_open}


def format_value(value: Any, most: int = MAX_VALUE) -> str:
    """Format a value as text, without secrets, and with a note where it is cut."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    # Masked before the cut, which could divide a secret so that no rule recognises it.
    text = mask_secrets(text.encode("utf-8", "replace").decode())
    left = len(text) - most
    return text if left <= 0 else f"{text[:most]}\n… {left:,} more characters"


TOOLS = (EXPORT_TOOL,)
