from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")))
_LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_link_points_to_a_document_and_a_heading_that_exist(name: str) -> None:
    document = ROOT / name
    for target in _LINK.findall(document.read_text(encoding="utf-8")):
        if not target.startswith(("https://", "http://")):
            path, _, heading = target.partition("#")
            other = document.parent / path if path else document
            assert other.is_file(), f"{name}: {target}"
            assert not heading or heading in _anchors(other), f"{name}: {target}"


@pytest.mark.parametrize("path", sorted((ROOT / "docs").glob("*/*.md")), ids=lambda path: path.name)
def test_the_index_of_the_documentation_lists_every_page(path: Path) -> None:
    assert f"]({path.parent.name}/{path.name})" in (ROOT / "docs" / "README.md").read_text(encoding="utf-8")


def test_the_readme_links_to_the_index_of_the_documentation() -> None:
    assert "](docs/README.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def _anchors(document: Path) -> set[str]:
    """Return the anchors of a document's headings, as GitHub builds them."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
