"""Random secrets that look real, by kind, and the lines in which people write them.

Each shape is a regular expression without boundaries, of which a random match is made; this file has no secret.
"""

from __future__ import annotations

import base64
import re._constants as ops
import re._parser as parser
import string
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

HEX32, HEX40, HEX64 = "[a-f0-9]{32}", "[a-f0-9]{40}", "[a-f0-9]{64}"
UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

SHAPES = {
    "aws id": "(AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}",
    "aws id with digits": "(AKIA|ASIA)[A-Z0-9]{16}",
    "aws bedrock": "ABSK[A-Za-z0-9+/]{109,200}",
    "hugging face": "hf_[a-zA-Z]{34}",
    "hugging face organization": "api_org_[a-zA-Z]{34}",
    "github": "(ghp|gho|ghu|ghs|ghr)_[0-9a-zA-Z]{36}",
    "github fine-grained": "github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
    "gitlab": "(glpat|gldt|glft|glrt|glsoat|glffct)-[0-9a-zA-Z_-]{20}",
    "gitlab routable": "glpat-[0-9a-zA-Z_-]{27,60}[.][0-9a-z]{2}[0-9a-z]{7}",
    "gitlab mail": "glimt-[0-9a-zA-Z_-]{25}",
    "gitlab trigger": "glptt-" + HEX40,
    "gitlab job": "glcbt-[0-9a-zA-Z]{1,5}_[0-9a-zA-Z_-]{20}",
    "gitlab agent": "glagent-[0-9a-zA-Z_-]{50}",
    "gitlab application": "gloas-[0-9a-zA-Z_-]{64}",
    "gitlab runner": "GR1348941[0-9a-zA-Z_-]{20}",
    "gitlab session": "_gitlab_session=[0-9a-z]{32}",
    "slack bot": "xoxb-[0-9]{10,13}-[0-9]{10,13}-[a-zA-Z0-9]{24}",
    "slack user": "xox[pe]-[0-9]{10,13}-[0-9]{10,13}-[0-9]{10,13}-[a-zA-Z0-9]{28,34}",
    "slack app": "xapp-[0-9]-[A-Z0-9]{11}-[0-9]{13}-[a-z0-9]{64}",
    "slack configuration": "xoxe.xoxp-1-[A-Z0-9]{163}",
    "slack legacy": "xox[ar]-[0-9a-zA-Z]{12,48}",
    "slack webhook": "https://hooks.slack.com/services/T[A-Z0-9]{8,10}/B[A-Z0-9]{8,10}/[A-Za-z0-9]{24}",
    "stripe": "(sk|rk)_(live|test|prod)_[a-zA-Z0-9]{24,99}",
    "google": "AIza[0-9A-Za-z_-]{35}",
    "google client": "GOCSPX-[0-9A-Za-z_-]{28}",
    "google oauth": "ya29[.][0-9A-Za-z_-]{60,150}",
    "openai": "sk-[a-zA-Z0-9]{20}T3BlbkFJ[a-zA-Z0-9]{20}",
    "openai project": "sk-(proj|svcacct|admin)-[A-Za-z0-9_-]{74}T3BlbkFJ[A-Za-z0-9_-]{74}",
    "anthropic": "sk-ant-(api03|admin01)-[a-zA-Z0-9_-]{93}AA",
    "perplexity": "pplx-[a-zA-Z0-9]{48}",
    "npm": "npm_[a-zA-Z0-9]{36}",
    "pypi": "pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{70,200}",
    "discord": "(MT|Mz|ND|NT|Nz|OT)[A-Za-z0-9]{22,24}[.][a-zA-Z0-9_-]{6}[.][a-zA-Z0-9_-]{27,38}",
    "discord webhook": "https://discord.com/api/webhooks/[0-9]{18}/[A-Za-z0-9_-]{68}",
    "telegram": "[0-9]{8,10}:AA[A-Za-z0-9_-]{33}",
    "telegram of any letters": "[0-9]{8,10}:[A-Za-z0-9_-]{35}",
    "twilio": "(SK|AC)[0-9a-f]{32}",
    "sendgrid": "SG[.][A-Za-z0-9_-]{22}[.][A-Za-z0-9_-]{43}",
    "sendinblue": "xkeysib-" + HEX64 + "-[a-zA-Z0-9]{16}",
    "mailgun": "key-" + HEX32,
    "mailchimp": HEX32 + "-us[0-9]{1,2}",
    "shopify": "(shpat|shpca|shppa|shpss)_[a-fA-F0-9]{32}",
    "square": "(sq0atp|sq0csp)-[0-9A-Za-z_-]{22,43}",
    "square access": "EAAA[a-zA-Z0-9_-]{60}",
    "vault service": "hvs[.][A-Za-z0-9_-]{90,120}",
    "vault service, short": "hvs[.][A-Za-z0-9_-]{24}",
    "vault batch": "hvb[.][A-Za-z0-9_-]{138,212}",
    "terraform": "[a-zA-Z0-9]{14}[.]atlasv1[.][a-zA-Z0-9_=-]{60,70}",
    "databricks": "dapi" + HEX32,
    "digitalocean": "(dop|doo|dor)_v1_" + HEX64,
    "heroku": "HRKU-AA[0-9a-zA-Z_-]{58}",
    "azure storage": "AccountKey=[a-zA-Z0-9+/]{86}==",
    "azure client": "[a-zA-Z0-9_~.]{3}8Q~[a-zA-Z0-9_~.-]{33}[a-zA-Z0-9]",
    "age": "AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}",
    "artifactory": "AKCp[A-Za-z0-9]{69}",
    "artifactory reference": "cmVmd[A-Za-z0-9]{59}",
    "linear": "lin_api_[a-zA-Z0-9]{40}",
    "notion": "ntn_[0-9]{11}[A-Za-z0-9]{35}",
    "notion secret": "secret_[A-Za-z0-9]{43}",
    "postman": "PMAK-[a-f0-9]{24}-[a-f0-9]{34}",
    "pulumi": "pul-" + HEX40,
    "doppler": "dp[.]pt[.][a-zA-Z0-9]{43}",
    "fly": "fo1_[A-Za-z0-9_-]{43}",
    "fly macaroon": "fm2_[a-zA-Z0-9+/]{100,300}",
    "grafana cloud": "glc_[A-Za-z0-9+/]{32,200}",
    "grafana account": "glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}",
    "grafana key": "eyJrIjoi[A-Za-z0-9]{70,200}",
    "new relic": "NRAK-[A-Z0-9]{27}",
    "new relic insert": "NRII-[a-zA-Z0-9-]{32}",
    "new relic browser": "NRJS-[a-f0-9]{19}",
    "planetscale": "pscale_(tkn|oauth|pw)_[A-Za-z0-9=._-]{32,64}",
    "prefect": "pnu_[a-zA-Z0-9]{36}",
    "readme": "rdme_[a-z0-9]{70}",
    "rubygems": "rubygems_[a-f0-9]{48}",
    "sentry user": "sntryu_" + HEX64,
    "sentry organization": "sntrys_eyJpYXQiO[a-zA-Z0-9+/]{100,200}=_[a-zA-Z0-9+/]{43}",
    "sourcegraph": "sgp_([a-fA-F0-9]{16}|local)_[a-fA-F0-9]{40}",
    "typeform": "tfp_[a-zA-Z0-9_.=-]{59}",
    "1password": "A3-[A-Z0-9]{6}-[A-Z0-9]{11}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}",
    "1password account": "ops_eyJ[a-zA-Z0-9+/]{250,400}",
    "dynatrace": "dt0c01[.][A-Z0-9]{24}[.][A-Z0-9]{64}",
    "easypost": "(EZAK|EZTK)[a-zA-Z0-9]{54}",
    "flutterwave": "FLWSECK_TEST-[a-h0-9]{32}-X",
    "flutterwave encryption": "FLWSECK_TEST-[a-h0-9]{12}",
    "frame.io": "fio-u-[a-zA-Z0-9_=-]{64}",
    "clojars": "CLOJARS_[a-z0-9]{60}",
    "adobe": "p8e-[a-z0-9]{32}",
    "alibaba": "LTAI[a-zA-Z0-9]{20}",
    "atlassian": "ATATT3[A-Za-z0-9_=-]{186}",
    "airtable": "pat[A-Za-z0-9]{14}[.]" + HEX64,
    "harness": "(pat|sat)[.][a-zA-Z0-9_-]{22}[.][a-zA-Z0-9]{24}[.][a-zA-Z0-9]{20}",
    "infracost": "ico-[a-zA-Z0-9]{32}",
    "duffel": "duffel_(test|live)_[a-zA-Z0-9_=-]{43}",
    "defined networking": "dnkey-[a-z0-9=_-]{26}-[a-z0-9=_-]{52}",
    "facebook page": "EAA[MC][a-zA-Z0-9]{100,200}",
    "intra 42": "s-s4t2(ud|af)-" + HEX64,
    "maxmind": "[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk",
    "octopus": "API-[A-Z0-9]{26}",
    "openshift": "sha256~[A-Za-z0-9_-]{43}",
    "scalingo": "tk-us-[A-Za-z0-9_-]{48}",
    "settlemint": "sm_(aat|pat|sat)_[a-zA-Z0-9]{16}",
    "shippo": "shippo_(live|test)_[a-fA-F0-9]{40}",
    "cloudflare origin": "v1[.]0-[a-f0-9]{24}-[a-f0-9]{146}",
    "clickhouse": "4b1d[A-Za-z0-9]{38}",
    "mapbox": "pk[.][a-z0-9]{60}[.][a-z0-9]{22}",
    "plaid token": "access-(sandbox|production)-" + UUID,
    "authress": "sc_[a-z0-9]{10}[.][a-z0-9]{5}[.]acc_[a-z0-9-]{20}[.][a-z0-9+/_=-]{60}",
    "teams webhook": "https://acme.webhook.office.com/webhookb2/"
    + UUID
    + "@"
    + UUID
    + "/IncomingWebhook/[a-z0-9]{32}/"
    + UUID,
    "web token": "eyJ[A-Za-z0-9_-]{20,60}[.]eyJ[A-Za-z0-9_-]{30,300}[.][A-Za-z0-9_-]{43}",
    "yandex": "AQVN[A-Za-z0-9_-]{35,38}",
    "softlayer": "https://api.softlayer.com/soap/v3/[a-z0-9]{64}",
    "sidekiq": "https://[a-f0-9]{8}:[a-f0-9]{8}@gems.contribsys.com/",
}
"""Shapes of tokens, by name."""

