"""Parser of the Python files of a folder, as a baseline.

It reads and parses them with tree-sitter and does nothing else; arguments select a share of the files.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import tree_sitter_python
from tree_sitter import Language, Parser


def main() -> None:
    """Parse a folder, or a share of it (`FOLDER SHARE OF`); print the time."""
    parser = Parser(Language(tree_sitter_python.language()))
    share, shares = map(int, sys.argv[2:4] or ("0", "1"))
    # the largest first, each to the next: the shares are of nearly the same size
    paths = sorted(Path(sys.argv[1]).rglob("*.py"), key=lambda path: (-path.stat().st_size, path))[share::shares]
    size = 0
    began = time.perf_counter()
    for path in paths:
        text = path.read_bytes()
        size += len(text)
        parser.parse(text)
    print(json.dumps({"files": len(paths), "bytes": size, "seconds": time.perf_counter() - began}))


if __name__ == "__main__":
    main()
