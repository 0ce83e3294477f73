"""Fingerprint of a phase's tool and settings."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from aurora.interpreter.schema.json_values import to_canonical_json

if TYPE_CHECKING:
    from aurora.interpreter.language.model import Phase


def fingerprint_tool(spec: Phase) -> str:
    """Hash the phase's tool, settings and arguments; empty without a tool.

    A step stores it, so that a replay knows whether an edit of the phase changes the recorded result.
    """
    if spec.uses is None:
        return ""
    text = to_canonical_json([spec.uses, spec.params, spec.with_])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