VENDOR_KEYS = {
    "adafruit": "[a-z0-9_-]{32}",
    "adobe": HEX32,
    "airtable": "[a-z0-9]{17}",
    "algolia": "[a-z0-9]{32}",
    "alibaba": "[a-z0-9]{30}",
    "asana": "[0-9]{16}|[a-z0-9]{32}",
    "atlassian": "[a-z0-9]{20}[a-f0-9]{4}",
    "aws_secret": "[A-Za-z0-9/+]{40}",
    "beamer": "b_[a-z0-9=_-]{44}",
    "bitbucket": "[a-z0-9]{32}|[a-z0-9=_-]{64}",
    "bittrex": "[a-z0-9]{32}",
    "cloudant": HEX64,
    "cloudflare": "[a-z0-9_-]{40}|[a-f0-9]{37}",
    "codecov": "[a-z0-9]{32}",
    "cohere": "[a-zA-Z0-9]{40}",
    "coinbase": "[a-z0-9_-]{64}",
    "confluent": "[a-z0-9]{16}|[a-z0-9]{64}",
    "contentful": "[a-z0-9=_-]{43}",
    "datadog": "[a-z0-9]{40}",
    "discord": HEX64 + "|[0-9]{18}|[a-z0-9=_-]{32}",
    "droneci": "[a-z0-9]{32}",
    "dropbox": "[a-z0-9]{15}|[a-z0-9]{11}A{10}[a-z0-9_=-]{43}|sl[.][a-z0-9_=-]{135}",
    "etsy": "[a-z0-9]{24}",
    "facebook": HEX32,
    "fastly": "[a-z0-9=_-]{32}",
    "finicity": HEX32 + "|[a-z0-9]{20}",
    "finnhub": "[a-z0-9]{20}",
    "flickr": "[a-z0-9]{32}",
    "freshbooks": "[a-z0-9]{64}",
    "gitter": "[a-z0-9_-]{40}",
    "gocardless": "live_[a-z0-9_=-]{40}",
    "heroku": UUID,
    "hubspot": UUID,
    "intercom": "[a-z0-9=_-]{60}",
    "jfrog": "[a-z0-9]{73}|[a-z0-9]{64}",
    "kraken": "[a-z0-9/=_+-]{80,90}",
    "kucoin": "[a-f0-9]{24}|" + UUID,
    "launchdarkly": "[a-z0-9=_-]{40}",
    "linear": HEX32,
    "linkedin": "[a-z0-9]{14}|[a-z0-9]{16}",
    "lob": "(live|test)_[a-f0-9]{35}|(live|test)_pub_[a-f0-9]{31}",
    "looker": "[a-z0-9]{20}|[a-z0-9]{24}",
    "mailgun": "[a-h0-9]{32}-[a-h0-9]{8}-[a-h0-9]{8}",
    "mattermost": "[a-z0-9]{26}",
    "meraki": HEX40,
    "messagebird": "[a-z0-9]{25}|" + UUID,
    "netlify": "[a-z0-9=_-]{40,46}",
    "new_relic": "[a-z0-9]{64}",
    "nytimes": "[a-z0-9=_-]{32}",
    "okta": "00[A-Za-z0-9_=-]{40}",
    "plaid": "[a-z0-9]{24}|[a-z0-9]{30}",
    "private_ai": "[a-z0-9]{32}",
    "rapidapi": "[a-z0-9_-]{50}",
    "sendbird": HEX40 + "|" + UUID,
    "sentry": HEX64,
    "snyk": UUID,
    "sonar_token": "[a-z0-9]{40}",
    "squarespace": UUID,
    "sumo": "su[a-zA-Z0-9]{12}|[a-z0-9]{64}",
    "travis": "[a-z0-9]{22}",
    "twitch": "[a-z0-9]{30}",
    "twitter": "[a-z0-9]{45}|[0-9]{15,25}-[a-zA-Z0-9]{20,40}|[a-z0-9]{25}|[a-z0-9]{50}|A{22}[a-zA-Z0-9%]{80,100}",
    "yandex": "YC[a-zA-Z0-9_-]{38}",
    "zendesk": "[a-z0-9]{40}",
}
"""Shapes of keys that only the name before them announces."""

