"""Whatever one event raises fails that event alone, and nobody else who sent at that time."""

import asyncio

import pytest

from rankbook import Board, BookSpec, Event, MemoryStore, Rankbook, Refused
from rankbook.http.writer import Writer
from rankbook.log import open_log
from rankbook.rules.scoring import CompiledMeasure, Measure

SPEC = BookSpec(
    name="b",
    boards=(Board("sum", {"score": "points"}, ("score desc",), keep="total"),),
    store="memory:",
)
BROKEN = ("rogue-1", "rogue-2")


class Fault(Exception):
    """What nobody has thought of."""


class Breaking(Rankbook):
    """A book that breaks over the events of some players, before or after it records them."""

    after = False

    def submit_many(self, submitted, *, ranks=True):
        broken = any(event.player in BROKEN for event in submitted)
        if self.after or not broken:
            receipts = super().submit_many(submitted, ranks=ranks)
        if broken:
            raise Fault
        return receipts


@pytest.fixture(params=[False, True], ids=["before recording", "after recording"])
def book(request, tmp_path):
    with Breaking(SPEC, open_log("sqlite:", tmp_path), MemoryStore()) as found:
        found.after = request.param
        yield found


def test_two_clients_whose_events_break_the_book_hurt_nobody_else(book):
    players = [f"p{n}" for n in range(200)]
    sent = [*players[:60], "rogue-1", *players[60:140], "rogue-2", *players[140:]]

    async def main():
        writer = Writer(book)
        try:
            waits = [
                writer.submit([Event(player=player, values={"points": 1})], lane=player)
                for player in sent
            ]
            return await asyncio.gather(*waits, return_exceptions=True)
        finally:
            await writer.close()

    answers = dict(zip(sent, asyncio.run(main()), strict=True))
    for rogue in BROKEN:
        assert isinstance(answers.pop(rogue), Fault)
    assert [receipt.player for [receipt] in answers.values()] == players
    recorded = [event.player for event in book.log.read(0, 1000)]
    assert sorted(set(recorded) - set(BROKEN)) == sorted(players)
    assert len(set(recorded)) == len(recorded), "no event is recorded twice"


def test_a_measure_that_fails_in_a_way_nobody_thought_of_refuses_its_event(monkeypatch):
    compiled = CompiledMeasure("m", Measure("x / 2", "decimal(2)"), "measures.m")
    whole = CompiledMeasure("m", Measure("x / 2"), "measures.m")

    class Odd(dict):
        def get(self, name, default=None):
            raise Fault

    for each in (compiled, whole):
        with pytest.raises(Refused, match=r"^m: cannot be computed$"):
            each(Odd(x=1))
