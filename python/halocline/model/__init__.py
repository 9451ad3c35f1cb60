"""Models of messages fitted to a run, and their predictions for the rest of it."""

from __future__ import annotations

from pathlib import Path

FILE = Path(__file__).with_name("model.toml")  # the experiment that measures their input
