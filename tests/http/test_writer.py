"""The writer: many submissions in one transaction, each alone in what becomes of it."""

import asyncio
import threading

import pytest

from rankbook import Board, BookSpec, Event, EventConflict, LogError, MemoryStore, Rankbook, Refused
from rankbook.http.writer import Unavailable, Writer
from rankbook.log import open_log

SPEC = BookSpec(
    name="b", boards=(Board("speed", {"score": "wpm"}, ("score desc",)),), store="memory:"
)


def event(player: str, wpm: int, **more) -> Event:
    return Event(player=player, values={"wpm": wpm}, **more)


class Held(Rankbook):
    """A book whose submissions wait until they are let go; remembers its batches."""

    def __init__(self, *args, **more):
        super().__init__(*args, **more)
        self.batches: list[list[Event]] = []
        self.go = threading.Event()
        self.asked = threading.Event()

    def submit_many(self, submitted, *, ranks=True):
        self.batches.append(list(submitted))
        self.asked.set()
        assert self.go.wait(30)
        return super().submit_many(submitted, ranks=ranks)


@pytest.fixture
def book(tmp_path):
    with Held(SPEC, open_log("sqlite:", tmp_path), MemoryStore()) as found:
        yield found
        found.go.set()


async def held(book, writer, *more):
    """Tasks of submissions that wait while the first one is being recorded."""
    first = asyncio.create_task(writer.submit([event("first", 1)]))
    assert await asyncio.to_thread(book.asked.wait, 30)
    tasks = [first]
    for lane, events in more:
        tasks.append(asyncio.create_task(writer.submit(events, lane=lane)))
    await asyncio.sleep(0)
    return tasks


def run(book, test, **more):
    """Run a test with a writer, and close the writer."""

    async def main():
        writer = Writer(book, **more)
        try:
            return await test(writer)
        finally:
            book.go.set()
            await writer.close()

    return asyncio.run(main())


def test_what_comes_during_a_commit_shares_the_next_one(book):
    async def test(writer):
        tasks = await held(book, writer, *[("", [event(f"p{n}", n)]) for n in range(50)])
        book.go.set()
        receipts = await asyncio.gather(*tasks)
        assert [[each.player for each in some] for some in receipts[1:]] == [
            [f"p{n}"] for n in range(50)
        ]

    run(book, test)
    assert [len(batch) for batch in book.batches] == [1, 50]


def test_only_the_guilty_of_a_batch_fail(book):
    async def test(writer):
        more = [("", [event(f"p{n}", n, id=f"e{n}")]) for n in range(9)]
        more.insert(4, ("", [event("ok", 1, id="whole"), Event(player="no", values={"x": 1})]))
        more.insert(7, ("", [event("other", 1, id="e2")]))
        tasks = await held(book, writer, *more)
        book.go.set()
        return await asyncio.gather(*tasks, return_exceptions=True)

    answers = run(book, test)
    assert [n for n, each in enumerate(answers) if isinstance(each, Refused)] == [5]
    assert [n for n, each in enumerate(answers) if isinstance(each, EventConflict)] == [8]
    assert all(each[0].status == "ranked" for n, each in enumerate(answers) if n not in (5, 8))
    assert book.outcome("whole").status == "unknown"


def test_who_sends_much_does_not_keep_out_who_sends_little(book):
    async def test(writer):
        many = [("much", [event(f"m{n}-{k}", k) for k in range(10)]) for n in range(20)]
        tasks = await held(book, writer, *many, ("little", [event("little", 1)]))
        book.go.set()
        await asyncio.gather(*tasks)

    run(book, test, batch_events=20)
    assert [len(batch) for batch in book.batches[:2]] == [1, 11]
    assert book.batches[1][-1].player == "little"


