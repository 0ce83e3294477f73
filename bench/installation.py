"""Installation of Aurora as `pip install .` makes it.

It has no finder, by which an editable installation looks for its modules.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent

_NOT_INSTALLED = (".*", "__pycache__", "bench", "build", "tests", "snapshots")


def installed(folder: Path) -> Path:
    """Make an environment in which Aurora is an ordinary package, beside the libraries of this one.

    Args:
        folder: does not exist yet.

    Returns:
        Its Python.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(subprocess.run([str(python), "-c", ask], capture_output=True, text=True, check=True).stdout.strip())
    # A path that a .pth file names is searched, but the .pth files in it are not followed: no editable finder there.
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    shutil.copytree(REPOSITORY, packages / "aurora", ignore=shutil.ignore_patterns(*_NOT_INSTALLED))
    subprocess.run([str(python), "-m", "compileall", "-q", str(packages / "aurora")], check=True)  # as pip does
    return python
