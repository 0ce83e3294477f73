"""YAML parser that reports errors with their position; importing it takes 40 ms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.events import MappingEndEvent, MappingStartEvent, SequenceEndEvent, SequenceStartEvent

from .errors import ConfigFileError

if TYPE_CHECKING:
    from collections.abc import Callable


_MAX_CHARS = 250_000
"""Maximum length of a file; its parser reads some 50,000 characters per second."""
_MAX_DEPTH = 100
_OPENING = (SequenceStartEvent, MappingStartEvent)
_CLOSING = (SequenceEndEvent, MappingEndEvent)


def parse_yaml(text: str) -> Any:
    """Parse the text to plain values.

    Raises:
        ConfigFileError: the text is not YAML, or is too long or nested too deeply.
    """
    _check_size(text)
    return _translate_errors(YAML(typ="safe", pure=True).load, text)


def compose_yaml(text: str) -> Any:
    """Parse the text to nodes with their positions; None if it is empty.

    Raises:
        ConfigFileError: as `parse_yaml` does.
    """
    _check_size(text)
    return _translate_errors(YAML(typ="rt", pure=True).compose, text)


def _check_size(text: str) -> None:
    """Check the length and the depth, before the parser recurses."""
    if len(text) > _MAX_CHARS:
        raise ConfigFileError(f"it is longer than {_MAX_CHARS:,} characters")
    if max(map(text.count, "[{-?:")) > _MAX_DEPTH:
        _translate_errors(_check_depth, text)


def _check_depth(text: str) -> None:
    depth = 0
    for event in YAML(typ="safe", pure=True).parse(text):
        depth += isinstance(event, _OPENING) - isinstance(event, _CLOSING)
        if depth > _MAX_DEPTH:
            mark = event.start_mark
            raise ConfigFileError(f"it is nested deeper than {_MAX_DEPTH}", mark.line + 1, mark.column + 1)


def _translate_errors(parse: Callable[[str], Any], text: str) -> Any:
    try:
        return parse(text)
    except ConfigFileError:
        raise
    except Exception as error:  # noqa: BLE001 - invalid YAML also ends in AssertionError, TypeError, RecursionError …
        mark = getattr(error, "problem_mark", None)
        message = getattr(error, "problem", None) or type(error).__name__
        if message.startswith("but "):  # the first half of the message is in `context`
            message = f"{getattr(error, 'context', '')}, {message}"
        raise ConfigFileError(message, mark.line + 1 if mark else 0, mark.column + 1 if mark else 0) from None
