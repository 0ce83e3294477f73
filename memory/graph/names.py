"""The names of one file: imports, its own classes, variables with types, callees and declarations."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from aurora.memory.model.graph import IMPL_PREFIX, ImportBinding
from aurora.memory.parsing.languages import CONTAINERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.model.graph import GraphDefinition
    from aurora.memory.parsing.languages import Language

_SELF_NAMES = frozenset({"self", "this", "cls", "@", "Self", "static"})

_SUPER_NAMES = frozenset({"super()", "super", "base", "parent"})

_MAX_DEPTH = 8

_MAX_BASES = 12


class FileNames:
    """The names of one file: imports, types and bases are added first, then calls are resolved.

    Results that say how a file knows a name have the format of `Reference.via`.

    Args:
        language: the file's language.
        path: the file's path, project-relative.
        defs: its definitions.
    """

    def __init__(self, language: Language, path: str, defs: Sequence[GraphDefinition]) -> None:
        self._rules = language.graph
        self._modules = language.graph.modules
        self._file_is_class = language.graph.scope.file_is_class
        self._has_paths = bool(language.graph.modules.path_heads)
        self._path = path
        self._defs = defs
        self._globs: list[str] = []
        self._aliases: dict[str, ImportBinding] = {}
        self._types: dict[tuple[int, str], str] = {}
        self._bases: dict[int, list[str]] = {}
        self._variables = set(_SELF_NAMES | _SUPER_NAMES | {""})
        """Names whose meaning depends on the definition around them."""
        self._vias: dict[tuple[int, str], str] = {}
        self._classes = {each.symbol: number for number, each in enumerate(defs) if each.kind in CONTAINERS}

    def add_import(self, binding: ImportBinding) -> None:
        """Add an import; the first of two imports of one name counts."""
        if binding.alias == "*" and binding.module.startswith("/"):
            self._globs.append(binding.module)
        if binding.alias not in {"", "*"}:
            self._aliases.setdefault(binding.alias, binding)

    def bind_type(self, owner: int, variable: str, type_: str) -> None:
        """Bind a variable to its type; a variable with a leading dot is an attribute of the object itself."""
        if variable.startswith("."):
            owner, variable = self._find_holder(owner), variable[1:]
        self._variables.add(variable)
        known = self._types.setdefault((owner, variable), type_)
        if known != type_:
            self._types[owner, variable] = ""  # it has one type here and another there

    def copy_type(self, owner: int, variable: str, source: str) -> None:
        """Bind a variable to the type of another one, if that is known."""
        receiver = f"self{source}" if source.startswith(".") else source
        if type_ := self._find_type(owner, receiver):
            self.bind_type(owner, variable, type_)

    def resolve_base(self, owner: int, text: str) -> tuple[str, str]:
        """Resolve a base class to its name, and to how the file knows it."""
        receiver, name = split_callee(text.split("(", 1)[0].removesuffix("[]"))
        known, via = self._resolve_name(receiver, name)
        if known:
            self._bases.setdefault(owner, []).append(self._format_class(receiver, name))
        return known, via

    def find_impl_type(self, owner: int) -> int:
        """Find the type of an `impl` block; the block itself when its type is not in this file."""
        symbol = self._defs[owner].symbol
        return self._classes.get(symbol.removeprefix(IMPL_PREFIX), owner) if symbol.startswith(IMPL_PREFIX) else owner

    def resolve_call(self, owner: int, text: str, *, made: bool) -> tuple[str, str]:
        """Resolve a callee to its name, and to how the file knows it."""
        if self._rules.calls_are_words:
            words = text.split()
            return words[-1].lstrip("\\") if words else "", ""
        receiver, name = split_callee(text)
        receiver = receiver.removeprefix(self._rules.variable_mark)
        if not receiver or made:
            return self._resolve_name(receiver, name)
        # `Foo.new` makes a `Foo`: it refers to the class, also where that defines no method of this name.
        if name == self._rules.constructor and receiver[:1].isupper():
            return self._resolve_name(*_split_name(receiver))
        if self._has_paths:
            on_value = is_called_on_value(text)
            if on_value and receiver not in _SELF_NAMES:
                return name, self._resolve_value(owner, receiver)
            if not on_value and receiver in {"self", "super"}:
                return name, f"in:{self._resolve_path(receiver, owner)}"
        return name, self._resolve_member_cached(owner, receiver)

    def _resolve_name(self, receiver: str, name: str) -> tuple[str, str]:
        """Resolve the name of a function, class or module, bare or reached through a module."""
        if not receiver:
            binding = self._aliases.get(name)
            if binding is None:
                return name, ""
            own_name = binding.name if binding.name not in {"", "default"} else name
            return own_name, f"in:{binding.module}"
        if (module := self._find_module(receiver)) is not None:
            return name, f"in:{module}"
        is_value = receiver[:1].islower() or receiver == "?"
        return name, f"on:{receiver}" if is_value else self._format_member(receiver)

    def _resolve_member_cached(self, owner: int, receiver: str) -> str:
        """Resolve a receiver once for all the places where it means the same."""
        depends_on_owner = self._has_paths or receiver.removeprefix("@").partition(".")[0] in self._variables
        key = (owner if depends_on_owner else 0, receiver)
        if (via := self._vias.get(key)) is None:
            via = self._vias[key] = self._resolve_member(owner, receiver)
        return via

    def _resolve_member(self, owner: int, receiver: str) -> str:
        """Resolve a receiver to how the file knows its members."""
        if receiver in _SELF_NAMES or receiver in _SUPER_NAMES:
            return self._resolve_own_member(owner, receiver)
        if receiver.endswith("()"):
            return self._format_member(receiver[:-2])
        if type_ := self._find_type(owner, receiver):
            return self._format_member(type_)
        if (module := self._find_module(receiver, owner)) is not None:
            return f"in:{module}"
        last = receiver.rpartition(".")[2]
        if receiver in self._classes or last.lstrip("_")[:1].isupper():
            return self._format_member(receiver)
        return f"on:{receiver}"

    def _resolve_own_member(self, owner: int, receiver: str) -> str:
        """Resolve `self` or `super`; a method outside its class has the class in its own symbol."""
        holder = self._find_holder(owner)
        if not holder and self._file_is_class:
            return ""
        own = self._defs[holder].symbol.removeprefix(IMPL_PREFIX) if holder else ""
        if not holder and self._defs[owner].kind == "method":
            own = self._defs[owner].symbol.rpartition(".")[0]
        return f"self:{'' if receiver in _SUPER_NAMES else own}|{','.join(self._collect_bases(holder))}"

    def _resolve_value(self, owner: int, receiver: str) -> str:
        """Resolve a receiver that is a value, even when a module has the same name."""
        if receiver.endswith("()"):
            return self._format_member(receiver[:-2])
        type_ = self._find_type(owner, receiver)
        return self._format_member(type_) if type_ else f"on:{receiver}"

    def _resolve_path(self, receiver: str, owner: int) -> str | None:
        """Resolve a path to a module that no import names."""
        head = receiver.partition(".")[0]
        if head in self._modules.path_heads:
            return self._modules.resolve(self._path, self.resolve_super(owner, receiver.replace(".", "::")))
        if not head[:1].islower() or head in self._classes:
            return None
        if self._globs:  # a wildcard import may have brought it
            return "/".join([self._globs[0], *receiver.split(".")])
        return receiver.replace(".", "::")

    def resolve_super(self, owner: int, module: str) -> str:
        """Rewrite a path as seen from the file: inside `mod tests { … }`, `super` is the file."""
        while owner > 0 and module.startswith("super"):
            if self._defs[owner].kind == "module":
                module = module.replace("super", "self", 1).replace("self::super", "super", 1)
            owner = self._defs[owner].parent
        return module

    def _find_module(self, receiver: str, owner: int = 0) -> str | None:
        """Find the module that a receiver is: `np`, `os.path`, or `sub` after `from pkg import sub`."""
        if receiver == "?":
            return None
        head, _, rest = receiver.partition(".")
        binding = self._aliases.get(receiver) or self._aliases.get(head)
        if binding is None:
            return self._resolve_path(receiver, owner) if self._has_paths else None
        whole = binding.alias == receiver or not rest
        # `from pkg import Thing` brings a class, `import sub from` a default export; neither is a module.
        if binding.name and (binding.name[:1].isupper() or binding.name == "default"):
            return None
        joint = "/" if binding.module.startswith("/") else self._modules.separator
        base = joint.join([binding.module, binding.name]) if binding.name else binding.module
        return base if whole else joint.join([base, *rest.split(".")])

    def _find_type(self, owner: int, receiver: str) -> str:
        """Find the type of a variable, of an attribute of the object itself, or of a field of either."""
        head, _, rest = receiver.removeprefix("@").partition(".")
        holder = self._find_holder(owner)
        if receiver.startswith("@"):
            return self._types.get((holder, head), "")
        if head in _SELF_NAMES and rest:
            head, _, rest = rest.partition(".")
            found = self._types.get((holder, head), "")
        else:
            scopes = ((owner, head), (holder, head), (0, head))
            found = next(filter(None, map(self._types.get, scopes)), "")
        if not rest or not found:
            return found
        inner = self._classes.get(found)
        return self._types.get((inner, rest), "") if inner is not None and "." not in rest else ""

    def _find_holder(self, owner: int) -> int:
        """Find the class around a definition; 0 when there is none."""
        for _ in range(_MAX_DEPTH):
            if owner <= 0 or self._defs[owner].kind in CONTAINERS:
                return max(owner, 0)
            owner = self._defs[owner].parent
        return 0

    def _collect_bases(self, holder: int) -> list[str]:
        """Collect the bases of a class, and theirs as far as they are in this file."""
        found: list[str] = []
        queue = list(self._bases.get(holder, ()))
        while queue and len(found) < _MAX_BASES:
            base = queue.pop(0)
            if base not in found:
                found.append(base)
                queue.extend(self._bases.get(self._classes.get(base, -1), ()))
        return found

    def _format_member(self, owner: str) -> str:
        """Format a member of a class as `via` does; a class that is a whole file is a module."""
        if self._file_is_class and (binding := self._aliases.get(owner)) and not binding.name:
            return f"in:{binding.module}"
        return f"of:{self._format_class(*_split_name(owner))}"

    def _format_class(self, receiver: str, name: str) -> str:
        """Format a class as `via` does: `Name`, or `Name@module` when it is imported."""
        if self._modules.names_are_whole and receiver:
            head, _, rest = receiver.partition(".")
            module = binding.module if (binding := self._aliases.get(head)) else head
            return f"{name}@{'.'.join(filter(None, (module, rest, name)))}"
        known, via = self._resolve_name(receiver, name) if receiver or name in self._aliases else (name, "")
        return f"{known}@{via[3:]}" if via.startswith("in:") else known


def _split_name(dotted: str) -> tuple[str, str]:
    before, _, last = dotted.rpartition(".")
    return before, last


_DOTTED = re.compile(r"(?:([\w.]+)\.)?([A-Za-z_]\w*)")

_LAST = re.compile(r"([A-Za-z_$][\w$]*[!?]?)$")

_PLAIN = re.compile(r"[\w$.@]+")

_CONSTRUCTED = re.compile(r"(?:new\.?)?((?:[\w$]+\.)*[A-Z][\w$]*)\(.*\)", re.DOTALL)

_ARGUMENTS = re.compile(r"<[^<>()]*>(?=$|\.)")

MAX_CALLEE_CHARS = 160
"""The most characters, at the end of an expression, that are read to find the callee."""


_TYPE = re.compile(r"[\w.]+")

_WRAPPER_TYPES = frozenset({"Optional", "Box", "Arc", "Rc", "Annotated", "Final", "ClassVar"})

_IGNORED_TYPES = frozenset(
    {"var", "let", "const", "final", "auto", "int", "str", "bool", "float", "bytes", "dict", "list"}
)

_SELF_PREFIX = re.compile(r"^(?:self\.|this(?:\.|->)|@)")


@lru_cache(maxsize=1 << 14)
def split_callee(text: str) -> tuple[str, str]:
    """Split a callee into its receiver and its name.

    The receiver has dots and no blanks; the name of another expression is empty.

    The receiver `Foo(1)` becomes `Foo()`; a receiver that is no plain name becomes `?`.
    """
    # Most callees match here, and the rest of this function would return the same.
    if len(text) <= MAX_CALLEE_CHARS and (match := _DOTTED.fullmatch(text)):
        return match[1] or "", match[2]
    text = (
        "".join(text[-MAX_CALLEE_CHARS:].split())
        .replace("->", ".")
        .replace("?.", ".")
        .replace("::", ".")
        .replace(":", ".")
        .replace("\\", ".")
    )
    while "<" in text and (shorter := _ARGUMENTS.sub("", text)) != text:
        text = shorter.replace("..", ".").rstrip(".")
    match = _LAST.search(text)
    if match is None:
        return "", ""
    name, before = match[1], text[: match.start()]
    if not before:
        return "", name
    if not before.endswith("."):
        return "?", name
    receiver = before[:-1]
    if _PLAIN.fullmatch(receiver) or receiver in {"super()", "super"}:
        return receiver, name
    made = _CONSTRUCTED.fullmatch(receiver)
    return f"{made[1]}()" if made else "?", name


def is_called_on_value(text: str) -> bool:
    """Return whether a name is called on a value, `task.run()`, and not reached by a path, `task::run()`."""
    text = "".join(text[-MAX_CALLEE_CHARS:].split())
    text = text.rpartition("::<")[0] if text.endswith(">") else text
    return text[: match.start()].endswith(".") if (match := _LAST.search(text)) else False


def parse_binding(language: Language, text: str) -> tuple[str, str] | None:
    """Parse a declaration into its variable and type; an attribute of the object itself begins with a dot.

    None for a container type, which says nothing of its items, and for a function that is called.
    """
    return None if text.islower() else _match_binding(language, text)  # a type begins with a capital


@lru_cache(maxsize=1 << 13)
def parse_copy(language: Language, text: str) -> tuple[str, str] | None:
    """Parse `self.queue = queue` into both variables; an attribute of the object itself begins with a dot."""
    match = language.graph.copy.fullmatch(text) if language.graph.copy else None
    return (_SELF_PREFIX.sub(".", match["v"]), _SELF_PREFIX.sub(".", match["s"])) if match else None


def _match_binding(language: Language, text: str) -> tuple[str, str] | None:
    for pattern in language.graph.bindings:
        if (match := pattern.match(text)) and (type_ := _parse_type(match["t"])):
            own = "." if match.groupdict().get("own") else ""
            return own + _SELF_PREFIX.sub(".", match["v"]), type_
    return None


def _parse_type(text: str) -> str:
    """Parse the class out of a type: `Foo | None`, `Optional[Foo]`, `&mut Foo` and `*Foo` are `Foo`."""
    names: list[str] = _TYPE.findall(text.replace("::", "."))
    while names and names[0] in _WRAPPER_TYPES:
        names.pop(0)
    if not names or names[0] in _IGNORED_TYPES or not names[0].rpartition(".")[2].lstrip("_")[:1].isupper():
        return ""
    is_container = "[" in text and text.partition("[")[0].strip() == names[0]
    return "" if is_container else names[0]