PASSWORDS = {
    "letters and digits": "[A-Za-z0-9]{10,24}",
    "small letters and digits": "[a-z0-9]{10,24}",
    "letters, digits and symbols": "[A-Za-z0-9!@#%^*+?=_-]{10,24}",
    "letters": "[A-Za-z]{12,24}",
    "hexadecimal": "[0-9a-f]{20,64}",
    "base64": "[A-Za-z0-9+/]{24,44}",
    "eight characters": "[a-zA-Z0-9]{8}",
}
"""Shapes of passwords that a generator makes."""

TOKEN_LINES = (
    'token = "{}"',
    "key: {}",
    '  "value": "{}",',
    "export SERVICE_VALUE={}",
    "Use `{}` to log in.",
    "client.connect('{}')  # comment",
    "| key | {} |",
    '{{"text": "{}"}}',
    "{}",
    "a call with {}, and more",
)
"""Lines in which a token is found by itself: code, YAML, JSON, shell, Markdown."""

VENDOR_LINES = (
    '{name}_api_key = "{value}"',
    "{NAME}_KEY={value}",
    "{name}-token: {value}",
    '"{name}Secret": "{value}",',
    "{name}_client = '{value}'",
    'const {name}Token = "{value}";',
)
PASSWORD_LINES = (
    'password = "{}"',
    "password: {}",
    "  db_password: {}",
    'password: "{}"',
    "DB_PASSWORD={}",
    "export PASSWD='{}'",
    '"password": "{}",',
    'connect(user="app", password="{}")',
    "spring.datasource.password={}",
    'String dbPassword = "{}";',
    'Password: "{}",',
    "passwd = {}",
    "postgres://app:{}@db.internal/main",
    "machine git.internal login app password {}",
    "<password>{}</password>",
)


