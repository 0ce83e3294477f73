"""Hostile templates and expressions end in a message of the command, and not in its death."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATES = {
    "sum": "{{ 1" + "+1" * 20_000 + " }}",
    "open": "{{" * 20_000,
    "elif": "{% if rows %}" + "{% elif rows %}" * 4_000 + "{% endif %}",
    "constants": "{{ " + "~".join(["'b' * 90000000"] * 100) + " }}",
}
CONDITIONS = {
    "brackets": "(" * 1_500 + "a" + ")" * 1_500,
    "pipes": "@" + " | [@, @][]" * 200,
}


def write_workflow(folder: Path, name: str, prompt: str, when: str | None = None) -> None:
    rules: list[dict[str, Any]] = [{"when": when, "then": "end"}] if when else []
    phase = {
        "title": "Ask",
        "inputs": {"rows": {"type": "array", "default": list(range(9_000))}},
        "prompt_template": prompt,
        "answer": {"type": "string"},
        "next_action": [*rules, {"then": "end"}],
    }
    document = {"aurora": 1, "name": name, "version": "1.0.0", "title": name, "start": "ask", "phases": {"ask": phase}}
    (folder / f"{name}.yaml").write_text(json.dumps(document), encoding="utf-8")


def run_aurora(program: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, check=False)


def test_hostile_workflows_are_reported_by_validate(tmp_path: Path, aur_program: str) -> None:
    for name, prompt in TEMPLATES.items():
        write_workflow(tmp_path, name, prompt)
    for name, when in CONDITIONS.items():
        write_workflow(tmp_path, name, "Look at {{ rows }}.", when)
    names = [*TEMPLATES, *CONDITIONS]
    done = run_aurora(aur_program, tmp_path, "workflow", "validate", *(f"{name}.yaml" for name in names))
    assert done.returncode == 1
    assert "Traceback" not in done.stdout + done.stderr
    for name in names:
        code = "E601" if name in TEMPLATES else "E301"
        assert any(line.startswith(f"{name}.yaml:1:") and code in line for line in done.stdout.splitlines())


def test_a_hostile_prompt_fails_its_step_with_a_reason(tmp_path: Path, aur_program: str) -> None:
    write_workflow(tmp_path, "hostile", "{{ rows | join('b' * 90000) | length }}{{ rows * 90000 }}")
    (tmp_path / ".aurora" / "workflows").mkdir(parents=True)
    (tmp_path / "hostile.yaml").rename(tmp_path / ".aurora" / "workflows" / "hostile.yaml")
    run_aurora(aur_program, tmp_path, "trust", "--yes")
    done = run_aurora(aur_program, tmp_path, "workflow", "step", "ask", "--workflow", "hostile", "--json")
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    error = json.loads(done.stdout)["error"]
    assert "it was stopped" in error["message"]
