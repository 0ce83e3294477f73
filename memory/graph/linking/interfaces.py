"""Implicit interfaces: a Go type satisfies one by having its methods.

The signatures of the methods are not compared.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from aurora.memory.model import IMPLEMENTS

if TYPE_CHECKING:
    from aurora.memory.storage import Tables

CONFIDENCE = 0.6
_SOURCE = "method set"
_MIN_METHODS = 1
_MAX_TYPES = 200
"""An interface with more types than this (`String() string`) gets no links."""


def link_interfaces(db: Tables) -> None:
    """Replace the links from types to the interfaces whose methods they have, inside the open transaction."""
    db.references.remove_methods()
    types, interfaces = _collect_method_sets(db)
    having: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for owner, (_n, _line, methods) in types.items():
        for method in methods:
            having[method].add(owner)
    for (_folder, name), (target, _line, methods) in interfaces.items():
        if len(methods) < _MIN_METHODS:
            continue
        owners = set.intersection(*(having[method] for method in methods))
        if not owners or len(owners) > _MAX_TYPES:
            continue
        for owner in sorted(owners):
            n, line, _methods = types[owner]
            ref = db.references.insert_methods(n, name, line)
            db.links.insert([(ref, target, n, IMPLEMENTS, CONFIDENCE, _SOURCE)])


_MethodSets = dict[tuple[str, str], tuple[int, int, set[str]]]


def _collect_method_sets(db: Tables) -> tuple[_MethodSets, _MethodSets]:
    """Collect the methods of types and of interfaces by folder and name.

    A type's methods may be in several files.
    """
    sets: tuple[_MethodSets, _MethodSets] = ({}, {})
    for n, path, symbol, kind, line in db.nodes.iter_go_types():
        folder = path.rpartition("/")[0]
        if kind != "method":
            sets[kind == "interface"].setdefault((folder, symbol), (n, line, set()))
            continue
        owner, _, method = symbol.rpartition(".")
        entry = sets[0].get((folder, owner)) or sets[1].get((folder, owner))
        if entry is not None:
            entry[2].add(method)
    return sets
