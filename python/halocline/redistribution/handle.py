"""The base of all objects of the library."""

from __future__ import annotations

import ctypes
import warnings
from contextlib import suppress
from types import TracebackType
from typing import Self

from halocline.redistribution.library import call


class Handle:
    """An object of the library, until it is freed."""

    _kind: str
    _collective = False  # whether the ranks free it together

    def __init__(self) -> None:
        self._handle = ctypes.c_void_p()
        self._freed = False

    @staticmethod
    def of_kind(kind: str) -> Handle:
        """A handle for a library function to fill."""
        empty = Handle()
        empty._kind = kind
        return empty

    def _address(self) -> ctypes._CArgObject:
        return ctypes.byref(self._handle)

    def free(self) -> None:
        """Frees the object, which cannot be used afterwards. Safe to call twice."""
        if self._handle and not self._freed:
            # The library sets its argument to NULL; keep the handle to recognise it as freed.
            call(f"{self._kind}_free", ctypes.byref(ctypes.c_void_p(self._handle.value)))
            self._freed = True

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)  # none yet if the constructor failed early
        if not handle or self._freed:
            return
        if not self._collective:
            with suppress(Exception):  # while the interpreter ends
                self.free()
        else:
            # Only a warning: ranks collect objects at different times, and freeing waits for all.
            warnings.warn(
                f"{type(self).__name__} was not freed and keeps its MPI resources; "
                "use it in a with statement, or call free() on all ranks",
                ResourceWarning,
                stacklevel=2,
                source=self,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Freeing is collective: a rank that fails alone would wait here for the others.
        if error is None:
            self.free()
