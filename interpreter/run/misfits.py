"""Recalled inputs that do not fit: the answer of the call is to blame, or the phase fails."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from aurora.errors import Fault

from .execute import build_arguments, evaluate_items
from .inputs import InputFaults, make_misfit_fault, recall_input, resolve_inputs
from .next_call import to_compact_json
from .rules import build_decision_scope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.language.model import InputSpec

    from .frames import Frame
    from .work import WalkRecord


@dataclass(frozen=True, slots=True)
class MisfitFinder:
    """Finder of the recalled inputs of one phase that no caller can correct.

    Attributes:
        record: the walk so far.
        frame: the workflow of the phase.
        phase: the phase.
        recalled: the scope of `from`, with the answer of the call.
    """

    record: WalkRecord
    frame: Frame
    phase: str
    recalled: Mapping[str, Any]

    def has_fixed(self, refusal: InputFaults) -> bool:
        """Return True if the refusal has an input that the caller cannot change."""
        return any(self._is_fixed(name) for name in refusal.recalled)

    def settle(self, refusal: InputFaults) -> Fault | None:
        """Return the failure of the phase, or put the blame on the answer of the call.

        Args:
            refusal: the refusal of the call; faults that its answer caused become faults of the answer.
        """
        for name in [name for name in refusal.recalled if self._is_fixed(name)]:
            if not self._is_from_answer(name):
                return make_misfit_fault(self.phase, name, self._specs[name], refusal.recalled[name])
            refusal.blame_answer(self.phase, name)
        return None

    def explain_long_prompt(self, fault: Fault, inputs: Mapping[str, Any]) -> Fault:
        """Explain a prompt that is too long: refuse the answer that makes it so, or name its input.

        Args:
            fault: the failure; any other is returned as it is.
            inputs: the inputs of the phase.
        """
        sizes = {name: len(to_compact_json(value)) for name, value in inputs.items()}
        longest = max(sizes, key=lambda name: sizes[name], default="")
        if "excess" not in fault.details or sizes.get(longest, 0) < fault.details["excess"]:
            return fault
        said = f'input "{longest}" has {sizes[longest]:,} of them'
        if self._is_from_answer(longest):
            refusal = InputFaults()
            message = f"is too long: {fault.message}, and {said}; send a shorter answer"
            refusal.add("answer", [{"path": "$.answer", "message": message}])
            return refusal.to_fault(self.phase)
        source = self._specs[longest].from_
        remedy = (
            f"go back for a shorter {source or longest}, or limit it in the workflow: `maxLength` in its schema, or "
        )
        help_ = f"{remedy}a part of it in the prompt, as in `{{{{ {longest}[:4000] }}}}`"
        return Fault(fault.code, f"{fault.message}; {said}", help=help_, details=fault.details)

    @property
    def _specs(self) -> Mapping[str, InputSpec]:
        return self.frame.definition.workflow.phases[self.phase].inputs

    def _is_fixed(self, name: str) -> bool:
        """Return True if no call of the phase can have another value for the input."""
        spec = self._specs[name]
        is_given = spec.override or (spec.from_ is None and self.frame.parent is None)
        return self.record.is_kept and not is_given

    def _is_from_answer(self, name: str) -> bool:
        """Return True if the answer of this call gave the input its value."""
        # Once a phase has used the answer, the caller cannot take it back.
        if not self.record.call.answer or self.record.has_main:
            return False
        spec = self._specs[name]
        try:
            earlier = self._recall_earlier(self.frame)
        except Fault:
            return True  # without the answer, the walk did not get here
        return bool(recall_input(name, spec, earlier) != recall_input(name, spec, self.recalled))

    def _recall_earlier(self, frame: Frame) -> Mapping[str, Any]:
        """Build the scope of `from` as it was before the call."""
        first = self._first
        kept = tuple(step for step in frame.run.steps if step.seq < first)
        is_new = frame.begun is not None and frame.begun.seq >= first
        seed = self._rebuild_seed(frame) if is_new else frame.run.seed
        run = replace(frame.run, steps=kept, seed=seed, settled_history=None, inner_runs={})
        return self.record.build_recall_scope(replace(frame, run=run))

    @property
    def _first(self) -> int:
        """The number of the first step of this call."""
        steps = self.record.steps
        return steps[0].seq if steps else len(self.record.run.steps) + 1

    def _rebuild_seed(self, frame: Frame) -> Mapping[str, Any]:
        """Build the inputs of a phase's workflow without the answer of the call.

        Raises:
            Fault: WORKFLOW_ERROR when the phase has no list of items, or no arguments, without it.
        """
        parent, begun, entered = frame.parent, frame.begun, frame.entered
        if parent is None or begun is None or entered is None:
            return frame.run.seed
        recalled, name = self._recall_earlier(parent), frame.parent_phase
        spec = parent.definition.workflow.phases[name]
        inputs = resolve_inputs(begun.given, parent.definition, name, recalled, InputFaults()).values
        further = {"vars": recalled["vars"], "run": recalled["run"]}
        if spec.for_each is not None:
            items = evaluate_items(spec, name, build_decision_scope(inputs, None, recalled))
            further[spec.for_each.as_] = items[entered.index] if entered.index < len(items) else None
        return build_arguments(spec, name, inputs, further)
