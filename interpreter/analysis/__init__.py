"""Static analysis of workflows: proofs about every run, and explanations of recorded steps."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .explain_step import RuleVerdict, preview_rules, trace_step
    from .proof import RemainingPhases, WorkflowProof, estimate_tokens, measure_remaining, prove_workflow

__all__ = [
    "RemainingPhases",
    "RuleVerdict",
    "WorkflowProof",
    "estimate_tokens",
    "measure_remaining",
    "preview_rules",
    "prove_workflow",
    "trace_step",
]

__getattr__ = export_lazily(
    __name__,
    {
        "explain_step": ["RuleVerdict", "preview_rules", "trace_step"],
        "proof": ["RemainingPhases", "WorkflowProof", "estimate_tokens", "measure_remaining", "prove_workflow"],
    },
)
