"""Templates whose work is linear in their data are rendered in this process; the others in a worker."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from aurora.interpreter.templates.plan import is_work_within, plan_template
from aurora.interpreter.templates.render import is_plain_template

WORKFLOWS = Path(__file__).resolve().parents[3] / "workflows"
SHIPPED = sorted(WORKFLOWS.rglob("prompts/*.md"))

PLAIN = [
    "",
    "{{ a }}",
    "{{ a.b.c | replace('</', '< /') }}",
    "{{ a[0] }} {{ a[-1] }} {{ a['b'] }} {{ a[:600] }}",
    "{{ 'x' if a else 'y' }}",
    "{{ ', +' ~ a ~ ' -' ~ b if a is not none }}",
    "{{ a | default('', true) }}{{ a | default([]) | length }}",
    "{% if a == 'x' and b in ['y', 'z'] or not c %}x{% elif d is defined %}y{% else %}z{% endif %}",
    "{% for x in a %}{{ loop.index }}. {{ x | join(', ') }}{% else %}none{% endfor %}",
    "{% for key, value in a | items %}{{ key }}: {{ value }}{% endfor %}",
    "{% for x in a if x.ok %}{% for y in x.parts[:12] %}{{ y | upper }}{% endfor %}{% endfor %}",
    "{# range(9) #}{{- a -}}",
]
OTHER = [
    "{{ range(3) }}",
    "{{ a * 2 }}",
    "{{ 2 ** 9 }}",
    "{{ a % 2 }}",
    "{{ '%9d' | format(a) }}",
    "{{ a | indent }}",
    "{{ a | batch(2) }}",
    "{{ a | slice(2) }}",
    "{{ a | sort }}",
    "{{ a | map(attribute='x') }}",
    "{{ a | join(b) }}",
    "{{ a | join('" + "x" * 200 + "') }}",
    "{{ a | replace('', 'x') }}",
    "{{ a | replace('a', b) }}",
    "{{ a | replace('a', '" + "x" * 80 + "') }}",
    "{{ a | tojson(2) }}",
    "{{ a | tojson | tojson | tojson }}",
    "{{ a.items() }}",
    "{{ a.b['c']() }}",
    "{{ a[b] }}",
    "{{ {'a': 1} }}",
    "{{ 'x" + "x" * 3_000 + "' }}",
    "{{ loop.cycle(1, 2) }}",
    "{{ self.x() }}",
    "{{ größe }}",
    "{{ a is divisibleby(3) }}",
    "{% set a = 1 %}",
    "{% macro a() %}{% endmacro %}",
    "{% include 'a' %}",
    "{% raw %}{% endraw %}",
    "{% for x in a recursive %}{{ loop(x) }}{% endfor %}",
    "{% for (a, b) in c %}{% endfor %}",
    "{% for x in a %}" * 9 + "{% endfor %}" * 9,
    "{% for x in [a, a, a, a] %}{% for y in [x, x, x, x] %}{% for z in [y, y, y, y] %}" + "{% endfor %}" * 3,
    "{% if a %}",
    "{% endif %}",
    "{% if a %}{% endfor %}",
    "{{ a",
    "{{ }}",
    "{{ a b ( }}",
]


@pytest.mark.parametrize("template", PLAIN)
def test_a_template_of_prints_conditions_and_loops_is_plain(template: str) -> None:
    assert plan_template(template).reason == ""


@pytest.mark.parametrize("template", OTHER)
def test_a_template_without_a_linear_bound_is_not_plain(template: str) -> None:
    assert plan_template(template).reason


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parents[1].name} {path.stem}")
def test_every_shipped_prompt_is_plain(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    whole = re.sub(r'\{% include "([^"]+)" %\}', lambda found: (WORKFLOWS / found[1]).read_text(encoding="utf-8"), text)
    assert is_plain_template(whole)


def test_the_shipped_prompts_are_there() -> None:
    assert len(SHIPPED) > 10


LARGE = "x" * 100_000
ROWS = [{"text": LARGE, "tags": ["a", "b"]} for _ in range(100)]


@pytest.mark.parametrize(
    ("template", "scope", "least", "most"),
    [
        # to print is to pay for it, and the printed characters are counted
        ("{{ a }}{% for x in b %}{{ x.text }}{% endfor %}", {"a": LARGE, "b": ROWS}, 1, 10_000),
        # a text is read once, and each operator may read it
        ("{{ a | length }}", {"a": LARGE}, 200_000, 250_000),
        # the texts of all items together
        ("{% for x in b %}{% if x.text == 'y' %}{% endif %}{% endfor %}", {"b": ROWS}, 20_000_000, 21_000_000),
        # a part of the items, whatever else they have
        (
            "{% for x in b %}{% for t in x.tags %}{% if t == 'a' %}{% endif %}{% endfor %}{% endfor %}",
            {"b": ROWS},
            1,
            60_000,
        ),
        # the same text for each item
        (
            "{% for x in b %}{% if a == x.tags %}{% endif %}{% endfor %}",
            {"a": "y" * 1_000, "b": ROWS},
            200_000,
            300_000,
        ),
        # loops inside each other over the same list multiply
        (
            "{% for x in a %}{% for y in a %}{% if y %}{% endif %}{% endfor %}{% endfor %}",
            {"a": [1] * 300},
            1_800_000,
            4_000_000,
        ),
        # a name of a loop has its outer meaning in the `else`
        ("{% for x in a %}{% else %}{{ x | length }}{% endfor %}", {"a": [], "x": LARGE}, 200_000, 250_000),
        # the characters of a text are items
        (
            "{% for x in a %}{% if b %}{% endif %}{% endfor %}",
            {"a": "y" * 1_000, "b": "z" * 1_000},
            1_000_000,
            2_000_000,
        ),
        # what a list of lists contains is compared
        ("{% if a == b %}{% endif %}", {"a": [[[LARGE]]], "b": 1}, 200_000, 250_000),
        # pairs of a value that is not an item itself
        ("{% for k, v in a %}{% if v.x == 1 %}{% endif %}{% endfor %}", {"a": [[1, {"x": LARGE}]]}, 200_000, 260_000),
        ("{{ nothing.at.all | length }}", {}, 0, 1_000),
    ],
)
def test_the_work_of_a_plain_template_is_measured(template: str, scope: dict[str, Any], least: int, most: int) -> None:
    plan = plan_template(template)
    assert plan.is_plain
    assert is_work_within(plan, scope, most)
    assert not least or not is_work_within(plan, scope, least - 1)


def test_a_value_of_shared_parts_is_not_walked_to_its_end() -> None:
    bomb: Any = "x"
    for _ in range(60):
        bomb = [bomb, bomb]
    for template in (
        "{% if a == 1 %}{% endif %}",
        "{% for x in a %}{% for y in x %}{% if y == 1 %}{% endif %}{% endfor %}{% endfor %}",
    ):
        assert not is_work_within(plan_template(template), {"a": bomb}, 5_000_000)
