"""Take the pictures of the page in the documents, of the run that `make demo` made; `make page-pictures` runs it."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "generated"
FLAGS = (
    *("--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
SIZE: Any = {"width": 1440, "height": 960}


def start_page() -> tuple[subprocess.Popen[bytes], str]:
    """Start the page of the demo's newest run in a terminal, and return its link."""
    control, terminal = pty.openpty()
    project = ROOT / "build" / "demo" / "aurora"  # a folder of this name, wherever the clone is
    project.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "aurora", "--project", str(project), "ui"]
    environment = {**os.environ, "AURORA_DB": str(ROOT / "build" / "demo" / "memory.db")}
    process = subprocess.Popen(command, env=environment, stdin=terminal, stdout=terminal, stderr=terminal)
    printed = b""
    while not (found := re.search(rb"(http://\S+\?token=\S+)\s", printed)):
        printed += os.read(control, 4096)
    return process, found[1].decode()


def main() -> None:
    """Open the page in Chromium, and write the pictures."""
    program = shutil.which("chromium")
    if program is None:
        sys.exit("the pictures need Chromium: apt-get install chromium")
    process, link = start_page()
    flags = [*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=flags)
        tab = browser.new_page(viewport=SIZE, reduced_motion="reduce")
        tab.goto(link)
        tab.locator(".list a", has_text="How").last.click()
        tab.locator('#drawing a[href*="way=verify"]').first.click()
        tab.locator("#panel .rules .chosen").wait_for()
        tab.screenshot(path=TARGET / "page-run.png")
        tab.emulate_media(color_scheme="dark")
        tab.screenshot(path=TARGET / "page-run-dark.png")
        browser.close()
    process.terminate()
    process.wait()


if __name__ == "__main__":
    main()
