"""Locates OpenBLAS, used to measure matrix products."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

VARIABLE = "HALOCLINE_OPENBLAS"
_PACKAGE = "scipy_openblas32"
_FILE = "lib/libscipy_openblas.so"


def openblas() -> Path | None:
    """The file that $HALOCLINE_OPENBLAS names, else that of the package scipy-openblas32.

    None if there is neither: then the driver looks for the system's.
    """
    if named := os.environ.get(VARIABLE):
        return Path(named)
    package = find_spec(_PACKAGE)
    folders = (package.submodule_search_locations if package else None) or ()
    files = (Path(folder) / _FILE for folder in folders)
    return next((file for file in files if file.exists()), None)
