"""Reading of a template: each path that it reads, with its type where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions import Shape, UnknownName, infer_item, infer_json_types, resolve_path
from aurora.interpreter.templates import list_tags

from .paths import ITEM, find_paths, read_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.checks.expressions import Namespace
    from aurora.interpreter.templates import Tag, Token

    from .paths import TemplatePath

    Names = dict[str, Namespace | Shape | None]

_MAX_READS = 20_000
_CLOSING_WORDS = frozenset({"endfor", "endwith", "endmacro", "endcall"})
OWN = "x-own"
"""The key of a schema that marks a list or object of the template itself, which none of its methods changes."""
_LITERAL_TYPES = {"[": ("]", "array", "a list"), "{": ("}", "object", "an object")}
_SAME_ITEMS = frozenset({"list", "reverse", "sort", "unique", "default", "d"})
"""Filters whose result has the items of their value."""


@dataclass(frozen=True, slots=True)
class Read:
    """A path that a tag reads.

    Attributes:
        tag: the tag.
        path: the path.
        root: the type of its first name; None when unknown.
        found: the type of its value; None when unknown, `UnknownName` when there is no such field.
        is_own: whether its first name is one of the template: a loop's, or one of `set` or `with`.
        is_looped: whether it is what a `for` goes through.
    """

    tag: Tag
    path: TemplatePath
    root: Namespace | Shape | None
    found: Namespace | Shape | UnknownName | None
    is_own: bool
    is_looped: bool

    @property
    def name(self) -> str:
        """The path as it is written, without the places of its items."""
        return ".".join(self.path.parts).replace(f".{ITEM}", ITEM)

    def find_ends(self) -> tuple[int, int]:
        """Find the places in the tag of the path's first token, and behind its last one."""
        start = next((at for at, token in enumerate(self.tag.tokens) if token is self.path.tokens[0]), 0)
        return start, start + self.path.end - self.path.start


def read_template(text: str, scope: Mapping[str, Namespace | Shape | None]) -> Iterator[Read]:
    """Read a template over the names of its scope; at most 20,000 reads of it."""
    reader = _Reader(scope)
    count = 0
    for tag in list_tags(text):
        for read in reader.read_tag(tag):
            yield read
            count += 1
            if count >= _MAX_READS:
                return


def resolve_parts(
    value: Namespace | Shape | None, parts: Sequence[str]
) -> tuple[Namespace | Shape | UnknownName | None, int]:
    """Resolve the parts of a path below a value; return its type, and the number of parts that were read."""
    here: Namespace | Shape | UnknownName | None = value
    for count, part in enumerate(parts):
        if part == ITEM:
            here = _take_item(here)
        elif not isinstance(here, UnknownName):
            here = resolve_path(here, (part,))
        if here is None or isinstance(here, UnknownName):
            return here, count
    return here, len(parts)


def _take_item(value: Namespace | Shape | UnknownName | None) -> Shape | None:
    return None if isinstance(value, UnknownName) else infer_item(value)


def _build_literal(tokens: Sequence[Token]) -> Shape | None:
    """Build the shape of a list or object that is written in the template; None for anything else."""
    closer, kind, label = _LITERAL_TYPES.get(tokens[0].text if tokens else "", ("", "", ""))
    words = [token.text for token in tokens]
    is_whole = words[-1:] == [closer] and words.count(words[0]) == words.count(closer) == 1
    return Shape({"type": kind, OWN: True}, {}, f"{label} of the template") if is_whole else None


