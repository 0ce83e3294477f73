"""Backtests: recorded runs replayed through an edited workflow, without tools or models."""
