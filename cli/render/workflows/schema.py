"""The schema of the language as it stands, so that it can be written into a file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Print the JSON."""
    text = json.dumps(output["document"], indent=2, ensure_ascii=True)
    console.file.write(text + "\n")  # no wrapping and no colours: it is read by programs
