"""Prompt templates: checked against limits, and rendered with bounded time and memory."""
