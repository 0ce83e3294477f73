"""Keys without a characteristic format: recognized by the vendor's name before them."""

from __future__ import annotations

import re
from typing import NamedTuple

_UUID = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"


class Vendor(NamedTuple):
    """Vendor whose keys have a known length and alphabet.

    Attributes:
        name: in lower case, as it occurs before the key.
        value: matches the whole key.
        covers: names of the same rules in the public lists.
    """

    name: str
    value: re.Pattern[str]
    covers: tuple[str, ...]


def _vendor(name: str, value: str, *covers: str) -> Vendor:
    return Vendor(name, re.compile(value), tuple(f"gitleaks:{cover}" for cover in covers))


VENDORS = (
    _vendor("adafruit", r"[a-z0-9_-]{32}", "adafruit-api-key"),
    _vendor("adobe", r"[a-f0-9]{32}", "adobe-client-id"),
    _vendor("airtable", r"[A-Za-z0-9]{17}", "airtable-api-key"),
    _vendor("algolia", r"[a-z0-9]{32}", "algolia-api-key"),
    _vendor("alibaba", r"[A-Za-z0-9]{30}", "alibaba-secret-key"),
    _vendor("asana", r"[0-9]{16}|[a-z0-9]{32}", "asana-client-id", "asana-client-secret"),
    _vendor("atlassian", r"[A-Za-z0-9]{24}", "atlassian-api-token"),
    _vendor("aws", r"[A-Za-z0-9/+]{40}"),
    _vendor("beamer", r"b_[a-z0-9=_-]{44}", "beamer-api-token"),
    _vendor("bitbucket", r"[A-Za-z0-9]{32}|[A-Za-z0-9=_-]{64}", "bitbucket-client-id", "bitbucket-client-secret"),
    _vendor("bittrex", r"[a-z0-9]{32}", "bittrex-access-key", "bittrex-secret-key"),
    _vendor("cloudant", r"[a-z0-9]{24}|[a-z0-9]{64}"),
    _vendor("cloudflare", r"[A-Za-z0-9_-]{40}|[a-f0-9]{37}", "cloudflare-api-key", "cloudflare-global-api-key"),
    _vendor("co_api_key", r"[A-Za-z0-9]{40}", "cohere-api-token"),
    _vendor("codecov", rf"[a-z0-9]{{32}}|{_UUID}", "codecov-access-token"),
    _vendor("cohere", r"[A-Za-z0-9]{40}", "cohere-api-token"),
    _vendor("coinbase", r"[A-Za-z0-9_-]{64}", "coinbase-access-token"),
    _vendor("confluence", r"[A-Za-z0-9]{24}", "atlassian-api-token"),
    _vendor("confluent", r"[A-Za-z0-9]{16}|[A-Za-z0-9+/]{64}", "confluent-access-token", "confluent-secret-key"),
    _vendor("contentful", r"[A-Za-z0-9=_-]{43}", "contentful-delivery-api-token"),
    _vendor("contribsys__com", r"[a-f0-9]{8}:[a-f0-9]{8}", "sidekiq-secret"),
    _vendor("datadog", r"[a-z0-9]{32}|[a-z0-9]{40}", "datadog-access-token"),
    _vendor(
        "discord",
        r"[a-f0-9]{64}|[0-9]{18}|[A-Za-z0-9=_-]{32}",
        "discord-api-token",
        "discord-client-id",
        "discord-client-secret",
    ),
    _vendor("droneci", r"[a-z0-9]{32}", "droneci-access-token"),
    _vendor(
        "dropbox",
        r"[a-z0-9]{15}|[A-Za-z0-9]{11}A{10}[A-Za-z0-9_=-]{43}|sl\.[A-Za-z0-9_=-]{135}",
        "dropbox-api-token",
        "dropbox-long-lived-api-token",
        "dropbox-short-lived-api-token",
    ),
    _vendor("etsy", r"[a-z0-9]{24}", "etsy-access-token"),
    _vendor("facebook", r"[a-f0-9]{32}|[0-9]{15,16}[|%][0-9A-Za-z_-]{27,40}", "facebook-secret"),
    _vendor("fastly", r"[A-Za-z0-9=_-]{32}", "fastly-api-token"),
    _vendor("finicity", r"[a-f0-9]{32}|[a-z0-9]{20}", "finicity-api-token", "finicity-client-secret"),
    _vendor("finnhub", r"[a-z0-9]{20}", "finnhub-access-token"),
    _vendor("flickr", r"[a-z0-9]{32}", "flickr-access-token"),
    _vendor("freshbooks", r"[a-z0-9]{64}", "freshbooks-access-token"),
    _vendor("gitter", r"[A-Za-z0-9_-]{40}", "gitter-access-token"),
    _vendor("gocardless", r"live_[A-Za-z0-9_=-]{40}", "gocardless-api-token"),
    _vendor("heroku", _UUID, "heroku-api-key"),
    _vendor("hubspot", _UUID, "hubspot-api-key"),
    _vendor("ibm", r"[A-Za-z0-9_-]{44}|[a-f0-9]{48}"),
    _vendor("intercom", r"[A-Za-z0-9=_-]{60}", "intercom-api-key"),
    _vendor("jfrog", r"[A-Za-z0-9]{73}|[A-Za-z0-9]{64}", "jfrog-api-key", "jfrog-identity-token"),
    _vendor("artifactory", r"[A-Za-z0-9]{73}|[A-Za-z0-9]{64}|AP[0-9A-F][A-Za-z0-9]{8,80}", "jfrog-api-key"),
    _vendor("bintray", r"[A-Za-z0-9]{73}|[A-Za-z0-9]{64}", "jfrog-api-key"),
    _vendor("xray", r"[A-Za-z0-9]{73}|[A-Za-z0-9]{64}", "jfrog-api-key"),
    _vendor("jira", r"[A-Za-z0-9]{24}", "atlassian-api-token"),
    _vendor("kraken", r"[A-Za-z0-9/=_+-]{80,90}", "kraken-access-token"),
    _vendor("kucoin", rf"[a-f0-9]{{24}}|{_UUID}", "kucoin-access-token", "kucoin-secret-key"),
    _vendor("launchdarkly", r"[A-Za-z0-9=_-]{40}", "launchdarkly-access-token"),
    _vendor("linear", r"[a-f0-9]{32}", "linear-client-secret"),
    _vendor("linkedin", r"[A-Za-z0-9]{14}|[A-Za-z0-9]{16}", "linkedin-client-id", "linkedin-client-secret"),
    _vendor("linked_in", r"[A-Za-z0-9]{14}|[A-Za-z0-9]{16}", "linkedin-client-id", "linkedin-client-secret"),
    _vendor("linked-in", r"[A-Za-z0-9]{14}|[A-Za-z0-9]{16}", "linkedin-client-id", "linkedin-client-secret"),
    _vendor("lob", r"(?:live|test)_(?:[a-f0-9]{35}|pub_[a-f0-9]{31})", "lob-api-key", "lob-pub-api-key"),
    _vendor("looker", r"[A-Za-z0-9]{20}|[A-Za-z0-9]{24}", "looker-client-id", "looker-client-secret"),
    _vendor("mailgun", r"[a-h0-9]{32}-[a-h0-9]{8}-[a-h0-9]{8}", "mailgun-signing-key"),
    _vendor("mattermost", r"[a-z0-9]{26}", "mattermost-access-token"),
    _vendor("meraki", r"[0-9a-f]{40}", "cisco-meraki-api-key"),
    _vendor("messagebird", rf"[A-Za-z0-9]{{25}}|{_UUID}", "messagebird-api-token", "messagebird-client-id"),
    _vendor("message_bird", rf"[A-Za-z0-9]{{25}}|{_UUID}", "messagebird-api-token", "messagebird-client-id"),
    _vendor("message-bird", rf"[A-Za-z0-9]{{25}}|{_UUID}", "messagebird-api-token", "messagebird-client-id"),
    _vendor("netlify", r"[A-Za-z0-9=_-]{40,46}", "netlify-access-token"),
    _vendor("newrelic", r"[A-Za-z0-9]{64}", "new-relic-user-api-id"),
    _vendor("new_relic", r"[A-Za-z0-9]{64}", "new-relic-user-api-id"),
    _vendor("new-relic", r"[A-Za-z0-9]{64}", "new-relic-user-api-id"),
    _vendor("newyorktimes", r"[A-Za-z0-9=_-]{32}", "nytimes-access-token"),
    _vendor("nytimes", r"[A-Za-z0-9=_-]{32}", "nytimes-access-token"),
    _vendor("okta", r"00[\w=-]{40}", "okta-access-token"),
    _vendor("plaid", r"[a-z0-9]{24}|[a-z0-9]{30}", "plaid-client-id", "plaid-secret-key"),
    _vendor("privateai", r"[a-z0-9]{32}", "privateai-api-token"),
    _vendor("private_ai", r"[a-z0-9]{32}", "privateai-api-token"),
    _vendor("private-ai", r"[a-z0-9]{32}", "privateai-api-token"),
    _vendor("rapidapi", r"[A-Za-z0-9_-]{50}", "rapidapi-access-token"),
    _vendor("sendbird", rf"[a-f0-9]{{40}}|{_UUID}", "sendbird-access-id", "sendbird-access-token"),
    _vendor("sentry", r"[a-f0-9]{64}", "sentry-access-token"),
    _vendor("snyk", _UUID, "snyk-api-token"),
    _vendor("sonar", r"[A-Za-z0-9=_-]{40}", "sonar-api-token"),
    _vendor("softlayer", r"[a-z0-9]{64}"),
    _vendor("sourcegraph", r"[A-Fa-f0-9]{40}", "sourcegraph-access-token"),
    _vendor("squarespace", _UUID, "squarespace-access-token"),
    _vendor("sumo", r"su[A-Za-z0-9]{12}|[A-Za-z0-9]{64}", "sumologic-access-id", "sumologic-access-token"),
    _vendor("telegr", r"[0-9]{5,16}:A[A-Za-z0-9_-]{34}", "telegram-bot-api-token"),
    _vendor("travis", r"[A-Za-z0-9]{22}", "travisci-access-token"),
    _vendor("twilio", r"[A-Za-z0-9]{32}"),
    _vendor("twitch", r"[a-z0-9]{30}", "twitch-api-token"),
    _vendor(
        "twitter",
        r"[A-Za-z0-9]{45}|[0-9]{15,25}-[A-Za-z0-9]{20,40}|[A-Za-z0-9]{25}|[A-Za-z0-9]{50}|A{22}[A-Za-z0-9%]{80,100}",
        "twitter-access-secret",
        "twitter-access-token",
        "twitter-api-key",
        "twitter-api-secret",
        "twitter-bearer-token",
    ),
    _vendor("yandex", r"YC[A-Za-z0-9_-]{38}", "yandex-aws-access-token"),
    _vendor("zendesk", r"[A-Za-z0-9]{40}", "zendesk-secret-key"),
)
"""Vendors; one with several spellings has a row for each."""

VENDOR_PATTERN = re.compile(
    r"""[\w\ \t.\-]{0,40}[\])"'`\\\s]{0,3}(?:=>|:{1,3}=|\|\||\?=|[=:>,(])[\s"'`=\\(]{0,5}
        (?P<value>[A-Za-z0-9_=+/.|%:\-]{12,250})""",
    re.VERBOSE,
)
"""Matches an assignment after a vendor's name, up to the end of the value."""
