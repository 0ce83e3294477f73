"""Templates in which a text doubles itself are rejected; linear growth is not."""

from __future__ import annotations

import pytest

from aurora.interpreter.templates.engine import MAX_PRINTED
from aurora.interpreter.templates.error import PromptError
from aurora.interpreter.templates.render import check_template, find_text_growth, render_template

NAMED = "{% set n = namespace(x='a') %}"
TWENTY = "{% for i in range(20) %}"


@pytest.mark.parametrize(
    "template",
    [
        f"{NAMED}{TWENTY}{{% set n.x = n.x ~ n.x %}}{{% endfor %}}{{{{ n.x }}}}",
        f"{NAMED}{TWENTY}{{% set n.x = '%}}' ~ n.x ~ n.x %}}{{% endfor %}}{{{{ n.x }}}}",
        f"{NAMED}{TWENTY}{{% set n.x = [n.x, n.x] | join %}}{{% endfor %}}{{{{ n.x }}}}",
        f"{NAMED}{TWENTY}{{% set n.x = n.x | replace('a', 'aa') %}}{{% endfor %}}{{{{ n.x }}}}",
        f"{NAMED}{TWENTY}{{% set n.x = n.x * 2 %}}{{% endfor %}}{{{{ n.x }}}}",
        "{% macro f(x, n) %}{% if n %}{{ f(x ~ x, n - 1) }}{% endif %}{% endmacro %}{{ f('ab', 20) }}",
        "{% set a = 'x' %}" + "{% set a = a ~ a %}" * 30,
    ],
)
def test_a_text_that_doubles_itself_is_rejected_at_its_place(template: str) -> None:
    start, end = find_text_growth(template) or (0, 0)
    assert "~" in template[start:end] or "n.x" in template[start:end]
    with pytest.raises(PromptError, match="fill the memory"):
        check_template(template, "a.md")


@pytest.mark.parametrize(
    "template",
    [
        "{% set n = namespace(t=0) %}{% for r in rs %}{% set n.t = n.t + r.score %}{% endfor %}{{ n.t }}",
        "{% set n = namespace(t=0) %}{% for r in rs %}{% set n.t = r.x if r.x > n.t else n.t %}{% endfor %}",
        "{% set a = b ~ ': ' ~ c %}{{ a ~ a }}, don't, {{ a }} isn't",
        "{% set n = namespace(s='') %}{% for r in rs %}{% set n.s = n.s ~ r.id ~ ', ' %}{% endfor %}{{ n.s }}",
        "{% macro row(x) %}{{ x.a }}: {{ x.b }}{% endmacro %}{% for r in rs %}{{ row(r) }}{% endfor %}",
    ],
)
def test_a_text_that_grows_linearly_is_accepted(template: str) -> None:
    assert find_text_growth(template) is None


def test_a_loop_that_prints_too_much_is_stopped() -> None:
    with pytest.raises(PromptError, match="prints more than"):
        render_template("{% for i in range(20000) %}{{ text }}{% endfor %}", {"text": "x" * MAX_PRINTED}, "a.md")


def test_a_text_in_a_variable_is_counted_when_it_is_printed() -> None:
    grows = f"{NAMED}{TWENTY}{{% set n.x %}}{{{{ n.x }}}}{{{{ n.x }}}}{{% endset %}}{{% endfor %}}"
    with pytest.raises(PromptError, match="prints more than"):
        render_template(grows, {}, "a.md")


def test_each_rendering_counts_from_zero() -> None:
    for _ in range(3):
        assert len(render_template("{{ text }}", {"text": "x" * (MAX_PRINTED // 2)}, "a.md")) == MAX_PRINTED // 2


@pytest.mark.parametrize(
    ("template", "text"),
    [("[{{ 'a' if false }}]", "[]"), ("{{ [1, 'a', true] }}", "[1, 'a', True]"), ("{{ 1.0 }} {{ true }}", "1.0 True")],
)
def test_counting_does_not_change_the_printed_text(template: str, text: str) -> None:
    assert render_template(template, {}, "a.md") == text
