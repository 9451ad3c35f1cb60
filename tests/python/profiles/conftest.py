"""Fixtures of the tests of profiles."""

from __future__ import annotations

import pytest

from profiles.programs import Programs


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    return Programs(tmp_path_factory.mktemp("programs"))
