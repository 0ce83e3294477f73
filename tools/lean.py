"""Outputs that the host's model pays for by the token: what is null or at its default is left out."""

from __future__ import annotations

from typing import Any

from pydantic import SerializerFunctionWrapHandler, model_serializer

from .declaration import Strict


class Lean(Strict):
    """The base of an output whose optional fields are absent from the JSON when they say nothing."""

    @model_serializer(mode="wrap")
    def _without_silence(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        dumped: dict[str, Any] = handler(self)
        fields = type(self).model_fields
        return {
            name: value
            for name, value in dumped.items()
            if fields[name].is_required() or (value is not None and getattr(self, name) != fields[name].default)
        }
