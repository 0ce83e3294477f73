"""The picture as it stands, so that it can be written into a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Print the text; no wrapping and no colours, for programs read it."""
    console.file.write(output["text"])
