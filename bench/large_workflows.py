"""Generators of large workflows, for the measurements and for the tests of scale."""

from __future__ import annotations

HEAD = "aurora: 1\nname: {name}\nversion: '1'\nstart: p0\nphases:\n"

BRANCHING = """  p{index}:
    inputs:
      note: {{ {source}type: string }}
      size: {{ enum: [small, large], default: small }}
    prompt_template: "Do {{{{ note }}}} at {{{{ size }}}}"
    answer:
      type: object
      required: [ok, kind, note]
      properties:
        ok: {{ type: boolean }}
        kind: {{ enum: [plain, hard] }}
        note: {{ type: string }}
    next_action:
      - {{ when: "answer.ok == `false`", then: p{index}, max: 3, else: {after} }}
      - {{ when: "answer.kind == 'hard'", then: {far} }}
      - {{ then: {after} }}
"""

DIFFERENT = """  p{index}:
    title: Phase {index}
    inputs:
      note: {{ {source}type: string }}
      size{index}: {{ enum: [small{index}, large], default: small{index} }}
    prompt_template: "Do {{{{ note }}}} at {{{{ size{index} }}}}, as number {index}"
    answer:
      type: object
      required: [ok{index}, kind, note{index}]
      properties:
        ok{index}: {{ type: boolean }}
        kind: {{ enum: [plain{index}, hard{index}] }}
        note{index}: {{ type: string }}
    next_action:
      - {{ when: "answer.ok{index} == `false`", then: p{index}, max: 3, else: {after} }}
      - {{ when: "answer.kind == 'hard{index}'", then: {far} }}
      - {{ then: {after} }}
"""

ROUNDS = """aurora: 1
name: rounds
version: '1'
start: write
phases:
  write:
    inputs:
      topic: { type: string, default: "a page" }
    prompt_template: "Write {{ topic }}, round {{ run.visits.write }}"
    answer: { type: object, required: [text], properties: { text: { type: string } } }
    next_action: review
  review:
    inputs:
      text: { from: phases.write.answer.text, type: string }
    prompt_template: "Review {{ text }}"
    answer: { type: object, required: [ok], properties: { ok: { type: boolean } } }
    next_action:
      - { when: "answer.ok == `true`", then: end }
      - { then: write, max: 1000, else: end }
"""

ITEMS = """aurora: 1
name: items
version: '1'
start: each
phases:
  each:
    inputs:
      names: { type: array, items: { type: string }, default: [] }
    for_each: { in: "inputs.names", as: one, max: 100 }
    prompt_template: "Do {{ one }}"
    answer: { type: object, required: [done], properties: { done: { type: boolean } } }
    next_action: end
"""


def build_branching(phases: int) -> str:
    """Build a workflow of phases that each may repeat, go on, or leave out the next one."""
    return _build_chain("branching", BRANCHING, phases, "note")


def build_different(phases: int) -> str:
    """Build a workflow like that of `build_branching`, each of whose phases has its own rules, prompt and schemas."""
    return _build_chain("different", DIFFERENT, phases, "note{index}")


def _build_chain(name: str, template: str, phases: int, note: str) -> str:
    """Build phases that each read the note of the one before."""
    text = HEAD.format(name=name)
    for index in range(phases):
        read = f"from: phases.p{index - 1}.answer.{note.format(index=index - 1)}, default: '', " if index else ""
        after, far = (f"p{index + hop}" if index + hop < phases else "end" for hop in (1, 2))
        text += template.format(index=index, source=read, after=after, far=far)
    return text


WALKS = """aurora: 2
name: walks
version: '1'
start: each
phases:
  each:
    inputs:
      names: { type: array, items: { type: string }, default: [] }
    for_each: { in: "inputs.names", as: one, max: 1 }
    workflow: part
    with: { topic: one }
    next_action: end
"""

PART = """aurora: 2
name: part
version: '1'
start: draft
output: { text: { from: phases.draft.answer.text, type: string } }
phases:
  draft:
    inputs:
      topic: { type: string }
    prompt_template: "Draft {{ topic }}"
    answer: { type: object, required: [text], properties: { text: { type: string } } }
    next_action:
      - { when: "answer.text == 'again'", then: draft, max: 1000, else: end }
      - { then: end }
"""
