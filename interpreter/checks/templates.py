"""Reading of prompt templates: each path that a tag reads, with the schema of its value.

Types stop at paths. What filters, operators and tests make of a value is the template library's business: a second
parser and type system for them took 1,300 lines, and what they found the first rendering of the prompt finds too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions.shapes import Namespace, Shape, UnknownName, resolve_path
from aurora.interpreter.checks.expressions.types import infer_item, infer_json_types
from aurora.interpreter.templates.tags import list_tags

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.templates.tags import Tag, Token

    Value = Namespace | Shape | None

    Names = dict[str, Value]

ITEM = "[]"
"""The part of a path that takes an item of a list."""

_MAX_READS = 20_000
_WORDS = frozenset(
    {"and", "or", "not", "in", "is", "if", "else", "true", "false", "none", "True", "False", "None", "recursive"}
)
_CLOSING_WORDS = frozenset({"endfor", "endwith", "endmacro", "endcall"})
_LOOP_NAMES = (
    *("changed", "cycle", "depth", "depth0", "first", "index", "index0", "last", "length", "nextitem", "previtem"),
    *("revindex", "revindex0"),
)
"""The values of `loop`, those of minijinja's reference."""
_SAME_ITEMS = frozenset(
    {"d", "default", "list", "reject", "rejectattr", "reverse", "select", "selectattr", "sort", "unique"}
)
"""Filters whose result has the items of the list before them."""
_ITEMS = frozenset({"first", "last", "max", "min", "random"})
"""Filters whose result is an item."""
_ATTRIBUTE_FIRST = frozenset({"groupby", "rejectattr", "selectattr"})
"""Filters whose first argument is the name of a field."""
_BALANCE = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


@dataclass(frozen=True, slots=True)
class TemplatePath:
    """A path in a tag.

    Attributes:
        parts: its names, and `ITEM` for each subscript that is a number.
        tokens: the last token of each part.
        start, end: the places of its first and behind its last token in the tag.
        is_called: whether a call follows, so that the last part is a method.
        is_dotted: whether it has only names with dots between them.
    """

    parts: tuple[str, ...]
    tokens: tuple[Token, ...]
    start: int
    end: int
    is_called: bool
    is_dotted: bool


@dataclass(frozen=True, slots=True)
class Read:
    """A path that a tag reads.

    Attributes:
        tag: the tag.
        path: the path.
        found: the type of its value, or of what it calls a method of; None when unknown, `UnknownName` when there is
            no such field.
        is_own: whether its first name is one of the template: a loop's, or one of `set` or `with`.
    """

    tag: Tag
    path: TemplatePath
    found: Value | UnknownName
    is_own: bool

    @property
    def name(self) -> str:
        """The path as it is written, without the places of its items."""
        return ".".join(self.path.parts).replace(f".{ITEM}", ITEM)


def read_template(text: str, scope: Mapping[str, Value]) -> Iterator[Read]:
    """Read a template over the names of its scope; at most 20,000 reads of it."""
    reader = _TemplateReader(scope)
    yield from islice((read for tag in list_tags(text) for read in reader.read_tag(tag)), _MAX_READS)


