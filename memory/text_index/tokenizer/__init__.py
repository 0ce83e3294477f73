"""Tokenizer: terms of code and prose."""
