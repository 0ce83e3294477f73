"""Fingerprint of a phase's tool and settings."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from aurora.interpreter.schema import to_canonical_json

if TYPE_CHECKING:
    from aurora.interpreter.language import Phase


def fingerprint_tool(spec: Phase) -> str:
    """Hash the phase's tool, settings and arguments; empty without a tool.

    A step keeps it, so that a recorded result can be told from one that the edited phase would give.
    """
    if spec.uses is None:
        return ""
    text = to_canonical_json([spec.uses, spec.params, spec.with_])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
