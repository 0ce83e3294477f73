"""Catalog of the tools: lists, the manifest, adapters for other interfaces, and the skill."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .manifest import build_manifest
    from .skill import read_reference, render_reference, render_skill
    from .tools import find_tool

__all__ = ["build_manifest", "find_tool", "read_reference", "render_reference", "render_skill"]

# `aur init` and the doctor write the skill without loading every tool.
__getattr__ = export_lazily(
    __name__,
    {
        "manifest": ["build_manifest"],
        "skill": ["read_reference", "render_reference", "render_skill"],
        "tools": ["find_tool"],
    },
)
