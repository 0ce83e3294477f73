from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
from aurora.tools import http
http.run_server  # imports the server
print("uvicorn.supervisors" in sys.modules, "watchfiles" in sys.modules)
import uvicorn
config = uvicorn.Config("nothing:app", workers=2)
made = sys.modules["uvicorn.main"].Multiprocess(config, sockets=[])
from uvicorn.supervisors import Multiprocess
print(type(made) is Multiprocess)
"""


def test_the_supervisors_of_uvicorn_are_loaded_when_somebody_uses_them() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "False False\nTrue\n"), done.stderr
