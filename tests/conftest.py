"""What every test shares: Hypothesis profiles, and the path of the shared data."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

PROJECT = Path(__file__).resolve().parent.parent

settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "local")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of data sets that stands beside the project, or a skip where it is absent."""
    path = PROJECT.parent / "shared" / "data"
    if not path.is_dir():
        pytest.skip("needs the data sets in ../shared/data, beside the project's folder")
    return path
