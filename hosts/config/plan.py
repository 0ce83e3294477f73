"""What would have to be written so that hosts know Aurora; nothing is written here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.hosts.formats.errors import Broken
from aurora.hosts.formats.formats import put_entry, read_entries
from aurora.hosts.host import Slot
from aurora.hosts.launch import SERVER, argv_of, entry_of, executable, is_bare, is_ours, missing

from .change import Plan, Trouble
from .draft import Draft
from .entries import entry_in, file_of, name_for
from .markers import stamped, whose, with_block

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path
    from typing import Any

    from aurora.hosts.host import Extra, Host, Scope
    from aurora.hosts.launch import Launch
    from aurora.hosts.user_paths import Person


def plan(  # noqa: PLR0913 - what is asked for stands behind the star
    root: Path, person: Person, hosts: Iterable[Host], launch: Launch, *, user: bool = False, skill: str = ""
) -> Plan:
    """The changes that let these hosts start Aurora in this project.

    Args:
        root: the project's folder, resolved.
        person: whose own files are written where a host has none in the project.
        hosts: which.
        launch: how the server is started.
        user: write the person's own files also where the project could have one.
        skill: the text of SKILL.md; without it none is written.

    Returns:
        Changes, and a trouble for each file that is broken or not ours; a file is never replaced. Nothing is raised.
    """
    draft, troubles, standing = Draft(root, person), list[Trouble](), list[str]()
    for host in hosts:
        scope: Scope = "person" if user or not host.project else "project"
        try:
            standing += _entry(host, scope, draft, launch)
        except Broken as broken:
            troubles.append(trouble(host, file_of(host, scope, draft), broken, draft, ""))
        for extra in host.extras:
            text = skill if extra.kind == "skill" else extra.text
            if not text or (extra.path.startswith("~/") and not user):
                continue
            try:
                standing += _extra(host, extra, text, draft)
            except Broken as broken:
                troubles.append(trouble(host, extra.path, broken, draft, ""))
    changes = draft.changes()
    written = {change.shown for change in changes}  # a note that one host has drafted is there for the next
    return Plan(changes, tuple(troubles), tuple(one for one in dict.fromkeys(standing) if one not in written))


def trouble(host: Host, written: str, broken: Broken, draft: Draft, removing: str) -> Trouble:
    """What is wrong with a file, with its place, and the way out; `removing` is ` --remove` when that was asked for."""
    try:
        where = draft.shown(draft.place(written))
    except Broken:
        where = written
    if broken.line:
        where += f":{broken.line}:{broken.column}"
    return Trouble(
        host.name,
        where,
        f"{where}: {broken.message}; the file was left as it is",
        broken.help or f"Mend it and say `aur init{removing} --hosts {host.name}` again; `aur doctor` tells more.",
    )


def _entry(host: Host, scope: Scope, draft: Draft, launch: Launch) -> list[str]:
    """Draft the host's entry; the file's name when nothing is missing in it."""
    written = file_of(host, scope, draft)
    path = draft.place(written)
    text = draft.text(path)
    entries = read_entries(host, text or "")
    name = name_for(scope, draft.root, entries, host)
    words = (*launch.shared, "mcp") if scope == "project" else (*launch.own, "mcp", "--project", str(draft.root))
    there = entry_in(entries, name)
    wanted = entry_of(host, words, name) if there is None else _mended(host, there, words, draft)
    if there is not None and all(there.get(key) == value for key, value in wanted.items()):
        return [draft.shown(path)]
    draft.write(path, put_entry(host, text or "", name, wanted), f"the server for {host.title}")
    return []


def _mended(host: Host, there: Mapping[str, Any], words: tuple[str, ...], draft: Draft) -> dict[str, Any]:
    """What is missing in an entry of ours, and how the server is started when its program is gone.

    Raises:
        Broken: the entry starts something else.
    """
    argv = argv_of(host, there)
    if argv and not is_ours(argv):
        raise Broken(
            f'an entry called "{SERVER}" starts another program, "{argv[0][:80]}"',
            help=f"Call that entry something else, then say `aur init --hosts {host.name}` again.",
        )
    if argv and (is_bare(argv) or executable(argv, draft.root, draft.person)):
        words = argv  # of a name alone, others may well have the program
    elif argv:
        words = (*words[: words.index("mcp")], *argv[argv.index("mcp") :])
    wanted = entry_of(host, words, str(there.get("name", SERVER)))
    lacking = missing(host, there)
    return {key: wanted[key] for key, value in host.shape.items() if isinstance(value, Slot) or key in lacking}


def _extra(host: Host, extra: Extra, told: str, draft: Draft) -> list[str]:
    """Draft a command, a skill or a note that says `told`; the file's name when it is there already."""
    path = draft.place(extra.path)
    text = draft.text(path)
    why = "the agents' note" if extra.kind == "note" else f"the {_KINDS[extra.kind]} for {host.title}"
    if extra.kind == "note":
        made = with_block(text or "", told)
    else:
        made = stamped(told, extra.path)
        held = "older" if text is None else whose(text, made)
        if held == "foreign":
            raise Broken(
                "a file of this name is there, and is not Aurora's",
                help=f"Move it away, then say `aur init --hosts {host.name}` again.",
            )
        if held != "older":  # what a person has edited is the person's
            return [draft.shown(path)]
    if made == text:
        return [draft.shown(path)]
    draft.write(path, made, why)
    return []


_KINDS = {"command": "slash command", "skill": "skill"}
