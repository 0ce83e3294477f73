from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*/*.md")))
_LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_link_to_another_document_leads_somewhere(name: str) -> None:
    document = ROOT / name
    for target in _LINK.findall(document.read_text(encoding="utf-8")):
        if not target.startswith(("https://", "http://")):
            path, _, heading = target.partition("#")
            other = document.parent / path if path else document
            assert other.is_file(), f"{name}: {target}"
            assert not heading or heading in _anchors(other), f"{name}: {target}"


@pytest.mark.parametrize("path", sorted((ROOT / "docs").glob("*/*.md")), ids=lambda path: path.name)
def test_every_document_can_be_reached_from_the_readme(path: Path) -> None:
    assert f"](docs/{path.parent.name}/{path.name})" in (ROOT / "README.md").read_text(encoding="utf-8")


def _anchors(document: Path) -> set[str]:
    """The headings' names in links, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
