"""Check of values that are read before they are written: inputs, and fields of the output."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.entering import can_enter
from aurora.interpreter.checks.expressions.check import find_faulty_sites
from aurora.interpreter.checks.expressions.domains import list_types
from aurora.interpreter.checks.expressions.inference import infer_expression
from aurora.interpreter.checks.expressions.scopes import collect_sites
from aurora.interpreter.checks.expressions.shapes import Shape
from aurora.interpreter.checks.expressions.sites import find_needed_items, find_root_paths, to_field_path
from aurora.interpreter.checks.expressions.tokens import find_path
from aurora.interpreter.checks.expressions.types import bound_length, infer_json_types, summarize_schema
from aurora.interpreter.checks.view import Check
from aurora.interpreter.problems import codes, list_names
from aurora.interpreter.schema.validate import find_faults

from .operands import find_optional_field, is_always_present, may_be_null
from .unwritten_paths import count_untried, find_unwritten_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurora.interpreter.checks.expressions.sites import ExpressionSite
    from aurora.interpreter.checks.view import WorkflowView
    from aurora.interpreter.problems import Problem

    from .unwritten_paths import UnwrittenPath


def check_unsent_inputs(view: WorkflowView) -> Iterator[Problem]:
    """Report inputs that are read as the callers sent them, and that no caller sends."""
    faulty = find_faulty_sites(view)
    for site in collect_sites(view):
        if site.kind in ("from", "skip", "output") and site not in faulty:
            yield from _check_unsent(view, site)


def check_unwritten_values(view: WorkflowView) -> Iterator[Problem]:
    """Report values that a path reads too early, and `optional` without effect."""
    faulty = find_faulty_sites(view)
    for site in collect_sites(view):
        if site.kind == "from" and site not in faulty:
            yield from _check_early_read(view, site)
            yield from _check_optional_field(view, site)
            yield from _check_needless_optional(view, site)
    yield from _check_output(view, faulty)
    for name, phase in view.phases.items():
        for key, spec in phase.inputs.items():
            if spec.optional and spec.default is not None:
                message = f'input "{key}" of phase "{name}" is "optional" and has a default, so it always has a value'
                place = view.locate_key("phases", name, "inputs", key, "optional")
                yield codes.ALWAYS_THERE.make_problem(place, message, help='remove "optional", or "default"')
    # Silence would look as if all values had been proved to be written.
    if (untried := count_untried(view)) > 0:
        message = f"the workflow has too many paths: whether {untried} of its values are read too early was not tried"
        yield codes.MORE_PROBLEMS.make_problem(view.locate_key("phases"), message)


def _check_early_read(view: WorkflowView, site: ExpressionSite) -> Iterator[Problem]:
    spec = view.phases[site.phase].inputs[site.name]
    if spec.optional or spec.has_default:
        return
    found = find_unwritten_path(site, lambda value: value is None)
    if found is not None:
        subject = f'input "{site.name}" of phase "{site.phase}"'
        help_ = "give it a `default`, or write `optional: true`; otherwise the caller must pass it"
        yield _report_unwritten(site, subject, found, help_)


def _report_unwritten(site: ExpressionSite, subject: str, found: UnwrittenPath, help_: str) -> Problem:
    """Report a value that is read too early: surely, or perhaps."""
    read = [path[1] for path in find_root_paths(site.tree or {}) if path[0] == "phases" and len(path) > 1]
    place = "get here" if site.phase else "end"
    can = "can" if found.is_sure else "may"
    message = f"{subject} is read from {list_names(read)}, and a run {can} {place} before the value is written"
    return codes.READ_BEFORE_WRITTEN.make_problem(site.locate_whole(), message, help=help_, note=found.note)


def _check_optional_field(view: WorkflowView, site: ExpressionSite) -> Iterator[Problem]:
    """Report a required input that reads a field which the result or answer may lack."""
    spec = view.phases[site.phase].inputs[site.name]
    path = to_field_path(site.tree) if site.tree is not None else None
    if spec.optional or spec.has_default:
        return
    if path is not None and path[:1] == ("inputs",) and site.infer_presence(path) in ("maybe", "never"):
        name = ".".join(path)
        message = f'input "{site.name}" of phase "{site.phase}" is read from "{name}", which callers need not send'
        help_ = "give the input a `default` or `optional: true`"
        yield codes.MAY_BE_NULL.make_problem(site.locate_whole(), message, help=help_)
        return
    if path is None or path[:1] != ("phases",):
        yield from _check_items(view, site)
        return
    field = find_optional_field(site, path)
    if field is not None and _can_lack(site, tuple(path), field):
        message = f'input "{site.name}" of phase "{site.phase}" is read from "{field}", which may be missing'
        help_ = 'name the field under "required" of its schema, or give the input a `default` or `optional: true`'
        place = site.locate_whole()
        yield codes.MAY_BE_NULL.make_problem(place, message, help=help_)
    elif may_be_null(site, path) and can_enter(site.view, site.phase, tuple(path), None):
        message = f'input "{site.name}" of phase "{site.phase}" is read from "{".".join(path)}", which may be null'
        help_ = "give the input a `default` or `optional: true`, or let a rule lead null elsewhere"
        yield codes.MAY_BE_NULL.make_problem(site.locate_whole(), message, help=help_)


def _can_lack(site: ExpressionSite, path: tuple[str, ...], field: str) -> bool:
    """Return whether a run can begin the phase without a field of the path, and so without its value."""
    outer = path[: path.index(field) + 1] if field in path else path
    return all(can_enter(site.view, site.phase, one, None) for one in {outer, path})


def _check_items(view: WorkflowView, site: ExpressionSite) -> Iterator[Problem]:
    """Report a required input that is an item of a list which may be empty, or a text's number."""
    tree = site.tree
    if tree is None:
        return
    help_ = "give the input a `default` or `optional: true`, or let a rule lead the other case elsewhere"
    for listed, least in find_needed_items(tree):
        path = to_field_path(listed)
        shape = site.resolve_path(path) if path is not None and path[:1] == ("phases",) else None
        if path is None or not isinstance(shape, Shape) or infer_json_types(shape) != {"array"}:
            continue
        if bound_length(summarize_schema(shape))["minimum"] < least and not _is_tested(view, path[-1]):
            message = (
                f'input "{site.name}" of phase "{site.phase}" is an item of "{".".join(path)}", which may be empty'
            )
            yield codes.MAY_BE_NULL.make_problem(site.locate_whole(), message, help=help_)
            return
    types = infer_json_types(infer_expression(site))
    if tree["type"] == "function_expression" and tree["value"] == "to_number" and "null" in types:
        message = f'input "{site.name}" of phase "{site.phase}" is null where the text is no number'
        yield codes.MAY_BE_NULL.make_problem(site.locate_whole(), message, help=help_)


