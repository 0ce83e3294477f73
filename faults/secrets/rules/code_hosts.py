"""Tokens of code hosts, package registries, and tools for building and testing."""

from __future__ import annotations

from .rule import token

_GITLAB = (
    ("glpat-", "gitlab-pat"),
    ("gldt-", "gitlab-deploy-token"),
    ("glft-", "gitlab-feed-token"),
    ("glimt-", "gitlab-incoming-mail-token"),
    ("glrt-", "gitlab-runner-authentication-token"),
    ("glsoat-", "gitlab-scim-token"),
    ("glptt-", "gitlab-ptt"),
    ("glcbt-", "gitlab-cicd-job-token"),
    ("glffct-", "gitlab-feature-flag-client-token"),
    ("glagent-", "gitlab-kubernetes-agent-token"),
    ("gloas-", "gitlab-oauth-app-secret"),
)

CODE_TOKENS = (
    token(
        "a GitHub token",
        r"gh[pousr]_[A-Za-z0-9]{36,255}",
        "gitleaks:github-pat",
        "gitleaks:github-oauth",
        "gitleaks:github-app-token",
        "gitleaks:github-refresh-token",
        "detect-secrets:github_token",
        marks=("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    ),
    token("a GitHub token", r"github_pat_\w{60,255}", "gitleaks:github-fine-grained-pat"),
    *(
        token(
            "a GitLab token",
            rf"{prefix}[A-Za-z0-9_-]{{20,300}}(?:\.[A-Za-z0-9]{{2,12}})*",
            f"gitleaks:{name}",
            end="",
        )
        for prefix, name in _GITLAB
    ),
    token(
        "a GitLab token",
        r"GR1348941[\w-]{20,50}",
        "gitleaks:gitlab-rrt",
        "detect-secrets:gitlab_token",
        end=r"(?![\w-])",
    ),
    token("a GitLab session", r"_gitlab_session=[0-9a-z]{32}", "gitleaks:gitlab-session-cookie"),
    token("an npm token", r"npm_[A-Za-z0-9]{36}", "gitleaks:npm-access-token", "detect-secrets:npm"),
    token(
        "a PyPI token",
        r"pypi-Ag[A-Za-z0-9_-]{50,1000}",
        "gitleaks:pypi-upload-token",
        "detect-secrets:pypi_token",
        end="",
    ),
    token("a RubyGems token", r"rubygems_[a-f0-9]{48}", "gitleaks:rubygems-api-token"),
    token("a Clojars token", r"CLOJARS_[A-Za-z0-9]{60}", "gitleaks:clojars-api-token"),
    token("an Artifactory key", r"AKC[A-Za-z0-9]{40,100}", "gitleaks:artifactory-api-key"),
    token("an Artifactory token", r"cmVmd[A-Za-z0-9]{59}", "gitleaks:artifactory-reference-token"),
    token(
        "an Atlassian token",
        r"AT(?:ATT|CTT|BBT?)[A-Za-z0-9_=-]{20,250}",
        "gitleaks:atlassian-api-token",
        marks=("ATATT", "ATCTT", "ATBB"),
        end="",
    ),
    token("a Linear key", r"lin_(?:api|oauth)_[A-Za-z0-9]{40,64}", "gitleaks:linear-api-key"),
    token("a Postman key", r"PMAK-[A-Fa-f0-9]{24}-[A-Fa-f0-9]{34}", "gitleaks:postman-api-token"),
    token("a Prefect key", r"pnu_[A-Za-z0-9]{36}", "gitleaks:prefect-api-token"),
    token("a ReadMe key", r"rdme_[a-z0-9]{70}", "gitleaks:readme-api-token"),
    token("a Sentry token", r"sntrys_[A-Za-z0-9+/=_-]{40,500}", "gitleaks:sentry-org-token", end=""),
    token("a Sentry token", r"sntryu_[a-f0-9]{64}", "gitleaks:sentry-user-token"),
    token(
        "a Sourcegraph token",
        r"sgp_(?:[A-Fa-f0-9]{16}_|local_)?[A-Fa-f0-9]{40}",
        "gitleaks:sourcegraph-access-token",
    ),
    token("a SonarQube token", r"sq[pua]_[A-Za-z0-9]{40}", "gitleaks:sonar-api-token", marks=("squ_", "sqp_", "sqa_")),
    token(
        "a Harness token",
        r"[ps]at\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}",
        "gitleaks:harness-api-key",
        marks=("pat.", "sat."),
    ),
    token("an Octopus Deploy key", r"API-[A-Z0-9]{26}", "gitleaks:octopus-deploy-api-key"),
    token("a Doppler token", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,60}", "gitleaks:doppler-api-token", end=""),
    token("a Docker Hub token", r"dckr_(?:pat|oat)_[\w-]{27,40}", end=""),
    token("a Grafana token", r"glc_[A-Za-z0-9+/]{32,400}={0,3}", "gitleaks:grafana-cloud-api-token", end=""),
    token("a Grafana token", r"glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}", "gitleaks:grafana-service-account-token"),
    token("a Grafana key", r"eyJrIjoi[A-Za-z0-9]{70,400}={0,3}", "gitleaks:grafana-api-key", end=""),
    token(
        "a New Relic key",
        r"NR(?:AK|JS|II|AA|RA)-[A-Za-z0-9-]{19,42}",
        "gitleaks:new-relic-user-api-key",
        "gitleaks:new-relic-browser-api-token",
        "gitleaks:new-relic-insert-key",
        marks=("NRAK-", "NRJS-", "NRII-", "NRAA-", "NRRA-"),
    ),
)
"""Rules in the order in which they are tried."""
