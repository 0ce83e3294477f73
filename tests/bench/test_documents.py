"""The labelled questions about Aurora's own documents name documents that exist."""

from __future__ import annotations

from pathlib import Path

from quality import code_bases

ROOT = Path(__file__).resolve().parents[2]


def test_each_question_about_documents_names_documents_that_exist() -> None:
    (base,) = code_bases(ROOT / "bench" / "documents.jsonl")

    missing = [path for question in base.questions for path in base.relevant(question) if not (ROOT / path).is_file()]

    assert len(base.questions) >= 40
    assert not missing
