"""Checks of JMESPath expressions: scopes, types, positions, comparisons, calls."""

from .alike import RuleKey, find_rule_key, index_rule_kinds
from .check import find_faulty_sites
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
from .scopes import build_prompt_scope, build_result_shape, collect_phase_sites, collect_sites, infer_inputs, infer_loop
from .shapes import InferredType, Namespace, Shape, UnknownName, describe_types, drop_malformed_keywords, resolve_path
from .sites import (
    RELATIVE_NODES,
    ExpressionSite,
    find_needed_items,
    find_root_paths,
    is_bare_null,
    to_field_path,
    walk_tree,
)
from .tokens import Tree, find_path
from .types import bound_length, infer_item, infer_json_types, summarize_schema

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
    "is_bare_null",
    "list_types",
    "read_membership",
    "resolve_path",
    "summarize_schema",
    "to_field_path",
    "walk_tree",
]
