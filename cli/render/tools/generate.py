"""What is made from the tools, as it stands, so that it can be written into a file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Print the bundle, the manifest or the skill; no wrapping and no colours: it is read by programs."""
    text = output["text"] if "text" in output else to_json_text(output.get("document", output))
    console.file.write(text)


def to_json_text(document: Mapping[str, Any]) -> str:
    """A JSON document as it is kept in a file: indented, plain ASCII, a newline at its end."""
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"
