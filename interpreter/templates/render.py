"""Rendering and checking of templates, in this process or in a worker process."""

from __future__ import annotations

import json
import marshal
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aurora.faults import check_cancelled
from aurora.interpreter.expressions import charge_work, is_metering

from .engine import MAX_FUEL, TemplateFailureError, list_variables, load_library, render_text
from .error import PromptError
from .growth import find_text_growth
from .limits import check_limits
from .plan import plan_template
from .tags import locate_line
from .work import is_work_within
from .worker import CHECK, RENDER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .plan import Plan

MAX_WORK = 5_000_000
"""Work of a plain template in this process, in the units of `measure_size`: some 0.1 s. More goes to a worker."""
MAX_LITERAL_TEXT = 20_000_000
"""Characters times instructions: literal text that a loop can repeat costs fuel."""
MIN_FUEL = {True: 500, False: 10_000}
"""Least fuel of a plain template, and of another; of the other the limit of memory bounds the text."""
MAX_REQUEST = 64 * 1024 * 1024
"""Bytes of a template and its values that a worker receives."""
STOPPED_HELP = "loop over fewer values, or compute the text in a tool"

GROWTH_MESSAGE = "a text is joined to itself here, over and over, and would fill the memory"


def render_template(template: str, scope: Mapping[str, Any], name: str) -> str:
    """Render the template over `scope`; nothing is escaped, because a model reads it.

    Raises:
        PromptError: when it cannot be read, names an unknown variable, or needs too much time or memory.
        Cancelled: the call was cancelled.
    """
    check_cancelled()
    plan = _plan_checked(template, name)
    fuel = _choose_fuel(plan)
    if is_metering():
        charge_work(_estimate_work(plan, scope, fuel))
    try:
        if not plan.is_plain or not is_work_within(plan, scope, MAX_WORK):
            return str(_ask_worker(RENDER, template, name, fuel, scope)["text"])
        return render_text(template, scope, name, fuel)
    except TemplateFailureError as failure:
        raise PromptError(name, failure.detail, failure.line, failure.span) from None


def _estimate_work(plan: Plan, scope: Mapping[str, Any], fuel: int) -> int:
    """Estimate the work of a rendering in steps of an evaluation, from the limits that it is within."""
    if not plan.is_plain:
        return fuel // 4
    return 500 if is_work_within(plan, scope, MAX_WORK // 100) else MAX_WORK // 20


def check_template(template: str, name: str) -> frozenset[str]:
    """Check the template, and return the names that it reads: `result.agents`.

    Raises:
        PromptError: when it cannot be read.
        Cancelled: the call was cancelled.
    """
    plan = _plan_checked(template, name)
    names, failure = _check_once(template, is_plain=plan.is_plain)
    if failure is not None:
        raise PromptError(name, failure.detail, failure.line, failure.span)
    return names


def is_plain_template(template: str) -> bool:
    """Check that the work of a template is linear in its data, so that it needs no worker.

    Raises:
        PromptError: when it exceeds a limit.
    """
    return _plan_checked(template, "template").is_plain


def _plan_checked(template: str, name: str) -> Plan:
    """Return the plan of a template within the limits; both are kept for the next rendering."""
    failure = _check_limits_once(template)
    if failure is not None:
        raise PromptError(name, failure.detail, failure.line, failure.span)
    return plan_template(template)


@lru_cache(maxsize=256)
def _check_limits_once(template: str) -> PromptError | None:
    try:
        check_limits(template, "")
    except PromptError as error:
        return error
    return None


@lru_cache(maxsize=256)
def _check_once(template: str, *, is_plain: bool) -> tuple[frozenset[str], TemplateFailureError | None]:
    """Parse a template once.

    The library computes with constants as it parses, so that a worker parses a template that is not plain.

    Raises:
        PromptError: when no worker can be started, which is not kept.
    """
    try:
        if is_plain:
            return list_variables(template), None
        names = _ask_worker(CHECK, template, "", MAX_FUEL, {})["names"]
    except TemplateFailureError as error:
        return frozenset(), error
    grows = find_text_growth(template)
    if grows is not None:
        return frozenset(), TemplateFailureError(GROWTH_MESSAGE, locate_line(template, grows[0]), grows)
    return frozenset(names), None


def _ask_worker(kind: str, template: str, name: str, fuel: int, scope: Mapping[str, Any]) -> dict[str, Any]:
    """Let a worker render or check the template.

    Raises:
        TemplateFailureError: the library's error, or the limit that was exceeded.
        PromptError: no worker can be started.
        Cancelled: the call was cancelled.
    """
    from .process import WorkerStartError, WorkerStoppedError, send_to_worker  # noqa: PLC0415 - most need no worker

    request = _encode_request(kind, template, name, fuel, scope)
    try:
        response = json.loads(send_to_worker(request, Path(str(load_library().__file__)).parents[1]))
    except WorkerStartError as error:
        raise PromptError(name or "template", f"it is rendered in a process of its own, and {error}") from None
    except WorkerStoppedError as error:
        raise TemplateFailureError(f"it was stopped: {error}; {STOPPED_HELP}") from None
    if "detail" in response:
        span = tuple(response["span"]) if response["span"] else None
        raise TemplateFailureError(response["detail"], response["line"], span)
    return dict(response)


def _encode_request(kind: str, template: str, name: str, fuel: int, scope: Mapping[str, Any]) -> bytes:
    """Encode a request; a value that is part of several others is written once."""
    try:
        request = marshal.dumps((kind, template, name, fuel, dict(scope)))
    except ValueError:
        raise TemplateFailureError(
            "its values are nested too deeply, or are of a type that JSON does not have"
        ) from None
    if len(request) > MAX_REQUEST:
        raise TemplateFailureError(f"its values have {len(request):,} bytes; {MAX_REQUEST:,} are allowed")
    return request


def _choose_fuel(plan: Plan) -> int:
    """Choose the limit of instructions, as a power of two: literal text in a loop costs fuel."""
    fuel = max(MAX_LITERAL_TEXT // max(plan.repeated, 1), MIN_FUEL[plan.is_plain])
    return min(MAX_FUEL, 1 << fuel.bit_length())