def test_more_than_the_queue_holds_is_refused_and_the_rest_is_recorded(book):
    async def test(writer):
        tasks = await held(book, writer, ("", [event("a", 1)] * 3))
        with pytest.raises(Unavailable, match="3 events wait"):
            await writer.submit([event("b", 1)] * 3)
        fits = asyncio.create_task(writer.submit([event("c", 1), event("c", 2)]))
        await asyncio.sleep(0)
        assert writer.waiting == 5
        book.go.set()
        await asyncio.gather(*tasks, fits)

    run(book, test, queue_events=5)
    assert book.log.head() == 6


def test_a_submission_whose_client_has_gone_is_recorded_and_disturbs_nobody(book):
    async def test(writer):
        more = [("", [event(f"p{n}", n, id=f"e{n}")]) for n in range(3)]
        tasks = await held(book, writer, *more)
        tasks[2].cancel()
        await asyncio.sleep(0)
        book.go.set()
        answers = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(answers[2], asyncio.CancelledError)
        assert answers[1][0].status == answers[3][0].status == "ranked"

    run(book, test)
    assert book.outcome("e1").status == "ranked"


def test_closing_records_what_waits_and_takes_nothing_more(book):
    async def test(writer):
        tasks = await held(book, writer, *[("", [event(f"p{n}", n)]) for n in range(5)])
        closing = asyncio.create_task(writer.close())
        await asyncio.sleep(0)
        with pytest.raises(Unavailable, match="stops"):
            await writer.submit([event("late", 1)])
        book.go.set()
        await closing
        await asyncio.gather(*tasks)
        await writer.close()

    run(book, test)
    assert book.log.head() == 6


def test_when_the_log_is_down_each_hears_of_it_and_later_ones_are_recorded(book, monkeypatch):
    async def test(writer):
        def down(_drafts):
            raise LogError("the log is down")

        book.go.set()
        with monkeypatch.context() as patched:
            patched.setattr(book.log, "record", down)
            tasks = [asyncio.create_task(writer.submit([event(f"p{n}", n)])) for n in range(5)]
            answers = await asyncio.gather(*tasks, return_exceptions=True)
            assert all(isinstance(each, LogError) for each in answers)
        [receipt] = await writer.submit([event("after", 1)])
        assert receipt.status == "ranked"

    run(book, test)


def test_a_failure_that_nobody_foresaw_is_told_to_who_waits_and_the_writer_goes_on(
    book, monkeypatch
):
    async def test(writer):
        def broken(*_args, **_more):
            raise ZeroDivisionError

        book.go.set()
        with monkeypatch.context() as patched:
            patched.setattr(book, "submit_many", broken)
            with pytest.raises(ZeroDivisionError):
                await writer.submit([event("a", 1)])
        assert (await writer.submit([event("a", 1)]))[0].status == "ranked"

    run(book, test)


def test_an_idle_writer_ranks_what_others_have_left_pending(tmp_path):
    now = [1_000_000]

    async def test(book):
        ranked = asyncio.Event()
        loop = asyncio.get_running_loop()
        catch_up = book.catch_up

        def told():
            catch_up()
            if not book.pending():
                loop.call_soon_threadsafe(ranked.set)

        book.catch_up = told
        writer = Writer(book, upkeep_seconds=0.01)
        book.record(event("a", 1, id="left"))
        writer.start()
        now[0] += 60_000_000
        await asyncio.wait_for(ranked.wait(), 30)
        await writer.close()
        assert book.outcome("left").status == "ranked"

    with Rankbook(SPEC, open_log("sqlite:", tmp_path), MemoryStore(), clock=lambda: now[0]) as book:
        asyncio.run(test(book))


def test_who_waits_for_the_rankings_is_told_after_each_batch(book):
    async def test(writer):
        told = []
        writer.told = lambda: told.append(threading.current_thread())
        book.go.set()
        await writer.submit([event("a", 1)])
        await writer.submit([event("a", 2)])
        assert told == [threading.current_thread()] * 2

    run(book, test)
