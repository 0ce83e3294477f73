"""The manifest in the shapes of other interfaces; each shape is a function of the manifest alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from .openapi import to_openapi

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .manifest import Manifest

AdapterFormat = Literal["openai", "anthropic", "gemini", "openapi"]


def to_openai(made: Manifest) -> dict[str, Any]:
    """`tools` of OpenAI's chat completions, which many other servers take as well.

    Not `strict`: that mode knows no optional arguments, and a null in place of each is not what the tools take.
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
            for tool in made.tools
        ]
    }


def to_anthropic(made: Manifest) -> dict[str, Any]:
    """`tools` of Anthropic's messages."""
    return {
        "tools": [
            {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
            for tool in made.tools
        ]
    }


def to_gemini(made: Manifest) -> dict[str, Any]:
    """`tools` of Gemini's generateContent, with the schemas as JSON Schema rather than Gemini's own subset."""
    return {
        "tools": [
            {
                "functionDeclarations": [
                    {
                        "name": tool.name,
                        "description": tool.description,
                        "parametersJsonSchema": tool.input_schema,
                    }
                    for tool in made.tools
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


def build_bundle(name: AdapterFormat, made: Manifest) -> dict[str, Any]:
    """The manifest in one of the shapes, as JSON values."""
    return ADAPTERS[name](made)
