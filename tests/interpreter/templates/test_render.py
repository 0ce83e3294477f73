"""Prompt templates, and the errors of faulty ones."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import minijinja
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.interpreter.templates import render
from aurora.interpreter.templates.engine import MAX_PRINTED, PromptError, has_filter_or_test
from aurora.interpreter.templates.render import check_template, render_template

if TYPE_CHECKING:
    from collections.abc import Callable


def test_rendering_escapes_nothing_and_strips_only_the_lines_of_tags() -> None:
    text = "{% for x in xs %}\n- <{{ x }}> & more\n{% endfor %}\nend"
    assert render_template(text, {"xs": ["a&b", "大"]}, "p") == "- <a&b> & more\n- <大> & more\nend"


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("[{{ x.note }}{{ x.note.deeper }}{{ x.list[0].name }}]", "[]"),
        ("{% if x.note %}a{% else %}b{% endif %}{{ x.note or 'c' }}{{ x.note | default('d') }}", "bcd"),
        ("{% for one in x.list %}{{ one }}{% else %}none{% endfor %}", "none"),
        ("{{ x.note == 'a' }} {{ x.note is defined }} {{ x.note | upper }}", "False False "),
        ("{{ x.__class__.__mro__ }}{{ x.__dict__ }}", ""),
    ],
)
def test_an_absent_field_is_empty(text: str, rendered: str) -> None:
    assert render_template(text, {"x": {"other": 1}}, "p.md") == rendered


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("é\n{{ a b }}", 2, "unexpected identifier"),
        ("a\n\n{% if x %}", 3, "unexpected end"),
        ("\n{{ x.y.z | length }}", 2, "length"),
        ("{% include '/etc/passwd' %}", 1, "non-existing"),
        ("{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}", 1, "runs too long"),
        ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", 1, "recursion"),
        ("{{ 'x' * 99999999999 }}", 1, "too large"),
        ("{{ range(99999999999) }}", 1, "too many"),
        ("{{ x | nothing }}", 1, "nothing is unknown"),
    ],
)
def test_a_template_error_names_its_place_and_reason(text: str, line: int, words: str) -> None:
    started = time.process_time()
    with pytest.raises(PromptError, match=words) as raised:
        render_template(text, {"x": 1}, "prompts/p.md")
    assert raised.value.line == line
    assert str(raised.value).startswith(f"prompts/p.md:{line}: ")
    assert time.process_time() - started < 5


def test_the_span_of_a_template_error_counts_characters() -> None:
    text = "größe 大 🦊 {{ a wrong }}"
    with pytest.raises(PromptError) as raised:
        check_template(text, "p")
    span = raised.value.span
    assert span is not None
    assert text[slice(*span)] == "wrong"


def test_the_variables_of_a_template_exclude_its_own_assignments() -> None:
    text = (
        "{% set z = q.r %}{% for x in result.xs %}{{ x.y }}{{ loop.index }}{{ z }}{% endfor %}{{ range(3) }}{{ a.b }}"
    )
    assert check_template(text, "p") == {"q.r", "result.xs", "a.b"}


def test_filters_and_tests_are_known_by_name() -> None:
    known = [
        has_filter_or_test("filter", "upper"),
        has_filter_or_test("filter", "replace"),
        has_filter_or_test("test", "defined"),
        has_filter_or_test("test", "divisibleby"),
    ]
    assert known == [True] * 4
    assert [has_filter_or_test("filter", "nothing"), has_filter_or_test("test", "nothing")] == [False, False]


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("{% for i in range(20000) %}{{ text }}{% endfor %}", {"text": "x" * MAX_PRINTED}),
        ("{% for i in rows %}{{ text }}{% endfor %}", {"text": "x" * 1_000, "rows": [1] * 2_000}),
        ("{% set n = namespace(x='ab') %}" + "{% set n.x %}{{ n.x }}{{ n.x }}{% endset %}" * 20, {}),
    ],
)
def test_a_template_that_prints_too_much_is_stopped(text: str, scope: dict[str, Any]) -> None:
    with pytest.raises(PromptError, match="prints more than"):
        render_template(text, scope, "a.md")


def test_each_rendering_counts_from_zero() -> None:
    for _ in range(3):
        assert len(render_template("{{ text }}", {"text": "x" * (MAX_PRINTED // 2)}, "a.md")) == MAX_PRINTED // 2


RANDOM_TEXTS = st.text(alphabet="{}%#ab.|()[]'\" =if enorsdtxé\n-", max_size=60)


@settings(max_examples=150)
@given(RANDOM_TEXTS, st.dictionaries(st.sampled_from("ab"), st.integers()))
def test_any_template_is_rendered_or_rejected(text: str, scope: dict[str, Any]) -> None:
    for error in (refusal(check_template, text, "p"), refusal(render_template, text, scope, "p")):
        assert error is None or error.detail
        assert error is None or error.span is None or 0 <= error.span[0] <= error.span[1] <= len(text)


def refusal(attempt: Callable[..., object], *arguments: object) -> PromptError | None:
    try:
        attempt(*arguments)
    except PromptError as error:
        return error
    return None


PIECES = [
    "{{", "}}", "{%", "%}", "{#", "#}", "{{-", "-}}", "{%+", "-%}", "+}}", "{{ a }}", "{{ b.c }}", "{{ 'x' }}",
    "{% if a %}", "{% endif %}", "{% else %}", "{% elif b %}", "{% for x in a %}", "{% for k, v in a | items %}",
    "{% endfor %}", "{{ x }}", "{% raw %}", "{% endraw %}", "{{ x.c | upper }}", "a", "b", "x", " ", "\n", "'",
    '"', "\\", "(", ")", "[", "]", "{", "}", ".", ",", "|", "~", "+", "-", "*", "=", "==", "0", "1", "not ",
    " in ", " is ", " if ", " else ", "upper", "length", "default('')", "join(',')", "replace('a', 'b')",
    "range(2)", "%", "é", "[:1]", "['c']", "tojson",
]  # fmt: skip
VALUES = st.recursive(
    st.sampled_from([True, 0, 1.5, "", "ab"]),  # without null, which prints nothing here
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
    max_leaves=6,
)


@settings(max_examples=200)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), VALUES, VALUES)
def test_a_template_gives_what_the_library_alone_gives(template: str, one: Any, other: Any) -> None:
    scope = {"a": one, "b": other}
    library = minijinja.Environment(undefined_behavior="chainable", trim_blocks=True, lstrip_blocks=True)
    try:
        wanted = library.render_str(template, "p.md", **scope)
    except (minijinja.TemplateError, TypeError, ValueError):
        wanted = None
    assert refusal(render_template, template, scope, "p.md") is None or wanted is None
    if wanted is not None:
        assert render_template(template, scope, "p.md") == wanted


WORKFLOWS = Path(__file__).resolve().parents[3] / "workflows"


@pytest.mark.parametrize("path", sorted(WORKFLOWS.rglob("prompts/*.md")), ids=lambda path: path.stem)
def test_no_shipped_prompt_needs_a_process_of_its_own(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(render, "_ask_worker", refuse)
    text = path.read_text(encoding="utf-8")
    whole = re.sub(r'\{% include "([^"]+)" %\}', lambda found: (WORKFLOWS / found[1]).read_text(encoding="utf-8"), text)
    assert isinstance(check_template(whole, path.name), frozenset)
