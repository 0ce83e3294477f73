"""Static analysis of workflows: proofs about every run, and explanations of recorded steps."""
