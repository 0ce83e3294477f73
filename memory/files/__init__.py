"""Files of a project: location, discovery, languages, roles, names of secret files, reading."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .atomic import COMPANION_SUFFIXES, find_log, open_scratch_path, remove_leftovers, replace_database, stage_file
    from .discover import EXCLUDED_FOLDERS, SourceFile, discover_files, find_left_out
    from .encoding import decode_text
    from .gitignore import IGNORE_FILES, build_path_expression, parse_glob, parse_ignore_pattern
    from .language import EXPORT_PREFIX, PROSE_LANGUAGES, UNKNOWN_LANGUAGE, detect_language
    from .locate import (
        DATA_FOLDER,
        DATABASE_NAME,
        GITIGNORE_TEXT,
        VIEWS_FOLDER,
        FolderIdentity,
        database_path,
        expand_user,
        find_project,
        get_shared_database,
        has_hash,
        has_memory,
        is_home_or_root,
        is_view,
        list_other_databases,
        list_view_files,
        prepare_folder,
        records_path,
        refuse_foreign_link,
    )
    from .read import SourceText, detect_secret_name, hash_source, read_matching, read_rules_key, read_source
    from .roles import ROLE_PENALTIES, FileRoles, find_asked_roles, is_test_file

__all__ = [
    "COMPANION_SUFFIXES",
    "DATABASE_NAME",
    "DATA_FOLDER",
    "EXCLUDED_FOLDERS",
    "EXPORT_PREFIX",
    "GITIGNORE_TEXT",
    "IGNORE_FILES",
    "PROSE_LANGUAGES",
    "ROLE_PENALTIES",
    "UNKNOWN_LANGUAGE",
    "VIEWS_FOLDER",
    "FileRoles",
    "FolderIdentity",
    "SourceFile",
    "SourceText",
    "build_path_expression",
    "database_path",
    "decode_text",
    "detect_language",
    "detect_secret_name",
    "discover_files",
    "expand_user",
    "find_asked_roles",
    "find_left_out",
    "find_log",
    "find_project",
    "get_shared_database",
    "has_hash",
    "has_memory",
    "hash_source",
    "is_home_or_root",
    "is_test_file",
    "is_view",
    "list_other_databases",
    "list_view_files",
    "open_scratch_path",
    "parse_glob",
    "parse_ignore_pattern",
    "prepare_folder",
    "read_matching",
    "read_rules_key",
    "read_source",
    "records_path",
    "refuse_foreign_link",
    "remove_leftovers",
    "replace_database",
    "stage_file",
]

__getattr__ = export_lazily(
    __name__,
    {
        "atomic": [
            "COMPANION_SUFFIXES",
            "find_log",
            "open_scratch_path",
            "remove_leftovers",
            "replace_database",
            "stage_file",
        ],
        "discover": ["EXCLUDED_FOLDERS", "SourceFile", "discover_files", "find_left_out"],
        "encoding": ["decode_text"],
        "gitignore": ["IGNORE_FILES", "build_path_expression", "parse_glob", "parse_ignore_pattern"],
        "language": ["EXPORT_PREFIX", "PROSE_LANGUAGES", "UNKNOWN_LANGUAGE", "detect_language"],
        "locate": [
            "DATABASE_NAME",
            "DATA_FOLDER",
            "FolderIdentity",
            "GITIGNORE_TEXT",
            "VIEWS_FOLDER",
            "database_path",
            "expand_user",
            "find_project",
            "get_shared_database",
            "has_hash",
            "has_memory",
            "is_home_or_root",
            "is_view",
            "list_other_databases",
            "list_view_files",
            "prepare_folder",
            "records_path",
            "refuse_foreign_link",
        ],
        "read": ["SourceText", "detect_secret_name", "hash_source", "read_matching", "read_rules_key", "read_source"],
        "roles": ["ROLE_PENALTIES", "FileRoles", "find_asked_roles", "is_test_file"],
    },
)
