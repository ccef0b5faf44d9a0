"""A log file that a disk damaged: opening ends, nothing wrong is ranked, and it is said."""

import pytest

from rankbook import Corrupt, Event, Rankbook
from tests.contract import sqlite_pages

SPEC = """
[book]
name = "damaged"
[[board]]
name = "speed"
measures = { score = "score" }
order_by = ["score desc"]
"""


@pytest.fixture
def folder(tmp_path):
    """A book of seven results that are recorded and not ranked yet."""
    (tmp_path / "rankbook.toml").write_text(SPEC)
    with Rankbook.open(tmp_path) as book:
        book.record(
            [Event(id=f"e{n}", player=f"player{n}", values={"score": n}) for n in range(1, 8)]
        )
    return tmp_path


def test_a_book_opens_though_a_position_of_its_log_was_changed_and_folding_says_what_is_wrong(
    folder,
):
    sqlite_pages.move(folder / "log.sqlite", 5, 1)
    with Rankbook.open(folder) as book:
        assert book.pending() == 7
        with pytest.raises(Corrupt, match="the log has position 1 after position 4"):
            book.fold()
