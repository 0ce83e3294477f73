"""The files generated from the declarations; `python -m aurora.cli.manual.generated FOLDER` writes them.

The same declarations always give the same bytes, so a test tells when one of them is stale.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.cli.render.tools.generate import written
from aurora.tools.catalog.adapters import bundle
from aurora.tools.catalog.manifest import manifest
from aurora.tools.catalog.skill import skill_text
from aurora.tools.runtime.dispatch import toolbox

from .commands_md import manual

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aurora.tools.catalog.adapters import Format
    from aurora.tools.catalog.manifest import Manifest


def _made() -> Manifest:
    return manifest(toolbox().all())


def _manifest() -> str:
    return written(_made().model_dump(mode="json"))


def _bundle(name: Format) -> str:
    return written(bundle(name, _made()))


FILES: Mapping[str, Callable[[], str]] = {
    "COMMANDS.md": manual,
    "docs/generated/manifest.json": _manifest,
    "docs/generated/openai.json": partial(_bundle, "openai"),
    "docs/generated/anthropic.json": partial(_bundle, "anthropic"),
    "docs/generated/gemini.json": partial(_bundle, "gemini"),
    "docs/generated/openapi.json": partial(_bundle, "openapi"),
    "docs/generated/aurora/SKILL.md": skill_text,
}
"""The file, from the top of the checkout -> what makes its text."""


def main() -> None:
    """Write them into the checkout that the command line names, each whole or not at all."""
    for name, make in FILES.items():
        target = Path(sys.argv[1]) / name
        target.parent.mkdir(parents=True, exist_ok=True)
        made = target.with_name(f".{target.name}.new")
        made.write_text(make(), encoding="utf-8")
        made.replace(target)


if __name__ == "__main__":
    main()
