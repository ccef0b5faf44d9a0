"""A time finer than a microsecond is cut, on every way in: it never rounds into the next period."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankbook import Rankbook, Refused
from rankbook.rules import micros
from rankbook.rules.instants import parse_instant
from tests.kinds.ways import WAYS

LAST = "2026-10-04T18:29:59.999999999Z"
CUT = datetime(2026, 10, 4, 18, 29, 59, 999999, UTC)
TOML = """\
[book]
name = "india"

[[board]]
name = "day"
measures = { score = "points" }
order_by = ["score desc"]
windows = ["daily"]
zone = "+05:30"
"""


@pytest.mark.parametrize("way", WAYS)
def test_the_last_nanosecond_of_a_day_counts_on_that_day(way, tmp_path):
    (tmp_path / "rankbook.toml").write_text(TOML)
    way(tmp_path, LAST, "1", "one")
    with Rankbook.open(tmp_path) as book:
        periods = [each.period.id for each in book.periods("day")]
        assert periods == ["2026-10-04"]
        entry = book.ranking("day", period="2026-10-04").entry("asha")
        assert entry.reached_at == CUT


@given(
    st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29)),
    st.integers(0, 20),
    st.sampled_from(["Z", "+05:30", "-11:45", "z"]),
)
def test_digits_after_the_sixth_change_nothing(at, more, zone):
    text = at.strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0") + f".{at.microsecond:06}"
    plain = parse_instant(text + zone, "at")
    assert parse_instant(f"{text}{'9' * more}{zone}", "at") == plain
    assert micros(plain) % 1_000_000 == at.microsecond


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-10-04", "2026-10-04T18:29:60Z", "2026-10-04T18:29:59.9", "5"]
)
def test_what_is_no_time_with_a_zone_is_refused_at_its_field(text):
    with pytest.raises(Refused) as caught:
        parse_instant(text, "values.when")
    assert caught.value.field == "values.when"
