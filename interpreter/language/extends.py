"""`extends`: a workflow that patches another one, merged by phase id and key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.problems import codes, did_you_mean
from aurora.interpreter.yaml import Node, make_list, make_map, to_key_text

from .build import EXTENDS, report_unexpected_key, suggest_key
from .model import Workflow
from .placement import AFTER, place_phases

if TYPE_CHECKING:
    from aurora.interpreter.problems import Place, Problem

ADD = "add"
"""Only key of a mapping that adds to a list of the base, where a list would replace it."""

# Who replaces a long word list by three words has mostly
# meant to add them, and loses the others without a word.
_MIN_NAMED, _MIN_PLAIN = 5, 20
"""Items with names, and without, from which a much shorter list in their place is reported; few are often exchanged."""
_MAX_LISTED_TEXT = 40
"""Characters of each part of a text that counts as a list with commas."""
_SHOWN_ITEMS = 3

MEMBER_WORDS = {("phases",): "phase", ("phases", "*", "inputs"): "input", ("phases", "*", "with"): "argument"}
"""Words for the members of a mapping from which only an existing member can be removed."""


def correct_extends(root: Node) -> tuple[Node, tuple[Problem, ...]]:
    """Rename the key that most likely means `extends`, and report it; the base has the rest."""
    if root.kind != "map" or root.get(EXTENDS) is not None:
        return root, ()
    names = [to_key_text(key.value) for key, _ in root.items]
    wrong = next((name for name in names if _means_extends(name)), None)
    if wrong is None:
        return root, ()
    items = (
        (key._replace(value=EXTENDS) if name == wrong else key, value)
        for name, (key, value) in zip(names, root.items, strict=True)
    )
    return make_map(root.place, tuple(items)), (report_unexpected_key(root, (wrong,)),)


def _means_extends(name: str) -> bool:
    return name not in Workflow.model_fields and suggest_key((name,)) == EXTENDS


def apply_patch(base: Node, patch: Node) -> tuple[Node, tuple[Problem, ...]]:
    """Merge a patch into its base, and report what it patches in vain.

    Mappings merge at every depth, but for schemas and rules. A null in the patch removes a key; in `params` it is the
    value null. A phase with `after` is placed behind another one. Every node keeps its place, so a problem refers to
    the right file.
    """
    without = make_map(patch.place, tuple((key, value) for key, value in patch.items if key.value != EXTENDS))
    extending = _PatchMerge()
    tree, problems = place_phases(base, patch, extending.merge_nodes(base, without, ()))
    return tree, (*extending.problems, *problems)


class _PatchMerge:
    """One merge and its problems."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def merge_nodes(self, base: Node, patch: Node, path: tuple[str, ...]) -> Node:
        patches = {to_key_text(key.value): (key, value) for key, value in patch.items}
        items: list[tuple[Node, Node]] = []
        for key, value in base.items:
            name = to_key_text(key.value)
            if name not in patches:
                items.append((key, value))
                continue
            new_key, new = patches.pop(name)
            if not _is_removal(new, path):
                items.append((new_key, self._merge_value(value, new, (*path, name))))
            elif path == ("phases",):
                items.append((key, value))  # its placement removes it, and leads around it
        items.extend(pair for pair in patches.values() if self._accept_new_key(pair, base, path))
        return make_map(patch.place, tuple(items))

    def _merge_value(self, base: Node, patch: Node, path: tuple[str, ...]) -> Node:
        """Merge the value of a key that both have."""
        added = _find_addition(patch)
        listed = _list_rules(base) if path[2:] == ("next_action",) else base
        is_free = path[0] == "vars" or "params" in path  # elsewhere, a text is a prompt, a file or one expression
        if added is not None and (listed.kind == "list" or (is_free and isinstance(listed.value, str))):
            return self._add_items(listed, added, path)
        if added is not None and listed.kind == "scalar" and path[0] != "vars":
            self._report_no_list(patch.place, path[-1])
            return base
        if patch.kind == "map" and base.kind == "map" and _is_deep(path):
            return self.merge_nodes(base, patch, path)
        self._report_lost_items(base, patch, path)
        return patch

    def _add_items(self, base: Node, added: Node, path: tuple[str, ...]) -> Node:
        """Add to a list, or to a text with commas; an item with the `name` of another one merges with it."""
        members = added.children if added.kind == "list" else (added,)
        if base.kind != "list":
            text = ", ".join(str(one) for one in (base.value, *(member.value for member in members)))
            return Node("scalar", added.place, value=text, characters=len(text))
        items = list(base.children)
        places = {label: at for at, item in enumerate(items) if (label := _read_name(item)) is not None}
        new = []
        for member in members:
            at = places.get(_read_name(member) or "")
            if at is None:
                new.append(member)
            else:
                items[at] = self.merge_nodes(items[at], member, (*path, "*"))
        # the first rule that is true wins, and the last one of a phase always is
        return make_list(added.place, (*new, *items) if path[-1] == "next_action" else (*items, *new))

    def _report_lost_items(self, base: Node, patch: Node, path: tuple[str, ...]) -> None:
        """Report a list that the patch replaces by a much shorter one, and any alias that it loses."""
        is_aliases = path[2:] == ("aliases",)
        if not is_aliases and "params" not in path and len(path) > 1:
            return
        old, new = (_list_labels(node, is_text="params" in path) for node in (base, patch))
        lost = [label for label in old if label not in new]
        least = _MIN_NAMED if any(_read_name(item) for item in base.children) else _MIN_PLAIN
        if not lost or not new or not (is_aliases or len(old) >= max(least, 2 * len(new))):
            return
        shown = ", ".join(f'"{label}"' for label in lost[:_SHOWN_ITEMS])
        more = f" and {len(lost) - _SHOWN_ITEMS} more" if len(lost) > _SHOWN_ITEMS else ""
        message = f'this replaces "{path[-1]}" of the extended workflow, and loses {shown}{more}'
        help_ = f"to add to what is there, write `{path[-1]}: {{ {ADD}: […] }}`"
        self.problems.append(codes.LOST_ITEMS.make_problem(patch.place, message, help=help_))

    def _accept_new_key(self, pair: tuple[Node, Node], base: Node, path: tuple[str, ...]) -> bool:
        """Report and drop a new key that can only have meant one of the base's."""
        key, value = pair
        name = to_key_text(key.value)
        kind = MEMBER_WORDS.get(tuple("*" if index == 1 else part for index, part in enumerate(path)))
        removes = _is_removal(value, path)
        is_led = value.kind == "map" and (value.get("next_action") is not None or value.get(AFTER) is not None)
        # A new phase has to say what follows it; one that does not is most likely a misspelt name of the base.
        fragment = kind == "phase" and value.kind == "map" and not is_led
        if kind is not None and (removes or fragment):
            what = "to remove" if removes else 'to patch, and by itself it lacks "next_action"'
            names = [to_key_text(other.value) for other, _ in base.items]
            message = f'"{name}" is no {kind} of the extended workflow: there is nothing {what}'
            self.problems.append(codes.PATCHES_NOTHING.make_problem(key.place, message, help=did_you_mean(name, names)))
            return False
        if _find_addition(value) is not None and kind is None and path[:1] != ("vars",):
            self._report_no_list(key.place, name)
            return False
        return not removes

    def _report_no_list(self, place: Place, name: str) -> None:
        message = f'"{name}" is no list of the extended workflow: there is nothing to add to'
        help_ = f"write the whole value, without `{ADD}`"
        self.problems.append(codes.PATCHES_NOTHING.make_problem(place, message, help=help_))


