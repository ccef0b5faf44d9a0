"""The documents name only what exists, and all that they must."""

import ast
import re
from functools import cache
from typing import get_args, get_type_hints

import msgspec
import pytest
import typer

from rankbook import Board, BookSpec, Bundle, BundleRanking, Measure, ValueRule
from rankbook.book import state
from rankbook.cli import exits
from rankbook.cli.main import SUBCOMMANDS, app
from rankbook.engine import check
from rankbook.errors import RankbookError
from rankbook.importing import FORMATS
from rankbook.log import SCHEMES as LOGS
from rankbook.model import Event
from rankbook.rules import Season
from rankbook.rules.folding import CHANGED, KEEPS, WHYS
from rankbook.rules.numbering import NUMBERINGS
from rankbook.rules.windows import WINDOWS
from rankbook.store import SCHEMES as STORES
from tests.docs.markdown import DOCUMENTS, PROJECT, anchors, links, read, section, spans

SOURCE = PROJECT / "src" / "rankbook"
_PATH = re.compile(r"([\w.-]+/)*[\w.-]+\.(py|pyi|pxd|toml|sql|md)|([\w.-]+/)+")
_NAMED = re.compile(r"(?P<path>(?:[\w.-]+/)*[\w.-]+\.py):(?P<name>[\w.]+)")

# The documents that speak of the source: their paths begin at the project or at the package.
OF_THE_SOURCE = ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/format.md"]
DECISIONS = [document for document in DOCUMENTS if document.startswith("docs/decisions/0")]
# What a book's directory holds, and files that examples make.
NOT_OF_THE_PROJECT = {"rankbook.toml", "rankings/"}


def found(path: str):
    return next((each / path for each in (PROJECT, SOURCE) if (each / path).exists()), None)


