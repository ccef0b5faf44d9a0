"""What programs give is taken for what it means, or refused with its field: never a raw error."""

import enum
import numbers
import re
from collections import UserDict
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

import pytest

from rankbook import (
    Board,
    BookSpec,
    ConfigError,
    Event,
    EventConflict,
    MemoryStore,
    Rankbook,
    RankbookError,
    Refused,
    submit_with_retry,
)
from rankbook.importing import adopt
from rankbook.log import open_log

AT = "2026-11-30T10:00:00Z"
SPEC = BookSpec(
    name="calls",
    boards=(
        Board(
            "lap",
            {"lap": {"value": "seconds", "type": "decimal(3)"}},
            ("lap asc",),
            splits=((), ("mode",)),
            details=("seconds", "mode"),
        ),
    ),
    store="memory:",
)


class Float64(float):
    """As numpy's: a float of another class."""

    def __repr__(self):
        return f"Float64({float(self)!r})"


class Scalar:
    """As numpy's scalars that are no Python number: registered, and converted when asked."""

    def __init__(self, value):
        self.value = value

    def __float__(self):
        return float(self.value)

    def __int__(self):
        return int(self.value)

    __index__ = __int__

    def __eq__(self, other):
        return self.value == other

    __hash__ = None


class Int64(Scalar):
    pass


class Float32(Scalar):
    pass


numbers.Integral.register(Int64)
numbers.Real.register(Float32)


class Mode(enum.StrEnum):
    TIME = "time"


class Level(enum.IntEnum):
    FIRST = 1


@pytest.fixture
def book(tmp_path):
    with Rankbook(SPEC, open_log("sqlite:", tmp_path), MemoryStore()) as found:
        yield found
        assert found.verify().agrees


def numbered(value):
    """A name for a parameter that does not have the address of an object in it."""
    return re.sub(r" at 0x\w+", "", repr(value))


def given(**changes):
    return {"player": "asha", "values": {"seconds": 64.5, "mode": "time"}, "id": "a", **changes}


TAKEN = [
    given(),
    given(at=AT),
    given(at="2026-11-30T10:00:00.0000009Z"),
    given(at=datetime(2026, 11, 30, 10, tzinfo=UTC)),
    given(values={"seconds": Float64(64.5), "mode": Mode.TIME}),
    given(values={"seconds": Float32(64.5), "mode": "time"}),
    given(values={"seconds": Decimal("64.50"), "mode": "time"}),
    given(values={"seconds": Fraction(129, 2), "mode": "time"}),
    given(values=MappingProxyType({"seconds": 64.5, "mode": "time"})),
    given(values=UserDict(seconds=64.5, mode="time"), profile=UserDict(name=Mode.TIME)),
    given(sequence=Int64(7)),
    given(sequence=Level.FIRST),
]


@pytest.mark.parametrize("event", TAKEN, ids=numbered)
@pytest.mark.parametrize("form", [dict, UserDict, lambda keys: Event(**keys)])
def test_what_can_be_meant_in_one_way_only_is_taken(book, event, form):
    [entry] = [book.submit(form(event)), book.ranking("lap").entry("asha")][1:]
    assert (entry.score, entry.details) == (Decimal("64.500"), {"seconds": 64.5, "mode": "time"})
    again = book.submit(form(event))
    assert again.status == "ranked"
    assert book.log.head() == 1


@pytest.mark.parametrize("event", TAKEN, ids=numbered)
def test_its_content_is_that_of_plain_python(book, event):
    book.submit(event)
    plain = given(
        at=None if "at" not in event else datetime(2026, 11, 30, 10, tzinfo=UTC),
        sequence=None if "sequence" not in event else int(event["sequence"]),
        profile={} if "profile" not in event else {"name": "time"},
    )
    assert book.submit(Event(**plain)).event_id == "a"
    with pytest.raises(EventConflict):
        book.submit(Event(**{**plain, "values": {"seconds": 64.501, "mode": "time"}}))


@pytest.mark.parametrize("whole", [3, 3.0, Float64(3.0), Float32(3.0), Int64(3), Decimal("3.0")])
def test_a_whole_number_is_one_content_in_every_form(book, whole):
    book.submit(given(values={"seconds": 3, "mode": "time"}))
    assert book.submit(given(values={"seconds": whole, "mode": "time"})).event_id == "a"


