"""Install VS Code as a server for a browser, and a Node that runs it, from npm by name and version.

Usage: python bench/install_editor.py FOLDER
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PACKAGES = ("node@24.21.0", "code-server@4.139.1")
"""`code-server` has VS Code 1.139.1 and needs Node 24. Its scripts would compile modules that are not needed here."""
_INSTALL = ("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts")


def main() -> int:
    """Install what is missing in the folder; exit 1 with a reason when npm cannot."""
    folder = Path(sys.argv[1]).resolve()
    ready = folder / "ready"
    if ready.exists() and ready.read_text("utf-8") == " ".join(PACKAGES):
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    modules = folder / "node_modules"
    steps = (
        (folder, (*_INSTALL, "--prefix", str(folder), *PACKAGES)),
        (modules / "node", ("node", "installArchSpecificPackage")),  # its own script, which finds the program
        (modules / "code-server" / "lib" / "vscode", (*_INSTALL, "--omit=dev")),
    )
    for place, command in steps:
        try:
            done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            sys.stderr.write(f"{command[0]} is not on PATH; install Node 20 or newer with npm\n")
            return 1
        if done.returncode:
            sys.stderr.write(f"`{' '.join(command)}` failed:\n{done.stderr[-2000:]}\n")
            return 1
    ready.write_text(" ".join(PACKAGES), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
