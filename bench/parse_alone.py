"""Reads and parses the Python files of a folder with tree-sitter, and nothing else; one share of them when asked to."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import tree_sitter_python
from tree_sitter import Language, Parser


def main() -> None:
    """Parse the folder that the command line names, or a share of it (`FOLDER SHARE OF`); print what it took."""
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