class _Reader:
    """The names that the template itself defines, block by block."""

    def __init__(self, scope: Mapping[str, Namespace | Shape | None]) -> None:
        self._scope = scope
        self._blocks: list[Names] = [{}]

    def read_tag(self, tag: Tag) -> Iterator[Read]:
        """Yield what the tag reads, and enter or leave the block that it begins or ends."""
        word, tokens = tag.word, list(tag.tokens)
        if word == "for":
            at = next((at for at, token in enumerate(tokens) if token.text == "in"), len(tokens))
            yield from self._read_paths(tag, tokens[at + 1 :], looped=True)
            self._blocks.append(self._name_items(tokens[1:at], tokens[at + 1 :]))
        elif word in _CLOSING_WORDS:
            del self._blocks[max(len(self._blocks) - 1, 1) :]
        elif word in ("set", "with", "macro", "call"):
            equals = next((at for at, token in enumerate(tokens) if token.text == "="), len(tokens))
            yield from self._read_paths(tag, tokens[equals + 1 :] if word in ("set", "with") else [])
            self._define_names(word, tokens, equals)
        elif word not in ("include", "import", "from", "extends", "block"):
            yield from self._read_paths(tag, tokens[1:] if word else tokens)

    def _define_names(self, word: str, tokens: Sequence[Token], equals: int) -> None:
        names = [token.text for token in tokens[1:] if token.kind == "name"]
        if word == "set":
            name = names[0] if names and equals == 2 else ""  # noqa: PLR2004 - `set NAME =`
            known = any(name in block for block in self._blocks) or name in self._scope
            found = None if known else self._infer_value(tokens[equals + 1 :])
            self._blocks[-1].update({name: found} if name else dict.fromkeys(names))
        else:
            self._blocks.append(dict.fromkeys(names))

    def _name_items(self, targets: Sequence[Token], source: Sequence[Token]) -> Names:
        """Name the items of a loop; those of more than one name are unknown."""
        names = [token.text for token in targets if token.kind == "name"]
        item = self._infer_list_item(source) if len(names) == 1 else None
        return {"loop": None, **dict.fromkeys(names, item)}

    def _infer_list_item(self, source: Sequence[Token]) -> Shape | None:
        value = self._infer_value(source, of_loop=True)
        return infer_item(value) if infer_json_types(value) <= {"array", "null"} else None

    def _infer_value(self, tokens: Sequence[Token], *, of_loop: bool = False) -> Namespace | Shape | None:
        """Infer an expression that is a literal, or a path and filters that keep its items."""
        if not tokens or tokens[0].kind != "name":
            return _build_literal(tokens)
        path = read_path(tokens, 0)
        rest = [token.text for token in tokens[path.end :]]
        while rest[:1] == ["|"] and rest[1:2] and rest[1] in _SAME_ITEMS and rest[2:3] != ["("]:
            rest = rest[2:]
        is_item = rest[:1] == ["|"] and rest[1:] in (["first"], ["last"])
        is_own = len(rest) < len(tokens) - path.end and not is_item
        rest = [] if is_item else rest
        if path.is_called or (rest and not (of_loop and rest[0] == "if")):
            return None
        found = self._resolve(path)
        if is_item:
            return _take_item(found)
        if is_own and isinstance(found, Shape):
            return Shape({**found.schema, OWN: True}, found.root, found.label)
        return None if isinstance(found, UnknownName) else found

    def _read_paths(self, tag: Tag, tokens: Sequence[Token], *, looped: bool = False) -> Iterator[Read]:
        for path in find_paths(tokens):
            root, is_own = self._find_root(path)
            found = self._resolve(path)
            behind = [token.text for token in tokens[path.end : path.end + 1]]
            yield Read(tag, path, root, found, is_own, looped and path.start == 0 and behind in ([], ["if"]))

    def _find_root(self, path: TemplatePath) -> tuple[Namespace | Shape | None, bool]:
        """Find the type of the path's first name, and whether the template itself defines it."""
        name = path.parts[0]
        own = next((block for block in reversed(self._blocks) if name in block), None)
        return (own[name], True) if own is not None else (self._scope.get(name), False)

    def _resolve(self, path: TemplatePath) -> Namespace | Shape | UnknownName | None:
        parts = path.parts[1 : len(path.parts) - path.is_called]
        return resolve_parts(self._find_root(path)[0], parts)[0]
