"""Names of files of secrets, and names that only sound like them."""

from __future__ import annotations

import pytest

from aurora.memory.files.read import detect_secret_name


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        "deploy/.env.production",
        "prod.env",
        "home/id_rsa",
        "keys/ID_ED25519",
        "tls/server.pem",
        "tls/server.key",
        "android/release.keystore",
        ".aws/credentials",
        "secrets.yaml",
        "k8s/db.secrets.yml",
        "service-account-prod.json",
        ".netrc",
        "infra/terraform.tfstate",
    ],
)
def test_a_file_that_is_there_for_secrets_is_known_by_its_name(path: str) -> None:
    assert detect_secret_name(path)


@pytest.mark.parametrize(
    "path",
    [
        ".env.example",
        "example.env",
        "id_rsa.pub",
        "memory/files/read.py",
        "src/credentials.ts",
        "environment.py",
        "monkey.py",
        "docs/secrets.md",
        "src/env/index.js",
        "keys.go",
    ],
)
def test_a_file_that_only_sounds_like_secrets_is_not(path: str) -> None:
    assert detect_secret_name(path) is None
