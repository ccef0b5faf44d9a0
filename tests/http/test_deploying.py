"""What is there to deploy says what the command knows, and names files that are there."""

import re
import shutil
import subprocess
import tomllib

import pytest
import typer
import yaml

from rankbook.cli.main import app
from rankbook.rules import load
from tests.conftest import PROJECT

FILES = ("Dockerfile", "compose.yaml", "deploy/rankbook.service")


def variables() -> set[str]:
    """The environment that the command listens to."""
    serve = typer.main.get_command(app).commands["serve"]
    named = {each.envvar for each in serve.params if isinstance(each.envvar, str)}
    return {"RANKBOOK_BOOK", "RANKBOOK_REQUIRE_COMPILED"} | named


@pytest.mark.parametrize("file", FILES)
def test_every_variable_is_one_that_the_command_knows(file):
    written = set(re.findall(r"RANKBOOK_[A-Z_]+", (PROJECT / file).read_text()))
    assert written
    assert written <= variables()


def test_the_book_of_compose_is_one_and_is_where_compose_puts_it():
    book = load((PROJECT / "deploy/rankbook.toml").read_text())
    compose = yaml.safe_load((PROJECT / "compose.yaml").read_text())
    services = compose["services"]
    assert set(services) == {"rankbook", "postgres", "redis"}
    assert "@postgres/" in book.log
    assert "//redis:" in book.store
    assert set(compose["volumes"]) == {
        volume.partition(":")[0]
        for each in services.values()
        for volume in each["volumes"]
        if not volume.startswith(".")
    }
    for each in services.values():
        for volume in each["volumes"]:
            source = volume.partition(":")[0]
            assert not source.startswith(".") or (PROJECT / source).is_file()
    assert services["rankbook"]["ports"] == ["127.0.0.1:8000:8000"]


def test_the_image_is_built_of_files_that_are_let_in():
    let_in = {
        line[1:]
        for line in (PROJECT / ".dockerignore").read_text().splitlines()
        if line.startswith("!")
    }
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", (PROJECT / "Dockerfile").read_text(), re.M)
    assert {name for line in copied for name in line.split()} == let_in
    assert all((PROJECT / name).exists() for name in let_in)


def test_the_pins_of_the_image_are_those_of_the_tests():
    pinned = (PROJECT / "requirements/dev.txt").read_text()
    names = set(re.findall(r"^([a-zA-Z0-9_.-]+)==[^ ]+", pinned, re.MULTILINE))
    extras = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    wanted = extras["dependencies"] + [
        each
        for name in ("serve", "postgres", "redis")
        for each in extras["optional-dependencies"][name]
    ]
    for each in wanted:
        name = re.match(r"[a-zA-Z0-9_.-]+", each)
        assert name is not None
        assert name[0].lower() in {known.lower() for known in names}, each


def test_the_unit_is_one_that_systemd_reads(tmp_path):
    systemd = shutil.which("systemd-analyze")
    if systemd is None:
        pytest.skip("needs systemd-analyze: sudo apt-get install systemd")
    text = (PROJECT / "deploy/rankbook.service").read_text()
    unit = tmp_path / "rankbook.service"
    unit.write_text(re.sub(r"(?m)^ExecStart=\S+", "ExecStart=/bin/true", text))
    done = subprocess.run(
        [systemd, "verify", "--man=no", unit], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
