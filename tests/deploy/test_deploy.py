"""The files in deploy/ agree with the server, with each other, and with the programs that read them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from aurora.serve.settings import ServeSettings
from aurora.system.environment import VARIABLES

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"


@pytest.fixture
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = YAML(typ="safe").load(DEPLOY / "compose.yaml")
    return loaded


def test_every_name_in_the_compose_file_is_declared_in_it(compose: dict[str, Any]) -> None:
    assert set(compose["services"]) == {"database", "aurora", "proxy"}
    for service in compose["services"].values():
        assert ("image" in service) is not ("build" in service)
        assert set(service.get("depends_on", ())) <= set(compose["services"])
        assert {one["source"] for one in service.get("configs", ())} <= set(compose["configs"])
        for volume in service["volumes"]:
            source = volume.partition(":")[0]
            assert source in compose["volumes"] or source == "./projects" or (DEPLOY / source).is_file()
    build = compose["services"]["aurora"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).is_file()


def test_the_settings_in_the_compose_file_are_those_of_the_server(compose: dict[str, Any]) -> None:
    text = compose["configs"]["serve"]["content"].replace("${AURORA_HOST}", "aurora.example")
    settings = ServeSettings.model_validate(tomllib.loads(text))
    assert settings.workers == 2
    aurora = compose["services"]["aurora"]
    assert aurora["command"] == ["serve", "--config", aurora["configs"][0]["target"]]
    assert {name for name in aurora["environment"] if name.startswith("AURORA_")} <= set(VARIABLES)
    port = settings.listen.partition(":")[2]
    assert f"reverse_proxy aurora:{port}" in (DEPLOY / "Caddyfile").read_text("utf-8")
    assert aurora["environment"]["PGPASSWORD"] == compose["services"]["database"]["environment"]["POSTGRES_PASSWORD"]


def test_the_commands_of_the_files_are_commands_of_aurora() -> None:
    for words in (["serve", "--help"], ["serve", "token", "add", "--help"], ["mem", "index", "--help"]):
        shown = subprocess.run(
            [sys.executable, "-m", "aurora", *words], check=True, capture_output=True, text=True
        ).stdout
        text = (DEPLOY / "compose.yaml").read_text("utf-8") + (DEPLOY / "aurora.service").read_text("utf-8")
        used = re.findall(rf"{' '.join(words[:-1])}\b(?! token)([^\n\]]*)", text.replace(",", ""))
        assert used, words
        options = {option for line in used for option in re.findall(r"--[a-z-]+", line)}
        assert options <= set(re.findall(r"--[a-z-]+", shown)), words


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_the_unit_is_one_that_systemd_accepts(tmp_path: Path) -> None:
    text = (DEPLOY / "aurora.service").read_text("utf-8").replace("/opt/aurora/bin/aur", shutil.which("true") or "")
    unit = tmp_path / "aurora.service"
    unit.write_text(text, "utf-8")
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    ours = [line for line in done.stderr.splitlines() if "aurora" in line]
    assert (done.returncode, ours) == (0, [])


def test_the_compose_file_follows_the_specification_of_compose() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run([*command, DEPLOY / "compose.yaml"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(shutil.which("caddy") is None, reason="Caddy is not installed")
def test_the_file_of_the_proxy_is_one_that_caddy_accepts(tmp_path: Path) -> None:
    environ = {**os.environ, "AURORA_HOST": "aurora.example", "HOME": str(tmp_path)}
    command = ["caddy", "validate", "--adapter", "caddyfile", "--config", DEPLOY / "Caddyfile"]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Valid configuration" in done.stdout + done.stderr