def _is_removal(value: Node, path: tuple[str, ...]) -> bool:
    return value.kind == "scalar" and value.value is None and "params" not in path


def _is_deep(path: tuple[str, ...]) -> bool:
    """Return whether two mappings at this path merge: all but rules and the keywords of a schema."""
    match path:
        case ("phases", _, "answer" | "output" | "next_action"):
            return False
        case ("phases", _, "inputs", _, _) | ("phases", _, "branches", _, _) | ("output", _, _):
            return False
        case ("phases", _, "person", "form", _, *_):
            return False
        case _:
            return True


def _find_addition(patch: Node) -> Node | None:
    """Find the items that a mapping with the only key `add` adds to a list."""
    added = patch.get(ADD) if patch.kind == "map" and len(patch.items) == 1 else None
    return added if added is not None and (added.kind == "list" or isinstance(added.value, str)) else None


def _list_rules(rules: Node) -> Node:
    """Return the rules of a phase as a list, as the short forms mean them."""
    if rules.kind == "list":
        return rules
    if rules.kind == "scalar":
        rules = make_map(rules.place, ((Node("scalar", rules.place, value="then"), rules),))
    return make_list(rules.place, (rules,))


def _read_name(item: Node) -> str | None:
    """Read the `name` of an item, by which it is known in its list."""
    name = item.get("name") if item.kind == "map" else None
    return name.value if name is not None and isinstance(name.value, str) else None


def _list_labels(node: Node, *, is_text: bool) -> list[str]:
    """List the items of a list, or of a text with commas, as a message names them."""
    if node.kind == "list":
        return [_read_name(item) or str(item.to_data()) for item in node.children]
    parts = [part.strip() for part in str(node.value).split(",")] if is_text and node.kind == "scalar" else []
    return parts if all(0 < len(part) <= _MAX_LISTED_TEXT for part in parts) else []
