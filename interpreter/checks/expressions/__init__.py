"""Checks of JMESPath expressions: scopes, types, positions, comparisons, calls."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .check import find_faulty_sites
    from .choices import bound_length, list_choices, summarize_schema
    from .domains import (
        NULL_SAFE_FUNCTIONS,
        OTHER_LIST,
        OTHER_OBJECT,
        OTHER_TEXT,
        Nullness,
        Operand,
        build_domain,
        build_node_key,
        collect_operands,
        infer_nullness,
        infer_path_nullness,
        list_types,
        read_membership,
    )
    from .inference import infer_expression
    from .scopes import (
        RuleKey,
        build_answer_shape,
        build_prompt_scope,
        build_result_shape,
        collect_phase_sites,
        collect_sites,
        find_rule_key,
        index_rule_kinds,
        infer_inputs,
        infer_loop,
    )
    from .shapes import InferredType, Namespace, Shape, UnknownName, drop_malformed_keywords, resolve_path
    from .sites import ExpressionSite, is_optional_field
    from .tokens import find_path
    from .tree import RELATIVE_NODES, Tree, find_needed_items, find_root_paths, is_bare_null, to_field_path, walk_tree
    from .types import infer_item, infer_json_types, infer_values
    from .wording import describe_types

__all__ = [
    "NULL_SAFE_FUNCTIONS",
    "OTHER_LIST",
    "OTHER_OBJECT",
    "OTHER_TEXT",
    "RELATIVE_NODES",
    "ExpressionSite",
    "InferredType",
    "Namespace",
    "Nullness",
    "Operand",
    "RuleKey",
    "Shape",
    "Tree",
    "UnknownName",
    "bound_length",
    "build_answer_shape",
    "build_domain",
    "build_node_key",
    "build_prompt_scope",
    "build_result_shape",
    "collect_operands",
    "collect_phase_sites",
    "collect_sites",
    "describe_types",
    "drop_malformed_keywords",
    "find_faulty_sites",
    "find_needed_items",
    "find_path",
    "find_root_paths",
    "find_rule_key",
    "index_rule_kinds",
    "infer_expression",
    "infer_inputs",
    "infer_item",
    "infer_json_types",
    "infer_loop",
    "infer_nullness",
    "infer_path_nullness",
    "infer_values",
    "is_bare_null",
    "is_optional_field",
    "list_choices",
    "list_types",
    "read_membership",
    "resolve_path",
    "summarize_schema",
    "to_field_path",
    "walk_tree",
]

__getattr__ = export_lazily(
    __name__,
    {
        "check": ["find_faulty_sites"],
        "choices": ["bound_length", "list_choices", "summarize_schema"],
        "inference": ["infer_expression"],
        "scopes": [
            "RuleKey",
            "build_answer_shape",
            "build_prompt_scope",
            "build_result_shape",
            "collect_phase_sites",
            "collect_sites",
            "find_rule_key",
            "index_rule_kinds",
            "infer_inputs",
            "infer_loop",
        ],
        "tokens": ["find_path"],
        "wording": ["describe_types"],
        "domains": [
            "NULL_SAFE_FUNCTIONS",
            "Nullness",
            "OTHER_LIST",
            "OTHER_OBJECT",
            "OTHER_TEXT",
            "Operand",
            "build_domain",
            "build_node_key",
            "collect_operands",
            "infer_nullness",
            "infer_path_nullness",
            "list_types",
            "read_membership",
        ],
        "shapes": ["InferredType", "Namespace", "Shape", "UnknownName", "drop_malformed_keywords", "resolve_path"],
        "sites": ["ExpressionSite", "is_optional_field"],
        "tree": [
            "RELATIVE_NODES",
            "Tree",
            "find_needed_items",
            "find_root_paths",
            "is_bare_null",
            "to_field_path",
            "walk_tree",
        ],
        "types": ["infer_item", "infer_json_types", "infer_values"],
    },
)
