"""The page in a real browser: every view, what is live, what a keyboard reaches, and a repository that attacks it."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect, sync_playwright

from aurora.tools.runtime import Workspace, call_tool

from .conftest import HOSTILE, PageProcess, make_answered_run, make_waiting_run, run_page, step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext, Page

FLAGS = (
    *("--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)


@dataclass
class Site:
    """Page process with a project, and the ids of what is in it."""

    page: PageProcess
    root: Path
    run: str
    ended: str
    answered: str
    fact: str

    @property
    def views(self) -> dict[str, str]:
        """Name of each view -> its path."""
        return {
            "projects": "/?all",
            "runs": "/p/shop/runs",
            "run": f"/p/shop/runs/{self.run}",
            "run-step": f"/p/shop/runs/{self.ended}?step=2",
            "run-way": f"/p/shop/runs/{self.ended}?way=draft%3Eapprove",
            "answer": f"/p/shop/runs/{self.answered}",
            "case": f"/p/shop/runs/{self.ended}/case",
            "workflows": "/p/shop/workflows",
            "workflow": "/p/shop/workflows/gated?phase=approve",
            "changes": "/p/shop/workflows/soar?tab=changes",
            "memory": "/p/shop/memory",
            "search": "/p/shop/memory?q=charge+card",
            "record": f"/p/shop/memory/chunk?id={self.fact}",
            "doctor": "/p/shop/doctor",
            "missing": "/p/shop/runs/nothing",
        }


@dataclass
class Watch:
    """What a browser reported: errors, and addresses of other hosts."""

    host: str
    wrong: list[str] = field(default_factory=list)

    def follow(self, context: BrowserContext) -> None:
        """Follow all pages of a context."""
        context.on("request", self._see_request)
        context.on("console", lambda message: self.wrong.append(message.text) if message.type == "error" else None)
        context.on("weberror", lambda error: self.wrong.append(str(error.error)))
        context.on("dialog", lambda dialog: self.wrong.append(dialog.message))

    def _see_request(self, request: Any) -> None:
        if not request.url.startswith(f"http://{self.host}/"):
            self.wrong.append(f"request to {request.url}")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.fail("the tests of the page need Chromium: `apt-get install chromium`, as `.ci/run` does")
    flags = [*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=flags)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def site(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    root = tmp_path_factory.mktemp("site") / "shop"
    shutil.copytree(seeded, root)
    with Workspace(root) as workspace:
        ended = make_waiting_run(workspace, HOSTILE)
        run = make_waiting_run(workspace, "Review the charge")
        answered = make_answered_run(workspace, "How are charges retried?", "complete")
        make_answered_run(workspace, "Why does it fail?", "stopped")
        fact = call_tool(workspace, "mem.add", {"text": f"Charges are retried. {HOSTILE}"})["id"]
    with run_page(root) as page:
        yield Site(page, root, run, ended, answered, fact)


@pytest.fixture(scope="module")
def cookies(site: Site) -> list[Any]:
    session = site.page.open_session()
    return [
        {"name": name, "value": value, "url": f"http://{site.page.host}"} for name, value in session.cookies.items()
    ]


def is_missing_page(message: str) -> bool:
    """Return True for what a browser reports of a page that is not there, as the view `missing` is."""
    return "404" in message


@pytest.fixture
def watch(site: Site) -> Iterator[Watch]:
    found = Watch(site.page.host)
    yield found
    assert [one for one in found.wrong if not is_missing_page(one)] == []


@pytest.fixture
def tab(browser: Browser, site: Site, cookies: list[Any], watch: Watch) -> Iterator[Page]:
    context = browser.new_context(base_url=f"http://{site.page.host}", viewport={"width": 1440, "height": 900})
    context.add_cookies(cookies)
    watch.follow(context)
    yield context.new_page()
    context.close()


def check_accessibility(tab: Page) -> list[str]:
    """Return the serious findings of axe."""
    package = find_spec("axe_playwright_python")
    assert package is not None
    assert package.origin is not None
    tab.evaluate(Path(package.origin).with_name("axe.min.js").read_text(encoding="utf-8"))
    found = tab.evaluate("() => axe.run()")
    return [
        f"{one['id']}: {one['help']}: {[node['html'][:160] for node in one['nodes'][:3]]}"
        for one in found["violations"]
        if one["impact"] in {"serious", "critical"}
    ]


LOOKS = {"light": ("light", 1440), "dark": ("dark", 1440), "phone": ("light", 390)}
"""Name of a look -> its colours, and its width."""


@pytest.mark.parametrize("look", LOOKS)
def test_each_view_loads_nothing_from_elsewhere_runs_no_hostile_text_and_has_no_serious_finding_of_axe(
    tab: Page, site: Site, look: str
) -> None:
    scheme: Any = LOOKS[look][0]
    tab.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    tab.set_viewport_size({"width": LOOKS[look][1], "height": 900})
    found: dict[str, list[str]] = {}
    for name, path in site.views.items():
        answer = tab.goto(path)
        assert answer is not None
        assert answer.status == (404 if name == "missing" else 200), name
        assert len(answer.body()) < 60_000, name
        assert tab.evaluate("() => window.hit") is None, name
        if serious := check_accessibility(tab):
            found[name] = serious
    assert found == {}


def test_hostile_text_is_on_the_page_as_text(tab: Page, site: Site) -> None:
    tab.goto(f"/p/shop/runs/{site.ended}?step=1")
    expect(tab.locator("h1")).to_contain_text("<img src=x onerror=window.hit=1>")
    expect(tab.locator("#drawing")).to_contain_text("Write it </title><script>")
    tab.goto("/p/shop/memory?q=evil_name")
    expect(tab.locator(".hits")).to_contain_text("<img src=x onerror=alert(1)>.py")


def test_a_step_of_an_assistant_is_on_the_open_page_without_a_reload(tab: Page, site: Site) -> None:
    with Workspace(site.root) as workspace:
        run = step(workspace, workflow="gated", phase="draft", task="Watch me")["run"]
        tab.goto(f"/p/shop/runs/{run}")
        expect(tab.locator("#timeline li")).to_have_count(1)
        tab.evaluate("() => { window.same = true; }")
        began = time.perf_counter()
        step(workspace, phase="continue", run=run, answer={"text": "first", "ready": False})
        expect(tab.locator("#timeline li > a")).to_have_count(3)
        took = time.perf_counter() - began
        step(workspace, phase="continue", run=run, answer={"text": "second", "ready": True})
        expect(tab.locator("#drawing .current")).to_contain_text("approve")
        expect(tab.locator("#run-head .state")).to_contain_text("waits for you")
    assert tab.evaluate("() => window.same") is True
    print(f"a step is on the page after {took * 1000:.0f} ms")  # noqa: T201 - a figure for whoever runs it


def test_a_new_question_appears_in_the_open_list_and_a_text_that_is_being_typed_stays(tab: Page, site: Site) -> None:
    tab.goto("/p/shop/runs")
    first = tab.locator(".gate").count()
    tab.locator(".gate textarea").first.fill("my words")
    with Workspace(site.root) as workspace:
        make_waiting_run(workspace, "Another one")
    tab.wait_for_timeout(1000)
    expect(tab.locator(".gate textarea").first).to_have_value("my words")
    tab.locator(".gate textarea").first.fill("")
    tab.reload()
    expect(tab.locator(".gate")).to_have_count(first + 1)


def test_a_person_approves_in_the_browser_and_sees_where_the_run_went(tab: Page, site: Site) -> None:
    with Workspace(site.root) as workspace:
        run = make_waiting_run(workspace, "Approve in a browser")
    tab.goto(f"/p/shop/runs/{run}")
    tab.get_by_label("sure", exact=True).select_option("true")
    tab.get_by_role("button", name="Approve").click()
    expect(tab.locator("#run-head .state")).to_contain_text("ended")
    tab.locator('#drawing a[href*="phase=approve"]').click()
    expect(tab.locator("#panel")).to_contain_text("answered by")
    expect(tab.locator("#panel .fired")).to_contain_text("answer.sure == `true`")


def test_a_phase_an_arrow_and_the_arrow_keys_change_the_panel_without_a_reload(tab: Page, site: Site) -> None:
    tab.goto(f"/p/shop/runs/{site.ended}")
    tab.evaluate("() => { window.same = true; }")
    tab.locator('#drawing a[href*="phase=draft"]').focus()
    tab.keyboard.press("Enter")
    expect(tab.locator("#panel h2")).to_have_text("draft")
    tab.locator('#drawing a[href*="way=draft%3Eapprove"]').focus()
    tab.keyboard.press("Enter")
    expect(tab.locator("#panel h2")).to_have_text("draft → approve")
    expect(tab.locator("#panel .rules .chosen")).to_contain_text("answer.ready")
    expect(tab.locator("#panel .rules .chosen .place")).to_contain_text("gated.yaml:")
    tab.goto(f"/p/shop/runs/{site.ended}?step=2")
    tab.keyboard.press("ArrowLeft")
    expect(tab.locator("#panel .steps")).to_contain_text("1 of")
    tab.keyboard.press("ArrowRight")
    expect(tab.locator("#panel .steps")).to_contain_text("2 of")
    tab.go_back()
    expect(tab.locator("#panel .steps")).to_contain_text("1 of")
    expect(tab).to_have_url(f"http://{site.page.host}/p/shop/runs/{site.ended}?step=1#panel")


def test_the_first_tab_reaches_a_link_that_skips_to_the_content(tab: Page) -> None:
    tab.goto("/p/shop/runs")
    tab.keyboard.press("Tab")
    expect(tab.locator(".skip")).to_be_focused()
    tab.keyboard.press("Enter")
    expect(tab.locator("#main")).to_be_focused()


def test_without_javascript_every_link_of_the_drawing_and_the_form_work(
    browser: Browser, site: Site, cookies: list[Any]
) -> None:
    context = browser.new_context(base_url=f"http://{site.page.host}", java_script_enabled=False)
    context.add_cookies(cookies)
    plain = context.new_page()
    with Workspace(site.root) as workspace:
        run = make_waiting_run(workspace, "No script")
    plain.goto(f"/p/shop/runs/{run}")
    plain.locator('#drawing a[href*="phase=draft"]').click()
    expect(plain.locator("#panel h2")).to_have_text("draft")
    plain.get_by_label("sure", exact=True).select_option("false")
    plain.get_by_role("button", name="Decline").click()
    expect(plain.locator("#run-head .state")).to_contain_text("ended")
    context.close()


def test_a_fact_is_forgotten_and_comes_back_with_undo(tab: Page, site: Site) -> None:
    tab.goto("/p/shop/memory")
    tab.get_by_label(f"Choose {site.fact}").check()
    tab.get_by_role("button", name="Forget the chosen ones").click()
    expect(tab.get_by_role("status")).to_have_text("Forgot 1 record.")
    expect(tab.get_by_label(f"Choose {site.fact}")).to_have_count(0)
    tab.get_by_role("button", name="Undo the last change").click()
    expect(tab.get_by_role("status")).to_contain_text("Undid")
    expect(tab.get_by_label(f"Choose {site.fact}")).to_have_count(1)


def test_the_doctor_runs_on_request_and_names_the_commands(tab: Page) -> None:
    tab.goto("/p/shop/doctor")
    tab.get_by_role("link", name="Run the checks").click()
    expect(tab.locator(".group").first).to_be_visible(timeout=60_000)
    expect(tab.locator("main")).to_contain_text("aur init")
    assert check_accessibility(tab) == []


@pytest.mark.parametrize("name", ["runs", "run", "workflow", "memory", "search"])
def test_a_narrow_screen_scrolls_down_and_not_sideways(tab: Page, site: Site, name: str) -> None:
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.goto(site.views[name])
    assert tab.evaluate("() => document.documentElement.scrollWidth") <= 390


def test_soar_fits_one_screen(tab: Page) -> None:
    tab.set_viewport_size({"width": 1440, "height": 1080})
    tab.goto("/p/shop/workflows/soar")
    box = tab.locator("#drawing svg").bounding_box()
    assert box is not None
    assert box["height"] <= 1080 - 48
    assert tab.evaluate("() => document.querySelector('#drawing svg').getScreenCTM().a") > 0.75
