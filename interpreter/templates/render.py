"""Rendering and checking of templates, in this process or in a worker process."""

from __future__ import annotations

import json
import marshal
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aurora.faults import check_cancelled
from aurora.interpreter.expressions.meter import charge_work, is_metering

from .engine import MAX_FUEL, TemplateFailureError, list_variables, load_library, render_text
from .error import PromptError
from .plan import is_work_within, plan_template
from .tags import list_tags, locate_line
from .worker import CHECK, RENDER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .plan import Plan
    from .tags import Tag, Token

MAX_WORK = 5_000_000
"""Work of a plain template in this process, in the units of `measure_size`: some 0.1 s. More goes to a worker."""


MAX_LITERAL_TEXT = 20_000_000
"""Characters times instructions: literal text that a loop can repeat costs fuel."""


MIN_FUEL = {True: 500, False: 10_000}
"""Least fuel of a plain template, and of another; of the other the limit of memory bounds the text."""


MAX_REQUEST = 64 * 1024 * 1024
"""Bytes of a template and its values that a worker receives."""


STOPPED_HELP = "loop over fewer values, or compute the text in a tool"


GROWTH_MESSAGE = "a text is joined to itself here, over and over, and would fill the memory"


def render_template(template: str, scope: Mapping[str, Any], name: str) -> str:
    """Render the template over `scope`; nothing is escaped, because a model reads it.

    Raises:
        PromptError: when it cannot be read, names an unknown variable, or needs too much time or memory.
        Cancelled: the call was cancelled.
    """
    check_cancelled()
    plan = _plan_checked(template, name)
    fuel = _choose_fuel(plan)
    if is_metering():
        charge_work(_estimate_work(plan, scope, fuel))
    try:
        if not plan.is_plain or not is_work_within(plan, scope, MAX_WORK):
            return str(_ask_worker(RENDER, template, name, fuel, scope)["text"])
        return render_text(template, scope, name, fuel)
    except TemplateFailureError as failure:
        raise PromptError(name, failure.detail, failure.line, failure.span) from None


