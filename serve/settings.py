"""Settings of a server: `serve.toml` in the person's own configuration folder."""

from __future__ import annotations

import json
import tomllib
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, StringConstraints, field_validator, model_validator

from aurora.errors import Code, Fault
from aurora.system.git.mirror import check_branch, check_git_url
from aurora.tools.core import StrictModel, validate_arguments
from aurora.tools.http.address import is_loopback
from aurora.trust import PrivateFileError, find_config_file, read_private_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SERVE_FILE = "serve.toml"
DEFAULT_ADDRESS = "127.0.0.1:8320"
MAX_FILE_BYTES = 1_000_000
MAX_WORKERS = 64
_EXAMPLE_HELP = "Write it as in the guide `docs/guide/serving.md`, which shows a whole file with every key."
EXAMPLE = '[projects.NAME] and below it folder = "/path/of/the/project", or git = "https://…"'
ProjectName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$")]
"""Name of a project in addresses: lower-case letters, digits, `-` and `_`."""
Algorithm = Literal["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
"""Algorithms of signatures with a public key; with a shared key, who verifies could sign, too."""


class ProjectSettings(StrictModel):
    """One table `[projects.NAME]`.

    Attributes:
        folder: the project's folder on this machine; empty where the server fetches it.
        git: address of the repository that the server fetches itself; empty for a folder.
        branch: the branch to fetch, by default the repository's own.
        read_only: no tool that writes may run.
        database_project: the project's name in the database server that AURORA_DATABASE names; by default its own.
    """

    folder: Annotated[str, StringConstraints(max_length=4096)] = ""
    git: Annotated[str, StringConstraints(max_length=2000)] = ""
    branch: Annotated[str, StringConstraints(max_length=200)] = ""
    read_only: bool = False
    database_project: Annotated[str, StringConstraints(max_length=200)] = ""

    @model_validator(mode="after")
    def check_place(self) -> Self:
        """Check that there is a place to take the code from.

        Raises:
            ValueError: neither a folder nor an address, an address of another kind, or a branch of a folder.
        """
        if not (self.folder or self.git):
            raise ValueError('a project has a "folder" or a "git" address')
        if self.git:
            check_git_url(self.git)
        elif self.branch:
            raise ValueError('a "branch" needs a "git" address')
        check_branch(self.branch)
        return self

    @field_validator("folder")
    @classmethod
    def check_folder(cls, text: str) -> str:
        """Check that the folder does not depend on where the server was started.

        Raises:
            ValueError: a relative path.
        """
        if text and not (text.startswith("~/") or PurePath(text).is_absolute()):
            raise ValueError('the folder must be an absolute path, or begin with "~/"')
        return text


class JwtSettings(StrictModel):
    """The table `[jwt]`: tokens that an identity provider signs."""

    issuer: Annotated[str, StringConstraints(min_length=1, max_length=2000)]
    audience: Annotated[str, StringConstraints(min_length=1, max_length=2000)]
    jwks_url: Annotated[str, StringConstraints(min_length=1, max_length=2000)]
    algorithms: tuple[Algorithm, ...] = Field(default=("RS256",), min_length=1, strict=False)

    @field_validator("jwks_url")
    @classmethod
    def check_url(cls, text: str) -> str:
        """Check that nobody between can replace the keys.

        Raises:
            ValueError: an address that is neither https nor on this machine.
        """
        parts = urlsplit(text)
        if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname or "")):
            raise ValueError("the keys must come over https, or from this machine")
        return text


class LimitSettings(StrictModel):
    """The table `[limits]`."""

    requests_per_second: float = Field(default=20.0, gt=0, le=100_000)
    burst: int = Field(default=100, ge=1, le=1_000_000)
    body_bytes: int = Field(default=4 * 1024 * 1024, ge=1024, le=32 * 1024 * 1024)
    stop_seconds: int = Field(default=30, ge=1, le=600)
    idle_project_seconds: int = Field(default=900, ge=1, le=86_400)
    fetch_seconds: int = Field(default=300, ge=1, le=86_400)


class ServeSettings(StrictModel):
    """Settings of a server."""

    listen: Annotated[str, StringConstraints(max_length=300)] = DEFAULT_ADDRESS
    public_url: Annotated[str, StringConstraints(max_length=300)] = ""
    workers: int = Field(default=1, ge=1, le=MAX_WORKERS)
    toolsets: tuple[str, ...] = Field(default=(), strict=False)
    projects: dict[ProjectName, ProjectSettings] = Field(min_length=1)
    jwt: JwtSettings | None = None
    limits: LimitSettings = LimitSettings()


def find_serve_file() -> Path | None:
    """Return the path of the settings; None for an account without a home folder."""
    config = find_config_file()
    return config.with_name(SERVE_FILE) if config is not None else None


def load_settings(path: Path) -> ServeSettings:
    """Load the settings.

    Raises:
        Fault: NOT_FOUND without the file, FORBIDDEN when anyone else could have written it, INVALID_INPUT with every
            mistake in it.
    """
    what = f'the file "{path}"'
    try:
        text = read_private_file(path, MAX_FILE_BYTES).decode("utf-8-sig")
        document: Mapping[str, object] = tomllib.loads(text)
        # TOML has dates and times, which the check of JSON values does not know.
        json.dumps(document)
    except FileNotFoundError:
        message = f"{what} does not exist, so there is no project to serve"
        raise Fault(Code.NOT_FOUND, message, help=f"Write it, with a table for each project: {EXAMPLE}") from None
    except PrivateFileError as error:
        raise Fault(Code.FORBIDDEN, f"{what} {error.what}", help=error.remedy or "Check it.") from None
    except IsADirectoryError:
        raise Fault(Code.INVALID_INPUT, f"{what} is a folder", help="Name the file, as in serve.toml.") from None
    except OSError as error:
        message = f"{what} cannot be read: {(error.strerror or str(error)).lower()}"
        raise Fault(Code.FORBIDDEN, message, help="Give yourself read permission for it.") from None
    except (ValueError, TypeError, RecursionError) as error:
        message = f"{what} is not TOML of the right kind: {error}"
        raise Fault(Code.INVALID_INPUT, message, help=_EXAMPLE_HELP) from None
    try:
        settings = validate_arguments(ServeSettings, document, what)
    except Fault as fault:  # worded for the arguments of a tool
        message = fault.message.replace("unknown argument", "unknown key")
        help_ = _EXAMPLE_HELP
        raise Fault(fault.code, message, help=help_, details=fault.details) from None
    for name, one in settings.projects.items():
        if one.folder and one.git:
            message = f'{what}: the project "{name}" has a folder and a git address'
            help_ = "Name one source. For git, the server makes a folder in its state folder."
            raise Fault(Code.INVALID_INPUT, message, help=help_)
    return settings
