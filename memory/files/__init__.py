"""Files of a project: location, discovery, languages, roles, names of secret files, reading."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .allowed_secrets import is_secret_allowed, read_rules_key
    from .atomic import find_log, open_scratch_path, remove_leftovers, replace_database, stage_file
    from .discover import EXCLUDED_FOLDERS, SourceFile, discover_files
    from .folder_identity import FolderIdentity
    from .generated import EXPORT_PREFIX
    from .gitignore import IGNORE_FILES
    from .hash import has_hash
    from .ignore_pattern import parse_ignore_pattern
    from .language import PROSE_LANGUAGES
    from .locate import (
        DATA_FOLDER,
        DATABASE_NAME,
        GITIGNORE_TEXT,
        database_path,
        expand_user,
        find_project,
        is_home_or_root,
        prepare_folder,
        refuse_foreign_link,
    )
    from .read import SourceText, read_source
    from .roles import ROLE_PENALTIES, FileRoles, find_asked_roles, is_test_file

__all__ = [
    "DATABASE_NAME",
    "DATA_FOLDER",
    "EXCLUDED_FOLDERS",
    "EXPORT_PREFIX",
    "GITIGNORE_TEXT",
    "IGNORE_FILES",
    "PROSE_LANGUAGES",
    "ROLE_PENALTIES",
    "FileRoles",
    "FolderIdentity",
    "SourceFile",
    "SourceText",
    "database_path",
    "discover_files",
    "expand_user",
    "find_asked_roles",
    "find_log",
    "find_project",
    "has_hash",
    "is_home_or_root",
    "is_secret_allowed",
    "is_test_file",
    "open_scratch_path",
    "parse_ignore_pattern",
    "prepare_folder",
    "read_rules_key",
    "read_source",
    "refuse_foreign_link",
    "remove_leftovers",
    "replace_database",
    "stage_file",
]

__getattr__ = export_lazily(
    __name__,
    {
        "allowed_secrets": ["is_secret_allowed", "read_rules_key"],
        "atomic": ["find_log", "open_scratch_path", "remove_leftovers", "replace_database", "stage_file"],
        "discover": ["EXCLUDED_FOLDERS", "SourceFile", "discover_files"],
        "folder_identity": ["FolderIdentity"],
        "generated": ["EXPORT_PREFIX"],
        "gitignore": ["IGNORE_FILES"],
        "hash": ["has_hash"],
        "ignore_pattern": ["parse_ignore_pattern"],
        "language": ["PROSE_LANGUAGES"],
        "locate": [
            "DATABASE_NAME",
            "DATA_FOLDER",
            "GITIGNORE_TEXT",
            "database_path",
            "expand_user",
            "find_project",
            "is_home_or_root",
            "prepare_folder",
            "refuse_foreign_link",
        ],
        "read": ["SourceText", "read_source"],
        "roles": ["FileRoles", "ROLE_PENALTIES", "find_asked_roles", "is_test_file"],
    },
)
