"""Secrets in text: rules, scan, and masks."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .coverage import list_coverage
    from .json_values import mask_json
    from .lines import MaskedText, count_left_out, leave_out_lines, mask_text
    from .scan import RULES_VERSION, find_secrets, has_secret, mask_secrets
    from .secret import Secret

__all__ = [
    "RULES_VERSION",
    "MaskedText",
    "Secret",
    "count_left_out",
    "find_secrets",
    "has_secret",
    "leave_out_lines",
    "list_coverage",
    "mask_json",
    "mask_secrets",
    "mask_text",
]

__getattr__ = export_lazily(
    __name__,
    {
        "coverage": ["list_coverage"],
        "json_values": ["mask_json"],
        "lines": ["MaskedText", "count_left_out", "leave_out_lines", "mask_text"],
        "scan": ["RULES_VERSION", "find_secrets", "has_secret", "mask_secrets"],
        "secret": ["Secret"],
    },
)
