"""Indexing against parsing alone, and indexing again when nothing has changed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from corpus import index, sources
from rows import Row, emit

HERE = Path(__file__).resolve().parent
FILES = int(sys.argv[1]) if len(sys.argv) > 1 else 1500


def main() -> None:
    """Measure on Python files only, so that both sides read the same."""
    with tempfile.TemporaryDirectory(prefix="aurora-bench-") as folder:
        project = Path(folder) / "project"
        (project / ".git").mkdir(parents=True)
        for path, place in [pair for pair in sources() if pair[0].suffix == ".py"][:FILES]:
            (project / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, project / place)
        alone = json.loads(
            subprocess.run(
                [sys.executable, str(HERE / "parse_alone.py"), str(project)], stdout=subprocess.PIPE, check=True
            ).stdout
        )
        whole = index(project)
        again = index(project)
    emit(
        [
            Row(
                "indexing: files per second",
                f"{whole['files'] / whole['seconds']:,.0f} files/s",
                f"parsing alone, one process: {alone['files'] / alone['seconds']:,.0f} files/s",
                (whole["files"] / whole["seconds"]) / (alone["files"] / alone["seconds"]),
            ),
            Row(
                "indexing: MB per second",
                f"{whole['bytes'] / whole['seconds'] / 1e6:.2f} MB/s",
                f"parsing alone, one process: {alone['bytes'] / alone['seconds'] / 1e6:.2f} MB/s",
                (whole["bytes"] / whole["seconds"]) / (alone["bytes"] / alone["seconds"]),
            ),
            Row(
                f"indexing again, {whole['files']:,} files unchanged",
                f"{again['seconds']:.2f} s",
                f"the first time: {whole['seconds']:.2f} s",
                again["seconds"] / whole["seconds"],
            ),
        ]
    )


if __name__ == "__main__":
    main()
