"""The list of projects, and the findings of the doctor."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.responses import RedirectResponse

from aurora.faults import Fault
from aurora.tools.runtime import call_tool

from .request import get_visitor
from .response import describe_moment, make_page, render_fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from .request import ListedProject, PageRequest, ProjectSource, Visitor

_SIGNS = {"pass": ("ended", "✓"), "warn": ("waiting", "▲"), "fail": ("failed", "✕"), "skip": ("skipped", "»")}


def build_home(source: ProjectSource) -> Callable[[Request], Response]:
    """Build the endpoint of the list of projects."""

    def show_projects(request: Request) -> Response:
        try:
            visitor = get_visitor(request.scope)
            listed = source.list_projects(visitor)
        except Fault as fault:
            return render_fault(request, fault)
        root = request.scope.get("root_path", "")
        if len(listed) == 1 and "all" not in request.query_params:
            return RedirectResponse(f"{root}/p/{quote(listed[0].name)}/runs", 303)
        common = {"root": root, "title": "Projects", "csrf": visitor.csrf, "sign_out": visitor.sign_out}
        cards = [_describe_project(source, one, visitor, root) for one in listed]
        return make_page("projects.html", {**common, "projects": cards})

    return show_projects


def _describe_project(source: ProjectSource, listed: ListedProject, visitor: Visitor, root: str) -> dict[str, object]:
    """Describe a project by a few figures, or by why it cannot be opened."""
    card: dict[str, object] = {
        "title": listed.title,
        "place": listed.place,
        "link": f"{root}/p/{quote(listed.name)}/runs",
        "fault": "",
        "counts": {},
        "runs": 0,
        "chunks": 0,
        "indexed": "",
    }
    try:
        with source.open_project(listed.name, visitor) as project:
            stats, counts = project.memory.stats(), project.memory.journal.count_states()
            card |= {
                "counts": counts,
                "runs": sum(counts.values()),
                "chunks": sum(stats.chunks.values()),
                "indexed": describe_moment(stats.indexed_at, time.time()) if stats.indexed_at else "",
            }
    except Fault as fault:
        card["fault"] = f"{fault.message}. {fault.help}"
    return card


def show_doctor(page: PageRequest) -> Response:
    """Show the findings; the checks take seconds, so they run only on request."""
    report: dict[str, Any] | None = None
    if page.query.get("run"):
        page.require_admin()
        report = call_tool(page.project, "doctor.run", {}, surface="page")
    groups = [_describe_group(group) for group in report["groups"]] if report else []
    return page.render(
        "doctor.html",
        tab="doctor",
        title="Doctor",
        ran=report is not None,
        groups=groups,
        counts=report["counts"] if report else {},
        run_link=page.link("doctor", run=1),
    )


def _describe_group(group: dict[str, Any]) -> dict[str, Any]:
    """Describe a group with its problems before what is right."""
    order = {"fail": 0, "warn": 1, "skip": 2, "pass": 3}
    findings = sorted(group["findings"], key=lambda one: order.get(one["status"], 2))
    return {
        "title": group["title"],
        "name": group["name"],
        "findings": [
            {
                **one,
                "state": _SIGNS.get(one["status"], ("open", "○"))[0],
                "sign": _SIGNS.get(one["status"], ("open", "○"))[1],
                "command": f"aur doctor --fix --only {one['check']}" if one["fixable"] else "",
            }
            for one in findings
        ],
    }
