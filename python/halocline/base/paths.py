"""Where Halocline keeps installed files (data) and files it can rebuild (cache)."""

from __future__ import annotations

import os
from pathlib import Path

from halocline.base.errors import UserError


def expanded(path: str | Path) -> Path:
    """With `~` for a home folder; that of an unknown user stays, to be reported as missing."""
    return Path(os.path.expanduser(path))  # Path's own raises RuntimeError


def _home(variable: str, default: str, kind: str) -> Path:
    own = os.environ.get("HALOCLINE_HOME")
    if own:
        return expanded(own).absolute() / kind
    if base := os.environ.get(variable):
        return Path(base) / "halocline"
    try:
        return Path.home() / default / "halocline"
    except RuntimeError as error:  # a user of a container without a name
        remedy = "set HALOCLINE_HOME to a folder for installed and built files"
        raise UserError("this user has no home folder", remedy=remedy) from error


def data_home() -> Path:
    """Installed and adopted MPI libraries: `$HALOCLINE_HOME/data`, else below `$XDG_DATA_HOME`."""
    return _home("XDG_DATA_HOME", ".local/share", "data")


def cache_home() -> Path:
    """Built drivers: `$HALOCLINE_HOME/cache`, else below `$XDG_CACHE_HOME`."""
    return _home("XDG_CACHE_HOME", ".cache", "cache")
