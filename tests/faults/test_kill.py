"""kill -9: between every two steps of a submission, all in turn, and at random under load."""

import random
import signal
from collections import Counter

import pytest

from tests.depth import scaled, soaks
from tests.faults.site import assert_sound, batches_of, events_of, open_book, totals, until_left

ROUNDS = scaled(200)
ROUNDS_OF_TWO_SERVERS = scaled(40)
TURNS = 9  # of a book
KILLED = -signal.SIGKILL

# What must have been among the steps, so that the sweep cannot become an empty one.
STEPS = {
    "log.record",
    "log.read",
    "log.find",
    "log.erase",
    "store.position",
    "store.entries",
    "store.read",
    "store.publish",
    "store.receipts",
    "what follows a step",
}
COMMITS = {"embedded:": "LMDB's commit"}  # in any other store it is a script


def wanted_of(turns):
    """The totals once all of these turns are in."""
    wanted = Counter()
    for turn in turns:
        wanted[f"p{turn}"] += turn + 1
        wanted["other"] += 7
    return wanted


def assert_recorded_counts(book, turn, acknowledged):
    """Each event counts once where it is recorded, and those that were acknowledged are."""
    ids = [event.id for batch in batches_of(turn) for event in batch]
    found = book.log.find(ids)
    there = {id for id, each in zip(ids, found, strict=True) if each is not None}
    assert acknowledged <= there
    assert (f"{turn}-b" in there) == (f"{turn}-c" in there)
    wanted = wanted_of(range(turn))
    wanted[f"p{turn}"] += (turn + 1) * (f"{turn}-a" in there)
    wanted[f"p{turn}"] += 1000 * (f"{turn}-b" in there and f"{turn}-v" not in there)
    wanted["other"] += 7 * (f"{turn}-c" in there)
    wanted[f"gone{turn}"] += 5 * (f"{turn}-d" in there and f"{turn}-e" not in there)
    assert totals(book) == +wanted
    if f"{turn}-e" in there:
        assert list(book.log.of_player(f"gone{turn}", book.log.head())) == []
    return there


def retry(book, turn, there):
    """Submit everything again with the same ids, as a client does who heard no answer."""
    for batch in batches_of(turn):
        erased = batch[0].id == f"{turn}-d" and f"{turn}-e" in there
        if not erased:
            assert {each.status for each in book.submit_many(batch)} == {"ranked"}


def kill_once(place, log, store, nursery, turn, fatal, calls=None):
    """Submit what a turn has, be killed at a step, open again and retry; the step's name.

    Where nothing killed it, the names of all steps.
    """
    heard, ended = nursery.run(
        "steps", place, log, turn=turn, fatal=fatal, calls=calls, store=store
    )
    assert ended in (0, KILLED), heard
    acknowledged = {id for each in heard for id in each.get("ids", ())}
    assert {s for each in heard for s in each.get("status", ())} <= {"ranked"}
    with open_book(place, log, day=turn, store=store) as book:
        there = assert_recorded_counts(book, turn, acknowledged)
        retry(book, turn, there)
        assert_sound(book, wanted_of(range(turn + 1)))
        kinds = Counter(each.kind for each in events_of(book))
    assert kinds["result"] == 3 * (turn + 1)
    assert kinds["seal"] == turn
    return ended, heard[-1]["passed"] if ended == 0 else heard[-1]["killed"]


@pytest.mark.deep
def test_killed_at_each_step_of_submit_in_turn(place, new_log, new_store, nursery):
    def book_of(name, fatals):
        """A turn without a kill, as it has fewer steps: no period is due. Then a turn a kill."""
        book, store = place / name, new_store()
        book.mkdir()
        with new_log() as log:
            kill_once(book, log, store, nursery, 0, 0)
            return store, [
                kill_once(book, log, store, nursery, turn, fatal)
                for turn, fatal in enumerate(fatals, 1)
            ]

    store, [(ended, names)] = book_of("whole", [0])
    assert ended == 0
    wanted = {*STEPS, COMMITS.get(store, "a script")}
    assert {f"{side} {step}" for step in wanted for side in ("before", "after")} <= set(names)
    fatals = fatal_steps(names)
    for start in range(0, len(fatals), TURNS):
        part = fatals[start : start + TURNS]
        _store, ends = book_of(str(start), part)
        assert ends == [(KILLED, names[fatal - 1]) for fatal in part]


def fatal_steps(names):
    """The numbers of the steps to be killed at: of all, or of the first with each name."""
    if soaks():
        return range(1, len(names) + 1)
    return sorted({name: number for number, name in reversed([*enumerate(names, 1)])}.values())


@pytest.mark.deep
def test_killed_at_each_step_of_the_first_submit_of_a_book(place, new_log, new_store, nursery):
    def first_submit(fatal):
        book, store = place / str(fatal), new_store()
        book.mkdir()
        with new_log() as log:
            return store, kill_once(book, log, store, nursery, 0, fatal, calls=1)

    store, (ended, names) = first_submit(0)
    assert ended == 0
    commit = COMMITS.get(store, "a script")
    assert {f"before {commit}", f"after {commit}", "after log.record"} <= set(names)
    for fatal in fatal_steps(names):
        _store, end = first_submit(fatal)
        assert end == (KILLED, names[fatal - 1])


@pytest.mark.deep
def test_killed_at_random_under_load(place, log, new_store, nursery):
    chance, store = random.Random(5), new_store()
    servers = log.startswith("postgres") and store.startswith("redis")
    rounds = ROUNDS_OF_TWO_SERVERS if servers else ROUNDS
    wanted, seen, after = Counter(), set(), 0
    for turn in range(rounds):
        nursery.begin("load", place, log, turn=turn, store=store)
        first = [nursery.hear() for _ in range(chance.choice([0, 1, 2, 5, 20]))]
        for _step in range(chance.randrange(20_000)):
            pass
        nursery.kill()
        heard, ended = nursery.rest()
        assert ended == KILLED, heard
        until_left(log)
        with open_book(place, log, store=store) as book:
            for event in events_of(book, after):
                assert event.id not in seen
                seen.add(event.id)
                wanted[event.player] += 1
                after = event.seq
            assert {id for each in [*first, *heard] for id in each["ids"]} <= seen
            assert book.pending() == 0
            assert totals(book) == wanted
            if turn % 20 == 0 or turn == rounds - 1:
                assert_sound(book, wanted)
    assert len(seen) > rounds
