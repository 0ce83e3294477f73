"""Processes of a server: its start and its end, several workers, and one that is killed."""

from __future__ import annotations

import concurrent.futures
import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .conftest import JSON, MODERN, SECRETS, Served, wait_for_port

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Home

PATIENCE = 120
"""Seconds within which a server does what it is to do, on a machine with other work."""
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


@pytest.fixture(scope="module")
def home(make_home: Callable[..., Home]) -> Home:
    return make_home(is_forked=False)


def list_workers(parent: int) -> list[int]:
    text = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True, check=False
    ).stdout
    return [int(word) for word in text.split()]


def wait_until(is_true: Callable[[], bool]) -> None:
    """Wait with pauses: a busy test would take the processor from what it waits for."""
    deadline = time.monotonic() + PATIENCE
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize(
    "words", [["--listen", "0.0.0.0:0"], ["--listen", "[::]:0"], ["--public-url", "https://aurora.example.org"]]
)
def test_a_server_that_others_reach_does_not_start_without_tokens(home: Home, words: list[str]) -> None:
    done = home.run("serve", "--listen", "127.0.0.1:0", *words)
    assert done.returncode == 1
    assert "can be reached from other machines, and no token exists" in done.stderr
    assert "aur serve token add YOUR-NAME --project alpha" in done.stderr


def test_the_server_of_one_project_is_for_this_machine_only(home: Home) -> None:
    done = home.run("mcp", "--http", "0.0.0.0:0", "--project", str(home.path / "alpha"))
    assert done.returncode == 1
    assert "`aur serve` serves other machines" in done.stderr.replace("\n", " ")


def test_the_server_of_one_project_takes_as_many_requests_as_a_program_sends(home: Home) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    command = ("mcp", "--http", "127.0.0.1:0")
    with (
        home.start("--project", str(home.path / "alpha"), command=command) as server,
        contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.port)) as connection,
    ):
        for _ in range(200):
            connection.request("POST", "/mcp", body, JSON)
            answer = connection.getresponse()
            assert (answer.status, answer.read()[:16]) == (200, b'{"jsonrpc":"2.0"')
        connection.request("GET", "/nowhere")
        answer = connection.getresponse()
        text = answer.read()
        assert (answer.status, b"MCP is at /mcp" in text, b"/p/NAME" in text) == (404, True, False)


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        (None, [], "does not exist, so there is no project to serve"),
        ("x = [", [], "is not TOML"),
        ("", [], "projects"),
        ('[projects.UPPER]\nfolder = "/x"', [], "UPPER"),
        ('[projects."../x"]\nfolder = "/x"', [], "projects"),
        ('[projects.a]\nfolder = "relative"', [], "absolute path"),
        ('[projects.a]\nfolder = "/x"\nforlder = 1', [], 'unknown key "forlder"'),
        ('workers = 0\n[projects.a]\nfolder = "/x"', [], "workers"),
        ('when = 2026-01-01\n[projects.a]\nfolder = "/x"', [], "TOML of the right kind"),
        ('[projects.a]\nfolder = "/x"\n[jwt]\nissuer="i"\naudience="a"\njwks_url="file:///etc/passwd"', [], "https"),
        (
            '[projects.a]\nfolder = "/x"\n[jwt]\nissuer="i"\naudience="a"\njwks_url="https://x"\nalgorithms=["none"]',
            [],
            "RS256",
        ),
        (
            '[projects.a]\nfolder = "/x"\n[jwt]\nissuer="i"\naudience="a"\njwks_url="https://x"\nalgorithms=["HS256"]',
            [],
            "RS256",
        ),
        ('[projects.a]\nfolder = "/x"', ["--public-url", "ftp://x"], "public URL"),
        ('[projects.a]\nfolder = "/x"', ["--listen", "x y"], "address to listen on"),
    ],
)
def test_wrong_settings_are_said_and_nothing_starts(
    make_plain_home: Callable[[], Home], text: str | None, words: list[str], said: str
) -> None:
    plain = make_plain_home()
    if text is not None:
        plain.write(text)
    done = plain.run("serve", *words)
    assert done.returncode == 1, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert "crash" not in done.stderr


def test_settings_that_anyone_could_write_are_not_used(make_plain_home: Callable[[], Home]) -> None:
    plain = make_plain_home()
    plain.write('[projects.a]\nfolder = "/x"')
    (plain.path / "config" / "aurora" / "serve.toml").chmod(0o666)
    done = plain.run("serve")
    assert (done.returncode, "can be written by others" in done.stderr) == (1, True)


def test_projects_never_share_the_database_of_the_environment(home: Home) -> None:
    home.environ["AURORA_DB"] = str(home.path / "shared.db")
    done = home.run("serve", "--listen", "127.0.0.1:0")
    del home.environ["AURORA_DB"]
    assert (done.returncode, "2 projects would share it" in done.stderr) == (1, True)


def test_two_projects_of_one_name_in_the_database_server_are_refused(make_plain_home: Callable[[], Home]) -> None:
    plain = make_plain_home()
    plain.write('[projects.a]\nfolder = "/x"\ndatabase_project = "b"\n[projects.b]\nfolder = "/y"')
    done = plain.run("serve")
    assert (done.returncode, 'projects "a" and "b" would share one memory' in done.stderr) == (1, True)


