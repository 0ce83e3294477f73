"""Large values: no filter turns one into a text before its work is counted, and no error shows one."""

from __future__ import annotations

import os
import time
from typing import Any

import pytest

from aurora.interpreter.templates import worker
from aurora.interpreter.templates.engine import PromptError
from aurora.interpreter.templates.render import render_template

TEXT_FILTERS = [
    "lower", "upper", "trim", "string", "tojson", "pprint", "urlencode", "escape", "e", "safe", "title", "capitalize",
    "replace('x', 'y')", "join", "default('') | lower",
]  # fmt: skip
MANY_BYTES = ["x" * 90] * 100_000


def share(levels: int) -> list[Any]:
    """Make a small value whose text doubles with each level."""
    value: list[Any] = ["SECRET"]
    for _ in range(levels):
        value = [value, value]
    return value


VALUES = {"nine megabytes": MANY_BYTES, "doubling 90 times": share(90)}


@pytest.fixture(autouse=True)
def short_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "MAX_SECONDS", 0.2)


@pytest.mark.parametrize("name", TEXT_FILTERS)
def test_a_value_of_shared_parts_never_becomes_a_text_in_this_process(name: str) -> None:
    assert_worker_stops(f"{{{{ v | {name} }}}}", share(25))


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
@pytest.mark.parametrize("name", ["lower", "tojson", "safe"])
def test_a_large_value_never_becomes_a_text_in_this_process(name: str, value: Any) -> None:
    assert_worker_stops(f"{{{{ v | {name} }}}}", value)


@pytest.mark.parametrize("form", ["{{% for row in v %}}{{{{ row.a.b | {} }}}}{{% endfor %}}", "{{{{ v[0].a | {} }}}}"])
@pytest.mark.parametrize("name", ["lower", "safe"])
def test_parts_of_a_value_are_counted_before_they_become_a_text(form: str, name: str) -> None:
    assert_worker_stops(form.format(name), [{"a": {"b": share(24)}}] * 3)


def assert_worker_stops(template: str, value: Any) -> None:
    started, before = time.process_time(), read_resident_megabytes()
    with pytest.raises(PromptError) as raised:
        render_template(template, {"v": value}, "p.md")
    assert "SECRET" not in str(raised.value)
    assert time.process_time() - started < 3
    assert read_resident_megabytes() - before < 100


def read_resident_megabytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - not a path of the project
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 2**20


@pytest.mark.parametrize(
    "expression",
    [
        "v | int", "v | round", "v | abs", "v | items", "v + 1", "v / 1", "s | int", "-v", "v | nothing",
        "v()", "v.nothing()", "v.index(7)", "range(v)", "v | batch(v)", "namespace(v)", "v | sort(attribute=v)",
    ],
)  # fmt: skip
def test_an_error_shows_no_value(expression: str) -> None:
    scope = {"v": ["SECRET"] * 3, "s": "SECRET", "big": share(90)}
    with pytest.raises(PromptError) as raised:
        render_template(f"{{% if big %}}{{{{ {expression} }}}}{{% endif %}}", scope, "p.md")
    assert "SECRET" not in str(raised.value)
    assert len(str(raised.value)) < 400


def test_a_template_to_include_is_not_shown_when_it_is_a_value() -> None:
    with pytest.raises(PromptError, match="non-existing template") as raised:
        render_template("{% include v %}", {"v": ["SECRET"] * 3}, "p.md")
    assert "SECRET" not in str(raised.value)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{ gone }}", ""),
        ("{{ thing.gone }}{{ thing.gone.further.on }}{{ items[1] }}", ""),
        ("{{ items | join('; ') }}", "a; ; b"),
        ("{{ things | join(', ', attribute='name') }}", "x, "),
        ("{{ gone | upper }}{{ gone | trim }}{{ gone | string }}{{ gone | replace('a', 'b') }}{{ gone | title }}", ""),
        ("{{ gone | indent(2) }}{{ gone | e }}{{ gone | capitalize }}{{ gone | safe }}", ""),
        ("{{ items | map('upper') | join('-') }}", "A--B"),
        ("{{ gone | default('none') }}, {{ gone | d('so') }}, {{ thing.gone | default(3) }}", "none, so, 3"),
        ("{{ '' | default('empty', true) }}, {{ '' | default('empty') }}", "empty, "),
        ("{% for item in items %}<{{ item }}>{% endfor %}", "<a><><b>"),
        ("{{ items }} {{ thing }}", "['a', 'b'] {}"),
        ("{{ items | tojson }}", '["a", null, "b"]'),
        ("{{ gone is none }} {{ gone == none }}", "True True"),
        ("{% set copy = gone %}{{ copy }}", ""),
    ],
)
def test_null_prints_nothing_as_a_missing_field_does(template: str, text: str) -> None:
    scope = {
        "gone": None,
        "items": ["a", None, "b"],
        "thing": {"gone": None},
        "things": [{"name": "x"}, {"name": None}],
    }
    assert render_template(template, scope, "prompt") == text
