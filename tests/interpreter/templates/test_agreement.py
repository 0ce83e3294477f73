"""The tokenizer and the planner see in a template what the library sees."""

from __future__ import annotations

from typing import Any

import minijinja
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aurora.interpreter.templates.engine import TemplateFailureError, list_variables
from aurora.interpreter.templates.error import PromptError
from aurora.interpreter.templates.plan import plan_template
from aurora.interpreter.templates.render import check_limits, render_template
from aurora.interpreter.templates.tags import list_tags

PIECES = [
    "{{", "}}", "{%", "%}", "{#", "#}", "{{-", "-}}", "{%+", "-%}", "+}}", "{{ a }}", "{{ b.c }}", "{{ 'x' }}",
    "{% if a %}", "{% endif %}", "{% else %}", "{% elif b %}", "{% for x in a %}", "{% for k, v in a | items %}",
    "{% endfor %}", "{{ x }}", "{% raw %}", "{% endraw %}", "{{ x.c | upper }}", "a", "b", "x", " ", "\n", "'",
    '"', "\\", "(", ")", "[", "]", "{", "}", ".", ",", "|", "~", "+", "-", "*", "=", "==", "0", "1", "not ",
    " in ", " is ", " if ", " else ", "upper", "length", "default('')", "join(',')", "replace('a', 'b')",
    "range(2)", "%", "é", "[:1]", "['c']",
]  # fmt: skip
TEMPLATES = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
VALUES = st.recursive(
    st.sampled_from([True, 0, 1.5, "", "ab"]),  # without null, which prints nothing here
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
    max_leaves=6,
)


@settings(max_examples=300)
@given(TEMPLATES)
@example("{{ '%}' }}{% if a %}{{ \"}}\" }}{% endif %}")
@example("{{ a ~ '{{ b }}' }}{# {{ c }} #}")
def test_the_names_of_a_plain_template_are_in_its_tags(template: str) -> None:
    check_limits(template, "p.md")
    if not plan_template(template).is_plain:
        return
    try:
        names = list_variables(template)
    except TemplateFailureError:
        return
    seen = {token.text for tag in list_tags(template) for token in tag.tokens if token.kind == "name"}
    assert {part for name in names for part in name.split(".")} <= seen


@settings(max_examples=200)
@given(TEMPLATES, VALUES, VALUES)
def test_a_plain_template_gives_what_the_library_alone_gives(template: str, one: Any, other: Any) -> None:
    if not plan_template(template).is_plain:
        return
    scope = {"a": one, "b": other}
    library = minijinja.Environment(undefined_behavior="chainable", trim_blocks=True, lstrip_blocks=True)
    try:
        wanted = library.render_str(template, "p.md", **scope)
    except (minijinja.TemplateError, TypeError, ValueError):
        wanted = None
    try:
        got = render_template(template, scope, "p.md")
    except PromptError:
        got = None
    assert got == wanted
