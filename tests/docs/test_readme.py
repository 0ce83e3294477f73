from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from aurora.hosts import HOSTS

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAX_WORDS = 1_200
MAX_COMMANDS = 8


def test_the_readme_is_short() -> None:
    assert len(README.split()) <= MAX_WORDS


def test_the_readme_lists_few_commands_and_links_to_the_rest() -> None:
    assert 1 <= len(re.findall(r"^\| `aur", README, re.MULTILINE)) <= MAX_COMMANDS
    assert "](COMMANDS.md)" in README


def test_the_readme_names_every_assistant() -> None:
    assert [host.title for host in HOSTS if host.title not in README] == []


def test_the_picture_of_the_readme_is_current() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "picture.py"), "--check"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "](docs/generated/soar.svg)" in README


def test_the_glossary_has_at_most_forty_terms() -> None:
    text = (ROOT / "docs" / "development" / "glossary.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ")]

    assert len(rows) - 1 <= 40
