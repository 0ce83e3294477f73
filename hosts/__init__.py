"""Adapters of the AI assistants that call Aurora: configuration and agents."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .agents import (
        AGENT_LOCATIONS,
        MAX_AGENT_FILES,
        Agent,
        AgentCatalog,
        AgentLocation,
        AgentProblem,
        AgentScope,
        discover_agents,
        list_agent_files,
        read_agent_bytes,
    )
    from .config import (
        ChangePlan,
        ConfigProblem,
        FileChange,
        HostState,
        apply_changes,
        find_hooked_hosts,
        list_missing_rules,
        plan_changes,
        plan_hook_changes,
        plan_removal,
        read_approval,
        read_hooks,
        read_host_state,
        read_host_states,
        read_left_out,
        record_left_out,
        remove_leftovers,
    )
    from .connection import Connection, HostReply, ask_host
    from .detect import find_evidence, find_used_hosts, get_hosts
    from .host import ExtraFile, ExtraKind, HookSettings, Host, HttpShape, Scope
    from .launch import Launch, find_executable, read_project_option, split_trusted_command
    from .owned_paths import find_path_owner
    from .probe_http import list_http_tools
    from .probe_server import DEFAULT_TOOLS, ProbeResult, ProtocolEra, list_server_tools
    from .registry import HOSTS
    from .remote import RemoteServer, read_token_name
    from .texts import TEXT_LOCATIONS, AssistantText, find_texts
    from .user_paths import UserPaths

__all__ = [
    "AGENT_LOCATIONS",
    "DEFAULT_TOOLS",
    "HOSTS",
    "MAX_AGENT_FILES",
    "TEXT_LOCATIONS",
    "Agent",
    "AgentCatalog",
    "AgentLocation",
    "AgentProblem",
    "AgentScope",
    "AssistantText",
    "ChangePlan",
    "ConfigProblem",
    "Connection",
    "ExtraFile",
    "ExtraKind",
    "FileChange",
    "HookSettings",
    "Host",
    "HostReply",
    "HostState",
    "HttpShape",
    "Launch",
    "ProbeResult",
    "ProtocolEra",
    "RemoteServer",
    "Scope",
    "UserPaths",
    "apply_changes",
    "ask_host",
    "discover_agents",
    "find_evidence",
    "find_executable",
    "find_hooked_hosts",
    "find_path_owner",
    "find_texts",
    "find_used_hosts",
    "get_hosts",
    "list_agent_files",
    "list_http_tools",
    "list_missing_rules",
    "list_server_tools",
    "plan_changes",
    "plan_hook_changes",
    "plan_removal",
    "read_agent_bytes",
    "read_approval",
    "read_hooks",
    "read_host_state",
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
            "AgentLocation",
            "AgentProblem",
            "AgentScope",
            "discover_agents",
            "list_agent_files",
            "read_agent_bytes",
        ],
        "connection": ["Connection", "HostReply", "ask_host"],
        "config": [
            "ChangePlan",
            "ConfigProblem",
            "FileChange",
            "HostState",
            "apply_changes",
            "find_hooked_hosts",
            "list_missing_rules",
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
        ],
        "detect": ["find_evidence", "find_used_hosts", "get_hosts"],
        "host": ["ExtraFile", "ExtraKind", "HookSettings", "Host", "HttpShape", "Scope"],
        "launch": ["Launch", "find_executable", "read_project_option", "split_trusted_command"],
        "owned_paths": ["find_path_owner"],
        "probe_http": ["list_http_tools"],
        "probe_server": ["DEFAULT_TOOLS", "ProbeResult", "ProtocolEra", "list_server_tools"],
        "registry": ["HOSTS"],
        "remote": ["RemoteServer", "read_token_name"],
        "texts": ["TEXT_LOCATIONS", "AssistantText", "find_texts"],
        "user_paths": ["UserPaths"],
    },
)
