"""Check of the workflow's `output`: fields that have no value at some end of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.checks.check import Check
from aurora.interpreter.checks.expressions import collect_sites, find_faulty_sites, find_root_paths, to_field_path
from aurora.interpreter.checks.rules import can_enter
from aurora.interpreter.expressions import ExpressionError, evaluate_expression
from aurora.interpreter.language import END
from aurora.interpreter.problems import codes, list_names
from aurora.interpreter.schema import find_faults

from .presence import find_optional_field, may_be_null
from .unwritten_paths import describe_path, find_path_avoiding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.checks.expressions import ExpressionSite
    from aurora.interpreter.checks.view import WorkflowView
    from aurora.interpreter.problems import Problem

_EMPTY_SCOPE = {"inputs": {}, "phases": {}, "run": {"id": "", "step": 0, "visits": {}}, "vars": {}}
_HELP = 'allow null, as in `type: [string, "null"]`, or read another phase after `||`'


def check_unwritten_output(view: WorkflowView) -> Iterator[Problem]:
    """Report fields of the output that a run can end without, and that must not be null."""
    faulty = find_faulty_sites(view)
    for site in collect_sites(view):
        if site.kind == "output" and site not in faulty and site.tree is not None and not _is_fit_without(site):
            yield from _check_early_end(site)
            yield from _check_optional_field(site)


def _is_fit_without(site: ExpressionSite) -> bool:
    """Return whether the field fits its schema when no phase has a value."""
    fields = site.view.definition.workflow.output or {}
    try:
        value = evaluate_expression(site.text, _EMPTY_SCOPE)
    except ExpressionError:
        return False
    return not find_faults(value, fields[site.name].json_schema)


def _check_early_end(site: ExpressionSite) -> Iterator[Problem]:
    """Report a field that is read from phases which a path to the end avoids."""
    read = [path[1:] for path in find_root_paths(site.tree or {}) if path[0] == "phases"]
    sources = frozenset(path[0] for path in read)
    if not sources or not sources <= set(site.view.phases) or not all(path[1:2] in _WRITTEN_KEYS for path in read):
        return
    path = find_path_avoiding(site.view, END, sources)
    if path is not None:
        message = (
            f'"{site.name}" of the output is read from {list_names(sources)}, '
            "and a run can end before the value is written"
        )
        note = f"the shortest path: {describe_path(site.view, END, path)}"
        place = site.locate_span((0, len(site.text)))
        yield codes.READ_BEFORE_WRITTEN.make_problem(place, message, help=_HELP, note=note)


_WRITTEN_KEYS = (("answer",), ("result",))


def _check_optional_field(site: ExpressionSite) -> Iterator[Problem]:
    """Report a field that is read from one which the result or answer may lack, or which may be null."""
    path = to_field_path(site.tree) if site.tree is not None else None
    if path is None or path[:1] != ("phases",):
        return
    field = find_optional_field(site, path)
    if field is not None and can_enter(site.view, None, tuple(path), None):
        message = f'"{site.name}" of the output is read from "{field}", which may be missing'
        help_ = f'name the field under "required" of its schema, or {_HELP}'
        yield codes.MAY_BE_NULL.make_problem(site.locate_whole(), message, help=help_)
    elif may_be_null(site, path) and can_enter(site.view, None, tuple(path), None):
        message = f'"{site.name}" of the output is read from "{".".join(path)}", which may be null'
        yield codes.MAY_BE_NULL.make_problem(site.locate_whole(), message, help=_HELP)


CHECK = Check(check_unwritten_output)
