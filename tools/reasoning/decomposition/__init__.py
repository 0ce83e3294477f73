"""Briefing and verification of a query's decomposition into subgoals."""
