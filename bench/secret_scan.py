"""False alarms of the secret scan: `python bench/secret_scan.py FOLDER…` prints every alarm, and a figure per folder.

A line of the scan is a line of a text file. Each alarm is printed with its place, its kind and its line, with which a
person judges it: run this on public code only.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from aurora.faults.secrets import find_secrets

LINES_PER_ALARM = 30_000
_MAX_BYTES = 1 << 20
_MAX_SHOWN = 160


def scan_folder(folder: Path) -> tuple[int, int, float]:
    """Scan the text files of a folder, and print the alarms; return lines, alarms and seconds of processor time."""
    lines = alarms = 0
    seconds = 0.0
    for path in sorted(folder.rglob("*")):
        text = read_text(path)
        if text is None:
            continue
        lines += text.count("\n")
        began = time.process_time()
        found = find_secrets(text)
        seconds += time.process_time() - began
        alarms += len(found)
        for one in found:
            row = text.count("\n", 0, one.start)
            line = text.split("\n")[row].strip()[:_MAX_SHOWN]
            print(f"{path.relative_to(folder.parent)}:{row + 1}: {one.kind}: {line}")
    return lines, alarms, seconds


def read_text(path: Path) -> str | None:
    """Read a file as the index does; None for a link, a large file and one that is not text."""
    if path.is_symlink() or not path.is_file() or path.stat().st_size > _MAX_BYTES:
        return None
    data = path.read_bytes()
    try:
        return None if b"\0" in data else data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def main() -> None:
    """Scan the folders, and print a table."""
    table = [(Path(name).name, *scan_folder(Path(name))) for name in sys.argv[1:]]
    print(f"\n{'folder':24}{'lines':>10}{'alarms':>8}{'per 30,000 lines':>18}{'s':>7}")
    total = ("all", *(sum(row[column] for row in table) for column in (1, 2, 3)))
    for name, lines, alarms, seconds in (*table, total):
        rate = LINES_PER_ALARM * alarms / max(1, lines)
        print(f"{name:24}{lines:>10,}{alarms:>8}{rate:>18.2f}{seconds:>7.2f}")


if __name__ == "__main__":
    main()
