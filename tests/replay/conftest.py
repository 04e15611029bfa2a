"""One run for all that is looked at again."""

from __future__ import annotations

from pathlib import Path

import pytest

from osler.settings.run_settings import RunSettings
from tests.replay.runs import hold


@pytest.fixture(scope="session")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two patients in both languages, without a model, under all three memories."""
    return hold(tmp_path_factory.mktemp("rules") / "runs" / "rules.osler", settings=RunSettings())