class _TemplateReader:
    """The names that the template itself defines, block by block."""

    def __init__(self, scope: Mapping[str, Value]) -> None:
        self._scope = scope
        self._blocks: list[Names] = [{}]

    def read_tag(self, tag: Tag) -> Iterator[Read]:
        """Yield what the tag reads, and enter or leave the block that it begins or ends."""
        word, tokens = tag.word, tag.tokens
        if word == "for":
            yield from self._read_loop(tag)
        elif word in _CLOSING_WORDS:
            # The outermost block stays, also where a template closes more blocks than it opens.
            del self._blocks[max(len(self._blocks) - 1, 1) :]
        elif word in ("set", "with", "macro", "call"):
            equals = _find_token(tokens, "=")
            yield from self._read_paths(tag, tokens[equals + 1 :] if word in ("set", "with") else ())
            self._define_names(word, tokens, equals)
        elif word not in ("include", "import", "from", "extends", "block"):
            yield from self._read_paths(tag, tokens[1:] if word else tokens)

    def _read_loop(self, tag: Tag) -> Iterator[Read]:
        """Read what a loop goes through and, with the names of the loop, its condition."""
        at = _find_token(tag.tokens, "in")
        source, condition = _split_condition(tag.tokens[at + 1 :])
        yield from self._read_paths(tag, source)
        names = [token.text for token in tag.tokens[1:at] if token.kind == "name"]
        item = _take_looped(self._infer(source)) if len(names) == 1 else None  # parts of items are unknown
        loop = Namespace('a value of "loop"', {**dict.fromkeys(_LOOP_NAMES), "nextitem": item, "previtem": item})
        self._blocks.append({"loop": loop, **dict.fromkeys(names, item)})
        yield from self._read_paths(tag, condition)

    def _define_names(self, word: str, tokens: Sequence[Token], equals: int) -> None:
        names = [token.text for token in tokens[1:equals] if token.kind == "name"]
        if word != "set":
            self._blocks.append(dict.fromkeys(token.text for token in tokens[1:] if token.kind == "name"))
            return
        # A name that is set again may have either value, as the tag
        # may stand in an `if`; so its type is unknown.
        is_new = len(names) == 1 and not any(names[0] in block for block in (*self._blocks, self._scope))
        self._blocks[-1].update(dict.fromkeys(names, self._infer(tokens[equals + 1 :]) if is_new else None))

    def _infer(self, tokens: Sequence[Token]) -> Value:
        """Infer a path with filters behind it; unknown for all else."""
        path = next(_find_paths(tokens), None)
        if path is None or path.start or path.is_called:
            return None
        found = _resolve_parts(self._find_name(path.parts[0])[0], path.parts[1:])
        return None if isinstance(found, UnknownName) else _follow_filters(found, tokens[path.end :])[0]

    def _read_paths(self, tag: Tag, tokens: Sequence[Token]) -> Iterator[Read]:
        for path in _find_paths(tokens):
            root, is_own = self._find_name(path.parts[0])
            found = _resolve_parts(root, path.parts[1 : len(path.parts) - path.is_called])
            yield Read(tag, path, found, is_own)
            if isinstance(found, Shape) and not path.is_called:
                for token, unknown in _follow_filters(found, tokens[path.end :])[1]:
                    lacking = replace(unknown, index=len(path.parts) + unknown.index)
                    yield Read(tag, _extend_path(path, token), lacking, is_own)

    def _find_name(self, name: str) -> tuple[Value, bool]:
        """Find the type of a name, and whether the template itself defines it."""
        own = next((block for block in reversed(self._blocks) if name in block), None)
        return (own[name], True) if own is not None else (self._scope.get(name), False)


def _resolve_parts(value: Value, parts: Sequence[str]) -> Value | UnknownName:
    """Resolve the parts of a path below a value; an unknown name's index counts from the value."""
    here: Value = value
    for at, part in enumerate(parts, start=1):
        found = _take_item(here) if part == ITEM else resolve_path(here, (part,))
        if isinstance(found, UnknownName):
            return replace(found, index=at)
        here = found
    return here


def _take_item(value: Value) -> Shape | None:
    """Take an item of a list, or a character of a text."""
    if isinstance(value, Shape) and infer_json_types(value) == {"string"}:
        return Shape({"type": "string"}, {}, f"a character of {value.label}")
    return infer_item(value)


def _take_looped(value: Value) -> Shape | None:
    """Take what a loop over a value gives: an item, or a key of an object."""
    if isinstance(value, Shape) and infer_json_types(value) == {"object"}:
        return Shape({"type": "string"}, {}, f"a key of {value.label}")
    return _take_item(value)


def _follow_filters(value: Value, tokens: Sequence[Token]) -> tuple[Value, list[tuple[Token, UnknownName]]]:
    """Follow the filters behind a path: the value that they make, and the attributes that its items lack.

    The value is unknown behind a filter that makes another one, and behind an operator.
    """
    unknown: list[tuple[Token, UnknownName]] = []
    at = 0
    while at < len(tokens) and value is not None:
        is_filter = tokens[at].text == "|" and at + 1 < len(tokens)
        word = tokens[at + 1].text if is_filter else ""
        at += 2 if is_filter else 0
        end = _find_arguments_end(tokens, at, "(" if is_filter else "[")
        if end == at and not is_filter:
            return None, unknown
        inner, at = tokens[at + 1 : end - 1], end
        token = _find_attribute(word, inner)
        found = _resolve_parts(_take_item(value), token.text[1:-1].split(".")) if token is not None else None
        if token is not None and isinstance(found, UnknownName):
            unknown.append((token, found))
        if word in _ITEMS:
            value = _take_item(value)
        elif word not in _SAME_ITEMS and (is_filter or _find_token(inner, ":") == len(inner)):  # `[1:]` keeps items
            value = None
    return value, unknown


