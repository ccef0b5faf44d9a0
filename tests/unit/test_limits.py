"""What a book accepts as an event."""

from datetime import datetime, timedelta, timezone

import pytest

from rankbook.errors import Refused, SpecError
from rankbook.model import Event
from rankbook.rules import ValueRule, check_event
from rankbook.rules.limits import event_checker


def test_an_ordinary_event_is_accepted():
    at = datetime.fromisoformat("2026-11-30T18:30:00+05:30")
    values = {"wpm": 91, "accuracy": 97.5, "mode": "time"}
    check_event(Event(player="Aşa 🌊", values=values, id="e1", at=at, profile={"name": "Zoë"}))
    check_event(Event(player="p" * 256, id="e" * 128, sequence=2**63 - 1))
    check_event(Event(player="", kind="void", target="e1"))


@pytest.mark.parametrize(
    ("event", "field"),
    [
        ({"player": ""}, "player"),
        ({"player": "n" * 257}, "player"),
        ({"player": "n" * 10_000}, "player"),
        ({"player": "a\nb"}, "player"),
        ({"player": "a\x00"}, "player"),
        ({"player": "a\ud800"}, "player"),
        ({"player": 5}, "player"),
        ({"id": "e" * 129}, "id"),
        ({"id": "e\x7f"}, "id"),
        ({"kind": "void", "target": ""}, "target"),
        ({"kind": "ban", "player": ""}, "player"),
        ({"values": {"x": float("nan")}}, "x"),
        ({"values": {"x": float("inf")}}, "x"),
        ({"values": {"x": 2**63}}, "x"),
        ({"values": {"x": True}}, "x"),
        ({"values": {"x": None}}, "x"),
        ({"values": {"x": [1]}}, "x"),
        ({"values": {"x": "t" * 1001}}, "x"),
        ({"values": {"x": "\x1b"}}, "x"),
        ({"values": {"": 1}}, "values"),
        ({"values": {"n" * 65: 1}}, "values"),
        ({"values": {f"n{i}": 1 for i in range(65)}}, "values"),
        ({"profile": {"name": "n" * 257}}, "profile.name"),
        ({"profile": {"name": 5}}, "profile.name"),
        ({"profile": {"": "x"}}, "profile"),
        ({"profile": {f"n{i}": "" for i in range(33)}}, "profile"),
        ({"sequence": 2**63}, "sequence"),
        ({"sequence": True}, "sequence"),
        ({"at": datetime(2026, 11, 30)}, "at"),
        ({"at": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5)))}, "at"),
        ({"at": datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-5)))}, "at"),
    ],
)
def test_an_event_past_a_limit_is_refused_at_its_field(event, field):
    with pytest.raises(Refused) as caught:
        check_event(Event(**{"player": "asha", **event}))
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("rule", "good", "bad"),
    [
        (ValueRule("number", min=0, max=100), [0, 100, 99.5], [-1, 100.5, "5", float("nan"), True]),
        (ValueRule("integer"), [5, 5.0, -3], [5.5, "5", float("inf")]),
        (ValueRule("text", one_of=("time", "words")), ["time"], ["zen", 5]),
        (ValueRule("integer", one_of=(15, 30)), [15], [16]),
        (ValueRule("text"), ["", "x"], [1]),
    ],
)
def test_a_declared_value_is_held_against_its_rule(rule, good, bad):
    for value in good:
        rule.check("x", value)
    for value in bad:
        with pytest.raises(Refused) as caught:
            rule.check("x", value)
        assert caught.value.field == "x"


def test_limits_and_declared_rules_are_checked_where_a_value_is_there():
    check = event_checker({"accuracy": ValueRule("number", min=0, max=100)})
    check(Event(player="asha", values={"other": 500}))
    with pytest.raises(Refused, match=r"^accuracy: is 101, more than 100$"):
        check(Event(player="asha", values={"accuracy": 101}))
    with pytest.raises(Refused, match="player"):
        check(Event(player="", values={"accuracy": 99}))


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        ({"type": "text", "min": 1}, "min"),
        ({"type": "number", "max": float("inf")}, "max"),
        ({"type": "number", "min": 2, "max": 1}, "max"),
        ({"type": "integer", "one_of": (1, "x")}, "one_of[1]"),
        ({"type": "text", "one_of": (1,)}, "one_of[0]"),
    ],
)
def test_a_rule_that_cannot_be_is_refused(rule, field):
    with pytest.raises(SpecError) as caught:
        ValueRule(**rule)
    assert caught.value.field == field
