"""The extension in VS Code itself, in a browser: `make editor` installs `code-server` from npm and runs this."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect, sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Locator, Page

INSTALLED = os.environ.get("AURORA_REAL_EDITOR", "")
EXTENSION = Path(__file__).resolve().parents[3] / "integrations" / "vscode"
PATIENCE = 60_000
"""Milliseconds for a step of the editor; its first start takes 20 s on a busy machine."""

TRIES = 12

pytestmark = pytest.mark.skipif(not INSTALLED, reason="AURORA_REAL_EDITOR names no folder; run `make editor`")


class Editor:
    """Window of VS Code over a folder."""

    def __init__(self, page: Page, settings: Path) -> None:
        self.page = page
        self.settings = settings
        self.rows = page.locator(".quick-input-list .monaco-list-row")

    def write_settings(self, **values: Any) -> None:
        """Replace the settings of this machine, which the editor watches."""
        self.settings.write_text(json.dumps(values), encoding="utf-8")

    def run(self, command: str) -> None:
        """Run a command of the palette."""
        field = self.page.locator(".quick-input-widget input[type=text]").first
        expect(self.page.locator(".monaco-workbench .statusbar")).to_be_visible(timeout=PATIENCE)
        self.page.keyboard.press("F1")
        expect(field).to_be_visible(timeout=PATIENCE)
        field.fill(f">{command}")
        expect(self.rows.first).to_contain_text(command, timeout=PATIENCE)
        self.page.keyboard.press("Enter")

    def find_row(self, text: str, *more: str) -> Locator:
        """Return the row of the open list that has these texts."""
        found = self.rows.filter(has_text=text)
        for one in more:
            found = found.filter(has_text=one)
        return found

    def choose(self, text: str) -> None:
        """Choose the row of the open list with a text."""
        expect(self.find_row(text).first).to_be_visible(timeout=PATIENCE)
        self.find_row(text).first.click()

    def list_servers(self, *texts: str) -> None:
        """Open the list of servers until it has a row with these texts; it does not follow what happens."""
        for left in reversed(range(TRIES)):
            self.run("MCP: List Servers")
            try:
                expect(self.find_row(*texts)).to_have_count(1, timeout=PATIENCE / TRIES)
            except AssertionError:
                assert left, self.rows.all_inner_texts()
                self.page.keyboard.press("Escape")
            else:
                return


@contextmanager
def serve(command: list[str], address: str, log: Path, **how: Any) -> Iterator[str]:
    """Run a server until the end of the block, and return what its line of the address matches."""
    with log.open("w") as output, subprocess.Popen(command, stdout=output, stderr=output, **how) as process:
        try:
            with log.open() as lines:
                while not (found := re.search(address, lines.readline())):
                    assert process.poll() is None, log.read_text()
            yield found[1]
        finally:
            process.terminate()
            process.wait(30)


@pytest.fixture
def editor(tmp_path: Path, aur_program: str) -> Iterator[Editor]:
    modules = Path(INSTALLED).resolve() / "node_modules"
    project, data = tmp_path / "shop", tmp_path / "data"
    for folder in (project, data / "Machine", tmp_path / "home"):
        folder.mkdir(parents=True)
    (project / "cart.py").write_text("def pay() -> None: ...\n", encoding="utf-8")
    shutil.copytree(EXTENSION, tmp_path / "extensions" / "aurora-context")
    (data / "Machine" / "settings.json").write_text(json.dumps({"aurora.command": aur_program}), encoding="utf-8")
    command = [str(modules / "node" / "bin" / "node"), str(modules / "code-server" / "out" / "node" / "entry.js")]
    words = ["--bind-addr", "127.0.0.1:0", "--auth", "none", "--disable-telemetry", "--disable-update-check"]
    places = ["--extensions-dir", str(tmp_path / "extensions"), "--user-data-dir", str(data)]
    environ = {**os.environ, "HOME": str(tmp_path / "home")}
    start = [*command, *words, "--disable-workspace-trust", *places]
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    assert program, "install Chromium: `apt-get install chromium`"
    with (
        serve(
            start, r"HTTP server listening on (http://127\.0\.0\.1:\d+)", tmp_path / "editor.log", env=environ
        ) as url,
        sync_playwright() as playwright,
    ):
        flags = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=program, args=flags)
        page = browser.new_page()
        page.goto(f"{url}/?folder={project}", timeout=PATIENCE)
        yield Editor(page, data / "Machine" / "settings.json")
        browser.close()


@pytest.mark.requirement("aura-40")
@pytest.mark.timeout(400)
def test_the_editor_lists_the_servers_of_both_providers_and_starts_them(
    editor: Editor, tmp_path: Path, aur_program: str
) -> None:
    editor.list_servers("Aurora", "Stopped")
    editor.choose("Aurora")
    editor.choose("Start Server")
    editor.list_servers("Aurora", "Running")
    editor.page.keyboard.press("Escape")

    other = [aur_program, "mcp", "--http", "127.0.0.1:0", "--project", str(tmp_path / "shop")]
    with serve(other, r"(http://127\.0\.0\.1:\d+)", tmp_path / "server.log") as address:
        editor.write_settings(
            **{"aurora.command": aur_program, "aura.apiUrl": address}
        )  # a provider that the editor asks again
        editor.list_servers("Aura Codebase Context", "Stopped")
        editor.choose("Aura Codebase Context")
        editor.choose("Start Server")
        editor.list_servers("Aura Codebase Context", "Running")
