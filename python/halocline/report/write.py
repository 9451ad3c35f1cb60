"""Pages as files."""

from __future__ import annotations

from pathlib import Path

from halocline.errors import UserError
from halocline.run_folder import replace


def write_text(path: Path, text: str) -> Path:
    """Write a page, with the folder for it; UserError where that is not allowed."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace(path, text)
    except (PermissionError, NotADirectoryError, FileExistsError, IsADirectoryError) as error:
        what = f"cannot write {path}: {error.strerror}"
        raise UserError(what, remedy="choose another file with --output") from None
    return path
