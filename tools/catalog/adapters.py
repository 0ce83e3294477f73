"""Adapters: the manifest in the formats of other interfaces, each a function of the manifest alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from .openapi import to_openapi

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .manifest import Manifest

AdapterFormat = Literal["openai", "anthropic", "gemini", "openapi"]


def to_openai(manifest: Manifest) -> dict[str, Any]:
    """Return `tools` for OpenAI's chat completions, which many other servers accept.

    Not `strict`: that mode has no optional arguments, and tools do not accept null in their place.
    """
    return {
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.input_schema,
                    "strict": False,
                },
            }
            for tool in manifest.tools
        ]
    }


def to_anthropic(manifest: Manifest) -> dict[str, Any]:
    """Return `tools` for Anthropic's messages."""
    return {
        "tools": [
            {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
            for tool in manifest.tools
        ]
    }


def to_gemini(manifest: Manifest) -> dict[str, Any]:
    """Return `tools` for Gemini's generateContent, with JSON Schema instead of Gemini's own subset."""
    return {
        "tools": [
            {
                "functionDeclarations": [
                    {
                        "name": tool.name,
                        "description": tool.description,
                        "parametersJsonSchema": tool.input_schema,
                    }
                    for tool in manifest.tools
                ]
            }
        ]
    }


ADAPTERS: Mapping[AdapterFormat, Callable[[Manifest], dict[str, Any]]] = {
    "openai": to_openai,
    "anthropic": to_anthropic,
    "gemini": to_gemini,
    "openapi": to_openapi,
}


def build_bundle(name: AdapterFormat, manifest: Manifest) -> dict[str, Any]:
    """Return the manifest in one of the formats, as JSON values."""
    return ADAPTERS[name](manifest)
