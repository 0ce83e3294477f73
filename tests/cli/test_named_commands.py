"""Commands that messages name exist, with the options that they name."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aurora.cli.main import AUR

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("cli", "doctor", "errors", "system", "hosts", "interpreter", "memory", "serve", "tools", "trust", "ui")
NAMED = re.compile(r"`aur( [^`\n]+)`")
OPTION = re.compile(r"(--[a-z][a-z-]*)(?=$|[=.,;:)])")


def _iter_texts(path: Path) -> Iterator[str]:
    """Yield the literals of a file; a value in a literal is `…`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "…" for part in node.values]
            yield "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _list_options(command: click.Command) -> set[str]:
    options = [one for one in command.get_params(click.Context(command)) if isinstance(one, click.Option)]
    return {name for one in options for name in (*one.opts, *one.secondary_opts)}


def _describe_error(line: str) -> str:
    """Describe a command or an option that does not exist; empty if all do."""
    words = line.replace("[", "").replace("]", "").split()
    command: click.Command = AUR
    while words and isinstance(command, click.Group) and re.fullmatch(r"[a-z][a-z-]*", words[0]):
        found = command.get_command(click.Context(command), words[0])
        if found is None:
            return f"no command {words[0]}"
        command, words = found, words[1:]
    if words and "…" in words[0] and isinstance(command, click.Group):
        return ""
    options = [match[1] for word in words if (match := OPTION.match(word))]
    known = _list_options(command) | _list_options(AUR)
    return ", ".join(f"no option {name}" for name in options if name not in known)


def test_each_command_that_a_message_names_exists_with_its_options() -> None:
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    named = {(line, path) for path in paths for text in _iter_texts(path) for line in NAMED.findall(text)}
    assert len(named) > 100
    assert [f"{path}: aur{line}: {wrong}" for line, path in sorted(named) if (wrong := _describe_error(line))] == []


def test_a_wrong_command_or_option_is_found() -> None:
    assert _describe_error(" mem tea --limit 1") == "no command tea"
    assert _describe_error(" mem search --tea 1") == "no option --tea"
    assert _describe_error(" init --no-index --hosts … --hooks") == ""
