"""Plan of the changes that connect hosts to Aurora; nothing is written."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from .edit import drop_entry, put_entry, read_entries
from .entry import (
    SERVER_NAME,
    add_safe_path,
    build_entry,
    build_http_entry,
    choose_entry_name,
    choose_file,
    choose_http_name,
    find_executable,
    find_missing_fields,
    find_own_entries,
    get_entry,
    is_aurora_command,
    is_aurora_url,
    is_bare,
    is_own_http_entry,
    merge_http_entry,
    read_argv,
    read_url,
)
from .files import ChangePlan, ConfigFileError, ConfigProblem, Draft, Piece
from .host import Slot
from .settings import put_hooks, put_rules

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from pathlib import Path
    from typing import Any

    from .entry import Launch, RemoteServer
    from .host import ExtraFile, ExtraKind, Host, Scope
    from .person import UserPaths


def plan_changes(  # noqa: PLR0913 - the options are keyword-only
    root: Path,
    person: UserPaths,
    hosts: Iterable[Host],
    launch: Launch,
    *,
    remote: RemoteServer | None = None,
    user: bool = False,
    skill: str = "",
    allow_tools: bool = False,
    hooks: bool = False,
    left_out: Collection[ExtraKind] = (),
) -> ChangePlan:
    """Plan the changes that let these hosts start Aurora in this project.

    Args:
        root: the project's folder, resolved.
        person: the user's paths, for hosts without a file in the project.
        hosts: the hosts.
        launch: the command that starts the server.
        remote: the server over HTTP that the entries lead to; None if the hosts start one.
        user: write the user's files even if the project can have one.
        skill: the text of SKILL.md; empty writes none.
        allow_tools: let the hosts whose settings are known run the default tools without asking.
        hooks: let the hosts whose settings are known run `aur hook` at each start, prompt and file.
        left_out: kinds of additional files that are not written.

    Returns:
        Changes, and a problem for each file that is invalid or not Aurora's; no such file is replaced, no error raised.
    """
    wishes = _Wishes(launch, remote, {"skill": skill}, left_out, user, allow_tools, hooks)
    draft, problems, unchanged = Draft(root, person), list[ConfigProblem](), list[str]()
    for host in hosts:
        # A file that is invalid is a problem of its own; the other pieces and hosts are planned nevertheless.
        for piece in _iter_pieces(host, wishes, draft, problems):
            try:
                unchanged.append(draft.apply(piece))
            except ConfigFileError as broken:
                problems.append(build_problem(host, piece.file, broken, draft, ""))
    changes = draft.list_changes()
    # hosts share notes: drafted by one, up to date for the next
    known = {"", *(change.display_path for change in changes)}
    return ChangePlan(changes, tuple(problems), tuple(file for file in dict.fromkeys(unchanged) if file not in known))


def plan_hook_changes(root: Path, person: UserPaths, hosts: Iterable[Host], launch: Launch) -> ChangePlan:
    """Plan the hooks of these hosts alone; as `plan_changes`."""
    draft, problems = Draft(root, person), list[ConfigProblem]()
    for host in hosts:
        for piece in _iter_hooks(host, draft, launch):
            try:
                draft.apply(piece)
            except ConfigFileError as broken:
                problems.append(build_problem(host, piece.file, broken, draft, ""))
    return ChangePlan(draft.list_changes(), tuple(problems))


@dataclass(frozen=True, slots=True)
class _Wishes:
    """Wishes of the person; `generated` has the texts that no host declares."""

    launch: Launch
    remote: RemoteServer | None
    generated: Mapping[ExtraKind, str]
    left_out: Collection[ExtraKind]
    user: bool
    allow_tools: bool
    hooks: bool


def _iter_pieces(host: Host, wishes: _Wishes, draft: Draft, problems: list[ConfigProblem]) -> Iterator[Piece]:
    """Yield the pieces of a host in the order of writing; a later one may read an earlier draft."""
    scope: Scope = "person" if wishes.user or not host.project else "project"
    file = choose_file(host, scope, draft)
    refused = find_refusal(host, wishes.remote)
    if refused is not None:  # without its entry, it needs no text either
        problems.append(build_problem(host, file, refused, draft, ""))
        return
    if wishes.remote is not None:
        put = partial(_put_http_entry, host, scope, draft, wishes.remote)
        yield Piece(file, put, f"the server for {host.title}, over HTTP")
    else:
        yield Piece(file, partial(_put_entry, host, scope, draft, wishes.launch), f"the server for {host.title}")
    if wishes.allow_tools and host.allowance is not None:
        put_own = partial(put_rules, host, draft, user=wishes.user)
        yield Piece(host.allowance.path, put_own, f"{host.title} runs the three tools without asking")
    if wishes.hooks:
        yield from _iter_hooks(host, draft, wishes.launch)
    yield from _iter_extras(host, wishes, draft)


def _iter_hooks(host: Host, draft: Draft, launch: Launch) -> Iterator[Piece]:
    if host.hooks is not None:
        why = f"{host.title} gets context from Aurora {host.hooks.describe_events()}"
        yield Piece(host.hooks.path, partial(put_hooks, host, draft.root, launch), why)


def _iter_extras(host: Host, wishes: _Wishes, draft: Draft) -> Iterator[Piece]:
    for extra in host.extras:
        text = extra.text or wishes.generated.get(extra.kind, "")
        if extra.kind in wishes.left_out or (extra.path.startswith("~/") and not wishes.user):
            continue
        # The skill has taken the place of the command, which would appear twice; one that somebody edited stays.
        if extra.is_former and wishes.generated["skill"] and "skill" not in wishes.left_out:
            if _read_owner(extra.path, draft) == "older":
                yield Piece(extra.path, lambda _: None, f"the skill is the slash command for {host.title} now")
        elif text:
            why = "the agents' note" if extra.kind == "note" else f"the {_KIND_NAMES[extra.kind]} for {host.title}"
            yield Piece(extra.path, partial(_put_extra, host, extra, text), why)


def _read_owner(written: str, draft: Draft) -> Ownership:
    """Return who wrote a file; `foreign` for one that is missing or cannot be read."""
    try:
        text = draft.read_text(draft.resolve_path(written))
    except ConfigFileError:
        return "foreign"
    return "foreign" if text is None else classify_owner(text, "")


def build_problem(host: Host, written: str, broken: ConfigFileError, draft: Draft, removing: str) -> ConfigProblem:
    """Create the problem of a file, with its position and fix.

    `removing` is ` --remove` if the command has that option.
    """
    try:
        where = draft.format_path(draft.resolve_path(written))
    except ConfigFileError:
        where = written
    if broken.line:
        where += f":{broken.line}:{broken.column}"
    return ConfigProblem(
        host.name,
        where,
        f"{where}: {broken.message}; the file is unchanged",
        broken.help or f"Fix it and run `aur init{removing} --hosts {host.name}` again; `aur doctor` shows details.",
    )


def _put_entry(host: Host, scope: Scope, draft: Draft, launch: Launch, text: str | None) -> str | None:
    """Put the host's entry into the text of its file."""
    entries = read_entries(host, text or "")
    name = choose_entry_name(scope, draft.root, entries, host)
    # A file of the project is for a team and every machine; the user's own serves all projects, so it names this one.
    argv = (*launch.shared, "mcp") if scope == "project" else (*launch.own, "mcp", "--project", str(draft.root))
    existing = get_entry(entries, name)
    if existing is None:
        return put_entry(host, text or "", name, build_entry(host, argv, name))
    if is_own_http_entry(host, scope, draft.root, name, existing):
        return text  # an address that somebody chose
    wanted = _complete_entry(host, existing, argv, draft)
    is_complete = all(existing.get(key) == value for key, value in wanted.items())
    return text if is_complete else put_entry(host, text or "", name, wanted)


