"""Configuration files of the hosts: status, planned changes, backups, removal."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .allowance import list_missing_rules
    from .apply import apply_changes
    from .approval import read_approval
    from .backups import read_left_out, record_left_out
    from .change import ChangePlan, ConfigProblem, FileChange
    from .draft import Draft
    from .entries import choose_file
    from .hooks import find_hooked_hosts, list_foreign_programs, list_missing_events, read_hooks
    from .leftovers import remove_leftovers
    from .markers import classify_owner
    from .plan import plan_changes, plan_hook_changes
    from .remove import list_own_changes, plan_removal
    from .status import HostState, read_host_state, read_host_states

__all__ = [
    "ChangePlan",
    "ConfigProblem",
    "Draft",
    "FileChange",
    "HostState",
    "apply_changes",
    "choose_file",
    "classify_owner",
    "find_hooked_hosts",
    "list_foreign_programs",
    "list_missing_events",
    "list_missing_rules",
    "list_own_changes",
    "plan_changes",
    "plan_hook_changes",
    "plan_removal",
    "read_approval",
    "read_hooks",
    "read_host_state",
    "read_host_states",
    "read_left_out",
    "record_left_out",
    "remove_leftovers",
]

__getattr__ = export_lazily(
    __name__,
    {
        "allowance": ["list_missing_rules"],
        "apply": ["apply_changes"],
        "approval": ["read_approval"],
        "backups": ["read_left_out", "record_left_out"],
        "change": ["ChangePlan", "ConfigProblem", "FileChange"],
        "draft": ["Draft"],
        "entries": ["choose_file"],
        "hooks": ["find_hooked_hosts", "list_foreign_programs", "list_missing_events", "read_hooks"],
        "leftovers": ["remove_leftovers"],
        "markers": ["classify_owner"],
        "plan": ["plan_changes", "plan_hook_changes"],
        "remove": ["list_own_changes", "plan_removal"],
        "status": ["HostState", "read_host_state", "read_host_states"],
    },
)
