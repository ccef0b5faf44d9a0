"""No secret of a URI is shown: not in a message, not in a cause, however it was written."""

import re
import traceback

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankbook import Board, BookSpec, RankbookError
from rankbook.log import open_log, open_rows
from rankbook.store import open_store
from rankbook.uris import HIDDEN, UNTOLD, covered, leaks, shown

SCHEMES = [
    "postgres",
    "postgresql+psycopg",
    "mysql",
    "mongodb",
    "redis",
    "rediss",
    "redis+cluster",
    "redis+sentinel",
    "unix",
    "upstash+https",
    "valkey",
]
# What a person may put in a password without encoding it, and with a part that can be recognised.
MARKS = st.text("@/?#:%&=+ ,;[]~'\"!$ß日", max_size=4)
WORDS = st.text("abcdefghijkmnpqrtuvwxyz", min_size=6, max_size=10).map(lambda word: f"x9{word}")


@st.composite
def passwords(draw):
    return "".join([draw(MARKS), draw(WORDS), draw(MARKS), draw(WORDS), draw(MARKS)])


def words(password):
    """The parts of a made-up password that nothing else has."""
    return re.findall(r"x9[a-z]{6,}", password)


def told(call):
    """All that a person sees of a call: its error with its causes, or what it is connected to."""
    try:
        opened = call()
    except RankbookError:
        return traceback.format_exc()
    return repr(opened)


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("sqlite:", "sqlite:"),
        ("sqlite:far/log 1.sqlite", "sqlite:far/log 1.sqlite"),
        ("mysql", "mysql"),
        ("mysql://x", "mysql://x"),
        ("redis://host:6379/0?password=s3cret", "redis://host:6379/0"),
        ("postgres://bob:s3cret@host:5432/db", f"postgres://{HIDDEN}@host:5432/db"),
        ("postgres://bob:s3 cr/e@t@host/db", f"postgres://{HIDDEN}@host/db"),
        ("postgres:bob:s3cret@host/db", HIDDEN),
        ("host=here password=s3cret", HIDDEN),
    ],
)
def test_a_uri_is_shown_without_its_secret(uri, expected):
    assert shown(uri) == expected


def test_a_drivers_text_is_told_unless_it_repeats_a_part_of_the_secret():
    uri = "postgresql://bob:pass/w0rd@host/db"
    assert covered("connection refused", uri) == "connection refused"
    assert covered('invalid port "pass"', uri) == UNTOLD
    assert covered("no host w0rd", uri) == UNTOLD
    assert leaks("w0rd", "x://u:w%30rd@h")


@given(st.sampled_from(SCHEMES), passwords(), st.sampled_from(["host:1/db", "host", "/a/b", ""]))
def test_what_is_shown_of_a_uri_has_no_part_of_its_password(scheme, password, place):
    uri = f"{scheme}://bob:{password}@{place}"
    assert not leaks(shown(uri), uri)
    assert password not in shown(uri)


@given(st.sampled_from(SCHEMES), passwords())
def test_no_error_of_opening_a_log_a_store_or_a_database_shows_a_password(
    tmp_path_factory, scheme, password
):
    directory = tmp_path_factory.mktemp("none")
    for uri in (
        f"{scheme}://bob:{password}@127.0.0.1:1/db",
        f"{scheme}://127.0.0.1:1/db?password={password}",
    ):
        seen = [
            told(lambda uri=uri: open_log(uri, directory)),
            told(lambda uri=uri: open_store(uri, directory).transport.where),
            told(lambda uri=uri: open_rows(uri, "SELECT 1").__enter__()),
        ]
        assert not [word for word in words(password) if any(word in each for each in seen)]


@given(passwords())
def test_a_postgresql_uri_that_cannot_be_read_or_reached_shows_no_password(
    tmp_path_factory, password
):
    directory = tmp_path_factory.mktemp("none")
    seen = told(lambda: open_log(f"postgresql://bob:{password}@127.0.0.1:1/db", directory))
    assert "Error: " in seen
    assert not [word for word in words(password) if word in seen]


def test_a_specification_shows_no_uri():
    board = Board("speed", measures={"score": "wpm"}, order_by=("score desc",))
    spec = BookSpec(name="b", boards=(board,), log="postgresql://bob:s3cret@host/db")
    assert "s3cret" not in f"{spec!r} {spec}"
