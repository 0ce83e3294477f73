"""Problems as other programs read them."""

from .github import github
from .sarif import sarif

__all__ = ["github", "sarif"]
