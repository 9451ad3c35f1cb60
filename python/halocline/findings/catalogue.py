"""Every claim, in the order of the papers' rows."""

from __future__ import annotations

import importlib
import pkgutil
import re
import tomllib
from importlib.resources import files

from halocline.base.errors import UserError
from halocline.findings import rows
from halocline.findings.claim import Claim


def claims() -> tuple[Claim, ...]:
    """All claims, by their ids: those with a judge, and those that nothing here answers."""
    judged = [
        importlib.import_module(f"{rows.__name__}.{module.name}").claim
        for module in pkgutil.iter_modules(rows.__path__)
    ]
    text = (files("halocline.findings") / "lacking.toml").read_text(encoding="utf-8")
    lacking = [Claim(**row) for row in tomllib.loads(text)["claim"]]
    return tuple(sorted([*judged, *lacking], key=lambda claim: _place(claim.id)))


def chosen(ids: tuple[str, ...]) -> tuple[Claim, ...]:
    """The claims of these ids, or all; UserError names an unknown one."""
    known = {claim.id: claim for claim in claims()}
    for name in ids:
        if name.upper() not in known:
            raise UserError(
                f"unknown finding {name!r}",
                allowed=", ".join(known),
                remedy="list them with `halocline findings`",
            )
    return tuple(known[name.upper()] for name in ids) or tuple(known.values())


def _place(name: str) -> tuple[str, int]:
    letter, number = re.fullmatch(r"([A-Z])(\d+)", name).groups()  # type: ignore[union-attr]
    return letter, int(number)
