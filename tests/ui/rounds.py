"""Workflow whose runs are as long as one wants, for the pages of long runs."""

ROUNDS = """
aurora: 2
name: rounds
version: 1.0.0
title: Rounds of drafts
start: draft
phases:
  draft:
    title: Write a draft
    inputs: { task: { type: string } }
    prompt_template: "{{ task }}"
    answer: { type: object, required: [text], properties: { text: { type: string } } }
    next_action: check
  check:
    next_action:
      - { then: draft, max: 900, else: end }
"""
