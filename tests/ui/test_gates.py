"""Questions to the person on the page: shown first, answered there, and only from there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aurora.tools.runtime import Workspace

from .conftest import make_waiting_run, run_page, step

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_a_person_approves_and_the_journal_says_that_the_page_was_the_way(
    project: Path, make_run: Callable[[str], str]
) -> None:
    run = make_run("approve me")
    with run_page(project) as page:
        session = page.open_session()
        shown = session.get("/p/shop/runs").text
        assert shown.index("waits for you") < shown.index("<table")
        fields = session.read_fields(shown)
        sent = {
            **fields,
            "field.sure": "true",
            "field.times": "2",
            "field.remark": "Good\r\nso.",
            "decision": "approve",
        }
        answer = session.post(f"/p/shop/runs/{run}/reply", sent)
        assert (answer.status, answer.headers["location"]) == (303, f"/p/shop/runs/{run}")
        assert "answered by" in session.get(f"/p/shop/runs/{run}?phase=approve").text
        assert session.post(f"/p/shop/runs/{run}/reply", sent).status == 409
    with Workspace(project) as workspace:
        steps = workspace.memory.journal.steps(run)
        (by,) = [one.document["by"] for one in steps if one.document.get("by")]
        assert by["how"] == "page"
        (content,) = [one.document["brought"][0] for one in steps if one.document.get("by")]
        assert content == {"sure": True, "times": 2, "remark": "Good\nso."}
        head = workspace.memory.journal.head(run)
        assert head is not None
        assert head.document["status"] == "ended"


def test_a_declined_question_takes_its_route(project: Path, make_run: Callable[[str], str]) -> None:
    run = make_run("decline me")
    with run_page(project) as page:
        session = page.open_session()
        fields = session.read_fields(session.get(f"/p/shop/runs/{run}").text)
        assert session.post(f"/p/shop/runs/{run}/reply", {**fields, "decision": "decline"}).status == 303
    with Workspace(project) as workspace:
        assert [one.phase for one in workspace.memory.journal.steps(run)][-1] == "stopped"


def test_a_value_that_does_not_fit_the_form_is_refused_with_its_name_and_the_run_waits_on(
    project: Path, make_run: Callable[[str], str]
) -> None:
    run = make_run("wrong value")
    with run_page(project) as page:
        session = page.open_session()
        fields = session.read_fields(session.get(f"/p/shop/runs/{run}").text)
        for wrong in ({"field.sure": "true", "field.times": "many"}, {"field.times": "3"}, {"field.sure": "perhaps"}):
            answer = session.post(f"/p/shop/runs/{run}/reply", {**fields, "decision": "approve", **wrong})
            assert answer.status == 400, answer.text
            assert re.search("times|sure", answer.text)
        assert "waits for you" in session.get(f"/p/shop/runs/{run}").text


def test_a_form_of_another_site_of_another_session_or_of_an_old_page_changes_nothing(
    project: Path, make_run: Callable[[str], str]
) -> None:
    run = make_run("attack me")
    with run_page(project) as page:
        session = page.open_session()
        fields = session.read_fields(session.get(f"/p/shop/runs/{run}").text)
        good = {**fields, "field.sure": "true", "decision": "approve"}
        path = f"/p/shop/runs/{run}/reply"
        assert session.post(path, good, Origin="http://evil.example").status == 403
        assert session.post(path, good, Origin="").status == 403
        assert session.post(path, good, Origin="null").status == 403
        assert session.post(path, {**good, "csrf": "0" * 64}).status == 403
        assert session.post(path, {**good, "csrf": ""}).status == 403
        assert session.post(path, {**good, "question": "0" * 64}).status == 409
        assert session.post(path, good, Content_Type="text/plain").status == 415
        assert session.post(path, {**good, "field.remark": "x" * 300_000}).status == 413
        assert session.get(path).status in {404, 405}
        assert "waits for you" in session.get(f"/p/shop/runs/{run}").text
        assert session.post(path, good).status == 303


def test_a_page_that_was_not_started_in_a_terminal_shows_the_question_and_takes_no_answer(
    project: Path, make_run: Callable[[str], str]
) -> None:
    run = make_run("no terminal")
    with run_page(project, has_terminal=False) as page:
        session = page.open_session()
        shown = session.get(f"/p/shop/runs/{run}").text
        assert "Is this right?" in shown
        assert '<form method="post"' not in shown
        assert "without a terminal" in shown


def test_only_the_first_of_two_open_pages_answers_a_question(project: Path) -> None:
    with Workspace(project) as workspace, run_page(project) as page:
        run = make_waiting_run(workspace, "twice")
        session = page.open_session()
        fields = session.read_fields(session.get(f"/p/shop/runs/{run}").text)
        sent = {**fields, "field.sure": "false", "decision": "approve"}
        assert session.post(f"/p/shop/runs/{run}/reply", sent).status == 303
        again = step(workspace, phase="continue", run=run)
        assert again["phase"] == "draft"
        assert session.post(f"/p/shop/runs/{run}/reply", sent).status == 409
