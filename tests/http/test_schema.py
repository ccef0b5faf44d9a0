"""The documented API against what the running service does: schemathesis finds nothing."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.depth import scaled
from tests.http.running import check, make_book, result, service

EXAMPLES = scaled(4)
OPERATIONS = 28
SECONDS = 600

# A schema cannot say what a book refuses by its rules: 422 is an answer to what is well formed.
# What is malformed may also be so large that it is refused before it is read.
CONFIG = """\
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "3xx", 401, 403, 404, 409, 422, 429, "5xx"]

[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429, 431, "5xx"]
"""


@pytest.mark.deep
def test_schemathesis_finds_nothing_in_the_running_service(tmp_path):
    directory = make_book(tmp_path / "book")
    config = tmp_path / "schemathesis.toml"
    config.write_text(CONFIG)
    with service(directory) as running:
        token = running.key("admin")
        with running.client(token) as client:
            client.post("/v1/events", json=[result(f"p{n}", n) for n in range(30)])
        command = [
            str(Path(sys.executable).with_name("schemathesis")),
            f"--config-file={config}",
            "--no-color",
            "run",
            f"{running.url}/schema/openapi.json",
            "--header",
            f"Authorization: Bearer {token}",
            "--checks=all",
            "--mode=all",
            f"--max-examples={EXAMPLES}",
            "--generation-deterministic",
        ]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=SECONDS
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        found = re.search(r"Selected: (\d+)/\1\n\s*Tested: \1\n", done.stdout)
        assert found is not None, done.stdout
        assert int(found[1]) >= OPERATIONS
        said = running.stop()
    assert "Traceback" not in said
    check(directory)
