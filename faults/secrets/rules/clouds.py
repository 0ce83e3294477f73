"""Tokens of clouds, hosting services and infrastructure."""

from __future__ import annotations

from aurora.faults.secrets.randomness import is_key

from .rule import token

CLOUD_TOKENS = (
    token(
        "an AWS access key",
        r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}",
        "gitleaks:aws-access-token",
        "detect-secrets:aws",
        marks=("AKIA", "ASIA", "ABIA", "ACCA", "A3T"),
    ),
    token(
        "an AWS Bedrock key",
        r"ABSK[A-Za-z0-9+/]{109,269}={0,2}",
        "gitleaks:aws-amazon-bedrock-api-key-long-lived",
    ),
    token(
        "an AWS Bedrock key",
        r"bedrock-api-key-[A-Za-z0-9+/=]{20,2000}",
        "gitleaks:aws-amazon-bedrock-api-key-short-lived",
        end="",
    ),
    token("a Google API key", r"AIza[A-Za-z0-9_-]{35}", "gitleaks:gcp-api-key", end=r"(?![A-Za-z0-9_-])"),
    token("a Google OAuth secret", r"GOCSPX-[A-Za-z0-9_-]{28}", end=r"(?![A-Za-z0-9_-])"),
    token("a Google OAuth token", r"ya29\.[A-Za-z0-9_-]{20,500}", end=""),
    token(
        "an Azure storage key",
        r"AccountKey=[A-Za-z0-9+/]{86}==",
        "detect-secrets:azure_storage_key",
        end="",
    ),
    token(
        "an Azure client secret",
        r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}",
        "gitleaks:azure-ad-client-secret",
        marks=("Q~",),
        lookback=4,
        end=r"(?![A-Za-z0-9_~.-])",
    ),
    token("an Alibaba access key", r"LTAI[A-Za-z0-9]{17,24}", "gitleaks:alibaba-access-key-id"),
    token("a DigitalOcean token", r"dop_v1_[a-f0-9]{64}", "gitleaks:digitalocean-pat"),
    token("a DigitalOcean token", r"doo_v1_[a-f0-9]{64}", "gitleaks:digitalocean-access-token"),
    token("a DigitalOcean token", r"dor_v1_[a-f0-9]{64}", "gitleaks:digitalocean-refresh-token"),
    token("a Heroku key", r"HRKU-[A-Za-z0-9_-]{36,60}", "gitleaks:heroku-api-key-v2", end=""),
    token("a Fly.io token", r"fo1_[\w-]{43}", "gitleaks:flyio-access-token", end=r"(?![\w-])"),
    token("a Fly.io token", r"fm(?:1[ar]|2)_[A-Za-z0-9+/]{100,1500}={0,3}", marks=("fm1a_", "fm1r_", "fm2_"), end=""),
    token("a Cloudflare origin key", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}", "gitleaks:cloudflare-origin-ca-key"),
    token(
        "a ClickHouse Cloud key",
        r"4b1d[A-Za-z0-9]{38}",
        "gitleaks:clickhouse-cloud-api-secret-key",
    ),
    token("a Databricks token", r"dapi[a-f0-9]{32}(?:-\d)?", "gitleaks:databricks-api-token"),
    token(
        "a PlanetScale token",
        r"pscale_(?:tkn|oauth|pw)_[\w=.-]{32,64}",
        "gitleaks:planetscale-api-token",
        "gitleaks:planetscale-oauth-token",
        "gitleaks:planetscale-password",
        end="",
    ),
    token("a HashiCorp Vault token", r"hvs\.[\w-]{20,300}", "gitleaks:vault-service-token", end=""),
    token("a HashiCorp Vault token", r"hvb\.[\w-]{20,400}", "gitleaks:vault-batch-token", end=""),
    token(
        "a HashiCorp Vault token",
        r"s\.[A-Za-z0-9]{24}",
        "gitleaks:vault-service-token",
        marks=("=s.", '"s.', "'s.", " s.", "`s."),
        lookback=-1,
        check=lambda value: is_key(value[2:]) and any(char.isdigit() for char in value),
    ),
    token(
        "a Terraform Cloud token",
        r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}",
        "gitleaks:hashicorp-tf-api-token",
        marks=(".atlasv1.",),
        lookback=14,
        end="",
    ),
    token("a Pulumi token", r"pul-[a-f0-9]{40}", "gitleaks:pulumi-api-token"),
    token("an OpenShift token", r"sha256~[\w-]{43}", "gitleaks:openshift-user-token", end=r"(?![\w-])"),
    token("a Scalingo token", r"tk-us-[\w-]{48}", "gitleaks:scalingo-api-token", end=r"(?![\w-])"),
    token("an Infracost key", r"ico-[A-Za-z0-9]{32}", "gitleaks:infracost-api-token"),
    token("a Yandex key", r"AQVN[A-Za-z0-9_-]{35,38}", "gitleaks:yandex-api-key", end=r"(?![\w-])"),
    token(
        "a Yandex token",
        r"t1\.[\w-]{4,300}={0,2}\.[\w-]{86}={0,2}",
        "gitleaks:yandex-access-token",
        end=r"(?![\w-])",
    ),
    token(
        "a Dynatrace token",
        r"dt0[a-z]\d\d\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}",
        "gitleaks:dynatrace-api-token",
        marks=("dt0c01.", "dt0s01.", "dt0s02.", "dt0s16."),
    ),
    token("a Vercel token", r"vc[pikar]_[A-Za-z0-9]{20,80}", marks=("vcp_", "vci_", "vca_", "vcr_", "vck_")),
)
"""Rules in the order in which they are tried."""
