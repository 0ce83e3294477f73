"""Templates that would end the process or take quadratic time are refused before the library reads them."""

from __future__ import annotations

import pytest

from aurora.interpreter.templates.engine import PromptError
from aurora.interpreter.templates.render import check_template, render_template
from aurora.interpreter.templates.tags import MAX_BLOCKS, MAX_CHARACTERS, MAX_OPERATORS, MAX_TAGS, list_tags

MANY = 20_000

DEEP_EXPRESSIONS = {
    "a sum": "1" + "+1" * MANY,
    "a difference": "1" + "-1" * MANY,
    "a product": "1" + "*1" * MANY,
    "powers": "1" + "**1" * MANY,
    "joined texts": "1" + "~1" * MANY,
    "negations": "not " * MANY + "1",
    "minus signs": "-" * MANY + "1",
    "comparisons": "1" + "<1" * MANY,
    "and": "1" + " and 1" * 10_000,
    "a path": "a" + ".b" * MANY,
    "filters": "x" + "|upper" * 10_000,
    "tests": "x" + " is defined" * 5_000,
    "calls": "a" + "()" * MANY,
    "subscripts": "a" + "[0]" * MANY,
    "choices": "x if y else " * 5_000 + "x",
    "choices without else": "x" + " if y" * 10_000,
    "operators after a bracket": "(1" + "+1" * 150 + ")" + "+1" * 150,
    "operators around brackets": "1+(" * 45 + "1" + "+1" * 190 + ")" * 45,
    "operators in open brackets": "[1" + "+1" * 150 + "(1" + "+1" * 150,
    "parentheses": "(" * MANY + "1" + ")" * MANY,
    "lists": "[" * MANY + "1" + "]" * MANY,
    "open objects": "{" * MANY,
}


@pytest.mark.parametrize("expression", DEEP_EXPRESSIONS.values(), ids=DEEP_EXPRESSIONS)
def test_an_expression_of_many_operators_is_refused_at_its_place(expression: str) -> None:
    refuse_at_second_line(f"\n{{{{ {expression} }}}}")


@pytest.mark.parametrize("form", ["{{% if {} %}}{{% endif %}}", "{{% set x = {} %}}", "{{% for a in {} %}}", "{{{{ {}"])
def test_expressions_of_all_tags_are_limited(form: str) -> None:
    refuse_at_second_line("\n" + form.format("1" + "+1" * 300))


def refuse_at_second_line(template: str) -> None:
    for attempt in (lambda: check_template(template, "p.md"), lambda: render_template(template, {}, "p.md")):
        with pytest.raises(PromptError, match=f"more than {MAX_OPERATORS} operators and brackets") as at:
            attempt()
        assert at.value.line == 2
        assert at.value.span is not None
        assert 0 < at.value.span[0] < at.value.span[1] <= len(template)


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("{% if x %}", "{% endif %}"),
        ("{% for a in x %}", "{% endfor %}"),
        ("{% with a = 1 %}", "{% endwith %}"),
        ("{% filter upper %}", "{% endfilter %}"),
        ("{% set a %}", "{% endset %}"),
        ("{% macro a() %}", "{% endmacro %}"),
    ],
)
def test_blocks_inside_each_other_are_refused(opening: str, closing: str) -> None:
    for count, template in ((2_000, opening * 2_000 + closing * 2_000), (2_000, opening * 2_000)):
        with pytest.raises(PromptError, match=f"blocks are nested more than {MAX_BLOCKS} deep"):
            check_template(template, "p.md")
        assert len(template) >= count


def test_a_chain_of_elif_is_refused() -> None:
    with pytest.raises(PromptError, match="each `elif` counts as one"):
        check_template("{% if a %}" + "{% elif a %}" * 4_000 + "{% endif %}", "p.md")


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("x" * (MAX_CHARACTERS + 1), "at most 100,000"),
        ("{{ a }}" * (MAX_TAGS + 1), "at most 5,000"),
        ("{{" * MANY, "operators and brackets"),
        ("{%" * MANY, "operators and brackets|unexpected"),
        ("{#" * MANY, "unexpected end of comment"),
        ("{{ '" + "\\'" * MANY, "unexpected end of string"),
        ('{{ "' + '\\"' * MANY, "unexpected end of string"),
        ("{% raw %}" + "{% " * MANY, "unexpected end of raw block"),
        ("{{ a " * 5_000, "operators|unexpected"),
        ("{{ 'a' 'b' " * 5_000, "operators|unexpected"),
    ],
)
def test_a_template_without_end_is_refused_in_linear_time(template: str, words: str) -> None:
    with pytest.raises(PromptError, match=words):
        check_template(template, "p.md")


@pytest.mark.parametrize(
    "template",
    [
        "{{ 1" + "+1" * MAX_OPERATORS + " }}",
        "{{ a" + ".b" * MAX_OPERATORS + " }}",
        "{{ x" + "|upper" * MAX_OPERATORS + " }}",
        "{{ " + "not " * MAX_OPERATORS + "1 }}",
        "{{ " + "-" * MAX_OPERATORS + "1 }}",
        "{{ " + "(" * 50 + "1" + ")" * 50 + " }}",
        "{{ [" + "1," * 5_000 + "] }}",
        "{% if a %}" * (MAX_BLOCKS - 1) + "{% endif %}" * (MAX_BLOCKS - 1),
        "{% if a %}" + "{% elif a %}" * (MAX_BLOCKS - 1) + "{% endif %}",
        "{{ a }}" * MAX_TAGS,
        "{% set a = 1 %}" * 1_000,
        "{% raw %}" + "{{ ((( " * 1_000 + "{% endraw %}",
        "{# {{ ((( #}" * 1_000,
    ],
)
def test_a_template_at_the_limits_is_accepted(template: str) -> None:
    assert check_template(template, "p.md") <= {"a", "x", "a" + ".b" * MAX_OPERATORS}


def test_tags_end_where_the_library_ends_them() -> None:
    text = "a {{- x['}}'] +}} {# {{ b }} #}{% raw %}{{ c }}{% endraw %}{%+ if {'a': {}} -%}{{ 'é' \"%}\" }}"
    tags = list_tags(text)
    assert [[token.text for token in tag.tokens] for tag in tags] == [
        ["x", "[", "'}}'", "]"],
        ["raw"],
        ["if", "{", "'a'", ":", "{", "}", "}"],
        ["'é'", '"%}"'],
    ]
    assert [text[tag.start : tag.end] for tag in tags][-1] == "{{ 'é' \"%}\" }}"
