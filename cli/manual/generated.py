"""The files generated from the declarations; `python -m aurora.cli.manual.generated FOLDER` writes them.

The same declarations always give the same bytes, so a test tells when one of them is stale.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.cli.render.tools import to_json_text
from aurora.tools.catalog import build_bundle, build_manifest, render_skill
from aurora.tools.runtime import get_registry

from .commands_md import build_manual

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aurora.tools.catalog import AdapterFormat, Manifest


def _build_manifest() -> Manifest:
    return build_manifest(get_registry().load_all())


def _format_manifest() -> str:
    return to_json_text(_build_manifest().model_dump(mode="json"))


def _format_bundle(name: AdapterFormat) -> str:
    return to_json_text(build_bundle(name, _build_manifest()))


GENERATED_FILES: Mapping[str, Callable[[], str]] = {
    "COMMANDS.md": build_manual,
    "docs/generated/manifest.json": _format_manifest,
    "docs/generated/openai.json": partial(_format_bundle, "openai"),
    "docs/generated/anthropic.json": partial(_format_bundle, "anthropic"),
    "docs/generated/gemini.json": partial(_format_bundle, "gemini"),
    "docs/generated/openapi.json": partial(_format_bundle, "openapi"),
    "docs/generated/aurora/SKILL.md": render_skill,
}
"""The file, from the top of the checkout -> what makes its text."""


def main() -> None:
    """Write them into the checkout that the command line names, each whole or not at all."""
    for name, make in GENERATED_FILES.items():
        target = Path(sys.argv[1]) / name
        target.parent.mkdir(parents=True, exist_ok=True)
        made = target.with_name(f".{target.name}.new")
        made.write_text(make(), encoding="utf-8")
        made.replace(target)


if __name__ == "__main__":
    main()
