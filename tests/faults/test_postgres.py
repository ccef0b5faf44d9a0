"""PostgreSQL stops, connections are cut, transactions stay open or fail to serialize."""

import signal
from collections import Counter
from threading import Event as Signal

import psycopg
import pytest

from rankbook import LogError, submit_with_retry
from tests.book.home import result
from tests.contract.proxy import proxied
from tests.faults.site import assert_sound, at_once, events_of, open_book, until

WRITERS = 3
STOPS = 3
EVENTS = "'rankbook_event'::regclass"
# Holds up whoever writes, and does not hold up who reads.
HOLD = f"""
LOCK TABLE rankbook_event IN SHARE ROW EXCLUSIVE MODE;
SELECT pg_advisory_xact_lock(1380011595, {EVENTS}::oid::integer)
"""
HELD_UP = f"SELECT count(*) FROM pg_locks WHERE relation = {EVENTS} AND NOT granted"
FAIL = """
CREATE SEQUENCE failures;
CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF nextval('failures') IN (1, 2, 4, 5, 6) THEN
        RAISE EXCEPTION 'could not serialize access' USING ERRCODE = '{code}';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER fail BEFORE INSERT ON rankbook_event FOR EACH ROW EXECUTE FUNCTION fail();
"""


@pytest.mark.parametrize("how", [signal.SIGQUIT, signal.SIGINT])
def test_a_server_stopped_and_started_under_load_loses_nothing(place, postgres, postgres_uri, how):
    up, done, moved = Signal(), Signal(), Signal()
    up.set()
    sent = [0] * WRITERS

    def writer(book, number):
        def work():
            while not done.is_set():
                event = result(f"p{number}", 1, id=f"{number}-{sent[number]}")
                receipt = submit_with_retry(book, event, attempts=100, pause=lambda _s: up.wait())
                assert receipt.status == "ranked"
                sent[number] += 1
                moved.set()

        return work

    def until_moved():
        moved.clear()
        assert moved.wait(60)

    with open_book(place, postgres_uri) as one, open_book(place, postgres_uri) as two:
        works = [writer((one, two)[number % 2], number) for number in range(WRITERS)]
        with at_once(*works):
            try:
                for _stop in range(STOPS):
                    until_moved()
                    up.clear()
                    postgres.stop(how)
                    postgres.start()
                    up.set()
                until_moved()
            finally:
                done.set()
                up.set()
        assert one.log.head() == sum(sent)
        assert_sound(two, {f"p{number}": count for number, count in enumerate(sent)})


def test_what_a_server_commits_for_a_client_that_was_killed_is_ranked_next(
    place, postgres_uri, nursery
):
    nursery.begin("load", place, postgres_uri, turn=0, store="embedded:")
    acknowledged = set(nursery.hear()["ids"])
    with psycopg.connect(postgres_uri) as held:
        held.execute(HOLD)
        until(lambda: held.execute(HELD_UP).fetchone() == (1,))
        nursery.kill()
        heard, _ended = nursery.rest()
        acknowledged |= {id for each in heard for id in each["ids"]}
        with open_book(place, postgres_uri) as book:
            assert {each.id for each in events_of(book)} == acknowledged
            assert book.pending() == 0
            held.commit()
            until(lambda: book.pending() > 0)
            assert book.submit(result("next", 1)).status == "ranked"
            assert_sound(book, Counter(each.player for each in events_of(book)))
            assert book.log.head() > len(acknowledged) + 1


def test_a_submission_cut_off_after_its_commit_counts_once(place, postgres_uri):
    with proxied(postgres_uri) as (through, proxy), open_book(place, through) as book:
        book.submit(result("asha", 1, id="a"))
        proxy.cut(b"rankbook_record")
        receipt = book.submit(result("asha", 2, id="b"))
        assert (receipt.status, proxy.cuts) == ("ranked", 0)
        proxy.cut(b"rankbook_record", times=100)
        with pytest.raises(LogError, match="recorded is not known"):
            book.submit(result("asha", 4, id="c"))
        proxy.cut(b"", times=0)
        assert book.outcome("c").status == "recorded"
        assert book.submit(result("asha", 4, id="c")).status == "ranked"
        assert book.log.head() == 3
        assert_sound(book, {"asha": 7})


def test_an_outbox_cut_off_after_its_commit_is_resolved_by_its_id(place, postgres_uri):
    event = result("asha", 5, id="a")
    with proxied(postgres_uri) as (through, proxy), open_book(place, through) as book:
        with psycopg.connect(through) as connection:
            connection.execute("CREATE TABLE tests (id text)")
            connection.commit()
            connection.execute("INSERT INTO tests VALUES ('a')")
            book.record(event, connection=connection)
            proxy.cut(b"COMMIT")
            with pytest.raises(psycopg.OperationalError):
                connection.commit()
        assert proxy.cuts == 0
        assert book.outcome(event).status == "recorded"
        assert book.submit(event).status == "ranked"
        assert book.log.head() == 1
        assert_sound(book, {"asha": 5})
        with psycopg.connect(postgres_uri) as connection:
            assert connection.execute("SELECT count(*) FROM tests").fetchone() == (1,)


def test_a_transaction_held_open_holds_nobody_up_and_counts_once(place, postgres_uri):
    with (
        open_book(place, postgres_uri) as book,
        open_book(place, postgres_uri) as other,
        psycopg.connect(postgres_uri) as held,
        psycopg.connect(postgres_uri) as dropped,
    ):
        book.record(result("held", 1, id="held"), connection=held)
        book.record(result("dropped", 1, id="dropped"), connection=dropped)
        for number in range(20):
            for each in (book, other):
                assert each.submit(result("asha", 1)).status == "ranked"
            if number == 10:
                dropped.rollback()
        assert book.outcome("held").status == "unknown"
        assert_sound(book, {"asha": 40})
        held.commit()
        assert other.submit(result("asha", 1)).status == "ranked"
        last = [each.id for each in events_of(other)][40:]
        assert "held" in last
        assert "dropped" not in last
        book.fold()
        assert book.outcome("held").status == "ranked"
        assert_sound(other, {"asha": 41, "held": 1})


@pytest.mark.parametrize("code", ["40001", "40P01"])
def test_a_transaction_that_failed_to_serialize_is_made_again(place, postgres_uri, code):
    with open_book(place, postgres_uri) as book:
        with psycopg.connect(postgres_uri, autocommit=True) as connection:
            connection.execute(FAIL.format(code=code))
        assert book.submit(result("asha", 1, id="a")).status == "ranked"
        with pytest.raises(LogError, match=code):
            book.submit(result("asha", 2, id="b"))
        assert book.outcome("b").status == "unknown"
        assert_sound(book, {"asha": 1})
        assert book.submit(result("asha", 2, id="b")).status == "ranked"
        assert_sound(book, {"asha": 3})


def test_writers_whose_transactions_are_serializable_lose_nothing(place, postgres_uri):
    strict = postgres_uri + "?options=-c%20default_transaction_isolation%3Dserializable"
    counts = Counter()

    def writer(book, name):
        def work():
            for number in range(60):
                event = result(name, 1, id=f"{name}-{number}")
                receipt = submit_with_retry(book, event, attempts=1000, pause=lambda _s: None)
                assert receipt.status in ("ranked", "pending")
                counts[name] += 1

        return work

    with open_book(place, strict) as one, open_book(place, strict) as two:
        with at_once(*[writer((one, two)[n % 2], f"p{n}") for n in range(4)]):
            pass
        one.fold()
        assert one.log.head() == 240
        assert_sound(two, counts)
