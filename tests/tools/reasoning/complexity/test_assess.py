"""Assessment of labelled queries, with its signals."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.mark.parametrize(
    "query",
    [
        "Wie funktioniert die Anmeldung der Benutzer?",
        "ユーザー認証はどこで行われますか",
        "где обрабатываются ошибки",
        "xqzt blorf wug",
        "???",
    ],
)
def test_an_unknown_language_is_medium_with_low_confidence(query: str, use: Callable[..., dict[str, Any]]) -> None:
    found = use("assess", {"query": query})
    assert found["complexity"] == "MEDIUM"
    assert found["confidence"] <= 0.3
    assert "unknown language" in [signal["name"] for signal in found["signals"]]


def test_an_identifier_is_not_a_word(use: Callable[..., dict[str, Any]]) -> None:
    found = use("assess", {"query": "where is fix_design_migration() defined"})
    assert [signal["name"] for signal in found["signals"]] == ["lookup"]


def test_a_mentioned_incident_has_no_weight_and_is_listed(use: Callable[..., dict[str, Any]]) -> None:
    found = use("assess", {"query": "what happens when production is down"})
    assert {"name": "mention", "weight": 0.0, "matched": "is down"} in found["signals"]
    assert found["complexity"] == "MEDIUM"


def test_trouble_is_an_incident_only_next_to_stakes(use: Callable[..., dict[str, Any]]) -> None:
    assert use("assess", {"query": "The tooltip is gone, fix it now"})["complexity"] == "MEDIUM"
    assert use("assess", {"query": "The customers' orders are gone, fix it now"})["complexity"] == "CRITICAL"


def test_words_beside_an_unknown_group_are_rejected(use: Callable[..., dict[str, Any]], soar: dict[str, Any]) -> None:
    groups = [{**group} for group in soar["phases"]["assess"]["params"]["words"]]
    groups[-1]["beside"] = "incidents"
    with pytest.raises(Fault) as raised:
        use("assess", {"query": "hello"}, words=groups)
    assert raised.value.code is Code.INVALID_INPUT
    assert '"incidents", which is none of' in raised.value.message


def test_thresholds_that_leave_a_level_without_scores_are_rejected(
    use: Callable[..., dict[str, Any]], soar: dict[str, Any]
) -> None:
    raised = {**soar["phases"]["assess"]["params"]["thresholds"], "simple_below": 40}
    with pytest.raises(Fault) as rejected:
        use("assess", {"query": "hello"}, thresholds=raised)
    assert rejected.value.code is Code.INVALID_INPUT
    assert '"simple_below" must be less than "complex_from", which is 23, not 40' in rejected.value.message


@pytest.mark.requirement("prd-70")
def test_the_score_is_the_sum_of_the_signals(use: Callable[..., dict[str, Any]]) -> None:
    for query in ("what is a chunk", "Redesign all services, and keep the API", "Production is down", "It hangs. Why?"):
        found = use("assess", {"query": query})
        assert found["score"] == pytest.approx(sum(one["weight"] for one in found["signals"]), abs=0.05)


@pytest.mark.requirement("prd-70")
def test_an_assessment_loads_no_model(tmp_path: Path) -> None:
    program = (
        "import json, sys; from pathlib import Path; from aurora.tools.runtime.workspace import Workspace\n"
        "from aurora.tools.workflows.query import step_workflow\n"
        "with Workspace(Path.cwd()) as workspace:\n"
        "    call = {'phase': 'assess', 'query': 'How do sessions expire, and where is the store locked?'}\n"
        "    level = step_workflow(workspace, call)['result']['complexity']\n"
        "models = {'numpy', 'tokenizers', 'wordllama', 'model2vec', 'sklearn', 'http.client', 'ssl'}\n"
        "models |= {'aurora.memory.embeddings.semantic_model', 'aurora.memory.embeddings.full_model'}\n"
        "print(json.dumps([level, sorted(models & set(sys.modules))]))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == ["MEDIUM", []]


def test_without_an_incident_no_query_is_critical_however_long(use: Callable[..., dict[str, Any]]) -> None:
    query = "Redesign and migrate the entire platform across all services without downtime, then rewrite every client. "
    found = use("assess", {"query": query * 20})
    assert found["complexity"] == "COMPLEX"
    assert "ceiling" in [signal["name"] for signal in found["signals"]]


def test_a_long_report_of_one_symptom_is_not_complex(use: Callable[..., dict[str, Any]]) -> None:
    report = "The worker is slow after a restart, all queues are read twice, and the last one is never empty. "
    found = use("assess", {"query": report * 6})
    assert found["complexity"] == "MEDIUM"
    assert "report" in [signal["name"] for signal in found["signals"]]


def test_the_level_that_the_caller_gives_counts(use: Callable[..., dict[str, Any]]) -> None:
    found = use("assess", {"query": "what is a chunk", "complexity": "COMPLEX"})
    assert found["complexity"] == "COMPLEX"
    assert {"name": "given", "weight": 0.0, "matched": "the caller says COMPLEX"} in found["signals"]


def test_a_report_of_an_incident_is_critical_whatever_the_caller_says(use: Callable[..., dict[str, Any]]) -> None:
    query = "Production is down, customers cannot log in"
    assert use("assess", {"query": query, "complexity": "SIMPLE"})["complexity"] == "CRITICAL"


def test_a_changed_threshold_changes_the_level(use: Callable[..., dict[str, Any]], soar: dict[str, Any]) -> None:
    query = {"query": "How does authentication work?"}
    assert use("assess", query)["complexity"] == "MEDIUM"
    raised = {**soar["phases"]["assess"]["params"]["thresholds"], "simple_below": 20}
    assert use("assess", query, thresholds=raised)["complexity"] == "SIMPLE"


@pytest.mark.parametrize(
    "query",
    [
        'Change the text "production is down" on the status page',
        "Write a function that finds stolen credit cards",
        "show me the customers' orders that are gone when a test wipes the table",
    ],
)
def test_an_incident_that_is_only_named_is_not_critical(query: str, use: Callable[..., dict[str, Any]]) -> None:
    found = use("assess", {"query": query})
    assert found["complexity"] != "CRITICAL"
    assert "mention" in [signal["name"] for signal in found["signals"]]


@pytest.mark.parametrize(
    "query",
    [
        '"production is down"',
        "not sure if this matters but production is down",
        "what should I do about the data breach",
        "Where is the runbook? Production is down.",
    ],
)
def test_an_incident_next_to_a_mention_is_critical(query: str, use: Callable[..., dict[str, Any]]) -> None:
    assert use("assess", {"query": query})["complexity"] == "CRITICAL"


def test_a_request_with_unknown_words_is_not_simple(use: Callable[..., dict[str, Any]]) -> None:
    found = use("assess", {"query": "Colourise the output of the report command"})
    assert found["complexity"] == "MEDIUM"
    assert {"name": "request", "weight": 15.0, "matched": "7 words"} in found["signals"]


def test_an_incident_in_another_language_is_critical(use: Callable[..., dict[str, Any]]) -> None:
    assert use("assess", {"query": "Unser Shop wurde gehackt"})["complexity"] == "CRITICAL"


def test_a_hostile_query_costs_little_processor_time(use: Callable[..., dict[str, Any]]) -> None:
    for text in ('"down" ', "is down, ", "when leaked token ", "is is is down ", "\n- "):
        query = {"query": (text * 8000)[:8000]}
        use("assess", query)
        began = time.process_time()
        use("assess", query)
        assert time.process_time() - began < 1  # some 0.02 s on an idle machine
