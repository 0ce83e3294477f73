"""Names of files whose purpose is to contain secrets."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase, translate

SECRET_NAMES = (
    ".env",
    ".env.*",
    "*.env",
    ".envrc",
    ".git-credentials",
    ".htpasswd",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".pypirc",
    ".dockercfg",
    ".s3cfg",
    ".boto",
    ".vault-token",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "*.pem",
    "*.key",
    "*.p8",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.ppk",
    "*.tfstate",
    "*.tfstate.backup",
    "*.auto.tfvars",
    "credentials",
    "credentials.json",
    "credentials.y*ml",
    "credentials.csv",
    "client_secret*.json",
    "service-account*.json",
    "service_account*.json",
    "secrets.json",
    "secrets.toml",
    "secrets.y*ml",
    "*.secrets.y*ml",
    "master.key",
)
"""Names, in lower case, of files that usually contain secrets."""

HARMLESS_NAMES = (
    "*.example",
    "*.sample",
    "*.template",
    "*.tmpl",
    "*.dist",
    "*.defaults",
    "*.pub",
    "example.env",
    "sample.env",
)
"""Exceptions from the patterns above for published files; their content is still scanned."""

_SECRET_NAME_PATTERN = re.compile("|".join(map(translate, SECRET_NAMES)))


def detect_secret_name(path: str) -> str | None:
    """Detect a secret file by its name; return the reason or None."""
    name = path.rsplit("/", 1)[-1].lower()
    if not _SECRET_NAME_PATTERN.match(name):
        return None
    if any(fnmatchcase(name, pattern) for pattern in HARMLESS_NAMES):
        return None
    pattern = next(pattern for pattern in SECRET_NAMES if fnmatchcase(name, pattern))
    return f'its name fits "{pattern}"'
