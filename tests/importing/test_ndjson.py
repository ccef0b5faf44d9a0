"""One JSON object a line, read strictly."""

import json

import pytest

from rankbook import Refused
from rankbook.importing import ndjson
from tests.importing.files import counts, places

AT = "2026-11-30T18:30:00Z"
VALUES = {"wpm": 90, "accuracy": 98.5, "mode": "time"}
GOOD = json.dumps({"player": "y", "at": AT, "values": VALUES})


def test_an_object_is_an_event_with_its_own_id_and_profile():
    text = json.dumps({"id": "e1", "player": "x", "at": AT, "profile": {"name": "X"}})
    event = ndjson.parse(text)
    assert (event.id, event.player, event.profile) == ("e1", "x", {"name": "X"})


def test_integers_past_doubles_stay_exact():
    event = ndjson.parse('{"player":"x","values":{"points":9007199254740993}}')
    assert event.values == {"points": 9007199254740993}


def line(**changes):
    return json.dumps({"player": "x", "at": AT, "values": VALUES, **changes})


BAD = [
    ('{"player":"x","player":"y"}', "player", "is given twice"),
    (f'{{"player":"x","at":"{AT}","values":{{"wpm":1,"wpm":2}}}}', "wpm", "is given twice"),
    (line(values={**VALUES, "wpm": float("nan")}), "wpm", "is not a finite number"),
    (line(values={**VALUES, "wpm": float("inf")}), "wpm", "is not a finite number"),
    (line().replace("90", "1e400"), "wpm", "is not a finite number"),
    (line(values={**VALUES, "wpm": "fast"}), "wpm", "is 'fast', not a number"),
    (line(values={**VALUES, "wpm": True}), "wpm", "is True; a value is a number or text"),
    (line(values={**VALUES, "wpm": None}), "wpm", "is None; a value is a number or text"),
    (line(values={**VALUES, "wpm": [1]}), "wpm", "is [1]; a value is a number or text"),
    (line(values={**VALUES, "accuracy": 140}), "accuracy", "is 140, more than 100"),
    (line(values={**VALUES, "mode": "zen"}), "mode", "is 'zen'; there are: time, words"),
    (line(values={"accuracy": 1, "mode": "time"}), "wpm", "is missing"),
    (line(values=[1]), "values", "is [1], not a dict of values"),
    (line(at="99999-01-01T00:00:00Z"), "at", "not a time such as"),
    (line(at=None), "at", "is missing"),
    (line(at=7), "at", "is 7, not a time such as"),
    (line(player=""), "player", "is empty"),
    (line(player="x" * 10_000), "player", "has 10000 characters; there may be 256"),
    (line(player=7), "player", "is 7, not text"),
    (line(player="\ud800"), "player", "has a control character in it"),
    (line(player="a\0b"), "player", "has a control character in it"),
    (line(sequence=1.5), "sequence", "is 1.5, not an integer"),
    (line(points=5), "points", "is not known; there are: player, values, id"),
    (line(kind="bans"), "kind", "'bans' is not known; did you mean 'ban'?"),
    (line(kind="void", target="nothing"), "target", "is 'nothing', which is no recorded result"),
    (line(kind="void"), "target", "is '', which is no recorded result"),
    (line(kind="seal", target="speed/daily/2026-11-30"), "target", "does not seal its periods"),
    ("[1, 2]", "", "is no JSON object"),
    ("7", "", "is no JSON object"),
    ('{"player":', "", "not JSON: "),
    ("{'player': 'x'}", "", "not JSON: "),
    ("[" * 90_000, "", "not JSON"),
    (f'{{"values":{{"a":{"9" * 5000}}}}}', "", "not JSON that can be read"),
    ('{"values": {}}', "player", "is missing"),
    (GOOD[:-9], "", "not JSON: "),
    ("\0", "", "has a NUL byte in it"),
]


@pytest.mark.parametrize(("text", "column", "reason"), BAD)
def test_a_bad_line_is_named_with_its_key_and_the_good_ones_are_recorded(
    imported, text, column, reason
):
    summary = imported(f"{line()}\n{text}\n{GOOD}\n", "ndjson")
    assert counts(summary) == (2, 0, 1)
    [(number, where, why)] = places(summary)
    assert (number, where) == (2, column)
    assert reason in why


def test_invalid_utf_8_a_byte_order_mark_blank_lines_and_windows_line_ends(imported):
    text = b"\xef\xbb\xbf" + line().encode() + b'\r\n\r\n{"player":"\xff"}\r\n' + GOOD.encode()
    summary = imported(text, "ndjson")
    assert counts(summary) == (2, 0, 1)
    assert places(summary) == [(3, "", "is not valid UTF-8")]


def test_an_empty_file_is_an_import_of_nothing(imported):
    assert counts(imported("", "ndjson")) == (0, 0, 0)


def test_lines_without_an_id_are_known_again_in_any_order_of_keys(imported):
    again = json.dumps({"values": dict(reversed(VALUES.items())), "at": AT, "player": "y"})
    assert counts(imported(GOOD, "ndjson")) == (1, 0, 0)
    assert counts(imported(again, "ndjson")) == (0, 1, 0)


def test_a_line_without_a_player_is_of_the_one_who_is_given(imported):
    text = json.dumps({"at": AT, "values": VALUES})
    assert counts(imported(text, "ndjson", "asha")) == (1, 0, 0)


def scored(book):
    return [(entry.player, entry.score) for entry in book.ranking("speed").top().entries]


def test_every_kind_of_event_that_the_book_takes_is_imported(imported, book):
    first = {"id": "x1", "player": "x", "at": AT, "values": VALUES}
    better = {"id": "x2", "player": "x", "at": AT, "values": {**VALUES, "wpm": 120}}
    events = [
        *(first, better, {"id": "y1", **json.loads(GOOD)}),
        {"kind": "void", "target": "x2", "at": AT},
        {"kind": "correct", "target": "y1", "values": {**VALUES, "wpm": 100}, "at": AT},
        {"kind": "profile", "player": "x", "profile": {"name": "X"}, "at": AT},
        *({"kind": "ban", "player": "y", "at": AT}, {"kind": "unban", "player": "y", "at": AT}),
        *({"id": "z1", **json.loads(line(player="z"))}, {"kind": "ban", "player": "z", "at": AT}),
    ]
    text = "\n".join([json.dumps(each) for each in events])
    assert counts(imported(text, "ndjson")) == (10, 0, 0)
    assert scored(book) == [("y", 99), ("x", 89)]
    assert counts(imported(text, "ndjson")) == (0, 10, 0)


def test_what_is_about_another_event_is_not_of_the_player_who_is_given(imported, book):
    text = "\n".join(
        [
            json.dumps({"id": "y1", **json.loads(GOOD)}),
            json.dumps({"kind": "void", "target": "y1", "at": AT}),
            json.dumps({"at": AT, "values": VALUES}),
        ]
    )
    assert counts(imported(text, "ndjson", "asha")) == (3, 0, 0)
    assert scored(book) == [("asha", 89)]


def test_events_without_an_id_that_differ_in_kind_only_have_different_ids(imported):
    ban, unban = [json.dumps({"kind": kind, "player": "x", "at": AT}) for kind in ("ban", "unban")]
    assert counts(imported(f"{ban}\n{unban}", "ndjson")) == (2, 0, 0)
    assert counts(imported(unban, "ndjson")) == (0, 1, 0)


def test_parsing_one_event_raises_what_an_import_would_say():
    with pytest.raises(Refused, match="id: is 7, not text"):
        ndjson.parse('{"player":"x","id":7}')
