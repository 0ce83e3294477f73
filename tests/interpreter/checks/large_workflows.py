"""Generators of large workflows."""

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
