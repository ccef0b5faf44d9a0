"""The same script, compiled and plain, reads the same; and a missing kernel is loud where asked."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rankbook
from rankbook.engine import page_cy

SCRIPT = Path(__file__).with_name("script.py")
SWITCHES = ("RANKBOOK_PLAIN", "RANKBOOK_REQUIRE_COMPILED")


def run(*arguments, **switches):
    env = {name: value for name, value in os.environ.items() if name not in SWITCHES}
    env.update(switches)
    return subprocess.run(
        [sys.executable, *arguments], env=env, capture_output=True, text=True, check=False
    )


def answer(*arguments, **switches):
    done = run(*arguments, **switches)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture(scope="module")
def plain_only(tmp_path_factory):
    """A folder with the package's sources and without its compiled files."""
    folder = tmp_path_factory.mktemp("plain")
    source = Path(rankbook.__file__).parent
    ignored = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__", "*.c")
    shutil.copytree(source, folder / "rankbook", ignore=ignored)
    return folder


def test_the_engine_reads_and_stores_the_same_compiled_and_plain():
    kind, usual = answer(SCRIPT)
    switched, plain = answer(SCRIPT, RANKBOOK_PLAIN="1")
    assert switched == "plain"
    assert usual == plain
    if page_cy.COMPILED:
        assert kind == "compiled"


def test_the_engine_runs_where_nothing_was_compiled(plain_only):
    kind, digest = answer(SCRIPT, PYTHONPATH=str(plain_only))
    assert kind == "plain"
    assert digest == answer(SCRIPT)[1]


def test_the_engine_runs_plain_where_cython_is_not_installed(plain_only, tmp_path):
    (tmp_path / "without_cython.py").write_text(
        "import sys\n"
        "sys.modules['cython'] = sys.modules['Cython'] = None\n"
        "sys.path.insert(0, sys.argv.pop(1))\n"
        "import runpy\n"
        "runpy.run_path(sys.argv[1], run_name='__main__')\n"
    )
    start = [tmp_path / "without_cython.py", plain_only, SCRIPT]
    kind, digest = answer(*start)
    assert kind == "plain"
    assert digest == answer(SCRIPT)[1]


def test_a_missing_kernel_is_an_error_where_compiled_ones_are_required(plain_only):
    done = run(
        "-c",
        "import rankbook.engine",
        PYTHONPATH=str(plain_only),
        RANKBOOK_REQUIRE_COMPILED="1",
    )
    assert done.returncode != 0
    assert "ImportError: RANKBOOK_REQUIRE_COMPILED is set" in done.stderr
    assert "page_cy" in done.stderr
    assert "tree_cy" in done.stderr


@pytest.mark.skipif(not page_cy.COMPILED, reason="the kernels run plain here")
def test_compiled_kernels_satisfy_who_requires_them():
    done = run("-c", "import rankbook.engine", RANKBOOK_REQUIRE_COMPILED="1")
    assert done.returncode == 0, done.stderr


def warned(*arguments, **switches):
    """The lines in which an import says that it runs as plain Python."""
    done = run(*arguments, "-c", "import rankbook\nimport rankbook.engine", **switches)
    assert done.returncode == 0, done.stderr
    return [line for line in done.stderr.splitlines() if "runs as plain Python" in line]


def test_an_installation_without_compiled_kernels_says_so_once_at_import(plain_only):
    [line] = warned(PYTHONPATH=str(plain_only))
    assert line.startswith("<string>:1: PlainKernelWarning: Rankbook runs as plain Python")
    assert "page_cy, pager_cy, tree_cy, members_cy are not compiled" in line


def test_an_installation_with_one_plain_kernel_names_that_one(plain_only, tmp_path):
    if not page_cy.COMPILED:
        pytest.skip("the kernels run plain here")
    source = Path(rankbook.__file__).parent
    shutil.copytree(source, tmp_path / "rankbook", ignore=shutil.ignore_patterns("tree_cy.*.so"))
    [line] = warned(PYTHONPATH=str(tmp_path))
    assert "tree_cy is not compiled" in line


def test_the_warning_is_silent_where_plain_kernels_were_chosen(plain_only):
    assert warned(PYTHONPATH=str(plain_only), RANKBOOK_PLAIN="1") == []


def test_the_warning_can_be_silenced_by_a_filter(plain_only):
    silence = "ignore:Rankbook runs as plain Python"
    assert warned("-W", silence, PYTHONPATH=str(plain_only)) == []


@pytest.mark.skipif(not page_cy.COMPILED, reason="the kernels run plain here")
def test_an_installation_with_compiled_kernels_warns_of_nothing():
    assert warned("-W", "error") == []


def test_doctor_says_that_the_kernels_run_as_plain_python(plain_only, tmp_path):
    command = ["-m", "rankbook", "--book", str(tmp_path / "book")]
    switches = {"PYTHONPATH": str(plain_only), "RANKBOOK_PLAIN": "1"}
    assert run("-m", "rankbook", "init", str(tmp_path / "book"), **switches).returncode == 0
    told = run(*command, "doctor", **switches)
    assert told.returncode == 0, told.stderr
    assert "The engine runs as plain Python" in told.stdout
    found = json.loads(run(*command, "doctor", "--json", **switches).stdout)
    assert set(found["store"]["kernels"].values()) == {"plain"}
