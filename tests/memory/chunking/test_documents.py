"""Chunking of documents at their headings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.chunking.chunk import chunk_file

if TYPE_CHECKING:
    from aurora.memory.model.chunks import Piece

README = """\
Some words before any heading.

# Aurora

## Install

With pip.

### From source

```sh
# not a heading
make setup

## nor this
```

After the fence.

## Use ##

~~~~
```
# still inside
```
~~~~
"""


def chunk_lines(text: str, language: str = "markdown") -> tuple[Piece, ...]:
    chunked = chunk_file("a.md", language, text)
    assert chunked.type == "know"
    assert chunked.parsed
    return chunked.pieces


def test_a_section_is_named_by_the_path_of_its_headings() -> None:
    assert [(piece.kind, piece.symbol) for piece in chunk_lines(README)] == [
        ("text", ""),
        ("section", "Aurora > Install"),
        ("section", "Aurora > Install > From source"),
        ("section", "Aurora > Use"),
    ]


def test_a_heading_without_text_belongs_to_the_section_below() -> None:
    install = chunk_lines(README)[1]
    assert install.text == "# Aurora\n\n## Install\n\nWith pip."
    assert (install.start_line, install.metadata["parent"]) == (3, "Aurora")


def test_a_fenced_block_stays_whole_and_contains_no_heading() -> None:
    source = chunk_lines(README)[2]
    assert "# not a heading\nmake setup\n\n## nor this\n```\n\nAfter the fence." in source.text


def test_an_unclosed_fence_reaches_to_the_end() -> None:
    assert [piece.symbol for piece in chunk_lines("# A\n\n```\n# B\n\n# C\n")] == ["A"]


def test_underlined_titles_are_headings_and_rules_tables_and_front_matter_are_not() -> None:
    text = (
        "---\ntitle: x\n---\n\nTitle\n=====\n\nwords\n\n---\n\nmore\n\nSub title\n---------\n\n| a |\n|---|\n| b |\n\n"
        "- item\n---\n\ntwo\nlines\n---\n"
    )
    assert [piece.symbol for piece in chunk_lines(text)] == ["", "Title", "Title > Sub title"]


def test_titles_have_no_markup() -> None:
    text = "# The [`aur`](docs/aur.md) *command* {#aur}\n\nx\n\n<h2 align='center'><b>Logo</b></h2>\n\ny\n"
    assert [piece.symbol for piece in chunk_lines(text)] == ["The aur command", "The aur command > Logo"]


def test_badges_are_no_part_of_a_title_and_a_lone_image_gives_its_alternative_text() -> None:
    badge = "[![Build](https://ci.example/b.svg?x=1)][3] [![Best practice](b.svg)](https://example.org/1)"
    text = f"# The Manager {badge}\n\nx\n\n## ![Logo of it](logo.svg)\n\ny\n"
    assert [piece.symbol for piece in chunk_lines(text)] == ["The Manager", "The Manager > Logo of it"]


def test_indented_code_contains_no_heading() -> None:
    assert [piece.symbol for piece in chunk_lines("# A\n\n    # B\n\n#no space\n\n####### seven\n")] == ["A"]


def test_a_skipped_heading_level_still_nests() -> None:
    assert [piece.symbol for piece in chunk_lines("# A\nx\n### B\ny\n## C\nz\n# D\nw\n")] == [
        "A",
        "A > B",
        "A > C",
        "D",
    ]


def test_a_long_section_is_split_between_paragraphs_never_inside_a_fence() -> None:
    fence = "```\n" + "\n\n".join(f"line {number}" for number in range(40)) + "\n```"
    paragraphs = "\n\n".join(f"Paragraph {number}\nhas two lines." for number in range(30))
    parts = chunk_lines(f"# Long\n\n{paragraphs}\n\n{fence}\n\n{paragraphs}\n")
    assert len(parts) > 2
    assert {piece.symbol for piece in parts} == {"Long"}
    assert [piece.metadata["part"] for piece in parts] == [f"{n}/{len(parts)}" for n in range(1, len(parts) + 1)]
    assert sum(fence in piece.text for piece in parts) == 1
    assert all(piece.text.splitlines()[0].startswith(("#", "Paragraph", "```")) for piece in parts)


def test_a_long_line_of_prose_makes_a_part_of_its_own() -> None:
    parts = chunk_lines("# A\n\n" + "\n\n".join("word " * 900 for _ in range(4)))
    assert [len(piece.text) < 6_000 for piece in parts] == [True] * 4


def test_restructured_text_levels_follow_their_first_use() -> None:
    text = (
        "#####\nGuide\n#####\n\nwords\n\nInstall\n=======\n\nwith pip::\n\n    Not a title\n    ===========\n\n"
        "From source\n-----------\n\nmake\n\nUse\n===\n\nso\n\n=====  =====\na      b\n=====  =====\n"
    )
    assert [piece.symbol for piece in chunk_lines(text, "rst")] == [
        "Guide",
        "Guide > Install",
        "Guide > Install > From source",
        "Guide > Use",
    ]


def test_underlined_titles_of_plain_text_are_headings() -> None:
    text = "Version 1.1\n-----------\n\nfixed\n\nVersion 1.0\n-----------\n\nfirst\n"
    assert [piece.symbol for piece in chunk_lines(text, "text")] == ["Version 1.1", "Version 1.0"]


def test_text_without_titles_is_windows_of_paragraphs() -> None:
    parts = chunk_lines("\n\n".join("a line of text" for _ in range(100)), "text")
    assert {piece.kind for piece in parts} == {"text"}
    assert len(parts) == 4
