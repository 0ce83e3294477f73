"""Reading of a template: each path that it reads, with its type where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions import Namespace, Shape, UnknownName, describe_types, resolve_path
from aurora.interpreter.problems import codes
from aurora.interpreter.templates import list_tags

from .fault import TemplateFault
from .inference import TypeInference
from .paths import ITEM, find_paths
from .values import build_value, infer_iterated, infer_subscript, list_types

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.templates import Tag, Token

    from .paths import TemplatePath

    Names = dict[str, Namespace | Shape | None]

_MAX_READS = 20_000
_CLOSING_WORDS = frozenset({"endfor", "endwith", "endmacro", "endcall"})
_LOOP_COUNTS = ("index", "index0", "revindex", "revindex0", "length", "depth", "depth0")
_WHOLE_TYPES = frozenset({"boolean", "number", "string"})
"""Types of values that a loop with several names cannot take apart."""


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
    return TemplateReader(scope).read(text)


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
    return None if isinstance(value, UnknownName) else infer_subscript(value)


class TemplateReader:
    """The names that the template itself defines, block by block, and the faults of its expressions."""

    def __init__(self, scope: Mapping[str, Namespace | Shape | None]) -> None:
        self._scope = scope
        self._blocks: list[Names] = [{}]
        self._inference = TypeInference(lambda name: self._find_name(name)[0])

    @property
    def faults(self) -> list[TemplateFault]:
        """The faults of the expressions that were read."""
        return self._inference.faults

    def read(self, text: str) -> Iterator[Read]:
        """Read a template; at most 20,000 reads of it."""
        reads = (read for tag in list_tags(text) for read in self._read_tag(tag))
        yield from islice(reads, _MAX_READS)

    def _read_tag(self, tag: Tag) -> Iterator[Read]:
        """Yield what the tag reads, and enter or leave the block that it begins or ends."""
        word, tokens = tag.word, list(tag.tokens)
        if word == "for":
            yield from self._read_loop(tag, tokens)
        elif word in _CLOSING_WORDS:
            del self._blocks[max(len(self._blocks) - 1, 1) :]
        elif word in ("set", "with", "macro", "call"):
            equals = next((at for at, token in enumerate(tokens) if token.text == "="), len(tokens))
            yield from self._read_paths(tag, tokens[equals + 1 :] if word in ("set", "with") else [])
            self._define_names(word, tokens, equals)
        elif word not in ("include", "import", "from", "extends", "block"):
            expression = tokens[1:] if word else tokens
            yield from self._read_paths(tag, expression)
            self._inference.infer_tokens(expression)

    def _read_loop(self, tag: Tag, tokens: Sequence[Token]) -> Iterator[Read]:
        """Read what a loop goes through and, with the names of the loop, its condition."""
        at = next((at for at, token in enumerate(tokens) if token.text == "in"), len(tokens))
        source, condition = _split_condition(tokens[at + 1 :])
        yield from self._read_paths(tag, source, looped=True)
        self._blocks.append(self._name_items(tokens[1:at], source))
        yield from self._read_paths(tag, condition)
        self._inference.infer_tokens(condition)

    def _define_names(self, word: str, tokens: Sequence[Token], equals: int) -> None:
        names = [token.text for token in tokens[1:] if token.kind == "name"]
        if word == "set":
            name = names[0] if names and equals == 2 else ""  # noqa: PLR2004 - `set NAME =`
            known = any(name in block for block in self._blocks) or name in self._scope
            found = self._inference.infer_tokens(tokens[equals + 1 :])
            self._blocks[-1].update({name: None if known else found} if name else dict.fromkeys(names))
        else:
            self._blocks.append(dict.fromkeys(names))

    def _name_items(self, targets: Sequence[Token], source: Sequence[Token]) -> Names:
        """Name the items of a loop, and the values of its own name; parts of items are unknown."""
        names = [token.text for token in targets if token.kind == "name"]
        value = self._inference.infer_tokens(source)
        item = infer_iterated(value)
        loop = _name_loop(item)
        if len(names) == 1:
            return {"loop": loop, names[0]: item}
        types = list_types(item)
        if names and types and types <= _WHOLE_TYPES:
            is_object = list_types(value) == {"object"}
            of = value.label if isinstance(value, Shape) else "the list"
            what = "a key" if is_object else describe_types(types)
            message = f'"{", ".join(names)}" takes each item apart, and each of {of} is {what}'
            help_ = (
                f"for its keys and values: `for {', '.join(names)} in … | items`" if is_object else "name one variable"
            )
            self.faults.append(TemplateFault(codes.SCHEMA_MISFIT, targets[0].span, message, help_))
        return {"loop": loop, **dict.fromkeys(names)}

    def _read_paths(self, tag: Tag, tokens: Sequence[Token], *, looped: bool = False) -> Iterator[Read]:
        for path in find_paths(tokens):
            root, is_own = self._find_name(path.parts[0])
            found = self._resolve(path)
            is_whole = path.start == 0 and path.end == len(tokens)
            yield Read(tag, path, root, found, is_own, looped and is_whole)

    def _find_name(self, name: str) -> tuple[Namespace | Shape | None, bool]:
        """Find the type of a name, and whether the template itself defines it."""
        own = next((block for block in reversed(self._blocks) if name in block), None)
        return (own[name], True) if own is not None else (self._scope.get(name), False)

    def _resolve(self, path: TemplatePath) -> Namespace | Shape | UnknownName | None:
        parts = path.parts[1 : len(path.parts) - path.is_called]
        return resolve_parts(self._find_name(path.parts[0])[0], parts)[0]


def _split_condition(tokens: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]]:
    """Split what follows `in`: the list, and the condition behind `if`."""
    kept = tokens[:-1] if tokens and tokens[-1].text == "recursive" else tokens
    depth = 0
    for at, token in enumerate(kept):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token.text, 0)
        if depth == 0 and token.kind == "name" and token.text == "if":
            return kept[:at], kept[at + 1 :]
    return kept, ()


def _name_loop(item: Shape | None) -> Namespace:
    """Name the values of `loop`, those of minijinja's reference."""
    counts = dict.fromkeys(_LOOP_COUNTS, build_value("a count of the loop", "number"))
    flags = dict.fromkeys(("first", "last"), build_value("a flag of the loop", "boolean"))
    methods = dict.fromkeys(("cycle", "changed"))
    members = {**counts, **flags, "previtem": item, "nextitem": item, **methods}
    return Namespace('a value of "loop"', members)
