"""Templates without a linear bound are rendered in a worker process with limits of time and memory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import minijinja
import pytest

from aurora.errors import Cancelled, CancelScope
from aurora.interpreter.templates import render, worker
from aurora.interpreter.templates.engine import PromptError
from aurora.interpreter.templates.render import check_template, render_template

LIBRARY = Path(minijinja.__file__).parents[1]
MEGABYTES = 1_000_000 if sys.platform == "darwin" else 1_000
"""Units of `ru_maxrss` in a megabyte."""

HOSTILE = {
    "a join of long texts": ('{{ range(90000)|join("b"*90000)|length }}', {}),
    "a width": ('{{ "%2000000000d"|format(1) }}', {}),
    "an indent": ('{{ ("x\n"*1000000)|indent(100000)|length }}', {}),
    "filled batches": ("{{ [1]|batch(2000000000, 'x')|list|length }}", {}),
    "slices": ("{{ range(90000)|slice(2000000000, 'x')|list|length }}", {}),
    "a replacement of nothing": ("{{ big|replace('', big)|length }}", {"big": "x" * 100_000}),
    "replacements in a row": ("{{ 'x'" + "|replace('x', 'xxxxxxxx')" * 30 + "|length }}", {}),
    "a sort in a loop": (
        "{% for i in range(9000) %}{% if big|sort|first %}{% endif %}{% endfor %}",
        {"big": list(range(20_000))},
    ),
    "a large text in a loop": (
        "{% for i in rows %}{% if big|upper|length %}{% endif %}{% endfor %}",
        {"big": "x" * 9_000_000, "rows": [1] * 9_000},
    ),
    "a text that doubles": (
        "{% set n = namespace(x='ab') %}{% for i in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}{{ n.x|length }}",
        {},
    ),
    "macros that call two others": (
        "".join(f"{{% macro m{i}() %}}{{{{ m{i + 1}() }}}}{{{{ m{i + 1}() }}}}{{% endmacro %}}" for i in range(40))
        + "{% macro m40() %}xxxxxxxxxxxxxxxx{% endmacro %}{{ m0() }}",
        {},
    ),
    "constants at the parse": ("{{ " + "~".join(["'b'*90000000"] * 100) + " }}", {}),
    "powers": ("{{ 9**99**99**99 }}", {}),
    "a long string": ("{{ 'x' * 99999999999 }}", {}),
    "all permutations": ("{{ (range(90000)|list * 9000)|length }}", {}),
    "a list that contains itself often": (
        "{% set n = namespace(x=[1]) %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}{% endfor %}{{ n.x }}",
        {},
    ),
}


@pytest.mark.parametrize(("template", "scope"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_template_is_stopped_or_refused(template: str, scope: dict[str, Any]) -> None:
    with pytest.raises(PromptError) as raised:
        render_template(template, scope, "p.md")
    assert raised.value.detail
    assert render_template("{{ range(3)|join(',') }}", {}, "p.md") == "0,1,2"


def test_a_hostile_template_is_refused_when_it_is_checked() -> None:
    with pytest.raises(PromptError, match=r"was stopped|MB of memory"):
        check_template(HOSTILE["constants at the parse"][0], "p.md")


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ('{{ range(90000)|join("b"*90000)|length }}', "it needs more than 512 MB of memory; loop over fewer values"),
        (HOSTILE["a sort in a loop"][0], "it works for more than 2 seconds; loop over fewer values"),
    ],
)
def test_the_message_says_what_was_exceeded_and_what_to_do(template: str, words: str) -> None:
    with pytest.raises(PromptError, match=words):
        render_template(template, {"big": list(range(20_000))}, "p.md")


@pytest.mark.parametrize("expression", ["+1", "-1", "**1", "~1"])
def test_a_template_that_kills_its_process_kills_only_the_worker(expression: str) -> None:
    with pytest.raises(PromptError, match="the template library failed on it"):
        worker.ask_worker("render", "{{ 1" + expression * 20_000 + " }}", "p.md", 200_000, {})
    assert render_template("{{ range(3)|join(',') }}", {}, "p.md") == "0,1,2"


def test_a_template_cannot_change_the_values_of_its_scope() -> None:
    scope: dict[str, Any] = {"result": {"agents": ["a"]}, "rows": [3, 1, 2]}
    assert render_template("{{ result.clear() }}{{ rows.sort() }}{{ rows.append(4) }}", scope, "p.md") == ""
    assert scope == {"result": {"agents": ["a"]}, "rows": [3, 1, 2]}


SAME_IN_BOTH = [
    "{{ a }}|{{ b }}|{{ c }}|{{ d }}|{{ e }}|{{ f }}",
    "{% for x in b %}\n- {{ x }}\n{% endfor %}\nend\n",
    "{{ d | tojson }} {{ b | join(', ') }} {{ a[:2] }} {{ a | upper | replace('Ä', 'ae') }}",
    "{% if c and d.x is defined or e %}{{ d.x ~ 1 }}{% endif %}",
    "{{ nothing }}",
    "é\n{{ a.b.c }}",
    "{{ a b }}",
    "{{ a",
]


@pytest.mark.parametrize("template", SAME_IN_BOTH)
def test_a_worker_renders_as_this_process_does(template: str) -> None:
    scope: dict[str, Any] = {
        "a": "äöü \ud83e\udd8a", "b": [1, 2.5, True, None, "x"], "c": 0, "d": {"x": {"y": []}, "z": -1}, "e": 10**18,
        "f": float("inf"),
    }  # fmt: skip
    assert outcome(template, scope) == outcome(NOT_PLAIN + template, scope, -len(NOT_PLAIN))


NOT_PLAIN = "{% set q = 1 %}"


def outcome(template: str, scope: dict[str, Any], shift: int = 0) -> tuple[Any, ...]:
    try:
        return (render_template(template, scope, "p.md"),)
    except PromptError as error:
        return str(error), error.line, error.span and tuple(place + shift for place in error.span)


LARGE = "x" * 10_000
DEEP: Any = "x"
for _ in range(60):
    DEEP = [DEEP, DEEP]


@pytest.mark.parametrize(
    ("template", "scope"),
    [
        # each instruction reads a little, and there are many
        ("{% for r in rows %}{% if r.text == 'y' %}{% endif %}{% endfor %}", {"rows": [{"text": LARGE}] * 1_000}),
        # few instructions, and a filter that reads much
        ("{% for i in 'ab' %}{% if a | replace('x', b) %}{% endif %}{% endfor %}", {"a": LARGE, "b": "yy" * 1_000}),
        # literals of the template are values, too
        ("{% for r in rows %}{% if 'a' in '" + "x" * 90_000 + "' %}{% endif %}{% endfor %}", {"rows": [0] * 2_000}),
        ("{% for x in a %}{% for y in x %}{% if y is string %}{% endif %}{% endfor %}{% endfor %}", {"a": DEEP}),
    ],
    ids=["many items", "a filter", "literals", "shared parts"],
)
def test_a_plain_template_over_too_much_is_rendered_in_a_worker(
    template: str, scope: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(render, "_ask_worker", lambda *given: asked.append(given[0]) or worker.ask_worker(*given))
    started = time.process_time()
    assert render_template(template + "ok", scope, "p.md") == "ok"
    assert asked == ["render"]
    assert time.process_time() - started < 2


def test_a_cancelled_call_stops_its_worker() -> None:
    scope = CancelScope()
    timer = threading.Timer(0.3, scope.cancel)
    with scope.activate():
        timer.start()
        with pytest.raises(Cancelled):
            render_template(*HOSTILE["a sort in a loop"], "p.md")
        with pytest.raises(Cancelled):
            render_template("{{ a }}", {"a": 1}, "p.md")


def test_a_worker_that_was_killed_is_replaced() -> None:
    assert render_template("{{ range(3)|join(',') }}", {}, "p.md") == "0,1,2"
    killed = worker._idle[-1]._process
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    assert render_template("{{ range(4)|join(',') }}", {}, "p.md") == "0,1,2,3"


def test_calls_at_once_share_the_workers() -> None:
    texts: list[str] = []

    def render(number: int) -> None:
        texts.append(render_template("{{ range(n)|length }}", {"n": number}, "p.md"))

    threads = [threading.Thread(target=render, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(int, texts)) == list(range(20))
    assert len(worker._idle) <= worker.MAX_WORKERS


def test_the_worker_imports_nothing_from_the_current_folder_or_the_environment(tmp_path: Path) -> None:
    for name in ("minijinja", "json", "resource", "sitecustomize", "aurora"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported')", encoding="utf-8")
    program = (
        f"import sys; sys.path.append({str(LIBRARY)!r})\n"
        "from aurora.interpreter.templates.render import render_template\n"
        "import os; os.environ['PYTHONPATH'] = os.getcwd()\n"
        "print(render_template('{{ range(3)|join }}', {}, 'p.md'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("012\n", "")


def test_the_worker_imports_neither_the_memory_nor_pydantic() -> None:
    program = (
        "import json, sys, aurora.interpreter.templates.worker as w\n"
        "w.load_library(); print(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    modules = json.loads(done.stdout)
    assert not [name for name in modules if name.startswith(("aurora.memory", "aurora.tools", "pydantic", "jmespath"))]


def test_values_that_json_does_not_have_are_refused_by_the_worker() -> None:
    with pytest.raises(PromptError, match="of a type that JSON does not have"):
        render_template("{{ range(1) }}", {"a": object()}, "p.md")
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    with pytest.raises(PromptError, match="nested too deeply"):
        render_template("{{ range(1) }}", {"a": deep}, "p.md")
    with pytest.raises(PromptError, match="nested too deeply"):
        render_template("{{ a }}", {"a": deep}, "p.md")


def test_the_memory_of_a_process_can_be_read_from_outside() -> None:
    assert worker._read_resident_bytes(os.getpid()) > 2**20
    assert worker._read_resident_bytes(2**22 + 1) == 0
