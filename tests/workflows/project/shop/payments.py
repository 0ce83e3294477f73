"""Charging cards, with retries and idempotency keys."""

import time
from dataclasses import dataclass

MAX_ATTEMPTS = 5


class PaymentDeclined(Exception):
    """The bank said no; trying again will not help."""


@dataclass(frozen=True)
class Charge:
    """One charge of a card, named by its idempotency key."""

    key: str
    cents: int
    currency: str


def retry_delay(attempt: int) -> float:
    """Seconds to wait before the given attempt: exponential, at most 30 seconds."""
    return min(0.5 * 2**attempt, 30.0)


def charge_card(gateway, charge: Charge) -> str:
    """Charge a card and give the receipt; a gateway that fails is tried again with the same key."""
    for attempt in range(MAX_ATTEMPTS):
        try:
            return gateway.charge(charge.key, charge.cents, charge.currency)
        except ConnectionError:
            time.sleep(retry_delay(attempt))
    raise PaymentDeclined(charge.key)
