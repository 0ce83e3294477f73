"""Answer of a run, for the person who opens its page: rendered Markdown and its citations as links."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from aurora.tools import runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from markdown_it import MarkdownIt

    from aurora.memory import StepRow
    from aurora.ui.web import PageRequest

_MAX_CHARACTERS = 40_000
_MAX_CITATIONS = 50
_CHUNK = re.compile(r"(code|know|reas):[0-9a-f]{6,40}")
_TEXTS = ("response", "answer", "text")
"""Fields of an answer, an input or a result that may have the text, the first that does."""


@dataclass(frozen=True, slots=True)
class Citation:
    """Citation of an answer, with the page of what it names."""

    text: str
    link: str


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """Answer of a run: safe HTML, and what it cites."""

    html: str
    citations: Sequence[Citation]


def find_answer(page: PageRequest, steps: Sequence[StepRow]) -> RunAnswer | None:
    """Find the answer of an ended run: the text that its last step with one gave, took in, or made."""
    for step in reversed(steps):
        for source in _list_sources(step.document):
            text = source if isinstance(source, str) else next(_iter_texts(source), "")
            if text.strip():
                cited = source.get("citations") if isinstance(source, dict) else None
                return RunAnswer(render_markdown(runs.format_value(text, _MAX_CHARACTERS)), _link_all(page, cited))
    return None


def _list_sources(document: Mapping[str, Any]) -> list[Any]:
    """List what may contain an answer: the inputs of a step, the answer that it brought, its result."""
    brought = document.get("brought") or ()
    return [document.get("inputs"), *brought[:1], document.get("result")]


def _iter_texts(source: Any) -> Iterator[str]:
    if isinstance(source, dict):
        yield from (source[name] for name in _TEXTS if isinstance(source.get(name), str))


def _link_all(page: PageRequest, citations: Any) -> Sequence[Citation]:
    """Link each citation: a chunk by its id, a place in a file by a search that finds it."""
    found = []
    for one in citations[:_MAX_CITATIONS] if isinstance(citations, list | tuple) else ():
        text = runs.format_value(one, 300)
        chunk = _CHUNK.search(text)
        link = page.link("memory", "chunk", id=chunk[0]) if chunk else page.link("memory", q=text)
        found.append(Citation(text, link))
    return found


def render_markdown(text: str) -> str:
    """Render Markdown without HTML of its own, without images, and with links to other sites only as text."""
    return str(_load_parser().render(text))


@cache
def _load_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only the page of a run with an answer loads it

    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["image", "html_inline", "html_block"])
    parser.validateLink = _is_on_page  # type: ignore[method-assign] # as its documentation says
    return parser


def _is_on_page(url: str) -> bool:
    return url.startswith("#")
