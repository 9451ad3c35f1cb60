"""Models of messages fitted to what a run measured, and what they predict of the rest of it."""

from __future__ import annotations

from pathlib import Path

FILE = Path(__file__).with_name("model.toml")  # the experiment that measures what they need
