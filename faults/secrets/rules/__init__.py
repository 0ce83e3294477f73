"""Rules for secrets with a characteristic format."""

from .clouds import CLOUD_TOKENS
from .code_hosts import CODE_TOKENS
from .rule import TokenRule
from .services import SERVICE_TOKENS
from .vendors import VENDOR_PATTERN, VENDORS, Vendor

TOKEN_RULES = (*CLOUD_TOKENS, *CODE_TOKENS, *SERVICE_TOKENS)
"""Rules in the order in which they are tried."""

__all__ = ["TOKEN_RULES", "VENDORS", "VENDOR_PATTERN", "TokenRule", "Vendor"]