def make_value(shape: str, draw: Random) -> str:
    """Make a random string that the shape matches."""
    return "".join(_generate(_parse(shape), draw))


@cache
def _parse(shape: str) -> list[object]:
    return list(parser.parse(shape.replace("office.com", "office[.]com").replace("slack.com", "slack[.]com")))


def _generate(parsed: list, draw: Random) -> list[str]:
    out: list[str] = []
    for op, value in parsed:
        if op is ops.LITERAL:
            out.append(chr(value))
        elif op is ops.ANY:
            out.append(".")
        elif op is ops.IN:
            out.append(draw.choice(_list_chars(tuple(value))))
        elif op is ops.MAX_REPEAT:
            low, high, inner = value
            if inner[0][0] is ops.IN:
                out += draw.choices(_list_chars(tuple(inner[0][1])), k=draw.randint(low, high))
                continue
            for _ in range(draw.randint(low, high)):
                out += _generate(list(inner), draw)
        elif op is ops.BRANCH:
            out += _generate(list(draw.choice(value[1])), draw)
        elif op is ops.SUBPATTERN:
            out += _generate(list(value[3]), draw)
    return out


@cache
def _list_chars(items: tuple) -> list[str]:
    chars: list[str] = []
    for op, value in items:
        chars += [chr(code) for code in range(value[0], value[1] + 1)] if op is ops.RANGE else [chr(value)]
    return chars


def make_basic(draw: Random) -> str:
    """Make a header of basic authentication with a random password."""
    password = make_value(PASSWORDS["letters and digits"], draw)
    return base64.b64encode(f"app:{password}".encode()).decode()


def make_key_block(draw: Random) -> str:
    """Make a private key in PEM format."""
    body = "\n".join("".join(draw.choices(string.ascii_letters + string.digits + "+/", k=64)) for _ in range(8))
    kind = draw.choice(("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----"