def _complete_entry(host: Host, existing: Mapping[str, Any], command: tuple[str, ...], draft: Draft) -> dict[str, Any]:
    """Complete an Aurora entry: missing fields, and a program that is gone.

    Raises:
        ConfigFileError: the entry starts another program.
    """
    argv = read_argv(host, existing)
    if argv and not is_aurora_command(argv):
        raise ConfigFileError(
            f'the entry "{SERVER_NAME}" starts another program, "{argv[0][:80]}"',
            help=f"Rename that entry, then run `aur init --hosts {host.name}` again.",
        )
    if argv and (is_bare(argv) or find_executable(argv, draft.root, draft.person)):
        command = add_safe_path(argv)  # without a folder, other users may have the program
    elif argv:
        # The program is gone, and the options that the person gave it are not.
        command = (*command[: command.index("mcp")], *argv[argv.index("mcp") :])
    wanted = build_entry(host, command, str(existing.get("name", SERVER_NAME)))
    missing = find_missing_fields(host, existing)
    # Nothing else is put in: what the person has set in an entry stays.
    return {key: wanted[key] for key, value in host.shape.items() if isinstance(value, Slot) or key in missing}


def _put_extra(host: Host, extra: ExtraFile, content: str, text: str | None) -> str | None:
    """Write an additional file, or Aurora's block of one; an edited file belongs to the user."""
    if extra.kind == "note":
        return insert_block(text or "", content)
    result = add_stamp(content, extra.path)
    owner = "older" if text is None else classify_owner(text, result)
    if owner == "foreign":
        raise ConfigFileError(
            "a file with this name exists, and Aurora did not write it",
            help=f"Move it away, then run `aur init --hosts {host.name}` again.",
        )
    return result if owner == "older" else text


_KIND_NAMES = {"command": "slash command", "skill": "skill"}


def _put_http_entry(host: Host, scope: Scope, draft: Draft, remote: RemoteServer, text: str | None) -> str | None:
    """Put the entry for a server over HTTP into the text.

    An entry that starts Aurora as a program for this project gives way to it.
    """
    entries = read_entries(host, text or "")
    name = choose_http_name(scope, draft.root)
    existing = get_entry(entries, name)
    wanted = build_http_entry(host, remote, name)
    if existing is not None:
        _check_owner(host, name, existing)
        wanted = merge_http_entry(host, existing, wanted)
    former = [own for own in find_own_entries(host, scope, draft.root, entries) if own != name]
    if existing == wanted and not former:
        return text
    result = text or ""
    # An editor adds and changes fields and removes none, so an entry with others is written anew.
    is_reached_otherwise = existing is not None and not existing.keys() <= wanted.keys()
    for own in [*former, *([name] if is_reached_otherwise else [])]:
        result = drop_entry(host, result, own) or ""
    return put_entry(host, result, name, wanted)


