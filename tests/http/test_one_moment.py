"""Every figure of one answer is of one moment, however much is published while it is read."""

import re
from contextlib import contextmanager

import pytest

from tests.book.busy import Busy
from tests.http.within import TOML, within

BASE = 7  # The seal of the first day is an event, too.
SIZED = """
[[board]]
name = "short"
measures = { score = "points" }
order_by = ["score desc"]
windows = ["all-time", "daily"]
size = 4
"""
OF_A_RANKING = [
    "ranking?limit=3",
    "around/asha?limit=3",
    "players/asha",
    "among?player=asha&player=bram&player=new1",
    "scores?min=1",
    "histogram?bins=3",
    "histogram?edges=20&edges=50",
]
READS = [
    *[f"/v1/boards/speed/{each}" for each in OF_A_RANKING],
    *[f"/v1/boards/short/{each}" for each in OF_A_RANKING if "asha" not in each],
    "/v1/boards",
    "/v1/boards/speed/periods",
    "/v1/players/asha",
    "/v1/bundles/home",
    "/v1/events/base0",
]
PAGES = [
    "/",
    "/?player=asha",
    "/?wall=1",
    "/?board=speed&window=daily",
    "/player?player=asha",
    "/player?q=asha",
    "/player?player=asha&board=speed&window=daily",
    "/seasons",
    "/seasons?board=speed&window=daily&period=2026-11-30&compare=2026-11-29",
    "/submissions",
    "/submission?event=base0&step=2",
]


@contextmanager
def club(directory, store):
    """Six players, who have played on two days; `publish` adds a better one, and knows how many."""
    toml = TOML.replace("[book]", f'[book]\nstore = "{store}"') + SIZED
    with within(directory, toml=toml, upkeep_seconds=3600) as made:
        for day in (29, 30):
            made.clock.set(f"2026-11-{day}T12:00:00Z")
            for number, name in enumerate(("asha", "bram", "cai")):
                id = f"base{number}" if day == 30 else f"before{number}"
                made.submit(name, 40 - number, id=id)
        assert made.book.store.position() == BASE

        def publish():
            count = made.book.store.position() - BASE
            made.submit(f"new{count}", 50 + count, id=f"new{count}")

        made.publish = publish
        made.book.verify()  # It makes room, for in a snapshot of its own thread no store can grow.
        yield made


@pytest.mark.parametrize("path", [*READS, *PAGES])
@pytest.mark.parametrize("store", ["memory:", "embedded:"])
def test_an_answer_is_what_the_book_says_at_one_position(tmp_path, store, path):
    most = 10 if store == "memory:" else 3
    with club(tmp_path / "busy", store) as busy, Busy(busy.book, busy.publish, most) as reads:
        answer = busy.ask(path)
    assert answer.status_code in (200, 303), answer.text
    quiet_answers = []
    with club(tmp_path / "quiet", store) as quiet:
        for _position in range(reads.published + 1):
            quiet_answers.append(quiet.ask(path).text)
            quiet.publish()
    assert answer.text in quiet_answers


@pytest.mark.parametrize("store", ["memory:", "embedded:"])
def test_the_lag_is_between_the_positions_beside_it(tmp_path, store):
    with club(tmp_path / "busy", store) as busy, Busy(busy.book, busy.publish, 3):
        ready = busy.json("/readyz")
        text = busy.ask("/metrics").text
        lag = busy.book.lag()
    gauges = {
        name: float(value) for name, value in re.findall(r"^(rankbook_\w+) (\S+)$", text, re.M)
    }
    assert ready["position"] == BASE
    assert ready["pending"] == 1  # It was recorded after the position was read.
    assert gauges["rankbook_log_position"] == (
        gauges["rankbook_store_position"] + gauges["rankbook_pending_events"]
    )
    assert lag.head == lag.position + lag.events
