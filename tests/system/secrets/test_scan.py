"""What counts as a secret, and what only looks like one."""

from __future__ import annotations

import pytest

from aurora.system.secrets.masks import mask_text
from aurora.system.secrets.scan import find_secrets

# Put together here, so that no scanner takes this file for a leak.
RANDOM = "q7Zt9LxVb2" + "RkWm4NcYp8"
HEX = "9f3c7a1e5b" + "d2804c6e1f" + "a7b3d95028"


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("key = AKIA" + "QZ7T3LXVB2RKWM4N", "an AWS access key"),
        ("url: https://x:ghp_" + "q7Zt9LxVb2RkWm4NcYp8q7Zt9LxVb2RkWm4N" + "@github.com", "a GitHub token"),
        ("slack: xoxb-" + "210987654321-q7Zt9LxVb2RkWm4NcYp8aDfG", "a Slack token"),
        ("OPENAI=sk-" + "proj-" + RANDOM + RANDOM, "an OpenAI key"),
        ("AIza" + "SyQ7Zt9LxVb2RkWm4NcYp8aDfGhJkLmN3oP" + "", "a Google API key"),
        ("stripe: sk_" + "live_" + RANDOM + "Ab9", "a Stripe key"),
        (f'password = "{RANDOM}"', "a password"),
        (f'  "api_key": "{RANDOM}",', "a key or token"),
        (f"DB_PASSWORD={RANDOM}", "a password"),
        (f"client-secret: {RANDOM}", "a key or token"),
        (f'config["token"] = "{HEX}"', "a key or token"),
        (f'SECRET_KEY: str = "{RANDOM}"', "a key or token"),
        (f'String accessKey = "{RANDOM}";', "a key or token"),
    ],
)
def test_a_secret_is_found_at_its_line_and_named_by_its_rule(line: str, rule: str) -> None:
    assert mask_text(f"first\n\n{line}\nlast\n").left_out == {3: rule}


@pytest.mark.parametrize(
    "line",
    [
        "def f_AKIA" + "QZ7T3LXVB2RKWM4N():",
        "file_AKIA" + "QZ7T3LXVB2RKWM4N.py",
        "dir_ghp_" + "q7Zt9LxVb2RkWm4NcYp8q7Zt9LxVb2RkWm4N/a.py",
        "OLD_sk-" + "proj-" + RANDOM + RANDOM,
    ],
)
def test_a_token_after_an_underscore_is_found(line: str) -> None:
    assert find_secrets(line)


@pytest.mark.parametrize("line", ["MARKET_ASIA" + "PACIFICREGIONALX", "get_vci_" + "applicationconfiguration"])
def test_a_name_that_contains_the_mark_of_a_token_is_none(line: str) -> None:
    assert find_secrets(line) == []


@pytest.mark.parametrize("sign", [">-", "|", ">", "|+2", "|  # from the vault"])
def test_a_password_in_a_block_of_yaml_is_found(sign: str) -> None:
    text = f"db:\n  password: {sign}\n      {RANDOM}\n  other: 1\n"
    assert mask_text(text).left_out == {3: "a password"}
    assert RANDOM not in mask_text(text.replace("\n", "\r\n")).text


def test_a_private_key_with_its_body_is_found() -> None:
    begin = "-----BEGIN " + "RSA PRIVATE KEY-----"
    body = "\n".join([RANDOM * 3] * 4)
    for text in (f"{begin}\n{body}\n", f"{begin}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00AA\n\n{body}\n"):
        (found,) = find_secrets(text)
        assert (found.kind, found.start) == ("a private key", 0)
        assert len(text) - 1 <= found.end <= len(text)


@pytest.mark.parametrize(
    "line",
    [
        'password = "example"',
        'password = "correct-horse-battery-staple"',
        'password = "changeme12345678"',
        'token = os.environ["GITHUB_TOKEN"]',
        'token = get_token("production-eu-west-1")',
        "password: ${DB_PASSWORD}",
        'api_key = "<your-api-key-here-0123>"',
        'api_key = "YOUR_API_KEY_abc123xyz"',
        'secret = "xxxxxxxxxxxxxxxxxxxx"',
        'token_url = "https://login.example.com/oauth2/v2/token9a8b7c"',
        f'token_sha256 = "{HEX}"',
        f'"PublicKeyToken": "{HEX}"',
        "aws_access_key_id = AKIA" + "IOSFODNN7EXAMPLE",
        'if line.startswith("-----BEGIN ' + 'PRIVATE KEY-----"):',
        ".sk-" + "folding-cube-animation-delay { color: red }",
        "ghp_" + "x" * 36,
        "token: Token = Token.from_string(value)",
        "tokens = tokenizer.encode(password)",
        "password = self.fields['password'].widget.render()",
        'secret = "kubernetes.io/service-account-token"',
        f'password = "{RANDOM}"  # pragma: allowlist secret',
        f'password = "{RANDOM}"  # gitleaks:allow',
    ],
)
def test_a_value_that_only_looks_like_a_secret_is_not_one(line: str) -> None:
    assert find_secrets(f"{line}\n") == []
