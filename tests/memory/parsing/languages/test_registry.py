"""The registry of languages: each is declared once, its grammar loads, and its files are told from all others."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from importlib import import_module

import pytest
import tree_sitter
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.memory.files.language import detect_language, load_detection_tables
from aurora.memory.parsing.languages import LANGUAGES, Language, get_family, load_language

DECLARED = {name: load_language(name) for name in LANGUAGES}


WORDS = st.text("abcdefgh_", min_size=1, max_size=8)
QUICK = settings(max_examples=20)


def load_grammar(language: Language) -> tree_sitter.Language:
    module = import_module(language.grammar.package)
    return tree_sitter.Language(getattr(module, language.grammar.function)())


def list_node_types(grammar: tree_sitter.Language) -> set[str]:
    """The types of all named nodes of a grammar."""
    numbers = range(grammar.node_kind_count)
    return {grammar.node_kind_for_id(number) or "" for number in numbers if grammar.node_kind_is_named(number)}


def test_no_two_lines_of_the_registry_declare_the_same_language() -> None:
    assert len(set(LANGUAGES.values())) == len({id(language) for language in DECLARED.values()}) == len(LANGUAGES)
    assert list(LANGUAGES) == sorted(LANGUAGES)


@pytest.mark.parametrize("field", ["extensions", "file_names", "interpreters"])
def test_every_ending_name_and_interpreter_belongs_to_one_language(field: str) -> None:
    claims = Counter(claim for language in DECLARED.values() for claim in getattr(language, field))

    assert [claim for claim, count in claims.items() if count > 1] == []


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_language_declares_its_files_in_lower_case(name: str) -> None:
    language = DECLARED[name]
    claims = (*language.extensions, *language.file_names, *language.interpreters, *language.shared_extensions)

    assert language.extensions
    assert all(re.fullmatch(r"\.[a-z]+", extension) for extension in language.extensions)
    assert [claim for claim in claims if claim != claim.lower()] == []


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_shared_ending_is_one_of_another_language_of_the_same_family(name: str) -> None:
    for extension in DECLARED[name].shared_extensions:
        owners = [other for other in DECLARED.values() if extension in other.extensions]
        assert [owner.family for owner in owners] == [DECLARED[name].family]
        assert owners != [DECLARED[name]]


@pytest.mark.parametrize("name", LANGUAGES)
def test_the_nodes_of_an_outline_exist_in_a_grammar_of_its_family(name: str) -> None:
    outline = DECLARED[name].outline

    named = {*outline.definitions, *outline.wraps, *outline.through, *outline.leading, *outline.imports}
    family = [language for language in DECLARED.values() if language.family == DECLARED[name].family]
    known = set().union(*(list_node_types(load_grammar(language)) for language in family))
    assert sorted(named - known) == []
    assert outline.known == {*outline.definitions, *outline.wraps, *outline.through}


def test_a_language_without_a_grammar_is_its_own_family_and_cannot_be_loaded() -> None:
    assert get_family("dart") == "dart"
    with pytest.raises(KeyError, match="dart"):
        load_language("dart")


@QUICK
@given(st.sampled_from(sorted(LANGUAGES)), WORDS, WORDS)
def test_a_file_is_detected_by_any_ending_of_its_language(name: str, folder: str, stem: str) -> None:
    for extension in DECLARED[name].extensions:
        assert detect_language(f"{folder}/{stem}{extension}") == name
        assert detect_language(f"{folder}.md/{stem}.old{extension.upper()}") == name


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_file_is_detected_by_its_whole_name_in_any_case(name: str) -> None:
    for file_name in DECLARED[name].file_names:
        assert detect_language(file_name) == detect_language(f"a/b/{file_name.title()}") == name


@pytest.mark.parametrize(
    ("name", "interpreter"), [(name, one) for name, language in DECLARED.items() for one in language.interpreters]
)
@pytest.mark.parametrize(
    "line",
    ["#!/usr/bin/{}", "#! /usr/bin/env {}", "#!/usr/bin/env -S {} -u", "#!/opt/v1/bin/{}3.12", "#!/usr/bin/env {}3"],
)
def test_a_script_is_detected_by_its_interpreter(name: str, interpreter: str, line: str) -> None:
    assert detect_language("bin/run", line.format(interpreter) + "\nrest\n") == name
    assert detect_language("bin/run", "\n" + line.format(interpreter)) == "plain"


def test_the_ending_of_a_file_comes_before_its_first_line() -> None:
    assert detect_language("run.rb", "#!/usr/bin/env python3\n") == "ruby"


def test_no_language_with_a_grammar_takes_the_name_of_one_without() -> None:
    names = load_detection_tables()
    without = {*names.extensions.values(), *names.names.values(), *names.interpreters.values()} - set(LANGUAGES)

    assert {"dart", "perl", "zsh"} <= without


def test_the_registry_imports_no_language_before_one_is_loaded() -> None:
    program = (
        "import sys; from aurora.memory.parsing.languages import LANGUAGES, load_language;"
        "count = lambda: sorted(n.rpartition('.')[2] for n in sys.modules if n in wanted);"
        "wanted = {'aurora.memory.parsing.languages.' + p.partition('.')[0] for p in LANGUAGES.values()};"
        "print(count()); load_language('go'); print(count())"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == ["[]", "['go']"]