def _estimate_work(plan: Plan, scope: Mapping[str, Any], fuel: int) -> int:
    """Estimate the work of a rendering in steps of an evaluation, from the limits that it is within."""
    if not plan.is_plain:
        return fuel // 4
    return 500 if is_work_within(plan, scope, MAX_WORK // 100) else MAX_WORK // 20


def check_template(template: str, name: str) -> frozenset[str]:
    """Check the template, and return the names that it reads: `result.agents`.

    Raises:
        PromptError: when it cannot be read.
        Cancelled: the call was cancelled.
    """
    plan = _plan_checked(template, name)
    names, failure = _check_once(template, is_plain=plan.is_plain)
    if failure is not None:
        raise PromptError(name, failure.detail, failure.line, failure.span)
    return names


def is_plain_template(template: str) -> bool:
    """Check that the work of a template is linear in its data, so that it needs no worker.

    Raises:
        PromptError: when it exceeds a limit.
    """
    return _plan_checked(template, "template").is_plain


def _plan_checked(template: str, name: str) -> Plan:
    """Return the plan of a template within the limits; both are kept for the next rendering."""
    failure = _check_limits_once(template)
    if failure is not None:
        raise PromptError(name, failure.detail, failure.line, failure.span)
    return plan_template(template)


@lru_cache(maxsize=256)
def _check_limits_once(template: str) -> PromptError | None:
    try:
        check_limits(template, "")
    except PromptError as error:
        return error
    return None


@lru_cache(maxsize=256)
def _check_once(template: str, *, is_plain: bool) -> tuple[frozenset[str], TemplateFailureError | None]:
    """Parse a template once.

    The library computes with constants as it parses, so that a worker parses a template that is not plain.

    Raises:
        PromptError: when no worker can be started, which is not kept.
    """
    try:
        if is_plain:
            return list_variables(template), None
        names = _ask_worker(CHECK, template, "", MAX_FUEL, {})["names"]
    except TemplateFailureError as error:
        return frozenset(), error
    grows = find_text_growth(template)
    if grows is not None:
        return frozenset(), TemplateFailureError(GROWTH_MESSAGE, locate_line(template, grows[0]), grows)
    return frozenset(names), None


def _ask_worker(kind: str, template: str, name: str, fuel: int, scope: Mapping[str, Any]) -> dict[str, Any]:
    """Let a worker render or check the template.

    Raises:
        TemplateFailureError: the library's error, or the limit that was exceeded.
        PromptError: no worker can be started.
        Cancelled: the call was cancelled.
    """
    from aurora.interpreter.templates.process import WorkerStartError, WorkerStoppedError, send_to_worker  # noqa: PLC0415 - most need no worker

    request = _encode_request(kind, template, name, fuel, scope)
    try:
        response = json.loads(send_to_worker(request, Path(str(load_library().__file__)).parents[1]))
    except WorkerStartError as error:
        raise PromptError(name or "template", f"it is rendered in a process of its own, and {error}") from None
    except WorkerStoppedError as error:
        raise TemplateFailureError(f"it was stopped: {error}; {STOPPED_HELP}") from None
    if "detail" in response:
        span = tuple(response["span"]) if response["span"] else None
        raise TemplateFailureError(response["detail"], response["line"], span)
    return dict(response)


def _encode_request(kind: str, template: str, name: str, fuel: int, scope: Mapping[str, Any]) -> bytes:
    """Encode a request; a value that is part of several others is written once."""
    try:
        request = marshal.dumps((kind, template, name, fuel, dict(scope)))
    except ValueError:
        raise TemplateFailureError(
            "its values are nested too deeply, or are of a type that JSON does not have"
        ) from None
    if len(request) > MAX_REQUEST:
        raise TemplateFailureError(f"its values have {len(request):,} bytes; {MAX_REQUEST:,} are allowed")
    return request


def _choose_fuel(plan: Plan) -> int:
    """Choose the limit of instructions, as a power of two: literal text in a loop costs fuel."""
    fuel = max(MAX_LITERAL_TEXT // max(plan.repeated, 1), MIN_FUEL[plan.is_plain])
    return min(MAX_FUEL, 1 << fuel.bit_length())


MAX_GROWTH = 4096
"""Limit of the factor by which successive assignments can lengthen a text."""


_GROWING_FILTERS = frozenset(
    {"batch", "e", "escape", "format", "indent", "join", "pprint", "replace", "tojson", "urlencode"}
)

_OPENING_TAGS = frozenset({"for", "macro", "call"})

_CLOSING_TAGS = frozenset({"endfor", "endmacro", "endcall"})


def find_text_growth(template: str) -> tuple[int, int] | None:
    """Find the span where a text grows without bound; None if there is none."""
    tags = list_tags(template)
    made, macros = _collect_assigned(tags)
    if not made:
        return None
    depth, times = 0, 1
    for tag in tags:
        depth += (tag.word in _OPENING_TAGS) - (tag.word in _CLOSING_TAGS)
        factor = _measure_factor(tag, made, macros if depth > 0 else frozenset())
        times *= factor
        if (factor > 1 and depth > 0) or times > MAX_GROWTH:
            return tag.start, tag.end
    return None


def _measure_factor(tag: Tag, made: set[str], macros: set[str] | frozenset[str]) -> int:
    """Estimate how much longer a tag makes a text that the template assigned."""
    inside = tag.tokens[1:] if tag.word else tag.tokens
    assigned = _find_assigned_value(inside) if tag.word == "set" else None
    if assigned is not None:
        return _estimate_growth(assigned, made)
    if tag.word != "macro" and _has_call(inside, macros):
        return _estimate_growth(inside, made)
    return 1


def _collect_assigned(tags: Sequence[Tag]) -> tuple[set[str], set[str]]:
    """Collect the names that the template assigns, and those of its macros."""
    made: set[str] = set()
    macros: set[str] = set()
    for tag in (*tags, *tags):  # a loop can use what is set further down
        inside = tag.tokens[1:]
        if tag.word in ("set", "with"):
            made.update(_list_names(_drop_values(inside)))
        elif tag.word == "macro":
            names = list(_list_names(inside))
            macros.update(names[:1])
            made.update(names[1:])
        elif tag.word == "for":
            names = list(_list_names(inside))
            if made.intersection(names):
                made.add(names[0])
    return made, macros


def _list_names(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the names with what follows their dots, `n.x`; not those of filters."""
    name = ""
    before = ""
    for token in tokens:
        if token.kind == "name" and before == ".":
            name = f"{name}.{token.text}" if name else ""
        elif token.text != "." or not name:
            if name:
                yield name
            name = token.text if token.kind == "name" and before != "|" else ""
        before = token.text
    if name:
        yield name


def _drop_values(tokens: Sequence[Token]) -> list[Token]:
    """Return the targets of `a = 1, b = 2`."""
    kept: list[Token] = []
    is_value = False
    for token in tokens:
        is_value = (is_value or token.text == "=") and token.text != ","
        if not is_value:
            kept.append(token)
    return kept


def _find_assigned_value(tokens: Sequence[Token]) -> Sequence[Token] | None:
    """Return the value of `NAME = VALUE`; None for another form."""
    place = next((index for index, token in enumerate(tokens) if token.text == "="), 0)
    is_name = place > 0 and all(token.kind == "name" or token.text == "." for token in tokens[:place])
    return tokens[place + 1 :] if is_name else None


def _has_call(tokens: Sequence[Token], macros: set[str] | frozenset[str]) -> bool:
    return any(token.text in macros and after.text == "(" for token, after in pairwise(tokens))


def _estimate_growth(tokens: Sequence[Token], made: set[str]) -> int:
    """Estimate how many assigned texts go into this one; of two branches the larger."""
    most = 1
    while True:
        words = [token.text if token.kind == "name" else "" for token in tokens]
        choice = words.index("if") if "if" in words else None
        other = words.index("else", choice) if choice is not None and "else" in words[choice:] else None
        if choice is None or other is None:
            return max(most, _count_assigned(tokens, made))
        most = max(most, _count_assigned(tokens[:choice], made))
        tokens = tokens[other + 1 :]


def _count_assigned(tokens: Sequence[Token], made: set[str]) -> int:
    mentioned = sum(name in made for name in _list_names(tokens))
    is_lengthened = any(token.text == "*" for token in tokens) or any(
        token.text == "|" and following.text in _GROWING_FILTERS for token, following in pairwise(tokens)
    )
    return max(mentioned, 2 if mentioned and is_lengthened else 1)


MAX_CHARACTERS = 100_000
"""Characters of a template; the rendered text must fit into a response of 19,000."""


MAX_TAGS = 5_000
"""Prints and statements of a template."""


MAX_OPERATORS = 200
"""Operators of an expression, those of the brackets around and inside them included, along one branch.

It bounds the depth of the library's syntax tree. The library needs some 400 bytes of stack for each level, so that 200
fit into the smallest stack of a thread many times.
"""


MAX_BRACKETS = 50
"""Brackets inside each other."""


MAX_BLOCKS = 100
"""Blocks inside each other; each `elif` is one inside its `if`. The library allows 150 without the `elif`."""


_OPENING = {"(", "[", "{"}

_CLOSING = {")", "]", "}"}

_SEPARATORS = {",", ":"}

_WORD_OPERATORS = {"and", "or", "not", "in", "is", "if", "else"}

_BLOCKS = {"if", "for", "with", "set", "filter", "macro", "call", "block", "autoescape"}


def check_limits(template: str, name: str) -> None:
    """Check the size and nesting of a template.

    Raises:
        PromptError: when a limit is exceeded, with the place where it is.
    """
    if len(template) > MAX_CHARACTERS:
        raise PromptError(name, f"it has {len(template):,} characters; a prompt has at most {MAX_CHARACTERS:,}")
    tags = list_tags(template)
    if len(tags) > MAX_TAGS:
        first = tags[MAX_TAGS]
        detail = f"it has {len(tags):,} tags; a prompt has at most {MAX_TAGS:,}"
        raise _make_error(template, name, (first.start, first.end), detail)
    for tag in tags:
        _check_expressions(template, name, tag)
    deep = _find_deep_block(tags)
    if deep is not None:
        detail = f"blocks are nested more than {MAX_BLOCKS} deep here; each `elif` counts as one"
        raise _make_error(template, name, (deep.start, deep.end), detail)


class _Depth:
    """Depth of the syntax tree inside one bracket: operators of an item, on top of its deepest bracket."""

    __slots__ = ("deepest", "inner", "operators")

    def __init__(self) -> None:
        self.operators = 0
        self.inner = 0
        self.deepest = 0

    def measure_item(self) -> int:
        return self.operators + self.inner

    def end_item(self) -> None:
        self.deepest = max(self.deepest, self.measure_item())
        self.operators = self.inner = 0


def _check_expressions(template: str, name: str, tag: Tag) -> None:
    """Check the depth of a tag's expressions; a syntax error counts as if it were none."""
    depths = [_Depth()]
    for token in tag.tokens:
        _count_token(depths, token)
        if len(depths) > MAX_BRACKETS + 1:
            detail = f"brackets are nested more than {MAX_BRACKETS} deep here"
            raise _make_error(template, name, (token.start, token.end), detail)
        if depths[-1].measure_item() > MAX_OPERATORS:
            detail = f"an expression has more than {MAX_OPERATORS} operators in a row here; split it into parts"
            raise _make_error(template, name, (token.start, token.end), detail)
    while len(depths) > 1:  # brackets that are not closed
        _close_bracket(depths)
    if depths[0].measure_item() > MAX_OPERATORS:
        detail = f"an expression has more than {MAX_OPERATORS} operators inside each other; split it into parts"
        raise _make_error(template, name, (tag.start, tag.end), detail)


def _count_token(depths: list[_Depth], token: Token) -> None:
    text = token.text
    if text in _OPENING:
        depths[-1].operators += 1  # a call or a subscript; for a list it is one too many
        depths.append(_Depth())
    elif text in _CLOSING:
        _close_bracket(depths)
    elif text in _SEPARATORS:
        depths[-1].end_item()
    elif token.kind == "sign" or text in _WORD_OPERATORS:
        depths[-1].operators += 1


def _close_bracket(depths: list[_Depth]) -> None:
    if len(depths) > 1:
        closed = depths.pop()
        closed.end_item()
        depths[-1].inner = max(depths[-1].inner, closed.deepest)


def _find_deep_block(tags: tuple[Tag, ...]) -> Tag | None:
    """Find the first block that is nested too deeply."""
    blocks: list[str] = []
    for tag in tags:
        word = tag.word
        if word == "elif" or (word in _BLOCKS and not _is_assignment(tag)):
            blocks.append(word)
            if len(blocks) > MAX_BLOCKS:
                return tag
        elif word.startswith("end"):
            while blocks and blocks.pop() == "elif":
                pass
    return None


def _is_assignment(tag: Tag) -> bool:
    """Recognize `{% set x = … %}`, which opens no block."""
    return tag.word == "set" and any(token.text == "=" for token in tag.tokens)


def _make_error(template: str, name: str, span: tuple[int, int], detail: str) -> PromptError:
    return PromptError(name, detail, locate_line(template, span[0]), span)
