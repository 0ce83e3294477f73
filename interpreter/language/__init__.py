"""The workflow language: models, loader, prompts and the schema for editors."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .build import find_key, find_node, find_rule_node
    from .definition import Definition, LoadResult, Prompt, WorkflowSource
    from .json_schema import SCHEMA_FILE, SCHEMA_MODELINE, build_language_schema
    from .kept import decode_definition, encode_definition
    from .loader import load_workflow
    from .model import (
        CONTINUE,
        END,
        MAX_ITEMS,
        RESERVED_INPUTS,
        RESERVED_PHASES,
        Budget,
        ForEach,
        InputSpec,
        OutputField,
        Phase,
        Rule,
        Workflow,
    )
    from .remedies import suggest_spelling
    from .resources import build_form_schema, complete_form, name_part
    from .tokens import CHARACTERS_PER_TOKEN, count_tokens
    from .traversal import find_reachable, list_postorder

__all__ = [
    "CHARACTERS_PER_TOKEN",
    "CONTINUE",
    "END",
    "MAX_ITEMS",
    "RESERVED_INPUTS",
    "RESERVED_PHASES",
    "SCHEMA_FILE",
    "SCHEMA_MODELINE",
    "Budget",
    "Definition",
    "ForEach",
    "InputSpec",
    "LoadResult",
    "OutputField",
    "Phase",
    "Prompt",
    "Rule",
    "Workflow",
    "WorkflowSource",
    "build_form_schema",
    "build_language_schema",
    "complete_form",
    "count_tokens",
    "decode_definition",
    "encode_definition",
    "find_key",
    "find_node",
    "find_reachable",
    "find_rule_node",
    "list_postorder",
    "load_workflow",
    "name_part",
    "suggest_spelling",
]

__getattr__ = export_lazily(
    __name__,
    {
        "build": ["find_key", "find_node", "find_rule_node"],
        "definition": ["Definition", "LoadResult", "Prompt", "WorkflowSource"],
        "json_schema": ["SCHEMA_FILE", "SCHEMA_MODELINE", "build_language_schema"],
        "kept": ["decode_definition", "encode_definition"],
        "loader": ["load_workflow"],
        "model": [
            "Budget",
            "CONTINUE",
            "END",
            "ForEach",
            "InputSpec",
            "MAX_ITEMS",
            "OutputField",
            "Phase",
            "RESERVED_INPUTS",
            "RESERVED_PHASES",
            "Rule",
            "Workflow",
        ],
        "remedies": ["suggest_spelling"],
        "resources": ["build_form_schema", "complete_form", "name_part"],
        "tokens": ["CHARACTERS_PER_TOKEN", "count_tokens"],
        "traversal": ["find_reachable", "list_postorder"],
    },
)
