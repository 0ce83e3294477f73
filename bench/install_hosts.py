"""`make hosts`: install with npm the assistants that are missing, and print what could not be installed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from hosts.packages import choose_names, install_missing


def main() -> int:
    """Install; the exit code is 1 if no assistant can be used."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder for npm, with or without assistants")
    parser.add_argument("--hosts", default="", help="names of hosts, separated by commas; by default all")
    given = parser.parse_args()
    usable = 0
    for host, reason in install_missing(given.folder, choose_names(given.hosts)):
        usable += not reason
        print(f"{host}: {'NOT INSTALLED: ' + reason if reason else 'installed'}", flush=True)
    if not usable:
        print("no assistant can be used: see the reasons above", file=sys.stderr)
    return 0 if usable else 1


if __name__ == "__main__":
    sys.exit(main())
