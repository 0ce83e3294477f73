"""Install the official conformance suite, the Inspector and a Node that runs them, from npm by name and version.

Usage: python bench/install_conformance.py FOLDER
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PACKAGES = {
    "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
    "@modelcontextprotocol/inspector": "2.12.0",
    "node": "22.23.3",
}
"""Exact versions: a new one may have scenarios that the baseline does not know."""


def main() -> int:
    """Install what is missing in the folder; exit 1 with a reason when npm cannot."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    if all(read_version(folder, name) == version for name, version in PACKAGES.items()):
        return 0
    named = [f"{name}@{version}" for name, version in PACKAGES.items()]
    command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), *named]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        sys.stderr.write("npm is not on PATH; install Node 20 or newer with npm\n")
        return 1
    if done.returncode:
        sys.stderr.write(f"npm cannot install {', '.join(named)}:\n{done.stderr[-2000:]}\n")
        return 1
    return 0


def read_version(folder: Path, name: str) -> str:
    """Return the installed version of a package; empty without it."""
    try:
        found = json.loads((folder / "node_modules" / name / "package.json").read_text("utf-8"))
    except (OSError, ValueError):
        return ""
    return str(found.get("version", ""))


if __name__ == "__main__":
    sys.exit(main())
