from __future__ import annotations

from pathlib import Path

import pytest

from aurora.cli.manual.generated import format_doctor_page, format_language_page, format_setup_page
from aurora.errors import Code
from aurora.interpreter.language.model import RESERVED_INPUTS, Branch, ForEach, InputSpec, Person, Phase, Rule, Workflow
from aurora.interpreter.problems import codes
from aurora.memory.parsing.languages.registry import LANGUAGES

DOCS = Path(__file__).resolve().parents[2] / "docs"
KINDS = sorted(
    (kind for kind in vars(codes).values() if isinstance(kind, codes.ProblemKind)), key=lambda kind: kind.code[1:]
)


@pytest.mark.parametrize("model", [Workflow, Phase, InputSpec, ForEach, Branch, Person, Rule])
def test_every_key_of_the_language_has_a_row_in_its_manual(model: type[Workflow]) -> None:
    text = (DOCS / "reference" / "language.md").read_text(encoding="utf-8")
    keys = [spec.alias or name for name, spec in model.model_fields.items()]

    assert [key for key in keys if f"\n| `{key}` | " not in text] == []


def test_every_problem_has_its_row_and_no_row_is_left_over() -> None:
    text = (DOCS / "reference" / "language.md").read_text(encoding="utf-8")
    rows = [line.split(" | ")[:2] for line in text.splitlines() if line.startswith(("| [E", "| [W"))]

    assert rows == [[f"| [{kind.code}](problems/{kind.code}.md)", kind.name] for kind in KINDS]


def test_the_generated_tables_are_up_to_date() -> None:
    assert format_language_page() == (DOCS / "reference" / "language.md").read_text(encoding="utf-8"), "make commands"
    assert format_doctor_page() == (DOCS / "reference" / "doctor.md").read_text(encoding="utf-8"), "make commands"
    assert format_setup_page() == (DOCS / "guide" / "setup.md").read_text(encoding="utf-8"), "make commands"


def test_every_name_that_cannot_be_an_input_is_told() -> None:
    text = (DOCS / "reference" / "language.md").read_text(encoding="utf-8").replace("\n", " ")

    assert f"cannot be inputs: {', '.join(f'`{name}`' for name in sorted(RESERVED_INPUTS))}." in text


def test_every_error_code_is_explained_where_the_steps_are() -> None:
    text = (DOCS / "reference" / "steps.md").read_text(encoding="utf-8")

    assert [code.value for code in Code if f"| `{code.value}` | " not in text] == []


def test_every_language_that_is_parsed_is_in_the_table_of_what_is_resolved() -> None:
    text = (DOCS / "reference" / "code-graph.md").read_text(encoding="utf-8").lower()
    table = text.partition("| language | resolved |")[2].partition("\n\n")[0]
    firsts = " ".join(row.split("|")[1] for row in table.splitlines() if row.startswith("| "))
    named = set(firsts.replace("c++", "cpp").replace("c#", "csharp").replace("typescript", "typescript tsx").split())

    assert set(LANGUAGES) - {name.strip(",()") for name in named} == set()
