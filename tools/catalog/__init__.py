"""Catalog of the tools: lists, the manifest, adapters for other interfaces, and the skill."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .adapters import AdapterFormat, build_bundle
    from .list import find_tool
    from .manifest import Manifest, build_manifest, format_manifest
    from .skill import render_skill
    from .skill_reference import read_reference, render_reference

__all__ = [
    "AdapterFormat",
    "Manifest",
    "build_bundle",
    "build_manifest",
    "find_tool",
    "format_manifest",
    "read_reference",
    "render_reference",
    "render_skill",
]

__getattr__ = export_lazily(
    __name__,
    {
        "adapters": ["AdapterFormat", "build_bundle"],
        "list": ["find_tool"],
        "manifest": ["Manifest", "build_manifest", "format_manifest"],
        "skill": ["render_skill"],
        "skill_reference": ["read_reference", "render_reference"],
    },
)
