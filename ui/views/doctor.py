"""View of the doctor: findings, and the command that fixes each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.tools.runtime import call_tool

if TYPE_CHECKING:
    from starlette.responses import Response

    from aurora.ui.web import PageRequest

_SIGNS = {"pass": ("ended", "✓"), "warn": ("waiting", "▲"), "fail": ("failed", "✕"), "skip": ("skipped", "»")}


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
