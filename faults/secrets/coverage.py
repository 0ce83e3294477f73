"""Kinds of secrets, and the rules of public lists that each covers."""

from __future__ import annotations

from .rules import TOKEN_RULES, VENDORS

_STRUCTURES = {
    "a password or key next to a name": (
        "gitleaks:generic-api-key",
        "gitleaks:hashicorp-tf-password",
        "gitleaks:nuget-config-password",
        "detect-secrets:keyword",
        "detect-secrets:ibm_cloud_iam",
        "detect-secrets:ibm_cos_hmac",
    ),
    "a password in an address": ("detect-secrets:basic_auth", "detect-secrets:cloudant"),
    "a key in an address": (),
    "a seed phrase": (),
    "a token with a prefix": (),
    "a Basic or Bearer header": ("gitleaks:curl-auth-header",),
    "a password of a command or of `.netrc`": ("gitleaks:curl-auth-user",),
    "a JSON Web Token": ("gitleaks:jwt", "gitleaks:jwt-base64", "detect-secrets:jwt"),
    "a Discord token": ("detect-secrets:discord",),
    "a private key": ("gitleaks:private-key", "detect-secrets:private_key"),
    "a value of a Kubernetes secret": ("gitleaks:kubernetes-secret-yaml",),
    "a GitLab token": ("gitleaks:gitlab-pat-routable", "gitleaks:gitlab-runner-authentication-token-routable"),
    "a Facebook token": ("gitleaks:facebook-access-token",),
    "an Artifactory key": ("detect-secrets:artifactory",),
    "a file with the name of a key file": ("gitleaks:pkcs12-file",),
}
"""Kinds that functions find, and names of public rules by which a token is found twice."""


def list_coverage() -> list[tuple[str, tuple[str, ...]]]:
    """List the kinds by name, each with the public rules that it covers."""
    covered: dict[str, dict[str, None]] = {}
    for rule in TOKEN_RULES:
        covered.setdefault(rule.kind, {}).update(dict.fromkeys(rule.covers))
    for vendor in VENDORS:
        covered.setdefault(f"a key of {vendor.name.capitalize()}", {}).update(dict.fromkeys(vendor.covers))
    for kind, names in _STRUCTURES.items():
        covered.setdefault(kind, {}).update(dict.fromkeys(names))
    return [(kind, tuple(names)) for kind, names in sorted(covered.items(), key=lambda one: one[0].casefold())]
