"""What every test may ask for. Nothing here reaches outside the test's own folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.engine import Home


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A new engine home whose session `alpha` has started."""
    made = Home(tmp_path / "home")
    made.startup()
    yield made
    made.close()
