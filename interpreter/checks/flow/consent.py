"""Consent: the targets of a person's answer that agrees, and of one that refuses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions import collect_phase_sites, collect_sites, find_root_paths
from aurora.interpreter.expressions import ExpressionError, evaluate_expression
from aurora.interpreter.language import END

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.checks.view import WorkflowView

_AGREEING = frozenset(
    {"accept", "accepted", "agree", "agreed", "allow", "approve", "approved", "confirm", "confirmed"}
) | {*("deploy", "go", "merge", "ok", "publish", "release", "ship", "yes")}
"""Choices of a form that agree."""
_REFUSING = frozenset({"abort", "cancel", "changes", "decline", "deny", "discard", "no", "not", "redo", "refuse"}) | {
    *("reject", "rejected", "retry", "rework", "revise", "rewrite", "skip", "stop", "undo", "wait", "wrong")
}
"""Words in the name of a boolean field that refuses when it is true."""

_REPLY_VALUES = frozenset({"answer", "answers", "status"})


def follow_replies(view: WorkflowView, gate: str) -> tuple[str | None, str | None]:
    """Follow the rules of a gate for an answer that agrees, and for one that refuses; None where unknown.

    Without a field that agrees or refuses, a consent leads where the only rule leads.
    """
    flags = list_flags(view, gate)
    if flags:
        yes, no = ({name: values[at] for name, values in flags.items()} for at in (0, 1))
        return _follow_rules(view, gate, yes), _follow_rules(view, gate, no)
    rules = view.phases[gate].next_action
    return (_resolve(view, rules[0].then) if len(rules) == 1 else None), None


def list_flags(view: WorkflowView, gate: str) -> dict[str, tuple[Any, Any]]:
    """List the fields of the form that agree or refuse, each with its values for both."""
    person = view.phases[gate].person
    found: dict[str, tuple[Any, Any]] = {}
    for name, field in (person.form if person else {}).items():
        if field.get("type") == "boolean":
            refuses = bool(_REFUSING & set(re.split(r"[_\W]+", name.lower())))
            found[name] = (not refuses, refuses)
        choices = field.get("enum")
        texts = [one for one in choices if isinstance(one, str)] if isinstance(choices, list) else []
        agreeing = [one for one in texts if one.lower() in _AGREEING]
        others = [one for one in texts if one not in agreeing]
        if len(agreeing) == 1 and others:
            found[name] = (agreeing[0], others[0])
    return found


def reads_only_flags(view: WorkflowView, gate: str) -> bool:
    """Return whether the rules decide by the fields that agree or refuse, and by nothing else: no `max`."""
    flags = {("answer", name) for name in list_flags(view, gate)}
    sites = [site for site in collect_phase_sites(view, gate) if site.kind == "when"]
    read = {path[:2] for site in sites if site.tree is not None for path in find_root_paths(site.tree)}
    is_bounded = any(rule.max is not None for rule in view.phases[gate].next_action)
    return bool(read) and read <= flags and not is_bounded


def is_read_later(view: WorkflowView, gate: str) -> bool:
    """Return whether an expression elsewhere reads the reply: the answer or the status of the gate."""
    for site in collect_sites(view):
        for path in find_root_paths(site.tree) if site.tree is not None and site.phase != gate else ():
            if path[:2] == ("phases", gate) and (path[2:3] == () or path[2] in _REPLY_VALUES):
                return True
    return False


def _follow_rules(view: WorkflowView, gate: str, answer: Mapping[str, Any]) -> str | None:
    """Return the target for an answer; None when the rules read more than the answer."""
    for rule in view.phases[gate].next_action:
        try:
            holds = rule.when is None or evaluate_expression(rule.when, {"answer": answer})
        except ExpressionError:
            return None
        if not isinstance(holds, bool):
            return None
        if holds:
            return _resolve(view, rule.then)
    return None


def _resolve(view: WorkflowView, target: str) -> str | None:
    return END if target == END else view.resolve_target(target)
