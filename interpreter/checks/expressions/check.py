"""Expressions: readable, with functions and fields that exist, and tests that can come out either way."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from aurora.interpreter.expressions.jmespath import ExpressionError, compiled
from aurora.interpreter.problems import codes
from aurora.interpreter.problems.problem import Fix
from aurora.interpreter.problems.suggestions import did_you_mean, listed, respelt

from . import booleans, calls, comparisons, inference, tokens
from .shapes import Missing
from .sites import sites
from .tree import RELATIVE, paths, walk
from .types import kinds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurora.interpreter.checks.view import View
    from aurora.interpreter.problems.problem import Problem

    from .sites import Site
    from .tree import Tree


def problems(view: View) -> Iterator[Problem]:
    """What is wrong with each expression of the workflow, at its place."""
    for found in _examined(view).values():
        yield from found


def wrong(view: View) -> frozenset[Site]:
    """The expressions of which something was told."""
    return frozenset(site for site, found in _examined(view).items() if found)


@lru_cache(maxsize=1)
def _examined(view: View) -> Mapping[Site, tuple[Problem, ...]]:
    return {site: tuple(_of(site)) for site in sites(view)}


def _of(site: Site) -> Iterator[Problem]:
    try:
        tree: Tree = compiled(site.text).parsed
    except ExpressionError as error:
        stretch = (0, len(site.text)) if error.offset is None else (error.offset, error.length)
        yield codes.EXPRESSION_SYNTAX.at(site.place(stretch), str(error), help=error.help, fix=_fix(site, error))
        return
    yield from _functions(site, tree)
    yield from _negated(site, tree)
    compared = comparisons.found(site, tree)
    yield from compared.problems
    unknown = list(_unknown(site, tree, compared.explained))
    yield from unknown
    yield from inference.problems(site)
    if site.kind == "when" and not unknown:
        yield from booleans.problems(site, tree)
    if site.kind == "for_each" and not unknown:
        yield from _no_list(site)


def _no_list(site: Site) -> Iterator[Problem]:
    """What a prompt is to be rendered for each of, and has no items."""
    found = kinds(inference.given(site))
    if found and "array" not in found:
        message = f'"in" must give a list, and this is {listed(sorted(found))}'
        help_ = "name the list itself, or make one of it with to_array()"
        yield codes.MISFIT.at(site.place((0, len(site.text))), message, help=help_)


def _fix(site: Site, error: ExpressionError) -> Fix | None:
    """What the error would have written, in place of what it points at."""
    if error.offset is None or not error.instead:
        return None
    return Fix(site.text[error.offset : error.offset + error.length], error.instead)


def _functions(site: Site, tree: Tree) -> Iterator[Problem]:
    for node in walk(tree):
        if node["type"] == "function_expression":
            yield from calls.unknown(site, node)


def _negated(site: Site, tree: Tree) -> Iterator[Problem]:
    """`!a.b`, which the library reads as `(!a).b`: null whatever b is."""
    for node in walk(tree):
        children = node["children"]
        if node["type"] in RELATIVE and children and children[0]["type"] == "not_expression":
            place = site.place(tokens.of_kind(site.text, "not"))
            message = '"!" binds tighter than ".", so this negates only what stands before the first dot'
            yield codes.NEGATED_PATH.at(place, message, help="put the path in brackets, as in `!(inputs.sure)`")


def _unknown(site: Site, tree: Tree, explained: frozenset[str]) -> Iterator[Problem]:
    for path in paths(tree):
        found = site.follow(path)
        # A bare null names a field that is never there, and so is null: not what was meant, and yet right.
        if not isinstance(found, Missing) or path == ("null",) or (len(path) == 1 and path[0] in explained):
            continue
        name = path[found.index]
        kind = codes.UNKNOWN_SOURCE if site.kind == "from" or path[0] == "phases" else codes.UNKNOWN_FIELD
        choices = f"; expected one of {listed(found.known)}" if found.known else ""
        place = site.place(tokens.of_path(site.text, path, found.index))
        yield kind.at(
            place, f"{found.sentence}{choices}", help=did_you_mean(name, found.known), fix=respelt(name, found.known)
        )
