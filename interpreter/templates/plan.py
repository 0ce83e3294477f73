"""Plan of a template: whether its work is linear in its data, and its bound over actual data.

A template is plain when it prints, chooses and loops over data, with filters whose work is linear. Its plan lists a
charge for each expression: what it reads, how often. The sum over the actual data is a bound of the work; together with
the library's limit of instructions and the limit of printed characters it covers all that a rendering does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from aurora.interpreter.expressions.meter import NODE_SIZE, measure_size

from .reader import NotPlainError, Path, Reading, read_expression
from .tags import PRINT, list_tags

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .tags import Tag, Token


def is_work_within(plan: Plan, scope: Mapping[str, Any], limit: int) -> bool:
    """Check that the work of a plain template is at most `limit`, in the units of `measure_size`.

    The check itself takes at most some `limit` steps for each charge, and few on ordinary data.
    """
    meter = _Meter(plan, scope, limit)
    rest = limit
    for charge in plan.charges:
        times = charge.weight
        for loop in charge.loops:
            times *= meter.count_items(loop)
        if times:
            rest -= times * meter.measure(charge.path, rest // times, is_shallow=charge.is_shallow)
        if rest < meter.steps:
            return False
    return True


class _Meter:
    """Sizes of the values of one scope, each measured once.

    Attributes:
        steps: the number of items that were looked at to find the values.
    """

    def __init__(self, plan: Plan, scope: Mapping[str, Any], limit: int) -> None:
        self._plan = plan
        self._limit = limit
        self._sizes: dict[tuple[Path, bool], int] = {}
        self._counts: dict[int, int] = {}
        self._values: dict[Path, list[Any] | None] = {(): [scope]}
        self.steps = 0

    def measure(self, path: Path, limit: int, *, is_shallow: bool = False) -> int:
        """Measure the values at a path; more than `limit` is only known to be more."""
        size = self._sizes.get((path, is_shallow))
        if size is None:
            values = self._find_values(path)
            if values is None:
                size = limit + 1
            elif is_shallow:
                size = NODE_SIZE * len(values) + sum(map(_measure_parts, values))
            else:
                size = measure_size(values, limit)
            self._sizes[path, is_shallow] = size
        return size

    def count_items(self, loop: int) -> int:
        """Count the iterations of a loop, those of the loops around it in its chain included."""
        if loop not in self._counts:
            self._counts[loop] = self._count_items(loop)
        return self._counts[loop]

    def _count_items(self, index: int) -> int:
        loop = self._plan.loops[index]
        if not loop.is_direct:
            return loop.growth * sum(self.measure(path, self._limit) for path in loop.sources) + loop.literals
        values = self._find_values(loop.sources[0])
        return self._limit + 1 if values is None else sum(map(_count_parts, values))

    def _find_values(self, path: Path) -> list[Any] | None:
        """Find the values at a path; None when there are too many. A name that is not there has none."""
        if path not in self._values:
            around = self._find_values(path[:-1])
            self._values[path] = None if around is None else self._find_inside(around, path[-1])
        return self._values[path]

    def _find_inside(self, values: list[Any], name: str) -> list[Any] | None:
        self.steps += NODE_SIZE * len(values)
        if name != ITEMS:
            return [value[name] for value in values if isinstance(value, dict) and name in value]
        if sum(map(_count_parts, values)) > self._limit:
            return None
        return [item for value in values for item in _list_items(value)]


def _measure_parts(value: Any) -> int:
    """Measure a value with its items, not what is inside them; a loop copies texts among its items."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        items: list[Any] = [*value, *value.values()]
    elif isinstance(value, list | tuple):
        items = list(value)
    else:
        return 0
    return NODE_SIZE * len(items) + sum(len(item) for item in items if isinstance(item, str))


def _count_parts(value: Any) -> int:
    """Count the items that a loop sees: items of a list, keys of an object, characters of a text."""
    return len(value) if isinstance(value, list | tuple | dict | str) else 1


def _list_items(value: Any) -> Any:
    """Return the items that a loop sees; a text stays whole, because its size is the same."""
    return value if isinstance(value, list | tuple | dict) else (value,)


