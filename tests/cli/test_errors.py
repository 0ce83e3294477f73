"""Three kinds of failure, one sentence each, and a number; never a traceback on the screen."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Aur = Callable[..., Any]

RAISING = """
import sys
from aurora.cli.main import run_guarded
from aurora.errors import Code, Fault

def inner():
    {body}

sys.exit(run_guarded(inner, as_json={as_json}))
"""


def raising(body: str, cwd: Path, *, as_json: bool = False) -> Any:
    program = RAISING.format(body=body, as_json=as_json)
    return subprocess.run([sys.executable, "-c", program], cwd=cwd, capture_output=True, text=True, check=False)


def test_an_unknown_command_is_bad_usage_and_names_the_nearest(aur: Aur) -> None:
    done = aur("mem", "serch", "x")

    assert done.returncode == 2
    assert done.stdout == ""
    first, second, *none = done.stderr.splitlines()
    assert first == 'aur: there is no command "serch"; did you mean `aur mem search`?'
    assert second == "help: Run `aur mem --help` for its usage."
    assert none == []


@pytest.mark.requirement("prd-79")
def test_the_old_command_query_is_unknown(aur: Aur) -> None:
    done = aur("query", "How are options parsed?")

    assert done.returncode == 2
    assert done.stderr.startswith('aur: there is no command "query"')


@pytest.mark.requirement("prd-82")
def test_the_old_option_config_of_init_is_unknown(aur: Aur) -> None:
    done = aur("init", "--config")

    assert done.returncode == 2
    assert done.stderr.startswith("aur: no such option '--config'")


def test_the_choices_for_what_was_left_out_stand_in_one_sentence(aur: Aur) -> None:
    done = aur("tools", "adapters")

    assert done.returncode == 2
    assert "missing argument 'FORMAT'. Choose from: openai, anthropic, gemini, openapi\n" in done.stderr


def test_an_option_out_of_its_range_is_bad_usage(aur: Aur) -> None:
    done = aur("mem", "search", "x", "--limit", "900")

    assert done.returncode == 2
    assert "900" in done.stderr
    assert "help: Run `aur mem search --help`" in done.stderr


def test_a_group_without_a_command_shows_its_commands(aur: Aur) -> None:
    done = aur("mem")

    assert done.returncode == 2
    assert done.stderr.startswith("Usage: aur mem")


def test_what_does_not_exist_is_one_sentence_with_a_way_out(aur: Aur) -> None:
    done = aur("runs", "show", "nosuch")

    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == 'aur: there is no run "nosuch"\nhelp: `aur runs list` shows the runs of this project.\n'


@pytest.mark.parametrize(
    ("words", "code", "number"),
    [
        (["--json", "runs", "show", "nosuch"], "NOT_FOUND", 1),
        (["runs", "show", "nosuch", "--json"], "NOT_FOUND", 1),
        (["--json", "no-such-command"], "INVALID_INPUT", 2),
        (["mem", "search", "--json"], "INVALID_INPUT", 2),
        (["--project", "/no/such/folder", "--json"], "NOT_FOUND", 1),
    ],
)
def test_with_json_a_failure_is_the_error_envelope_and_nothing_else(
    aur: Aur, words: list[str], code: str, number: int
) -> None:
    done = aur(*words)

    envelope = json.loads(done.stdout)
    assert done.stderr == ""
    assert done.returncode == number
    assert envelope["status"] == "error"
    assert envelope["error"]["code"] == code
    assert set(envelope["error"]) == {"code", "message", "details", "help"}


def test_a_bug_is_written_to_a_file_and_reported_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / ".aurora").mkdir()

    done = raising("return 1 // 0", tmp_path)

    log = tmp_path / ".aurora" / "crash.log"
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[0] == "aur: Aurora failed (ZeroDivisionError)"
    assert str(log) in done.stderr
    assert "ZeroDivisionError: integer division or modulo by zero" in log.read_text(encoding="utf-8")
    assert log.stat().st_mode & 0o077 == 0


def test_the_cause_behind_an_internal_fault_is_what_the_log_holds(tmp_path: Path) -> None:
    (tmp_path / ".aurora").mkdir()
    body = 'raise Fault(Code.INTERNAL_ERROR, "it failed") from KeyError("the real one")'

    done = raising(body, tmp_path)

    assert done.returncode == 3
    assert done.stderr.startswith("aur: it failed\n")
    assert "KeyError: 'the real one'" in (tmp_path / ".aurora" / "crash.log").read_text(encoding="utf-8")


def test_a_crash_outside_any_project_is_written_to_a_temporary_folder(tmp_path: Path) -> None:
    done = raising("return 1 // 0", tmp_path, as_json=True)

    told = json.loads(done.stdout)["error"]
    place = Path(told["help"].split("The traceback is in ")[1].split(";")[0])
    assert told["code"] == "INTERNAL_ERROR"
    assert "ZeroDivisionError" in place.read_text(encoding="utf-8")
    assert list(tmp_path.iterdir()) == []


def test_a_crash_in_a_project_creates_no_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    (tmp_path / ".aurora").mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))

    assert raising("return 1 // 0", tmp_path).returncode == 3
    assert list(temporary.iterdir()) == []


def test_a_crash_report_shows_hidden_characters(tmp_path: Path) -> None:
    (tmp_path / ".aurora").mkdir()

    raising("raise KeyError('a \\u202e b')", tmp_path)

    assert "\u202e" not in (tmp_path / ".aurora" / "crash.log").read_text(encoding="utf-8")


def test_a_crash_does_not_write_through_a_symbolic_link(tmp_path: Path) -> None:
    (tmp_path / ".aurora").mkdir()
    precious = tmp_path / "precious.txt"
    precious.write_text("mine", encoding="utf-8")
    (tmp_path / ".aurora" / "crash.log").symlink_to(precious)

    done = raising("return 1 // 0", tmp_path)

    assert done.returncode == 3
    assert precious.read_text(encoding="utf-8") == "mine"


def test_an_interrupt_ends_with_its_own_number_and_no_traceback(tmp_path: Path) -> None:
    program = RAISING.format(body="print('ready', flush=True); import signal; signal.pause()", as_json=False)
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)

    assert process.returncode == 130
    assert errors == "aur: interrupted\n"


def test_a_pipe_closed_early_is_not_a_failure(project: Path, environment: dict[str, str]) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "aurora", "workflow", "show", "soar"],
            cwd=project,
            env=environment,
            stdout=write_end,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    finally:
        os.close(write_end)

    assert done.returncode == 0
    assert done.stderr == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("words", [["workflow", "show", "soar"], ["workflow", "show", "soar", "--json"]])
def test_a_full_disk_is_reported_and_is_not_a_bug(project: Path, environment: dict[str, str], words: list[str]) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "aurora", *words],
            cwd=project,
            env=environment,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert done.returncode == 1
    assert done.stderr == (
        "aur: the output cannot be written: no space left on device\nhelp: Free space, then run it again.\n"
    )
    assert not (project / ".aurora" / "crash.log").exists()


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}},
}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_a_server_whose_output_is_full_ends_with_one_error(project: Path, environment: dict[str, str]) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = serve_once(project, environment, full)

    assert done.returncode == 1
    assert done.stderr.endswith(
        "aur: the output cannot be written: no space left on device\nhelp: Free space, then run it again.\n"
    )
    assert not (project / ".aurora" / "crash.log").exists()


def test_a_server_whose_host_is_gone_ends_quietly(project: Path, environment: dict[str, str]) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        done = serve_once(project, environment, write_end)
    finally:
        os.close(write_end)

    assert done.returncode == 0
    assert done.stderr == ""


def serve_once(project: Path, environment: dict[str, str], output: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "aurora", "mcp"],
        cwd=project,
        env=environment,
        input=json.dumps(INITIALIZE) + "\n",
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_a_command_whose_input_or_output_is_closed_does_its_work(
    project: Path, environment: dict[str, str], closed: int
) -> None:
    command = f'"{sys.executable}" -m aurora mem add "Closed {closed}" {closed}>&-'
    done = subprocess.run(
        ["sh", "-c", command], cwd=project, env=environment, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "" if closed == 1 else done.stdout.startswith("kept: know:")


def test_a_message_cannot_move_the_cursor(aur: Aur) -> None:
    done = aur("runs", "show", "x\x1b[2Jy")

    assert done.returncode == 1
    assert "\x1b" not in done.stderr