def _find_arguments_end(tokens: Sequence[Token], at: int, opener: str) -> int:
    """Find the place behind the brackets that begin here; the place itself where none do."""
    return _find_closing(tokens, at) + 1 if at < len(tokens) and tokens[at].text == opener else at


def _find_attribute(word: str, arguments: Sequence[Token]) -> Token | None:
    """Find the text that names a field of each item: `map(attribute="name")`, `selectattr("name")`."""
    texts = [token.text for token in arguments]
    if "default" in texts:
        return None
    at = 2 if texts[:2] == ["attribute", "="] else 0 if word in _ATTRIBUTE_FIRST else len(arguments)
    token = arguments[at] if at < len(arguments) else None
    return token if token is not None and token.kind == "string" else None


def _extend_path(path: TemplatePath, attribute: Token) -> TemplatePath:
    """Extend a path by an item and its attribute."""
    names = attribute.text[1:-1].split(".")
    tokens = (*path.tokens, *[attribute] * (len(names) + 1))
    return replace(path, parts=(*path.parts, ITEM, *names), tokens=tokens, is_dotted=False)


def _find_closing(tokens: Sequence[Token], at: int) -> int:
    """Find the bracket that closes the one here; the last token where there is none."""
    depth = 0
    for place in range(at, len(tokens)):
        depth += _BALANCE.get(tokens[place].text, 0)
        if depth == 0:
            return place
    return len(tokens) - 1


def _find_token(tokens: Sequence[Token], text: str) -> int:
    return next((at for at, token in enumerate(tokens) if token.text == text), len(tokens))


def _split_condition(tokens: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]]:
    """Split what follows `in`: the list, and the condition behind `if`."""
    kept = tokens[:-1] if tokens and tokens[-1].text == "recursive" else tokens
    depth = 0
    for at, token in enumerate(kept):
        depth += _BALANCE.get(token.text, 0)
        if depth == 0 and token.kind == "name" and token.text == "if":
            return kept[:at], kept[at + 1 :]
    return kept, ()


def _find_paths(tokens: Sequence[Token]) -> Iterator[TemplatePath]:
    """Find the paths of a tag that begin with a variable."""
    at = 0
    while at < len(tokens):
        if not _is_variable(tokens, at):
            at += 1
            continue
        path = _read_path(tokens, at)
        if not (path.is_called and len(path.parts) == 1):  # `range(3)` is a function
            yield path
        at = path.end


def _read_path(tokens: Sequence[Token], at: int) -> TemplatePath:
    """Read the path that begins at a name: `hits[0].title`, `hits["title"]`."""
    start, parts, last = at, [tokens[at].text], [tokens[at]]
    at += 1
    while at < len(tokens):
        texts, kinds = zip(*((token.text, token.kind) for token in tokens[at : at + 4]), strict=True)
        if texts[0] == "." and kinds[1:2] == ("name",):
            name, length = tokens[at + 1], 2
        elif texts[0] == "[" and texts[2:3] == ("]",) and kinds[1] in ("number", "string"):
            name, length = tokens[at + 1], 3
        elif texts[:2] == ("[", "-") and kinds[2:3] == ("number",) and texts[3:] == ("]",):
            name, length = tokens[at + 2], 4
        else:
            break
        parts.append(ITEM if name.kind == "number" else name.text[1:-1] if name.kind == "string" else name.text)
        last.append(name)
        at += length
    is_called = at < len(tokens) and tokens[at].text == "("
    return TemplatePath(tuple(parts), tuple(last), start, at, is_called, at - start == 2 * len(parts) - 1)


def _is_variable(tokens: Sequence[Token], at: int) -> bool:
    """Return whether the name is a variable: no word, field, filter, test or keyword argument."""
    token = tokens[at]
    if token.kind != "name" or token.text in _WORDS:
        return False
    before = [one.text for one in tokens[max(at - 2, 0) : at]]
    after = tokens[at + 1].text if at + 1 < len(tokens) else ""
    if before[-1:] in (["."], ["|"], ["is"]) or before == ["is", "not"]:
        return False
    return not (after == "=" and before[-1:] in (["("], [","]))
