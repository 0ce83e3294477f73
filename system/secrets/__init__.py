"""Secrets in text: rules, scan, and masks."""