WRONG = [
    ("", "x"),
    ("", None),
    ("", 5),
    ("", ["player"]),
    ("player", {"values": {"seconds": 1}}),
    ("palyer", given(palyer="asha")),
    ("player", given(player=None)),
    ("player", given(player=b"asha")),
    ("player", given(player=42)),
    ("id", given(id=None)),
    ("id", given(id=7)),
    ("kind", given(kind="reslut")),
    ("kind", given(kind=None)),
    ("kind", given(kind=["result"])),
    ("target", given(kind="void", target=5)),
    ("target", given(kind="void", target=None)),
    ("at", given(at="yesterday")),
    ("at", given(at="2026-11-30T10:00:00")),
    ("at", given(at=datetime(2026, 11, 30, 10))),
    ("at", given(at=date(2026, 11, 30))),
    ("at", given(at=1_795_000_000)),
    ("sequence", given(sequence="7")),
    ("sequence", given(sequence=7.5)),
    ("sequence", given(sequence=True)),
    ("values", given(values=None)),
    ("values", given(values=[64.5])),
    ("values", given(values="seconds=64.5")),
    ("values", given(values={5: 64.5})),
    ("profile", given(profile=None)),
    ("profile", given(profile=["Asha"])),
    ("profile.name", given(profile={"name": None})),
    ("profile", given(profile={5: "Asha"})),
    ("seconds", given(values={"seconds": None})),
    ("seconds", given(values={"seconds": True})),
    ("seconds", given(values={"seconds": [64.5]})),
    ("seconds", given(values={"seconds": {"value": 64.5}})),
    ("seconds", given(values={"seconds": b"64.5"})),
    ("seconds", given(values={"seconds": 1j})),
    ("seconds", given(values={"seconds": object()})),
    ("seconds", given(values={"seconds": Fraction(1, 3)})),
    ("seconds", given(values={"seconds": Float64("nan")})),
    ("seconds", given(values={"seconds": Decimal("NaN")})),
    ("seconds", given(values={"seconds": Decimal("sNaN")})),
    ("seconds", given(values={"seconds": Int64(2**70)})),
    ("seconds", given(values={"seconds": "64.5", "mode": "time"})),
    ("mode", given(values={"seconds": 1, "mode": 1.5})),
    ("mode", given(values={"seconds": 1, "mode": None})),
]
CALLS = {
    "submit": lambda book, event: book.submit(event),
    "submit_many": lambda book, event: book.submit_many([event]),
    "record": lambda book, event: book.record([event]),
    "check": lambda book, event: book.check(event),
    "retry": lambda book, event: submit_with_retry(book, event, attempts=1),
}


@pytest.mark.parametrize(("field", "event"), WRONG, ids=numbered)
@pytest.mark.parametrize("call", CALLS)
def test_anything_else_is_refused_at_its_field_and_nothing_is_recorded(book, field, event, call):
    with pytest.raises(RankbookError) as caught:
        CALLS[call](book, event)
    assert isinstance(caught.value, Refused | ConfigError)
    if isinstance(caught.value, Refused):
        assert caught.value.field == field
    assert book.log.head() == 0


@pytest.mark.parametrize(("field", "event"), WRONG, ids=numbered)
def test_what_is_adopted_is_a_fault_by_its_number(book, field, event):
    at = {} if isinstance(event, dict) and "at" in event else {"at": AT}
    wrong = {**event, **at} if isinstance(event, dict) else event
    summary = adopt(book, [given(at=AT, id="good"), wrong])
    assert (summary.recorded, summary.bad) == (1, 1)
    assert (summary.faults[0].line, summary.faults[0].column) == (2, field)


@pytest.mark.parametrize("events", [given(at=AT), Event(**given())])
def test_one_event_may_be_recorded_alone(book, events):
    assert book.record(events).new == 1


def test_a_void_as_a_dict_needs_no_player(book):
    book.submit(given())
    assert book.submit({"kind": "void", "target": "a"}).player == "asha"
    assert book.ranking("lap").count() == 0


def test_a_retry_of_a_dict_is_known(book):
    book.submit(given())
    assert book.outcome(given()).status == "ranked"
    with pytest.raises(EventConflict):
        book.outcome(given(sequence=1))
    assert submit_with_retry(book, given()).event_id == "a"
    with pytest.raises(ConfigError, match="id: is empty"):
        submit_with_retry(book, {"player": "asha"})
