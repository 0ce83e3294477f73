"""View of the runs: those that wait first, then all that fit a filter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.ui import runs
from aurora.ui.web import read_count, read_text

from .live import stamp_list

if TYPE_CHECKING:
    from starlette.responses import Response

    from aurora.ui.web import PageRequest

_STATES = {"", "waiting", "open", "ended", "failed"}
_PAGE = 50


def list_runs(page: PageRequest) -> Response:
    """List the runs of a project."""
    status = read_text(page.query, "status")
    wanted = runs.RunFilter(
        status=status if status in _STATES else "",
        workflow=read_text(page.query, "workflow"),
        text=read_text(page.query, "text"),
        offset=read_count(page.query, "offset"),
        limit=_PAGE,
    )
    journal = page.project.memory.journal
    is_first = not (wanted.status or wanted.text or wanted.workflow or wanted.offset)
    since = stamp_list(journal) if is_first else ""  # before the rows, so that no change is missed
    counts = journal.count_states()
    rows, more = runs.list_rows(page.project, wanted)
    gates = runs.list_gates(page.project) if is_first and counts.get("waiting") else []
    chosen = {"status": wanted.status, "workflow": wanted.workflow, "text": wanted.text}
    return page.render(
        "runs.html",
        tab="runs",
        title="Runs",
        rows=rows,
        gates=gates,
        states=[(one, page.link("runs", **{**chosen, "status": one.value})) for one in runs.describe_states(counts)],
        chosen=chosen,
        total=sum(counts.values()),
        offset=wanted.offset,
        newer=page.link("runs", **chosen, offset=max(wanted.offset - _PAGE, 0)) if wanted.offset else "",
        older=page.link("runs", **chosen, offset=wanted.offset + _PAGE) if more else "",
        live=page.link("live", since=since) if is_first else "",
    )


def answer_question(page: PageRequest) -> Response:
    """Take the reply of the person to the question of a run."""
    run = page.request.path_params["run"]
    runs.reply(page, run)
    return page.redirect(page.link("runs", run))


def show_comparison(page: PageRequest) -> Response:
    """Compare two runs, step by step."""
    names = page.request.query_params.getlist("run")[:2]
    one, other = (names[0], names[1]) if len(names) > 1 else (read_text(page.query, "a"), read_text(page.query, "b"))
    comparison = runs.compare_runs(page.project, one, other)
    return page.render("compare.html", tab="runs", title="Compare two runs", comparison=comparison)
