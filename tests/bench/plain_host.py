"""A host with nothing but a loop: it offers the tools of `.mcp.json` to a model, and calls what the model asks for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

PROTOCOL = "2025-06-18"


class Server:
    """The MCP server of the project, over its standard input and output."""

    def __init__(self, entry: dict[str, Any]) -> None:
        command = [entry["command"], *entry["args"]]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        client = {"name": "plain", "version": "1"}
        self.ask("initialize", protocolVersion=PROTOCOL, capabilities={}, clientInfo=client)
        self.send(method="notifications/initialized")

    def send(self, **message: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def ask(self, method: str, **params: Any) -> Any:
        self.send(id=1, method=method, params=params)
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == 1 and "method" not in message:
                return message["result"]
        raise AssertionError("the server has ended")

    def close(self) -> None:
        self.process.communicate(timeout=60)


def ask_model(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Ask the model for its next block."""
    offered = [{"name": tool["name"], "input_schema": tool["inputSchema"]} for tool in tools]
    body = json.dumps({"model": "plain", "messages": messages, "tools": offered}).encode()
    url = f"{os.environ['ANTHROPIC_BASE_URL']}/v1/messages"
    with urllib.request.urlopen(url, body, timeout=60) as response:  # noqa: S310 - it is on loopback
        block: dict[str, Any] = json.load(response)["content"][0]
    return block


def report(calls: list[list[dict[str, Any]]], last: dict[str, Any]) -> None:
    """Report as Claude Code does with `--output-format stream-json`."""
    for content in calls:
        sys.stdout.write(json.dumps({"type": "assistant", "message": {"content": content}}) + "\n")
    sys.stdout.write(json.dumps({"type": "result", "result": last["text"], "num_turns": len(calls) + 1}) + "\n")


def main() -> None:
    configuration = Path(".mcp.json")
    if not configuration.exists():
        report([], ask_model([{"role": "user", "content": sys.argv[2]}], []))
        return
    server = Server(json.loads(configuration.read_text(encoding="utf-8"))["mcpServers"]["aurora"])
    tools = server.ask("tools/list")["tools"]
    messages: list[dict[str, Any]] = [{"role": "user", "content": sys.argv[2]}]
    while (block := ask_model(messages, tools))["type"] == "tool_use":
        result = server.ask("tools/call", name=block["name"], arguments=block["input"])
        messages.append({"role": "assistant", "content": [block]})
        answer = {"type": "tool_result", "tool_use_id": block["id"], "content": result["content"]}
        messages.append({"role": "user", "content": [answer]})
    server.close()
    report([message["content"] for message in messages if message["role"] == "assistant"], block)


if __name__ == "__main__":
    main()
