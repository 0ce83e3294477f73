"""YAML parser that reports errors with their position; importing it takes 40 ms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML

from .errors import ConfigFileError

if TYPE_CHECKING:
    from collections.abc import Callable


def parse_yaml(text: str) -> Any:
    """Parse the text to plain values.

    Raises:
        ConfigFileError: the text is not YAML.
    """
    return _translate_errors(YAML(typ="safe", pure=True).load, text)


def compose_yaml(text: str) -> Any:
    """Parse the text to nodes with their positions; None if it is empty.

    Raises:
        ConfigFileError: the text is not YAML.
    """
    return _translate_errors(YAML(typ="rt", pure=True).compose, text)


def _translate_errors(parse: Callable[[str], Any], text: str) -> Any:
    try:
        return parse(text)
    except Exception as error:  # noqa: BLE001 - invalid YAML also ends in AssertionError, TypeError, RecursionError …
        mark = getattr(error, "problem_mark", None)
        message = getattr(error, "problem", None) or type(error).__name__
        if message.startswith("but "):  # the first half of the message is in `context`
            message = f"{getattr(error, 'context', '')}, {message}"
        raise ConfigFileError(message, mark.line + 1 if mark else 0, mark.column + 1 if mark else 0) from None