ITEMS = "*"
"""The segment of a path that stands for all items of a list."""


MAX_SOURCES = 50
"""Values that one loop iterates over; loops inside each other could multiply them."""


MAX_LOOPS = 8
"""Loops inside each other."""


@dataclass(frozen=True, slots=True)
class Charge:
    """Work of an expression.

    Attributes:
        weight: work per character and node of the value.
        path: the value; with `ITEMS` the sum over the items of a list.
        loops: the loops, by index, that repeat it with the same value.
        is_shallow: whether the work depends on a list's items only, and not on what is inside them.
    """

    weight: int
    path: Path
    loops: tuple[int, ...]
    is_shallow: bool


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop of a plain template.

    Attributes:
        sources: what it iterates over.
        growth: the factor by which its filters can lengthen it.
        literals: the number of items that come from the template itself, at most.
        is_direct: whether its items are those of its only source.
        chain: this loop, and the loops around it of whose items its source is a part.
    """

    sources: tuple[Path, ...]
    growth: int
    literals: int
    is_direct: bool
    chain: frozenset[int]


@dataclass(frozen=True, slots=True)
class Plan:
    """Costs of a template.

    Attributes:
        reason: the part that is not plain; empty for a plain template.
        charges: the work of its expressions.
        loops: its loops, in their order.
        repeated: characters of the longest literal text inside a loop.
    """

    reason: str = ""
    charges: tuple[Charge, ...] = ()
    loops: tuple[Loop, ...] = ()
    repeated: int = 0

    @property
    def is_plain(self) -> bool:
        """True when its work is linear in its data."""
        return not self.reason


@lru_cache(maxsize=256)
def plan_template(template: str) -> Plan:
    """Plan the work of a template, which is within the limits of `check_limits`."""
    planner = _Planner(template)
    try:
        return planner.plan()
    except NotPlainError as error:
        return Plan(str(error), repeated=planner.measure_longest_text())


@dataclass(slots=True)
class _Block:
    """An open `if` or `for`.

    Attributes:
        word: `if` or `for`.
        loop: the index of the loop; None for an `if` and in the `else` of a loop.
        names: the names of an item.
        paths: the values that the names stand for.
        is_item: whether a name stands for exactly the item, so that `item.name` is a part of it.
    """

    word: str
    loop: int | None = None
    names: Sequence[str] = ()
    paths: tuple[Path, ...] = ()
    is_item: bool = False


class _Planner:
    """Walk over the tags of a template."""

    def __init__(self, template: str) -> None:
        self._tags = list_tags(template)
        self._length = len(template)
        self._blocks: list[_Block] = []
        self._loops: list[Loop] = []
        self._charges: dict[tuple[Path, tuple[int, ...], bool], int] = {}
        self._repeated = 0

    def plan(self) -> Plan:
        """Plan all tags."""
        at = 0
        for tag in self._tags:
            if self._list_open_loops():
                self._repeated = max(self._repeated, tag.start - at)
            self._add_tag(tag)
            at = tag.end
        if self._blocks:
            raise NotPlainError("a block without its end")
        charges = tuple(Charge(weight, *key) for key, weight in self._charges.items())
        return Plan("", charges, tuple(self._loops), self._repeated)

    def measure_longest_text(self) -> int:
        """Return the characters of the longest text without a tag."""
        starts = [tag.start for tag in self._tags] + [self._length]
        ends = [0] + [tag.end for tag in self._tags]
        return max(start - end for start, end in zip(starts, ends, strict=True))

    def _add_tag(self, tag: Tag) -> None:
        if not tag.is_closed:
            raise NotPlainError("a tag without its end")
        if tag.mark == PRINT:
            reading = read_expression(tag.tokens)
            if not reading.is_free:
                self._charge(reading)
            return
        word, rest = tag.word, tag.tokens[1:]
        if word == "for":
            self._open_loop(rest)
        elif word in ("if", "elif"):
            self._add_condition(word, rest)
        elif word in ("else", "endif", "endfor") and not rest and self._blocks:
            self._end_branch(word)
        else:
            raise NotPlainError(f'the tag "{word[:40]}"')

    def _add_condition(self, word: str, tokens: Sequence[Token]) -> None:
        self._charge(read_expression(tokens))
        if word == "if":
            self._blocks.append(_Block("if"))
        elif not self._blocks or self._blocks[-1].word != "if":
            raise NotPlainError("an `elif` without its `if`")

    def _end_branch(self, word: str) -> None:
        block = self._blocks[-1]
        if word == "else":
            block.loop, block.names = None, ()  # in the `else` of a loop its names are those of the scope
        elif block.word == word.removeprefix("end"):
            self._blocks.pop()
        else:
            raise NotPlainError(f'a "{word}" without its beginning')

    def _open_loop(self, tokens: Sequence[Token]) -> None:
        """Open `for NAME, NAME in EXPRESSION if EXPRESSION`."""
        place = next((index for index, token in enumerate(tokens) if token.text == "in"), 0)
        names, commas = tokens[:place:2], tokens[1:place:2]
        is_usual = place % 2 == 1 and all(token.kind == "name" and token.text.isascii() for token in names)
        if not is_usual or any(token.text != "," for token in commas):
            raise NotPlainError("an unusual loop")
        end = _find_condition(tokens, place + 1)
        iterated = read_expression(tokens[place + 1 : end])
        self._charge(iterated)
        self._add_loop(iterated, [token.text for token in names])
        if end < len(tokens):
            self._charge(read_expression(tokens[end + 1 :]))

    def _add_loop(self, iterated: Reading, names: Sequence[str]) -> None:
        resolved = [self._resolve_path(path) for path in iterated.paths]
        sources = tuple(path for paths, _ in resolved for path in paths)
        if len(sources) > MAX_SOURCES:
            raise NotPlainError("a loop over many values")
        if len(self._list_open_loops()) == MAX_LOOPS:
            raise NotPlainError("loops inside each other")
        homes = {home for _, home in resolved}
        around = frozenset[int]()
        if len(homes) == 1 and not iterated.literals:
            around = self._get_chain(homes.pop())
        index = len(self._loops)
        is_direct = iterated.has_same_items and len(sources) == 1
        self._loops.append(Loop(sources, iterated.growth, iterated.literals, is_direct, around | {index}))
        is_item = is_direct and len(names) == 1
        self._blocks.append(_Block("for", index, names, ((*sources[0], ITEMS),) if is_item else sources, is_item))

    def _charge(self, reading: Reading) -> None:
        for path in reading.paths:
            resolved, home = self._resolve_path(path)
            loops = self._list_repeating_loops(home)
            weight = reading.weight * (self._loops[home].growth if home is not None else 1)
            for each in resolved:
                key = each, loops, reading.is_shallow
                self._charges[key] = self._charges.get(key, 0) + weight

    def _resolve_path(self, path: Path) -> tuple[tuple[Path, ...], int | None]:
        """Return the paths from the scope, and the loop whose item the path begins at."""
        for block in reversed(self._blocks):
            if path[0] in block.names:
                return tuple((*base, *path[1:]) for base in block.paths) if block.is_item else block.paths, block.loop
        return (path,), None

    def _get_chain(self, loop: int | None) -> frozenset[int]:
        return frozenset() if loop is None else self._loops[loop].chain

    def _list_repeating_loops(self, home: int | None) -> tuple[int, ...]:
        """List the open loops that repeat an expression with the same value; of a chain only the innermost."""
        chain = self._get_chain(home)
        open_loops = [loop for loop in self._list_open_loops() if loop not in chain]
        around: set[int] = set()
        for loop in open_loops:
            around |= self._loops[loop].chain - {loop}
        return tuple(loop for loop in open_loops if loop not in around)

    def _list_open_loops(self) -> list[int]:
        return [block.loop for block in self._blocks if block.loop is not None]


def _find_condition(tokens: Sequence[Token], start: int) -> int:
    """Return the index of the `if` of a loop, or the number of tokens."""
    depth = 0
    for index in range(start, len(tokens)):
        text = tokens[index].text
        depth += (text in ("(", "[")) - (text in (")", "]"))
        if depth == 0 and text == "if":
            return index
    return len(tokens)
