"""Adapters of the AI assistants that call Aurora: configuration and agents."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .agents import (
        AGENT_LOCATIONS,
        MAX_AGENT_FILES,
        Agent,
        AgentCatalog,
        discover_agents,
        list_agent_files,
        read_agent_bytes,
    )
    from .edit import read_entries
    from .entry import (
        Launch,
        RemoteServer,
        choose_file,
        find_executable,
        read_project_option,
        read_token_name,
        split_trusted_command,
    )
    from .files import (
        ChangePlan,
        ConfigFileError,
        ConfigProblem,
        Draft,
        FileChange,
        apply_changes,
        read_left_out,
        record_left_out,
        remove_leftovers,
    )
    from .host import ExtraFile, ExtraKind, Host, Scope
    from .install import plan_changes, plan_hook_changes
    from .person import UserPaths, find_evidence, find_path_owner, find_used_hosts, get_hosts
    from .probe import (
        DEFAULT_TOOLS,
        HostReply,
        ProbeResult,
        ProtocolEra,
        ask_host,
        list_http_tools,
        list_server_tools,
    )
    from .registry import HOSTS
    from .remove import list_own_changes, plan_removal
    from .settings import find_hooked_hosts, list_foreign_programs, list_missing_events, list_missing_rules, read_hooks
    from .status import HostState, read_approval, read_host_states

__all__ = [
    "AGENT_LOCATIONS",
    "DEFAULT_TOOLS",
    "HOSTS",
    "MAX_AGENT_FILES",
    "Agent",
    "AgentCatalog",
    "ChangePlan",
    "ConfigFileError",
    "ConfigProblem",
    "Draft",
    "ExtraFile",
    "ExtraKind",
    "FileChange",
    "Host",
    "HostReply",
    "HostState",
    "Launch",
    "ProbeResult",
    "ProtocolEra",
    "RemoteServer",
    "Scope",
    "UserPaths",
    "apply_changes",
    "ask_host",
    "choose_file",
    "discover_agents",
    "find_evidence",
    "find_executable",
    "find_hooked_hosts",
    "find_path_owner",
    "find_used_hosts",
    "get_hosts",
    "list_agent_files",
    "list_foreign_programs",
    "list_http_tools",
    "list_missing_events",
    "list_missing_rules",
    "list_own_changes",
    "list_server_tools",
    "plan_changes",
    "plan_hook_changes",
    "plan_removal",
    "read_agent_bytes",
    "read_approval",
    "read_entries",
    "read_hooks",
    "read_host_states",
    "read_left_out",
    "read_project_option",
    "read_token_name",
    "record_left_out",
    "remove_leftovers",
    "split_trusted_command",
]

__getattr__ = export_lazily(
    __name__,
    {
        "agents": [
            "AGENT_LOCATIONS",
            "MAX_AGENT_FILES",
            "Agent",
            "AgentCatalog",
            "discover_agents",
            "list_agent_files",
            "read_agent_bytes",
        ],
        "edit": ["read_entries"],
        "entry": [
            "Launch",
            "RemoteServer",
            "choose_file",
            "find_executable",
            "read_project_option",
            "read_token_name",
            "split_trusted_command",
        ],
        "files": [
            "ChangePlan",
            "ConfigFileError",
            "ConfigProblem",
            "Draft",
            "FileChange",
            "apply_changes",
            "read_left_out",
            "record_left_out",
            "remove_leftovers",
        ],
        "host": ["ExtraFile", "ExtraKind", "Host", "Scope"],
        "install": ["plan_changes", "plan_hook_changes"],
        "person": ["UserPaths", "find_evidence", "find_path_owner", "find_used_hosts", "get_hosts"],
        "probe": [
            "DEFAULT_TOOLS",
            "HostReply",
            "ProbeResult",
            "ProtocolEra",
            "ask_host",
            "list_http_tools",
            "list_server_tools",
        ],
        "registry": ["HOSTS"],
        "remove": ["list_own_changes", "plan_removal"],
        "settings": [
            "find_hooked_hosts",
            "list_foreign_programs",
            "list_missing_events",
            "list_missing_rules",
            "read_hooks",
        ],
        "status": ["HostState", "read_approval", "read_host_states"],
    },
)
