"""JMESPath expressions: compiled once, evaluated over JSON values, failing in words."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


class ExpressionError(ValueError):
    """An expression that cannot be read or evaluated; `offset` is the character in its text, or None."""

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.offset = offset


@lru_cache(maxsize=4096)
def compiled(text: str) -> Any:
    """The parsed expression.

    Raises:
        ExpressionError: when the text is not JMESPath, in the words of the person who wrote it.
    """
    import jmespath  # noqa: PLC0415 - 14 ms that listing tools must not pay
    from jmespath.exceptions import JMESPathError, ParseError  # noqa: PLC0415 - with the above

    try:
        return jmespath.compile(text)
    except RecursionError:
        raise ExpressionError("the expression is nested too deeply") from None
    except ParseError as error:
        raise ExpressionError(_words(text, error), getattr(error, "lex_position", None)) from None
    except JMESPathError as error:
        raise ExpressionError(str(error).split("\n", 1)[0]) from None
    except Exception as error:  # noqa: BLE001 - the lexer lets ValueError and KeyError escape on odd literals
        raise ExpressionError(f"not a JMESPath expression ({error})") from None


def evaluate(text: str, scope: Mapping[str, Any]) -> Any:
    """The expression's value over `scope`.

    Raises:
        ExpressionError: when it is not JMESPath, or its functions refuse their arguments.
    """
    expression = compiled(text)
    try:
        return expression.search(scope)
    except RecursionError:
        raise ExpressionError("the expression is nested too deeply") from None
    except Exception as error:  # noqa: BLE001 - the library raises raw TypeErrors besides its own kinds
        raise ExpressionError(_reason(error)) from None


def _reason(error: Exception) -> str:
    text = str(error).split("\n", 1)[0]
    if isinstance(error, TypeError):
        return "it compares or combines values of different types; numbers are written in backticks"
    return text or type(error).__name__


_ENGLISH = {"and": "&&", "or": "||", "not": "!"}


def _words(text: str, error: Any) -> str:
    position = getattr(error, "lex_position", None)
    if position is None or position >= len(text.rstrip()):
        return "the expression ends too early"
    rest = text[position:]
    token = rest.split(maxsplit=1)[0][:20] if rest.strip() else ""
    before = text[:position].split()
    for word in (token, before[-1] if before else ""):
        if word in _ENGLISH:
            return f'"{word}" is written {_ENGLISH[word]} here'
    if rest.startswith("=") and not rest.startswith("=="):
        return '"=" is written == here'
    if rest[0].isdigit() or (rest[0] == "-" and rest[1:2].isdigit()):
        return f"a number is written in backticks: `{token}`"
    if rest.startswith("$"):
        return '"$" is not needed: the scope is the root'
    return f'"{token}" cannot stand here'
