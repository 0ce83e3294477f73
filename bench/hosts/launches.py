"""Launches of the hosts without a person: command line, environment, and files that make them trust the folder."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a host runs.

    Attributes:
        home: its home folder, which it has for itself.
        project: the project, with the files of `aur init`.
        url: the scripted model.
        prompt: what the person types.
    """

    home: Path
    project: Path
    url: str
    prompt: str


@dataclass(frozen=True, slots=True)
class Launch:
    """A command, its environment, and files to write before, by path under the home folder."""

    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    def write_files(self, home: Path) -> None:
        """Write the files into the home folder."""
        for name, text in self.files.items():
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def launch_claude_code(setting: Setting) -> Launch:
    """Launch Claude Code; `.claude/settings.local.json` of `aur init` allows the tools in a trusted folder."""
    return Launch(
        ("claude", "--print", setting.prompt, "--output-format", "stream-json", "--verbose"),
        {
            "ANTHROPIC_BASE_URL": setting.url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "MCP_CONNECTION_NONBLOCKING": "0",  # otherwise the first request may go out without the tools
        },
        {
            ".claude/settings.json": json.dumps({"enabledMcpjsonServers": ["aurora"]}),
            ".claude.json": json.dumps({"projects": {str(setting.project): {"hasTrustDialogAccepted": True}}}),
        },
    )


def launch_codex(setting: Setting) -> Launch:
    """Launch Codex, with the scripted model as a provider."""
    config = f"""
model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "{setting.url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
supports_websockets = false

[projects.{json.dumps(str(setting.project))}]
trust_level = "trusted"
"""
    command = ("codex", "exec", "--sandbox", "read-only", setting.prompt)
    return Launch(command, {"SCRIPTED_KEY": "none"}, {".codex/config.toml": config})


def launch_gemini(setting: Setting) -> Launch:
    """Launch Gemini CLI."""
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False},
    }
    return Launch(
        ("gemini", "--prompt", setting.prompt, "--approval-mode", "yolo"),
        {
            "GEMINI_API_KEY": "none",
            "GEMINI_MODEL": "gemini-2.5-flash",  # without a name, the host first asks which model to ask
            "GOOGLE_GEMINI_BASE_URL": setting.url,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        },
        {".gemini/settings.json": json.dumps(settings)},
    )


def launch_opencode(setting: Setting) -> Launch:
    """Launch opencode, with the scripted model as a provider."""
    model = {"name": "scripted", "tool_call": True, "limit": {"context": 200_000, "output": 8_000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "scripted",
        "options": {"baseURL": f"{setting.url}/v1", "apiKey": "none"},
        "models": {"scripted": model},
    }
    config = {
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "provider": {"scripted": provider},
        "autoupdate": False,
        "share": "disabled",
        "snapshot": False,
    }
    environment = {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1"}
    files = {".config/opencode/opencode.json": json.dumps(config)}
    return Launch(("opencode", "run", setting.prompt), environment, files)


def launch_copilot_cli(setting: Setting) -> Launch:
    """Launch Copilot CLI."""
    return Launch(
        ("copilot", "--prompt", setting.prompt, "--allow-tool", "aurora"),
        {
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": f"{setting.url}/v1",
            "COPILOT_PROVIDER_API_KEY": "none",
            "COPILOT_MODEL": "gpt-4.1",
        },
        {".copilot/config.json": json.dumps({"trustedFolders": [str(setting.project)]})},
    )


def launch_qwen_code(setting: Setting) -> Launch:
    """Launch Qwen Code; it sends requests to loopback through a proxy, too, so it has none."""
    no_proxy = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "")
    settings = {"privacy": {"usageStatisticsEnabled": False}, "general": {"enableAutoUpdate": False}}
    return Launch(
        ("qwen", "--prompt", setting.prompt, "--approval-mode", "yolo", "--auth-type", "openai"),
        {
            "OPENAI_BASE_URL": f"{setting.url}/v1",
            "OPENAI_API_KEY": "none",
            "OPENAI_MODEL": "scripted",
            "QWEN_CODE_TRUST_WORKSPACE": "true",
            **no_proxy,
        },
        {".qwen/settings.json": json.dumps(settings)},
    )


def launch_cline_cli(setting: Setting) -> Launch:
    """Launch Cline CLI, with the scripted model as a provider."""
    settings = {
        "provider": "openai-compatible",
        "apiKey": "none",
        "model": "scripted",
        "baseUrl": f"{setting.url}/v1",
    }
    known = {"settings": settings, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}
    providers = {
        "version": 1,
        "lastUsedProvider": "openai-compatible",
        "modes": {},
        "providers": {"openai-compatible": known},
    }
    return Launch(
        ("cline", "--json", "--auto-approve", "true", setting.prompt),
        {"CLINE_MESSAGE_BUILDER_MAX_TOOL_RESULT_CHARS": "40000"},  # as `aur init` advises
        files={".cline/data/settings/providers.json": json.dumps(providers)},
    )


def launch_continue_cli(setting: Setting) -> Launch:
    """Launch Continue CLI; the scripted model is added to the file with Aurora's entry."""
    name = ".continue/config.yaml"
    models = f"""
models:
  - name: scripted
    provider: openai
    model: scripted
    apiKey: none
    apiBase: {setting.url}/v1
    capabilities: [tool_use]
"""
    config = setting.home / name
    written = config.read_text(encoding="utf-8").partition("\nmodels:\n")[0] if config.exists() else ""
    return Launch(
        ("cn", "--print", setting.prompt, "--auto"), {"CONTINUE_TELEMETRY_ENABLED": "0"}, {name: written + models}
    )


LAUNCHES: dict[str, Callable[[Setting], Launch]] = {
    "claude-code": launch_claude_code,
    "codex": launch_codex,
    "gemini": launch_gemini,
    "opencode": launch_opencode,
    "copilot-cli": launch_copilot_cli,
    "qwen-code": launch_qwen_code,
    "cline-cli": launch_cline_cli,
    "continue-cli": launch_continue_cli,
}
"""By the name that `aur init --hosts` takes."""
