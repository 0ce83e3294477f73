"""Review of changed files, evidence for claims, and readiness for release."""

__all__: list[str] = []
