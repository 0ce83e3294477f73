"""History of benchmark figures: one JSON line a run, so that a loss is seen before it lands."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_LOSS = 0.002
"""Differences up to this are noise: one place of one question in some hundred."""


def append_figures(history: Path, name: str, figures: Mapping[str, float]) -> list[str]:
    """Append the figures of a run, and compare them with those of the run before.

    Args:
        history: a file of JSON lines; created when it is missing.
        name: the name of the labelled set.
        figures: the figures by name; higher is better.

    Returns:
        A sentence for each figure that differs from the last run of the same set.
    """
    before = _read_last(history, name)
    line = {
        "at": dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M"),
        "commit": _read_commit(),
        "set": name,
        "figures": {key: round(value, 4) for key, value in figures.items()},
    }
    history.parent.mkdir(parents=True, exist_ok=True)
    with history.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    return [_describe(key, before[key], value) for key, value in figures.items() if _differs(before.get(key), value)]


def _read_last(history: Path, name: str) -> Mapping[str, float]:
    lines = history.read_text(encoding="utf-8").splitlines() if history.exists() else []
    runs = [run for run in map(json.loads, lines) if run["set"] == name]
    figures: Mapping[str, float] = runs[-1]["figures"] if runs else {}
    return figures


def _differs(before: float | None, now: float) -> bool:
    return before is not None and abs(now - before) > _LOSS


def _describe(name: str, before: float, now: float) -> str:
    return f"{'better' if now > before else 'WORSE'}: {name} {before:.3f} -> {now:.3f}"


def _read_commit() -> str:
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)  # noqa: S607 - git
    return done.stdout.strip()
