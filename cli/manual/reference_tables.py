"""Tables of the documentation that are generated from declarations, between two marks in the page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.doctor import FINDING_CODES
from aurora.faults import VARIABLES, describe_values
from aurora.faults.secrets import list_coverage
from aurora.hosts import HOSTS
from aurora.interpreter.problems import list_kinds, summarize_page

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.faults import Variable

DOCS = Path(__file__).resolve().parents[2] / "docs"
_FIRST_SENTENCE = re.compile(r"^.*?[.:](?= |$)")


def format_language_page() -> str:
    """Return `language.md` with the table of problem codes."""
    rows = (
        (f"[{kind.code}](problems/{kind.code}.md)", kind.name, _get_first_sentence(summarize_page(kind.code)))
        for kind in sorted(list_kinds().values(), key=lambda kind: kind.code[1:])
    )
    return _replace_table("reference/language.md", "problem codes", _format_table(("code", "name", "meaning"), rows))


def format_doctor_page() -> str:
    """Return `doctor.md` with the table of finding codes."""
    rows = ((f"`{code}`", meaning) for code, meaning in sorted(FINDING_CODES.items()))
    return _replace_table("reference/doctor.md", "finding codes", _format_table(("code", "meaning"), rows))


def format_setup_page() -> str:
    """Return `setup.md` with the table of assistants and their files."""
    rows = ((host.title, f"`{host.name}`", _join_paths(host.project), _join_paths((host.user,))) for host in HOSTS)
    titles = ("assistant", "name", "in the project", "your own")
    return _replace_table("guide/setup.md", "assistants", _format_table(titles, rows))


def format_environment_page() -> str:
    """Return `environment.md` with the table of variables."""
    rows = ((f"`{variable.name}`", variable.meaning, _list_values(variable)) for variable in VARIABLES.values())
    table = _format_table(("variable", "what it does", "values"), rows)
    return _replace_table("reference/environment.md", "environment variables", table)


def format_secrets_page() -> str:
    """Return `secrets.md` with the table of kinds."""
    rows = ((kind, ", ".join(f"`{name}`" for name in names) or "—") for kind, names in list_coverage())
    return _replace_table("reference/secrets.md", "kinds of secrets", _format_table(("kind", "covers"), rows))


def _list_values(variable: Variable) -> str:
    return ", ".join(f"`{value}`" for value in variable.values) or describe_values(variable)


def _join_paths(paths: Iterable[str]) -> str:
    return " or ".join(f"`{path}`" for path in paths).replace("{config}", "~/.config").replace("{apps}", "APPS")


def _get_first_sentence(text: str) -> str:
    found = _FIRST_SENTENCE.match(text)
    return f"{found[0][:-1]}." if found else text


def _format_table(titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [titles, ("---",) * len(titles), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _replace_table(page: str, name: str, table: str) -> str:
    """Replace the text between `<!-- generated: NAME -->` and `<!-- end -->`."""
    begin, end = f"<!-- generated: {name} -->\n", "\n<!-- end -->"
    before, _, rest = (DOCS / page).read_text(encoding="utf-8").partition(begin)
    _, mark, after = rest.partition(end)
    if not mark:
        raise ValueError(f'{page} has no lines "{begin.strip()}" and "{end.strip()}": add them around the table')
    return f"{before}{begin}{table}{end}{after}"
