"""Views of workflow files: the list, one workflow, a new one, suggestions, generated texts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aurora.cli.render.view import Blank, Cell, Each, Line, Part, Passage, Raw, Table, View
from aurora.cli.terminal import Column

if TYPE_CHECKING:
    from collections.abc import Mapping


def _format_input(value: Mapping[str, Any]) -> str:
    source = f" (from {value['recalled_from']})" if value.get("recalled_from") else ""
    return f"{value['name']}{'' if value.get('required') else '?'}{source}"


def _list_valid(output: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """List the workflows whose phases are known: those without errors."""
    return [one for one in output["workflows"] if one["phase_names"]]


_TRANSITION = Line(
    ("   → {then}", "bold"),
    " when {when}",
    lambda rule: f", at most {rule['max']} times, then {rule.get('otherwise', 'end')}" if rule.get("max") else "",
    Part(" (early exit)", when="early_exit"),
)

RENDERERS: Mapping[str, View] = {
    "workflow.graph": View(Raw(lambda output: str(output["text"]))),
    "workflow.list": View(
        Table(
            "workflows",
            Cell(Column("name"), "{name}", "bold"),
            Cell(Column("version", drop_order=2), "{version}"),
            Cell(Column("title", wraps=True), "{title}"),
            Cell(Column("phases", drop_order=3), "{phases}"),
            Cell(Column("from", drop_order=1), "{source}"),
            Cell(
                Column("state"),
                lambda one: f"{one['problems']} error{'s' * (one['problems'] > 1)}" if one["problems"] else "ok",
                lambda one: "red" if one["problems"] else "green",
            ),
        ),
        Blank(when=_list_valid),
        Each(
            _list_valid,
            Line(("{name}", "bold cyan"), "  {description}"),
            Line(("    phases: {phase_names:join}", "dim")),
            Line(("    agents here: {agents:join}", "dim"), when="agents"),
        ),
        Blank(when=_list_valid),
        Line(
            ("`aur workflow validate` shows the errors", "dim"),
            when=lambda output: any(one["problems"] for one in output["workflows"]),
        ),
        Line(
            ("{left_out:count file} left out: at most 200 workflow files, 4 MB in total, are read", "yellow"),
            when="left_out",
        ),
        Line(("{notice}", "yellow")),
    ),
    "workflow.new": View(
        Each("files", Line("wrote {_}")),
        Line(("{problems:count problem}: aur workflow validate {workflow}", "red"), when="problems"),
        Line(("next: edit {path}, then aur workflow validate {workflow}", "dim"), apart=True),
        Line(
            "try:  aur workflow step {start} --workflow {workflow}",
            lambda output: "".join(f" --input {name}='…'" for name in output["needs"]),
            style="dim",
        ),
    ),
    "workflow.schema": View(Raw(lambda output: json.dumps(output["document"], indent=2, ensure_ascii=True) + "\n")),
    "workflow.show": View(
        Line(("{name} {version}", "bold"), "  {title}"),
        Line(("{path}", "dim")),
        Passage("description", wraps=True),
        Line(
            "pace: one call runs all phases up to the next prompt", when=lambda output: output.get("pace") == "prompt"
        ),
        Line("budget: {token_budget:,} tokens of responses in a run", when="token_budget"),
        Each(
            "phases",
            Blank(),
            Line(
                ("{#}. {name}", "bold cyan"),
                "  {title}",
                Part("  start", "green", when=lambda phase: phase["name"] == phase["^"]["start"]),
                ("  also called {aliases:join}", "dim"),
            ),
            Line(lambda phase: ", ".join(map(_format_input, phase.get("inputs", ()))), before="   takes "),
            Line("   if    {when}; else it is skipped"),
            Line("   runs  {uses}"),
            Line("   runs  the workflow {workflow}", " for each item of {each}", when="workflow"),
            Line("   asks  the host for {asks}"),
            Line("   asks  the host at once for {branches:join}"),
            Line(
                lambda phase: " ".join((phase.get("person") or "").split()),
                before="   asks  the person: ",
                overflow="wrap",
            ),
            Line("         with the fields {form:join}"),
            Line("   items {limit}"),
            Line("   returns {returns:join}"),
            Each("next_action", _TRANSITION),
            Line(("   → {on_decline}", "bold"), " when the person declines", when="on_decline"),
            Line(("   → {on_error}", "bold"), " when it fails", when="on_error"),
        ),
        Line(("a phase that fails leads to {on_error}", "dim"), apart=True),
    ),
    "workflow.suggest": View(
        Each(
            "suggestions",
            Line(("{workflow}", "bold cyan"), ("  {confidence:.0%}", "green"), "  {title}"),
            Line("    {description}", when="description"),
            Line(("    speaks of {words:join}", "dim")),
            Line(("    suits: {nearest}", "dim")),
            Line(("    phases: {phases:join}", "dim")),
            Line(("    agents here: {agents:join}", "dim"), when="agents"),
            empty="no workflow of this project runs; run `aur workflow validate` to see why",
        ),
        Blank(when="suggestions"),
        Line("None is clearly ahead.", when=lambda output: output["suggestions"] and not output["certain"]),
        Line(("begin: aur workflow run {suggestions.0.workflow}", "dim")),
    ),
}
