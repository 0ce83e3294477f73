"""Check of names: what an answer names as the project's exists, members and versions too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .places import IS_DISTINCTIVE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .claims import Claims, Name, Sentence
    from .findings import Check
    from .places import Resolved
    from .sources import Definition

_NO_NAMES = frozenset(
    {
        *("true", "false", "none", "null", "undefined", "nil", "self", "this", "cls", "super", "void", "string", "str"),
        *(
            "number",
            "object",
            "any",
            "error",
            "async",
            "await",
            "return",
            "yield",
            "import",
            "export",
            "default",
            "const",
        ),
        *("class", "function", "func", "else", "while", "try", "except", "catch", "finally", "raise", "throw", "with"),
        *("post", "put", "get", "delete", "head", "patch", "options", "json", "http", "https", "yaml", "toml", "utf"),
    }
)
"""Words of languages and protocols between backticks."""
_RECEIVERS = frozenset({"self", "this", "cls", "super"})
_MIN_CHARS = 3
_MAKES = re.compile(
    r"""\b(?:add|adding|creat(?:e|ing)|introduc(?:e|ing)|renam(?:e|ing)|replac(?:e|ing)|extract|write|propos\w+|suggest\w*
    |new\ (?:file|function|method|helper|class|module|test|parameter|attribute)|such\ as|like|e\.g\.|for\ example
    |for\ instance|similar|analog\w*|call\ it|named|your|switch\ to|wrap|imagine|suppose|hypothetical)\b""",
    re.VERBOSE | re.IGNORECASE,
)
"""Words of a sentence that names what does not exist yet, or what is elsewhere."""
_SUPPOSES = re.compile(
    r"\b(?:should|could|would|recommend\w*|instead|consider|might|ideally|swap|rather than|better|alternativ\w*)\b",
    re.IGNORECASE,
)
"""Words of a sentence that may name such things: only a slip of spelling is reported in it."""
_KIND_WORD = re.compile(
    r"\b(?:function|method|class|helper|attribute|property|module|constant|field|struct|interface|hook|handler)s?\b",
    re.IGNORECASE,
)
_CLASS_KINDS = frozenset({"class", "struct", "interface"})
_MAX_NAMED = 200
_MAX_BASES = 6
_MEMBER_PARTS = 2


def check_name(check: Check, sentence: Sentence, name: Name, *, has_place: bool, is_beside: bool) -> None:
    """Check that a name exists, where the answer claims it for the project.

    Args:
        check: the state of the check.
        sentence: the sentence.
        name: one of its names.
        has_place: the sentence cites a place of the project.
        is_beside: one of its places is said to be that of the name.
    """
    parts = [part for part in name.parts if part not in _RECEIVERS]
    if not parts or name.text.lower() in _NO_NAMES or (len(parts) == 1 and len(parts[0]) < _MIN_CHARS):
        return
    check.counts["names"] += name.is_marked
    found = check.sources.find_definitions(parts) if len(check.named) < _MAX_NAMED else []
    if found:
        check.named.setdefault(name.text, found)
        return
    missing = [part for part in parts if part not in check.allowed and not check.sources.has_word(part)]
    if _MAKES.search(sentence.prose) or sentence.denies(name.start, name.end):
        return
    if missing:
        _report_missing(check, sentence, name, missing[-1], has_place=has_place, is_beside=is_beside)
    elif len(parts) >= _MEMBER_PARTS and name.is_marked:
        _check_member(check, sentence, name)


def _report_missing(  # noqa: PLR0913 - a claim with what is around it
    check: Check, sentence: Sentence, name: Name, missing: str, *, has_place: bool, is_beside: bool
) -> None:
    """Report a name that no text has, if it is claimed for the project or resembles a name of it."""
    is_distinctive = IS_DISTINCTIVE.search(missing) is not None
    if not (is_distinctive or is_beside or len(name.parts) > 1 or "(" in sentence.flat[name.start : name.end]):
        return
    owner = [part for part in name.parts[: name.parts.index(missing)] if part not in _RECEIVERS]
    owners = check.sources.find_definitions(owner) if owner else []
    if owner and not owners:
        return  # a member of something that is no definition of the project, as of a library
    near = check.sources.suggest(missing)
    is_claimed = bool(owners) or has_place or _KIND_WORD.search(sentence.prose) is not None
    is_claimed = is_claimed and not sentence.is_foreign and not _SUPPOSES.search(sentence.prose)
    is_sure = name.is_marked and bool(near or is_claimed)
    what = f"`{owners[0].symbol}` has no `{missing}`" if owners else f"there is no `{missing}` in the project"
    if not is_sure:
        if name.is_marked and is_distinctive and not _SUPPOSES.search(sentence.prose):
            check.doubt(sentence.line, "name", f"`{name.text}`", f"{what}: right if a library has it or you propose it")
        return
    check.report(sentence.line, "name", f"`{name.text}`", what + _advise(check, near))


def _advise(check: Check, near: str) -> str:
    if not near:
        return ": name what exists, or say that it is new"
    places = check.sources.find_definitions([near])
    where = f" ({places[0].place})" if places else ""
    return f"; did you mean `{near}`{where}?"


def _check_member(check: Check, sentence: Sentence, name: Name) -> None:
    """Check `Class.member` whose words exist: the files of the class and its bases must have both."""
    holder, member = name.parts[-2:]
    if not holder[:1].isupper() or (member.startswith("__") and member.endswith("__")):
        return
    classes = [one for one in check.sources.find_definitions([holder]) if one.kind in _CLASS_KINDS]
    if not classes or not all(_lacks_member(check, one, member) for one in classes):
        return
    elsewhere = check.sources.find_definitions([member])
    advice = f"; `{elsewhere[0].symbol}` is at {elsewhere[0].place}" if elsewhere else ": correct the name"
    message = f"`{holder}` ({classes[0].place}) has no `{member}`, nor do its bases{advice}"
    check.report(sentence.line, "name", f"`{name.text}`", message)


def _lacks_member(check: Check, one: Definition, member: str, depth: int = 0) -> bool:
    """Return True only where the files of a class and of all its bases are known, and none has the word."""
    file = check.sources.read(one.path)
    if file.reason or member in file.words or depth > _MAX_BASES:
        return False
    head = file.find_head(one)
    header = " ".join(file.lines[head - 1 : head + 4]).partition(one.name)[2]
    header = re.split(r":\s" if file.language == "python" else r"\{", f"{header} ", maxsplit=1)[0]
    for base in re.findall(r"(?<![\w.=])[A-Za-z_$][\w$.]*", header):
        if base in {"extends", "implements", "object", "metaclass", "public", "private"}:
            continue
        found = check.sources.find_definitions([base.rpartition(".")[2]])
        others = [each for each in found if (each.path, each.symbol) != (one.path, one.symbol)]
        if not others or not all(_lacks_member(check, each, member, depth + 1) for each in others):
            return False
    return True


_DEFINED = re.compile(
    r"\s*(?:(?:async|export|default|public|private|protected|static|pub|abstract)\s+)*"
    r"(?:def|class|function|func|fn|const|let|var|type|interface|struct|enum)\s+\*?(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)"
)
_ASSIGNED = re.compile(r"([A-Za-z_$][\w$]*)\s*=(?!=)")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_MAX_LINE_CHARS = 500


def list_allowed(claims: Claims, question: str) -> frozenset[str]:
    """List the names that need not exist: of the question, and of the answer's own code."""
    names = set(_WORD.findall(question))
    for block in claims.blocks:
        is_own = block.citation is None or block.is_proposal or block.language == "diff"
        for line in block.lines if is_own else ():
            text = line[:_MAX_LINE_CHARS]
            names.update(_ASSIGNED.findall(text))
            if found := _DEFINED.match(text.lstrip("+-")):
                names.add(found[1])
            if block.language == "diff" or block.is_proposal:
                names.update(_WORD.findall(text))
    return frozenset(names)


_VERSION = re.compile(r"(?<![\w.])v?(\d+\.\d+(?:\.\d+)?(?:[-.]?(?:a|b|rc|alpha|beta|dev|post)\.?\d*)?)(?![\w.]*\w)")
_MANIFEST = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|package\.json|Cargo\.toml|go\.mod|deno\.jsonc?|jsr\.json"
    r"|requirements[\w/-]*\.txt)$"
)


def check_versions(check: Check, sentence: Sentence, places: Sequence[Resolved]) -> None:
    """Check the versions in a sentence about a manifest: the file has the number."""
    files = [file for _, some in places for file in some if _MANIFEST.search(file.path)]
    if not files or _MAKES.search(sentence.prose):
        return
    for found in _VERSION.finditer(sentence.flat):
        version = found[1]
        if not sentence.denies(*found.span()) and not any(version in line for file in files for line in file.lines):
            message = f"{files[0].path} does not have {version}: take the version from the file"
            check.report(sentence.line, "version", version, message)