def find_refusal(host: Host, remote: RemoteServer | None) -> ConfigFileError | None:
    """Return why a host takes no entry for this server, with what to do instead; None if it takes one."""
    if remote is None:
        return None
    if host.http is None:
        return ConfigFileError(
            f"{host.title} takes no entry for a server over HTTP in this file",
            help=f"Let it start Aurora here: `aur init --hosts {host.name}`; or add {remote.url} as a connector of "
            f"{host.title}.",
        )
    if not remote.token_name or host.http.takes_variable:
        return None
    return ConfigFileError(
        f"{host.title} is not known to read a header from a variable such as {remote.token_name}, and the token "
        "itself must not be in the file",
        help=f"Add {remote.url} and the header Authorization by hand to your own settings of {host.title}, never to a "
        f"project's file; or let it start Aurora here: `aur init --hosts {host.name}`.",
    )


def _check_owner(host: Host, name: str, existing: Mapping[str, Any]) -> None:
    """Check that an entry is Aurora's.

    Raises:
        ConfigFileError: it starts another program, or leads elsewhere.
    """
    argv, url = read_argv(host, existing), read_url(host, existing)
    if argv and not is_aurora_command(argv):
        other = f'starts another program, "{argv[0][:80]}"'
    elif url and not argv and not is_aurora_url(url):
        other = "leads to another server"
    else:
        return
    raise ConfigFileError(
        f'the entry "{name}" {other}', help=f"Rename that entry, then run `aur init --hosts {host.name}` again."
    )


BEGIN_MARKER = "<!-- aurora:begin (written by `aur init`; edit outside of this block) -->"
END_MARKER = "<!-- aurora:end -->"
_BEGIN_LINE = re.compile(r"^<!-- aurora:begin\b[^\n]*-->[ \t]*\r?$", re.MULTILINE)
_END_LINE = re.compile(r"^<!-- aurora:end -->[ \t]*(?:\r?\n|\r?\Z)", re.MULTILINE)
_STAMP = re.compile(r"\r?\n?(?:<!-- |# )aur init (?P<digest>[0-9a-f]{8})(?: -->)?(?P<behind>.*)\Z", re.DOTALL)

Ownership = Literal["same", "older", "edited", "foreign"]
"""Owner of a file: the current text, the text of an earlier version, an edited text of Aurora's, another text."""


def insert_block(text: str, body: str) -> str:
    """Replace Aurora's block, or append it to the text.

    Raises:
        ConfigFileError: the markers are not one pair.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    block = f"{BEGIN_MARKER}\n\n{body.strip()}\n\n{END_MARKER}\n".replace("\n", newline)
    span = _find_block(text)
    if span:
        return text[: span[0]] + block + text[span[1] :]
    if not text.strip():
        return text + block
    gap = newline if text.endswith("\n") else newline * 2
    return text + gap + block


def remove_block(text: str) -> str | None:
    """Remove Aurora's block and the blank line before it; None if nothing is left.

    Raises:
        ConfigFileError: the markers are not one pair.
    """
    span = _find_block(text)
    if span is None:
        return text
    before = re.sub(r"(?<=\n)\r?\n\Z", "", text[: span[0]])
    left = before + text[span[1] :]
    return left if left.strip() else None


def add_stamp(text: str, path: str) -> str:
    """Append the stamp that identifies Aurora's own file."""
    stamp = f"aur init {_compute_digest(text)}"
    return f"{text}# {stamp}\n" if path.endswith(".toml") else f"{text}\n<!-- {stamp} -->\n"


def classify_owner(text: str, current: str) -> Ownership:
    """Classify who wrote a text; line endings do not count."""
    if _normalize_newlines(text) == _normalize_newlines(current):
        return "same"
    found = _STAMP.search(text)
    if found is None:
        return "foreign"
    pristine = found["digest"] == _compute_digest(text[: found.start()]) and not found["behind"].strip()
    return "older" if pristine else "edited"


def _find_block(text: str) -> tuple[int, int] | None:
    begins, ends = list(_BEGIN_LINE.finditer(text)), list(_END_LINE.finditer(text))
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or ends[0].start() < begins[0].end():
        odd = (begins or ends)[-1]
        raise ConfigFileError.from_offset(
            '"aurora:begin" and "aurora:end" must each occur once, in this order', text, odd.start()
        )
    return begins[0].start(), ends[0].end()


def _compute_digest(text: str) -> str:
    return hashlib.sha256(_normalize_newlines(text).strip().encode("utf-8")).hexdigest()[:8]


def _normalize_newlines(text: str) -> str:
    return text.replace("\r\n", "\n")
