"""Scopes of expressions and prompts, and the expressions of a workflow with theirs."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .alike import RuleKey, find_rule_key, index_rule_kinds
    from .build import build_prompt_scope
    from .collection import collect_phase_sites, collect_sites, infer_loop
    from .sources import infer_inputs
    from .values import build_answer_shape, build_result_shape

__all__ = [
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
]

__getattr__ = export_lazily(
    __name__,
    {
        "alike": ["RuleKey", "find_rule_key", "index_rule_kinds"],
        "build": ["build_prompt_scope"],
        "collection": ["collect_phase_sites", "collect_sites", "infer_loop"],
        "sources": ["infer_inputs"],
        "values": ["build_answer_shape", "build_result_shape"],
    },
)