def test_sigterm_in_a_call_finishes_it_and_exits_0(home: Home) -> None:
    arguments = {"query": f"What is {SECRETS['alpha']}?"}
    with home.start() as server, concurrent.futures.ThreadPoolExecutor(1) as pool:
        # The first call opens the project, which takes long enough for the signal to arrive within it.
        running = pool.submit(server.call, "/p/alpha/mcp", "aurora_query", arguments)
        wait_for_metric(server)
        server.process.send_signal(signal.SIGTERM)
        step = running.result(60)
        assert step["run"]
        assert server.process.wait(60) == 0
        with pytest.raises(ConnectionRefusedError):
            server.get("/healthz")
    assert "Traceback" not in server.log.read_text()


def wait_for_metric(server: Served) -> None:
    """Wait until a call of the project runs, beside the request for the metrics."""
    wait_until(lambda: "aurora_http_requests_running 2.0" in server.get("/metrics").text)


def test_a_killed_worker_is_replaced_and_its_run_goes_on_in_another(home: Home) -> None:
    with home.start("--workers", "2") as server:
        first = server.call("/p/alpha/mcp", "aurora_query", {"query": f"What is {SECRETS['alpha']}?"}, era=MODERN)
        workers = list_workers(server.process.pid)
        assert len(workers) == 2
        for victim in workers:  # both, one after the other: whichever began the run is gone then
            os.kill(victim, signal.SIGKILL)
            wait_until(lambda: len(set(list_workers(server.process.pid)) - {victim}) >= 2)  # noqa: B023 - called here
            assert server.process.poll() is None
        continued = dict(first["next_call"]["arguments"])
        if "answer" in first["next_call"].get("needs", {}):
            continued["answer"] = "an answer"
        step = server.call("/p/alpha/mcp", "aurora_query", continued)
        assert step["run"] == first["run"]
        assert step.get("error", {}).get("code") in {None, "INVALID_INPUT"}
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 0
    assert server.log.read_text().count("a worker ended (-9) and is replaced") == 2


def test_workers_end_with_their_parent(home: Home) -> None:
    with home.start("--workers", "2") as server:
        server.get("/healthz")
        workers = list_workers(server.process.pid)
        server.process.kill()
        server.process.wait()
        assert len(workers) == 2
        wait_until(lambda: not any(map(is_worker, workers)))


def is_worker(process: int) -> bool:
    try:
        return b"aurora.serve.process" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def test_the_module_of_a_folder_does_not_replace_one_of_the_library(make_home: Callable[..., Home]) -> None:
    home = make_home(is_forked=False)
    (home.path / "json.py").write_text("raise SystemExit('a hostile module')", "utf-8")
    # As the console script starts it: without the current folder on its path; the workers must not add it.
    command = "import sys; from aurora.cli.entry import main; sys.argv = ['aur', *sys.argv[1:]]; main()"
    log = home.path / "log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", command, "serve", "--listen", "127.0.0.1:0", "--workers", "2"],
            stderr=output, cwd=home.path, env=home.get_environ(), stdin=subprocess.DEVNULL,
        )  # fmt: skip
    server = Served(process, wait_for_port(process, log), log)
    assert server.post("/p/alpha/mcp", LIST).status == 200
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0
    assert "hostile" not in log.read_text()


def test_a_project_without_its_folder_is_not_ready(make_home: Callable[..., Home]) -> None:
    home = make_home(is_forked=False)
    with home.start() as server:
        assert server.get("/readyz").status == 200
        (home.path / "alpha").rename(home.path / "moved")
        answer = server.get("/readyz")
        assert (answer.status, "alpha" in answer.text) == (503, False)
        answer = server.post("/p/alpha/mcp", LIST)
        assert (answer.status, answer.fault["code"]) == (503, "NOT_FOUND")
        assert str(home.path) not in answer.text
        (home.path / "moved").rename(home.path / "alpha")
        assert server.post("/p/alpha/mcp", LIST).status == 200


def test_the_memory_of_a_server_is_flat_over_many_requests(make_home: Callable[..., Home]) -> None:
    home = make_home(is_forked=False)
    text = (home.path / "config" / "aurora" / "serve.toml").read_text()
    home.write(text + "[limits]\nrequests_per_second = 100000.0\nburst = 100000\n")
    with home.start() as server, contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.port)) as connection:
        server.call("/p/alpha/mcp", "aurora_search", {"query": SECRETS["alpha"]})
        growths: list[int] = []
        while not growths or (growths[-1] >= 7_000_000 and len(growths) < 4):  # models are loaded late, and once
            before = read_size(server.process.pid)
            for number in range(1_000):
                body = json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"})
                connection.request("POST", "/p/alpha/mcp", body, JSON)
                answer = connection.getresponse()
                assert json.loads(answer.read())["result"] == {}
            growths.append(read_size(server.process.pid) - before)
    assert growths[-1] < 7_000_000, growths


def read_size(process: int) -> int:
    """Return the resident memory of a process in bytes."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_an_idle_project_is_closed_and_opened_again(make_home: Callable[..., Home]) -> None:
    home = make_home(is_forked=False)
    text = (home.path / "config" / "aurora" / "serve.toml").read_text()
    home.write(text + "[limits]\nidle_project_seconds = 1\n")
    with home.start() as server:
        query: Any = ("/p/alpha/mcp", "aurora_search", {"query": SECRETS["alpha"]})
        before = server.call(*query)
        wait_until(lambda: not has_open_database(server.process.pid, home.path / "alpha"))
        assert server.call(*query)["hits"] == before["hits"]


def has_open_database(process: int, folder: Path) -> bool:
    names = []
    for entry in Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(OSError):
            names.append(str(entry.readlink()))
    return any(name.startswith(str(folder)) and name.endswith("memory.db") for name in names)
