"""Comparison of a host's answers with and without Aurora: questions, sessions, results, scores and their table."""