def _is_tested(view: WorkflowView, name: str) -> bool:
    """Return whether a condition names the list, so that a rule may lead the empty one elsewhere."""
    conditions = (site.text for site in collect_sites(view) if site.kind in ("when", "skip"))
    return any(name in text for text in conditions)


def _check_unsent(view: WorkflowView, site: ExpressionSite) -> Iterator[Problem]:
    """Report an input that is read as the callers sent it, and that no caller sends."""
    for path in find_root_paths(site.tree) if site.tree is not None else ():
        if path[:1] != ("inputs",) or len(path) == 1:
            continue
        sources = [
            other
            for other in collect_sites(view)
            if other.kind == "from" and other.name == path[1] and not view.phases[other.phase].inputs[path[1]].override
        ]
        declared = sum(path[1] in phase.inputs for phase in view.phases.values())
        if not sources or len(sources) < declared:
            continue
        if all(other.tree is not None and is_always_present(other, to_field_path(other.tree)) for other in sources):
            message = (
                f'"inputs.{path[1]}" is what callers sent, and no caller sends "{path[1]}": the run has it by then'
            )
            place = site.locate_span(find_path(site.text, path, 1))
            rest = "".join(f".{part}" for part in path[2:])
            yield codes.UNKNOWN_SOURCE.make_problem(place, message, help=f"write `{sources[0].text.strip()}{rest}`")


def _check_needless_optional(view: WorkflowView, site: ExpressionSite) -> Iterator[Problem]:
    """Report an optional input that every path writes."""
    spec = view.phases[site.phase].inputs[site.name]
    path = to_field_path(site.tree) if site.tree is not None else None
    if spec.optional and spec.default is None and is_always_present(site, path):
        message = f'input "{site.name}" of phase "{site.phase}" is "optional", and every path here has written it'
        place = view.locate_key("phases", site.phase, "inputs", site.name, "optional")
        help_ = 'remove "optional", so that the prompt and the rules can rely on it'
        yield codes.ALWAYS_THERE.make_problem(place, message, help=help_)


def _check_output(view: WorkflowView, faulty: frozenset[ExpressionSite]) -> Iterator[Problem]:
    """Report fields of the output that a run can end without, and that must not be null."""
    fields = view.definition.workflow.output or {}
    for site in collect_sites(view):
        if (
            site.kind != "output"
            or site in faulty
            or site.tree is None
            or "default" in fields[site.name].model_fields_set
        ):
            continue
        schema = fields[site.name].json_schema
        if not find_faults(None, schema) and to_field_path(site.tree) is not None:
            continue  # an expression may fail without the value, whatever the schema allows
        found = find_unwritten_path(site, partial(_is_misfit, schema))
        if found is not None:
            yield _report_unwritten(site, f'"{site.name}" of the output', found, _allow_null(schema))
        else:
            yield from _check_output_field(site, _allow_null(schema))


def _is_misfit(schema: Mapping[str, Any], value: Any) -> bool:
    return bool(find_faults(value, schema))


def _allow_null(schema: Mapping[str, Any]) -> str:
    """Say how to allow null, with the field's own types."""
    types = ", ".join([*sorted(list_types(schema)), '"null"']) if list_types(schema) else ""
    allow = f"allow null, as in `type: [{types}]`" if types else "let its schema allow null"
    return f"{allow}, give a `default`, or read another phase after `||`"


def _check_output_field(site: ExpressionSite, allow_null: str) -> Iterator[Problem]:
    """Report a field that is read from one which the result or answer may lack, or which may be null."""
    path = to_field_path(site.tree) if site.tree is not None else None
    if path is None or path[:1] != ("phases",):
        return
    field = find_optional_field(site, path)
    if field is not None and can_enter(site.view, None, tuple(path), None):
        message = f'"{site.name}" of the output is read from "{field}", which may be missing'
        help_ = f'name the field under "required" of its schema, or {allow_null}'
        yield codes.MAY_BE_NULL.make_problem(site.locate_whole(), message, help=help_)
    elif may_be_null(site, path) and can_enter(site.view, None, tuple(path), None):
        message = f'"{site.name}" of the output is read from "{".".join(path)}", which may be null'
        yield codes.MAY_BE_NULL.make_problem(site.locate_whole(), message, help=allow_null)


UNSENT = Check(check_unsent_inputs)
CHECK = Check(check_unwritten_values, can_refuse=False)
