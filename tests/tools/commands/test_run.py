"""`command.run` runs what the person allowed, with real programs, and ends all that they start."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.tools.runtime import Workspace, call_tool

if TYPE_CHECKING:
    from .conftest import Allow, RunCommand

IS_LINUX = sys.platform == "linux"


def run(workspace: Workspace, program: str, *arguments: Any, **more: Any) -> dict[str, Any]:
    return call_tool(workspace, "command.run", {"program": program, "arguments": [*arguments], **more})


def refusal(workspace: Workspace, program: str, *arguments: Any) -> Fault:
    with pytest.raises(Fault) as raised:
        run(workspace, program, *arguments)
    return raised.value


def is_running(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except OSError:
        return False


def test_nothing_is_allowed_without_a_configuration(opened: Workspace, config: Path) -> None:
    fault = refusal(opened, "pytest", "-q")

    assert fault.code is Code.FORBIDDEN
    assert fault.message == 'the program "pytest" is not allowed in this project'
    assert f'"{config}"' in fault.help  # and every surface shows the lines after it
    assert fault.details["lines"] == [
        "[[commands]]",
        f'project = "{opened.root}"',
        'program = "pytest"',
        'arguments = ["-q"]',
    ]


def test_the_lines_of_the_refusal_allow_the_call(opened: Workspace, config: Path) -> None:
    lines = refusal(opened, "echo", 'a "b" \\ \x7f\n', "ä;`x`").details["lines"]
    config.write_text("\n".join(lines), encoding="utf-8")
    config.chmod(0o600)

    assert run(opened, "echo", 'a "b" \\ \x7f\n', "ä;`x`")["stdout"] == 'a "b" \\ \x7f\n ä;`x`\n'
    assert "echo" in refusal(opened, "echo", "another").message


def test_no_shell_reads_the_arguments(probe: RunCommand) -> None:
    words = ["a;id", "$HOME", "`id`", "a b", "*", "'\"", "&& x", "> y", 7]

    assert json.loads(probe("args", *words)["stdout"]) == [str(word) for word in words]


def test_an_exit_code_is_a_result(probe: RunCommand) -> None:
    done = probe("exit", 3)

    assert (done["exit_code"], done["stdout"], done["stderr"], done["truncated"]) == (3, "", "it failed", False)
    assert probe("signal")["exit_code"] == 128 + 9


def test_standard_input_is_a_text_or_json(probe: RunCommand) -> None:
    assert probe("cat", given="as it is\n")["stdout"] == "as it is\n"
    assert probe("cat", given={"a": [1, "é"]})["stdout"] == '{"a": [1, "é"]}'
    assert probe("cat")["stdout"] == ""


def test_json_is_parsed_on_request(probe: RunCommand) -> None:
    parsed = probe("cat", given={"a": [1]}, parse_json=True)

    assert (parsed["json"], parsed["stdout"]) == ({"a": [1]}, "")
    for text in ("no json", "[" * 200 + "]" * 200, '{"a": NaN}', '"\\ud800"', "1e999"):
        done = probe("cat", given=text, parse_json=True)
        assert (done["json"], done["stdout"]) == (None, text)


def test_the_program_runs_in_the_projects_folder_with_a_clean_environment(
    probe: RunCommand, opened: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEPT", "yes")
    monkeypatch.setenv("API_TOKEN", "surely-secret")
    monkeypatch.setenv("PYTHONPATH", str(opened.root))
    monkeypatch.setenv("PATH", os.pathsep.join([".", str(opened.root / "bin"), os.environ["PATH"]]))

    environ = probe("env", parse_json=True, output_bytes=64_000)["json"]

    assert environ["KEPT"] == "yes"
    assert not {"API_TOKEN", "PYTHONPATH", "AURORA_TRUST"} & set(environ)
    assert "." not in environ["PATH"].split(os.pathsep)
    assert str(opened.root) not in environ["PATH"]
    assert probe("cwd")["stdout"].strip() == str(opened.root)


def test_long_output_keeps_its_beginning_and_its_end(probe: RunCommand) -> None:
    done = probe("long", output_bytes=1000)

    assert done["truncated"]
    assert done["stdout"].startswith("begin ééé")
    assert done["stdout"].endswith("éé end")
    assert "bytes left out …]" in done["stdout"]
    assert "\ufffd" not in done["stdout"]
    assert len(done["stdout"].encode()) < 1100


def test_secrets_in_the_output_are_masked(probe: RunCommand) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"

    assert token not in probe("print", f"token {token}")["stdout"]
    assert token not in json.dumps(probe("cat", given={"token": token}, parse_json=True))


def test_a_program_that_prints_for_ever_is_ended(probe: RunCommand) -> None:
    with pytest.raises(Fault, match="printed more than 64 MB") as raised:
        probe("forever")
    assert raised.value.code is Code.UPSTREAM_ERROR


def test_a_program_that_ignores_sigterm_is_ended_after_its_time(probe: RunCommand) -> None:
    start = time.monotonic()

    with pytest.raises(Fault, match="ran for 1 s and was ended") as raised:
        probe("stubborn", seconds=1)

    assert raised.value.code is Code.TIMEOUT
    assert raised.value.details["stdout"] == "<material>waiting\n</material>"
    assert time.monotonic() - start < 30


@pytest.mark.skipif(not IS_LINUX, reason="other systems have no list of processes with their environment")
def test_a_process_that_left_the_group_ends_with_the_program(probe: RunCommand) -> None:
    daemon = int(probe("daemon")["stdout"])

    assert not is_running(daemon)


def test_a_cancelled_call_ends_the_program(
    probe: RunCommand, opened: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AURORA_TIMEOUT", "0.5")
    before = threading.active_count()

    with pytest.raises(Fault) as raised:
        probe("stubborn")

    assert (raised.value.code, raised.value.details["tool"]) == (Code.TIMEOUT, "command.run")
    del opened
    assert threading.active_count() <= before + 1


@pytest.mark.parametrize(
    "arguments",
    [[["a"]], [{"a": 1}], [None], [True], [1.5], ["a\0b"], "a", ["x"] * 1001, ["x" * 100_001], ["x" * 1_000_001]],
)
def test_arguments_that_no_program_can_have_are_refused(opened: Workspace, allow: Allow, arguments: Any) -> None:
    allow(program="echo", further=["*"])

    with pytest.raises(Fault) as raised:
        call_tool(opened, "command.run", {"program": "echo", "arguments": arguments})

    assert raised.value.code is Code.INVALID_INPUT


def test_a_clone_supplies_no_program(
    opened: Workspace, allow: Allow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = opened.root / "bin" / "mytool"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\necho from the clone\n", encoding="utf-8")
    script.chmod(0o755)
    links = tmp_path / "links"
    links.mkdir()
    (links / "mytool").symlink_to(script)
    monkeypatch.chdir(script.parent)
    monkeypatch.setenv("PATH", os.pathsep.join([".", "", str(script.parent), str(links), "/usr/bin", "/bin"]))
    allow(program="mytool")

    fault = refusal(opened, "mytool")
    assert (fault.code, fault.message) == (
        Code.UPSTREAM_ERROR,
        'the program "mytool" is not in PATH, outside of the project',
    )
    for name in ("./bin/mytool", "bin/mytool", str(script), "../shop/bin/mytool"):
        assert refusal(opened, name).code is Code.FORBIDDEN

    allow(project=str(opened.root), program="bin/mytool")
    assert run(opened, "bin/mytool")["stdout"] == "from the clone\n"
    allow(program="named", path=str(script))
    assert run(opened, "named")["stdout"] == "from the clone\n"


def test_a_program_is_allowed_in_its_own_project_only(opened: Workspace, allow: Allow, tmp_path: Path) -> None:
    allow(project=str(opened.root), program="echo")
    other = tmp_path / "other"
    other.mkdir()

    assert run(opened, "echo")["exit_code"] == 0
    with Workspace(other) as workspace:
        assert refusal(workspace, "echo").code is Code.FORBIDDEN


def test_an_untrusted_folder_runs_nothing(opened: Workspace, allow: Allow, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(program="echo")
    monkeypatch.setenv("AURORA_TRUST", "0")

    with Workspace(opened.root) as workspace:
        fault = refusal(workspace, "echo")

    assert (fault.code, "not trusted" in fault.message) == (Code.FORBIDDEN, True)


def test_read_only_runs_nothing(opened: Workspace, allow: Allow) -> None:
    allow(program="echo")
    with Workspace(opened.root, read_only=True) as workspace:
        fault = refusal(workspace, "echo")
    assert (fault.code, "read-only" in fault.message) == (Code.FORBIDDEN, True)