@cache
def defined(path) -> set[str]:
    """The dotted names of the functions, classes and methods of a file."""
    names: set[str] = set()

    def walk(node, prefix):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names.add(prefix + child.name)
                walk(child, f"{prefix}{child.name}.")

    walk(ast.parse(path.read_text(encoding="utf-8")), "")
    return names


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_link_leads_to_a_file_and_a_heading(document):
    for link in links(document):
        if re.match(r"\w+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (PROJECT / document).parent / path if path else PROJECT / document
        assert target.exists(), f"{document}: {link}"
        if anchor:
            name = target.resolve().relative_to(PROJECT).as_posix()
            assert anchor in anchors(name), f"{document}: {link}"


@pytest.mark.parametrize("document", [*OF_THE_SOURCE, *DECISIONS])
def test_every_path_is_that_of_a_file(document):
    for span in spans(document):
        if _PATH.fullmatch(span) and span not in NOT_OF_THE_PROJECT:
            assert found(span), f"{document}: {span}"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_function_is_in_the_file_it_is_said_to_be_in(document):
    for span in spans(document):
        if named := _NAMED.fullmatch(span):
            path = found(named["path"])
            assert path, f"{document}: {span}"
            assert named["name"] in defined(path), f"{document}: {span}"


def test_the_architecture_names_every_folder_and_has_five_walks_and_two_pages():
    there = set(spans("ARCHITECTURE.md"))
    folders = [path for path in SOURCE.iterdir() if (path / "__init__.py").exists()]
    rooms = [path for path in (SOURCE / "book").iterdir() if (path / "__init__.py").exists()]
    for path in [*folders, *rooms]:
        assert f"{path.relative_to(SOURCE).as_posix()}/" in there, path
    walks = re.findall(r"^### (.+)$", section("ARCHITECTURE.md", "Five walks"), re.MULTILINE)
    assert len(walks) == 5
    assert len(read("ARCHITECTURE.md").splitlines()) <= 140


@pytest.mark.parametrize(
    "spec", [Board, BookSpec, Bundle, BundleRanking, Measure, Season, ValueRule]
)
def test_every_key_of_a_book_is_described(spec):
    text = read("docs/boards.md")
    for field in msgspec.structs.fields(spec):
        assert re.search(rf"^\| `{field.encode_name}`", text, re.MULTILINE), field.name


@pytest.mark.parametrize("choices", [KEEPS, WINDOWS, NUMBERINGS, LOGS, STORES])
def test_every_choice_is_described(choices):
    there = set(spans("docs/boards.md"))
    for choice in choices:
        assert there & {choice, f"{choice}:"}, choice


def rows_of(text: str) -> dict[str, str]:
    """The second cell of each row of the tables, by the code span in the first."""
    return dict(re.findall(r"^\| `([^`]+)` \| ([^|]*) \|", text, re.MULTILINE))


def test_every_word_of_receipts_is_explained_and_says_whether_it_changed_the_entry():
    rows = rows_of(section("docs/boards.md", "Why: the words of receipts"))
    assert rows == {why: "yes" if why in CHANGED else "no" for why in WHYS}


def test_every_kind_of_event_is_described():
    kinds = get_args(get_type_hints(Event)["kind"])
    assert set(rows_of(section("docs/boards.md", "Events"))) == set(kinds)


def test_what_needs_a_rebuild_is_what_has_a_part_in_the_meaning_of_a_board():
    board = Board(
        name="b",
        measures={"score": "x"},
        order_by=["score desc"],
        keep="total",
        best_of=2,
        where="x > 0",
        windows=["weekly", "season"],
        week_start="sunday",
        seasons=[{"name": "s", "start": "2026-01-01", "end": "2026-02-01"}],
        seal=True,
        grace_seconds=1,
        cooldown_seconds=1,
        keep_periods=3,
        profiles="player",
    )
    text = section("docs/boards.md", "What needs rankings to be made anew")
    first, second = text.strip().split("\n\n")
    spans_of = set(re.findall(r"`(\w+)`", first))
    assert spans_of - {"RebuildNeeded"} == set(board.meaning()) - {"form"} | {"latest_by"}
    free = set(re.findall(r"`(\w+)`", second))
    fields = {field.encode_name for field in msgspec.structs.fields(Board)}
    assert fields == (spans_of & fields) | (free & fields)


def test_every_state_ranking_is_described():
    names = set(re.findall(r"^    (~\S+)", state.__doc__, re.MULTILINE))
    rows = re.findall(r"^\| `(~[^`]+)`", section("docs/format.md", "State rankings"), re.MULTILINE)
    assert names == set(rows)
    assert names <= set(spans("ARCHITECTURE.md"))


def test_every_decision_is_in_the_list_and_the_readme_is_short():
    there = sorted(path.name for path in (PROJECT / "docs/decisions").glob("0*.md"))
    assert [link for link in links("docs/decisions/README.md") if link[0] == "0"] == there
    assert len(read("README.md").splitlines()) < 150


def test_every_subcommand_and_option_is_described():
    group = typer.main.get_command(app)
    shared = section("docs/command.md", "Options of many subcommands")
    assert set(group.commands) == set(SUBCOMMANDS)
    for name, command in group.commands.items():
        text = section("docs/command.md", f"rankbook {name}")
        for parameter in command.params:
            for option in parameter.opts:
                if parameter.param_type_name == "argument" or "--help" in parameter.opts:
                    continue
                assert f"`{option}" in text + shared, f"{name} {option}"


def test_every_exit_code_is_in_the_table_with_its_errors():
    text = section("docs/command.md", "Exit codes")
    rows = dict(re.findall(r"^\| (\d+) \| (.*) \|$", text, re.MULTILINE))
    codes = {value for name, value in vars(exits).items() if name.isupper() and type(value) is int}
    assert set(rows) == {str(code) for code in {0} | codes}
    for error, code in exits.EXITS.items():
        if issubclass(error, RankbookError):
            assert f"`{error.__name__}`" in rows[str(code)], error


def test_every_import_format_is_described():
    for name in FORMATS:
        assert section("docs/command.md", f"Format {name}")


def test_the_invariants_are_those_that_the_checker_lists():
    listed = re.findall(r"^(\d+)\. (.+?)(?=^\d+\. |\Z)", check.__doc__, re.MULTILINE | re.DOTALL)
    text = section("docs/format.md", "Invariants")
    rows = re.findall(r"^\| (\d+) \| \*\*", text, re.MULTILINE)
    assert rows == [number for number, _ in listed]
