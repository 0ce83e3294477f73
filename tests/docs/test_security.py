"""The security page has the figures that `make hostile` prints."""

from __future__ import annotations

import re
from pathlib import Path

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "guide" / "security.md").read_text(encoding="utf-8")


def test_the_table_counts_the_hostile_inputs_of_each_guarantee() -> None:
    rows = re.findall(r"^\| ([a-z]+) \| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE)
    yaml = YAML(typ="safe")
    files = sorted((ROOT / "tests" / "hostile" / "cases").glob("*.yaml"))
    # tests/hostile runs them all, and fails where one has another outcome
    expected = [(file.stem, str(len(yaml.load(file.read_text(encoding="utf-8")))), "0") for file in files]

    assert rows == expected, "run `make hostile`, and put its table into the page"
    assert sum(int(tried) for _, tried, _ in rows) >= 60
