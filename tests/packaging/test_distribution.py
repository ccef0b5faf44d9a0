"""What is published: an sdist, the wheel built from it, and an environment that has only the wheel.

Nothing is downloaded. The build uses this environment's setuptools and Cython, and the new
environment borrows this one's dependencies.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.conftest import PROJECT

SOURCES = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "src")
LEFT_OUT = ("*.so", "*.pyd", "*.c", "*.egg-info", "__pycache__")
HOOK = "import sys; from setuptools import build_meta as b; getattr(b, sys.argv[1])(sys.argv[2])"
KERNELS = {"members_cy", "page_cy", "pager_cy", "tree_cy"}


def run(*command, folder, **switches):
    names = ("RANKBOOK_PLAIN", "RANKBOOK_REQUIRE_COMPILED", "PYTHONPATH")
    env = {name: value for name, value in os.environ.items() if name not in names} | switches
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources")
    for name in SOURCES:
        source = PROJECT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns(*LEFT_OUT))
        else:
            shutil.copy(source, folder)
    run(sys.executable, "-c", HOOK, "build_sdist", "made", folder=folder)
    [made] = (folder / "made").iterdir()
    return made


@pytest.fixture(scope="module")
def wheel(sdist, tmp_path_factory):
    """The wheel of the sdist. Its kernels are not optimised, so that the build is short."""
    folder = tmp_path_factory.mktemp("unpacked")
    run("tar", "-xzf", str(sdist), folder=folder)
    [unpacked] = folder.iterdir()
    switches = {"RANKBOOK_REQUIRE_COMPILED": "1", "CFLAGS": "-O0"}
    run(sys.executable, "-c", HOOK, "build_wheel", "made", folder=unpacked, **switches)
    [made] = (unpacked / "made").iterdir()
    return made


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The programs of a new environment in which the wheel is installed."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", ".", folder=folder)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python)]
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", str(wheel), folder=folder)
    [packages] = folder.glob("lib/python*/site-packages")
    borrowed = packages / "borrowed.pth"  # its own .pth files, and so this project, are not read
    borrowed.write_text(sysconfig.get_path("purelib"))
    return folder / "bin"


def shipped(folder=PROJECT / "src"):
    """What the package consists of, but for what is built."""
    ignored = {".so", ".pyd", ".c", ".pyc"}
    files = [path for path in (folder / "rankbook").rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix() for path in files if path.suffix not in ignored}


def test_the_sdist_has_every_file_of_the_package(sdist):
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2].removeprefix("src/") for name in archive.getnames()}
    assert shipped() - names == set()


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_the_wheel_has_every_file_of_the_package_and_all_kernels_compiled(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert shipped() - names == set()
    compiled = {Path(name).name.partition(".")[0] for name in names if name.endswith(".so")}
    assert compiled == KERNELS


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_a_new_environment_with_the_wheel_ranks_a_submission_with_compiled_kernels(
    installed, tmp_path
):
    rankbook = str(installed / "rankbook")
    run(rankbook, "init", "book", folder=tmp_path)
    command = [rankbook, "--book", "book"]
    where = run(installed / "python", "-c", "import rankbook; print(rankbook)", folder=tmp_path)
    assert str(installed.parent) in where
    run(*command, "submit", "asha", "points=70", "--id", "r1", folder=tmp_path)
    top = json.loads(run(*command, "top", "points", "--json", folder=tmp_path))
    assert [(entry["player"], entry["rank"]) for entry in top["entries"]] == [("asha", 1)]
    found = json.loads(run(*command, "doctor", "--json", folder=tmp_path))
    assert found["faults"] == []
    assert found["store"]["kernels"] == dict.fromkeys(sorted(KERNELS), "compiled")
