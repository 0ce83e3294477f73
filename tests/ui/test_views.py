"""What the views show, as a browser without JavaScript gets it."""

from __future__ import annotations

import contextlib
import gc
import html
import json
import re
import shutil
import subprocess
from http.client import HTTPConnection
from typing import TYPE_CHECKING

import pytest

from aurora.tools.runtime import Workspace, call_tool
from aurora.ui.test_case import render_case

from .conftest import HOSTILE, PROGRAM, Session, make_answered_run, make_waiting_run, run_page, step
from .rounds import ROUNDS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RUNS = 120
MAX_PAGE = 60_000
"""Bytes of a page."""


@pytest.fixture(scope="module")
def root(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with many runs, of which one is large."""
    root = tmp_path_factory.mktemp("views") / "shop"
    shutil.copytree(seeded, root)
    with Workspace(root) as workspace:
        for number in range(RUNS):
            step(workspace, workflow="gated", phase="draft", task=f"task number {number}")
        large = step(workspace, workflow="gated", phase="draft", task="large")["run"]
        step(workspace, phase="continue", run=large, answer={"text": "long " * 20_000, "ready": False})
        make_waiting_run(workspace, "the last one")
    return root


@pytest.fixture(scope="module")
def session(root: Path) -> Iterator[Session]:
    with run_page(root) as page:
        yield page.open_session()


@pytest.fixture(scope="module")
def long_run(root: Path) -> str:
    """Two runs of some 300 steps with texts that differ."""
    (root / ".aurora" / "workflows" / "rounds.yaml").write_text(ROUNDS, encoding="utf-8")
    with Workspace(root) as workspace:
        return walk_rounds(workspace, "one")


def walk_rounds(workspace: Workspace, word: str) -> str:
    run = step(workspace, workflow="rounds", phase="draft", task=word)["run"]
    for number in range(100):
        step(workspace, phase="continue", run=run, answer={"text": f"{word} {number} " * 100})
        step(workspace, phase="draft", run=run)
    return str(run)


def find_run(session: Session, text: str) -> str:
    """Find the id of the run whose task is this text."""
    (found,) = re.findall(rf'/runs/(\w+)">{text}</a>', session.get(f"/p/shop/runs?text={text.replace(' ', '+')}").shown)
    return str(found)


def test_runs_come_in_pages_with_the_number_of_each_state_and_filters(session: Session) -> None:
    first = session.get("/p/shop/runs").shown
    assert re.findall(r'class="count">(\d+)<', first) == [str(RUNS + 2), "1", str(RUNS + 1), "0", "0"]
    assert first.count('class="id"') == 50
    (older,) = re.findall(r'href="([^"]+)">Older', first)
    last = session.get(older.replace("offset=50", "offset=100")).text
    assert last.count('class="id"') == RUNS + 2 - 100
    assert "Older" not in last
    waiting = session.get("/p/shop/runs?status=waiting").text
    assert waiting.count('class="id"') == 1
    assert "task number 7<" in session.get("/p/shop/runs?text=task+number+7").text
    assert "No run fits" in session.get("/p/shop/runs?text=nothing+like+this").text


@pytest.mark.parametrize(
    "query", ["offset=99999999999", "offset=-1", "offset=x", "status=weird", "text=%27%25_%00", "text=" + "x" * 5000]
)
def test_a_query_that_makes_no_sense_is_answered_with_a_list(session: Session, query: str) -> None:
    assert session.get(f"/p/shop/runs?{query}").status == 200


@pytest.mark.parametrize(
    "query", ["step=0", "step=999", "phase=nothing", "way=a", "way=%3E", "way=draft%3Enothing", "phase=%3Cscript%3E"]
)
def test_a_run_is_shown_whatever_part_an_address_names(session: Session, query: str) -> None:
    run = find_run(session, "the last one")
    answer = session.get(f"/p/shop/runs/{run}?{query}")
    assert answer.status == 200
    assert "<script>" not in answer.text


@pytest.mark.parametrize("path", ["", "/{run}"])
def test_a_change_between_a_page_and_its_stream_is_an_event(root: Path, session: Session, path: str) -> None:
    with Workspace(root) as workspace:
        run = step(workspace, workflow="gated", phase="draft", task="watched")["run"]
        shown = session.get(f"/p/shop/runs{path.format(run=run)}").shown
        step(workspace, phase="continue", run=run, answer={"text": "first", "ready": False})
    (address,) = re.findall(r' data-live="([^"]+)"', shown)
    stamps: list[bytes] = []
    with contextlib.closing(HTTPConnection(session.host, timeout=20)) as connection:
        cookies = "; ".join(f"{name}={value}" for name, value in session.cookies.items())
        connection.request("GET", address, headers={"Cookie": cookies})
        stream = connection.getresponse()
        while len(stamps) < 2:
            line = stream.readline()
            assert not line.startswith(b":"), "the stream has been silent for long"
            stamps += [line] if line.startswith(b"data:") else []
    assert stamps[0] != stamps[1]


def test_a_large_answer_is_cut_and_its_whole_text_is_one_link_away(session: Session) -> None:
    run = find_run(session, "large")
    answer = session.get(f"/p/shop/runs/{run}?step=1")
    assert len(answer.text) < 60_000
    (whole,) = re.findall(r'href="([^"]+/answer)">Show all', answer.shown)
    text = session.get(whole)
    assert text.headers["content-type"].startswith("text/plain")
    assert text.text.count("long ") == 20_000
    assert session.get(f"/p/shop/runs/{run}/steps/9/answer").status == 404
    assert session.get(f"/p/shop/runs/{run}/steps/1/secrets").status == 404


@pytest.mark.parametrize("path", ["{one}", "{one}?step=150", "{one}?phase=check", "{one}/case"])
def test_no_page_of_a_long_run_is_large(session: Session, long_run: str, path: str) -> None:
    answer = session.get(f"/p/shop/runs/{path.format(one=long_run)}")
    assert answer.status == 200
    assert len(answer.text.encode()) < MAX_PAGE


def test_the_steps_before_and_after_the_shown_part_of_a_timeline_are_one_link_away(
    session: Session, long_run: str
) -> None:
    here = f"/p/shop/runs/{long_run}"
    whole = session.get(here).shown
    ((earlier, count),) = re.findall(r'href="([^"]+)#timeline" data-swap>(\d+) earlier steps<', whole)
    assert "later step" not in whole
    before = session.get(earlier).shown
    assert f"step={count}#panel" in before
    (later,) = re.findall(r'href="([^"]+)#timeline" data-swap>\d+ later steps<', before)
    after = session.get(later).shown
    assert f"step={later.rpartition('=')[2]}#panel" in after


def test_a_long_test_case_is_whole_as_plain_text(session: Session, long_run: str) -> None:
    here = f"/p/shop/runs/{long_run}/case"
    assert "only its beginning is shown" in session.get(here).text
    assert "one 99 one 99" in session.get(f"{here}?as=text").text


def test_the_writing_of_a_long_test_case_ends_with_what_its_page_shows(root: Path, long_run: str) -> None:
    with Workspace(root) as workspace:
        journal = workspace.memory.journal
        row, steps = journal.head(long_run), journal.steps(long_run)
        assert row is not None
        whole = render_case(workspace, row, steps)
        gc.collect()
        part = render_case(workspace, row, steps, 4_000)
        garbage = gc.collect()
    assert garbage < len(steps)  # the whole document is none that waits for a collection
    assert whole.index("inputs:") < whole.index("answers:")
    assert 4_000 < len(part) < 25_000 < len(whole)
    assert whole.startswith(part)


def test_a_run_becomes_a_test_case_that_passes(root: Path, session: Session) -> None:
    run = find_run(session, "the last one")
    assert "has not ended" in session.get(f"/p/shop/runs/{run}/case").text
    fields = session.read_fields(session.get(f"/p/shop/runs/{run}").text)
    sent = {**fields, "field.sure": "true", "decision": "approve"}
    assert session.post(f"/p/shop/runs/{run}/reply", sent).status == 303
    case = session.get(f"/p/shop/runs/{run}/case?as=text").text
    assert json.dumps(HOSTILE)[1:-1] in case
    folder = root / ".aurora" / "workflows" / "tests"
    folder.mkdir(exist_ok=True)
    (folder / "gated.yaml").write_text(case, encoding="utf-8")
    done = subprocess.run(
        [*PROGRAM, "--project", str(root), "workflow", "test", "gated"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_run_is_exported_as_a_file_that_loads_nothing(session: Session) -> None:
    run = find_run(session, "the last one")
    answer = session.get(f"/p/shop/runs/{run}/export")
    assert answer.headers["content-disposition"] == f'attachment; filename="run-{run}.html"'
    assert "<script" not in answer.text


def test_workflows_are_named_and_not_read_from_paths(session: Session) -> None:
    shown = session.get("/p/shop/workflows").text
    assert "gated" in shown
    assert "soar" in shown
    for path in ("payments.py", ".aurora%2Fworkflows%2Fgated.yaml", "..%2F..%2Fetc%2Fpasswd", "%2Fetc%2Fpasswd"):
        assert session.get(f"/p/shop/workflows/{path}").status == 404


def test_a_broken_workflow_is_shown_with_its_problems_in_place(seeded: Path, tmp_path: Path) -> None:
    root = tmp_path / "broken"
    shutil.copytree(seeded, root)
    file = root / ".aurora" / "workflows" / "gated.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("then: publish", "then: publsh"), encoding="utf-8")
    with run_page(root) as page:
        shown = page.open_session().get("/p/broken/workflows/gated?phase=approve").shown
    assert "publsh" in shown
    assert re.search(r'class="place">\.aurora/workflows/gated\.yaml:\d+:\d+', shown)


def test_what_a_fact_cites_and_a_chunk_is_linked_with_are_links(root: Path, session: Session) -> None:
    with Workspace(root) as workspace:
        found = call_tool(workspace, "mem.search", {"query": "charge_card"})["hits"][0]["id"]
    shown = session.get(f"/p/shop/memory/chunk?id={found}").text
    assert "retry_charge" in shown
    assert "calls" in shown
    assert session.get("/p/shop/memory/chunk").status == 404
    assert session.get("/p/shop/memory/chunk?id=code:nothing").status == 404


def test_a_folder_without_memory_says_which_command_fills_each_view(tmp_path: Path) -> None:
    empty = tmp_path / "new project"
    empty.mkdir()
    with run_page(empty) as page:
        session = page.open_session()
        assert "aur workflow run soar" in session.get("/p/new-project/runs").text
        assert "aur mem add" in session.get("/p/new-project/memory").text
        assert "aur mem index" in session.get("/p/new-project/memory?q=word").text
    assert list(empty.iterdir()) == []


def test_several_folders_are_several_projects(seeded: Path, tmp_path: Path) -> None:
    other = tmp_path / "shop"
    other.mkdir()
    with run_page(seeded, other, options=("--run", "last")) as page:
        session = Session(page.host)
        assert session.get(f"/?{page.link.partition('?')[2]}").headers["location"] == "/p/shop/runs/last"
        shown = session.get("/").shown
        assert "/p/shop/runs" in shown
        assert "/p/shop-2/runs" in shown
        assert session.get("/p/shop-3/runs").status == 404


def test_a_read_only_page_offers_no_form_that_changes_something(seeded: Path, tmp_path: Path) -> None:
    root = tmp_path / "shop"
    shutil.copytree(seeded, root)
    with Workspace(root) as workspace:
        call_tool(workspace, "mem.add", {"text": "A fact."})
    with run_page(root, options=("--read-only",)) as page:
        session = page.open_session()
        assert '<form method="post"' not in session.get("/p/shop/memory").text
        assert "read-only" in session.get("/p/shop/memory").text


def test_a_workflow_under_its_own_name_is_compared_with_the_shipped_one_that_it_extends(
    seeded: Path, tmp_path: Path
) -> None:
    root = tmp_path / "shop"
    shutil.copytree(seeded, root)
    folder = root / ".aurora" / "workflows"
    texts = {
        "ours": "extends: soar-fast\nname: ours\nversion: 1.0.0\nphases: {collect: {title: Gather}}\npace: phase\n",
        "theirs": "extends: ours\nname: theirs\nversion: 1.0.0\n",
        "alone": "aurora: 2\nname: alone\nversion: 1.0.0\nstart: a\nphases: {a: {prompt_template: Think.}}\n",
    }
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    with run_page(root) as page:
        session = page.open_session()
        shown = {name: session.get(f"/p/shop/workflows/{name}?tab=changes").shown for name in [*texts, "soar-fast"]}
    for name in ("ours", "theirs"):
        assert "Change from the shipped <code>soar-fast</code>" in shown[name]
        assert "pace" in shown[name]
    assert "this one extends none" in shown["alone"]
    assert "This is the shipped edition" in shown["soar-fast"]


def test_a_run_opens_with_its_answer_as_text_and_what_it_cites_as_links(project: Path) -> None:
    with Workspace(project) as workspace:
        run = make_answered_run(workspace, "the retries", "complete")
    with run_page(project) as page:
        session = page.open_session()
        text = session.get(f"/p/shop/runs/{run}").text
    answer = text[text.index('id="answer"') : text.index('id="drawing"')]
    assert "<h1>Found</h1>" in answer
    assert "<code>charge_card</code> <strong>retries</strong>" in answer
    assert "<li>five times</li>" in answer
    assert "<img" not in answer
    assert "<script" not in answer
    assert "e.test/x.png)" in answer
    assert 'href="http' not in answer
    assert 'href="/p/shop/memory/chunk?id=code%3A0123456789ab">code:0123456789ab<' in html.unescape(answer)
    assert 'href="/p/shop/memory?q=payments.py%3A4"' in html.unescape(answer)


def test_a_run_that_reached_no_answer_is_told_by_its_own_word_and_not_as_a_success(project: Path) -> None:
    with Workspace(project) as workspace:
        stopped = make_answered_run(workspace, "hopeless", "stopped")
        make_answered_run(workspace, "fine", "complete")
    with run_page(project) as page:
        session = page.open_session()
        listed = session.get("/p/shop/runs").text
        head = session.get(f"/p/shop/runs/{stopped}").text
    rows = {task: row for row in listed.split("<tr>") for task in ("hopeless", "fine") if f">{task}</a>" in row}
    shown = '<span class="state stopped"><span class="sign" aria-hidden="true">■</span> stopped</span>'
    assert shown in rows["hopeless"]
    assert '<span class="state ended">' in rows["fine"]
    assert 'class="state stopped"' in head.partition('id="timeline"')[0]


def test_a_run_says_what_it_waits_for_and_where_each_reply_leads(project: Path) -> None:
    with Workspace(project) as workspace:
        run = make_waiting_run(workspace)
        asked = step(workspace, workflow="gated", phase="draft", task="x")["run"]
    with run_page(project) as page:
        session = page.open_session()
        gate, open_run = session.get(f"/p/shop/runs/{run}").text, session.get(f"/p/shop/runs/{asked}").text
    assert "Waits for you: your answer decides, or stopped if you decline." in gate
    assert "Waits for the assistant&#x27;s answer, which decides." in open_run
    assert "→ publish" not in gate.partition('id="timeline"')[2].partition("<h3>Rules")[0]


def test_only_a_failure_has_a_red_mark(project: Path) -> None:
    with Workspace(project) as workspace:
        step(workspace, workflow="soar", phase="assess", query="Where is charge_card?")
        run = workspace.memory.journal.runs(1)[0].run
    with run_page(project) as page:
        drawn = page.open_session().get(f"/p/shop/runs/{run}").text
    assert 'class="badge"' in drawn
    assert 'class="badge failed"' not in drawn
