"""Differences in behaviour between two versions of a workflow."""
