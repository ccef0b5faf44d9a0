"""A book's specification: rankbook.toml and Python give the same, and faults name their path."""

import pytest

from rankbook.errors import NotFound, Refused, SpecError
from rankbook.model import Event
from rankbook.rules import Board, BookSpec, Bundle, BundleRanking, Season, ValueRule, load

TYPING = """
[book]
name = "typing"

[values.wpm]
type = "number"

[values.seconds]
type = "number"

[values.accuracy]
type = "number"
min = 0
max = 100

[values.mode]
type = "text"
one_of = ["time", "words"]

[[board]]
name = "speed"
measures = { score = "round(wpm * accuracy / 100)" }
order_by = ["score desc"]
splits = [[], ["mode"]]
windows = ["all-time", "daily"]
zone = "+05:30"
details = ["wpm", "accuracy", "mode"]

[[board]]
name = "laps"
measures.lap = { value = "seconds", type = "decimal(2)" }
order_by = ["lap asc"]

[[bundle]]
name = "home"
top = 10
rankings = [
  { board = "speed", window = "all-time" },
  { board = "speed", window = "daily", mode = "time" },
  { board = "laps", window = "all-time" },
]
"""


def test_a_file_and_python_give_the_same_book():
    speed = Board(
        "speed",
        measures={"score": "round(wpm * accuracy / 100)"},
        order_by=["score desc"],
        splits=[[], ["mode"]],
        windows=["all-time", "daily"],
        zone="+05:30",
        details=["wpm", "accuracy", "mode"],
    )
    laps = Board(
        "laps", measures={"lap": {"value": "seconds", "type": "decimal(2)"}}, order_by=["lap asc"]
    )
    rankings = [
        BundleRanking("speed", "all-time"),
        BundleRanking("speed", "daily", (("mode", "time"),)),
        BundleRanking("laps", "all-time"),
    ]
    book = BookSpec(
        name="typing",
        boards=[speed, laps],
        bundles=[Bundle("home", rankings)],
        values={
            "accuracy": ValueRule("number", min=0, max=100),
            "wpm": ValueRule("number"),
            "seconds": ValueRule("number"),
            "mode": ValueRule("text", one_of=("time", "words")),
        },
    )
    assert load(TYPING) == book
    assert load(TYPING).fingerprints() == book.fingerprints()
    assert (book.log, book.store) == ("sqlite:", "embedded:")


CUP = """
[book]
name = "cup"

[values]
class = { type = "text" }
kart = { type = "text" }
points = { type = "number" }

[[board]]
name = "points"
measures = { points = "points" }
order_by = ["points desc"]
keep = "total"
best_of = 11
where = 'kart == "gt"'
min = 0
max = 25
size = 100
windows = ["weekly", "season"]
week_start = "sunday"
grace_seconds = 5
seal = true
keep_periods = { weekly = 8 }
cooldown_seconds = 0.5
profiles = "player"

[[board.seasons]]
name = "2026"
start = 2026-03-01
end = 2026-11-30T18:30:00Z

[[board.seasons]]
name = "2027"
start = "2027-03-01"
end = "2027-11-30"

[[bundle]]
name = "home"
named_only = true
max_age_seconds = 2.5
rankings = [{ board = "points", window = "season" }]
"""


def test_every_choice_can_be_written_in_a_file():
    book = load(CUP)
    python = Board(
        "points",
        measures={"points": "points"},
        order_by=["points desc"],
        keep="total",
        best_of=11,
        where='kart == "gt"',
        min=0,
        max=25,
        size=100,
        windows=["weekly", "season"],
        week_start="sunday",
        grace_seconds=5,
        seal=True,
        keep_periods={"weekly": 8},
        cooldown_seconds=0.5,
        profiles="player",
        seasons=[
            Season("2026", "2026-03-01", "2026-11-30T18:30:00Z"),
            Season("2027", "2027-03-01", "2027-11-30"),
        ],
    )
    assert book.boards == (python,)
    assert book.fingerprints() == {"points": python.fingerprint()}
    [home] = book.bundles
    assert (home.named_only, home.max_age_seconds) == (True, 2.5)


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("best_of = 11", "best_of = 0", "board[0].best_of"),
        ("best_of = 11", 'best_of = "11"', "board[0].best_of"),
        ('keep = "total"', 'keep = "best"', "board[0].best_of"),
        ('keep = "total"', 'keep = "sum"', "board[0].keep"),
        ("""'kart == "gt"'""", "'kart.x'", "board[0].where"),
        ("""'kart == "gt"'""", "'class + 1'", "board[0].where"),
        ("max = 25", "max = -1", "board[0].max"),
        ("min = 0", "min = 0.5", "board[0].min"),
        ("size = 100", "size = 0", "board[0].size"),
        ('"sunday"', '"sun"', "board[0].week_start"),
        ("grace_seconds = 5", "grace_seconds = nan", "board[0].grace_seconds"),
        ("seal = true", 'seal = "true"', "board[0].seal"),
        ("weekly = 8", "monthly = 8", "board[0].keep_periods.monthly"),
        ("cooldown_seconds = 0.5", "cooldown_seconds = -1", "board[0].cooldown_seconds"),
        ('profiles = "player"', 'profiles = "all"', "board[0].profiles"),
        ('"2027-11-30"', '"2027-01-30"', "board[0].seasons[1].end"),
        ('"2027-03-01"', '"2026-11-01"', "board[0].seasons[1].start"),
        ('"2027-03-01"', "2027-03-01T00:00:00", "board[0].seasons[1].start"),
        ('"2027-03-01"', "10:00:00", "board[0].seasons[1].start"),
        ('name = "2027"', 'name = "2026"', "board[0].seasons[1].name"),
        ('windows = ["weekly", "season"]', 'windows = ["weekly"]', "board[0].seasons"),
        ("named_only = true", "named_only = 1", "bundle[0].named_only"),
        ("max_age_seconds = 2.5", "max_age_seconds = -1", "bundle[0].max_age_seconds"),
        ("max_age_seconds = 2.5", "max_age_seconds = inf", "bundle[0].max_age_seconds"),
        ("max_age_seconds = 2.5", 'max_age_seconds = "2"', "bundle[0].max_age_seconds"),
    ],
)
def test_a_wrong_choice_in_the_file_names_its_path(old, new, field):
    assert old in CUP
    with pytest.raises(SpecError) as caught:
        load(CUP.replace(old, new, 1))
    assert caught.value.field == field


def test_a_bundle_shows_entries_with_a_usable_name_or_all():
    rankings = [BundleRanking("points", "season")]
    named = Bundle("home", rankings, named_only=True)
    assert [named.shows({"name": name}) for name in ("Asha", "", " \t")] == [True, False, False]
    assert not named.shows({"avatar": "owl"})
    assert Bundle("home", rankings).shows({})
    assert Bundle("home", rankings).max_age_seconds == 0
    for age in ("1", True, float("nan")):
        with pytest.raises(SpecError, match=r"^max_age_seconds"):
            Bundle("home", rankings, max_age_seconds=age)


def test_a_book_knows_its_boards_and_bundles():
    book = load(TYPING)
    assert book.board("laps").name == "laps"
    assert book.bundle("home").rankings[1].tags == (("mode", "time"),)
    with pytest.raises(NotFound, match="no board 'x'; there are: speed, laps"):
        book.board("x")
    with pytest.raises(NotFound, match="no bundle 'x'; there are: home"):
        book.bundle("x")


def test_a_book_refuses_what_its_values_do_not_allow():
    book = load(TYPING)
    book.event_checker()(Event(player="asha", values={"accuracy": 97, "mode": "time"}))
    with pytest.raises(Refused, match=r"^accuracy: is 101, more than 100$"):
        book.event_checker()(Event(player="asha", values={"accuracy": 101}))
    with pytest.raises(Refused, match=r"^mode: is 'zen'; there are: time, words$"):
        book.event_checker()(Event(player="asha", values={"mode": "zen"}))


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ('name = "typing"', "", "book.name"),
        ('name = "typing"', "name = 5", "book.name"),
        ('name = "typing"', 'name = "Typing!"', "book.name"),
        ('name = "typing"', 'name = "typing"\nstoer = "x"', "book.stoer"),
        ("[book]", "[books]", "books"),
        ("[values.mode]", "[values.'a b']", "values.a b"),
        ('one_of = ["time", "words"]', "min = 1", "values.mode.min"),
        ('one_of = ["time", "words"]', "one = 1", "values.mode.one"),
        ('type = "number"\nmin', 'type = "real"\nmin', "values.accuracy.type"),
        ('type = "number"\nmin', 'type = "text"\nmin', "values.accuracy.min"),
        ('order_by = ["score desc"]', 'order_by = ["score"]', "board[0].order_by[0]"),
        ('order_by = ["lap asc"]', 'order_by = ["lap asc", "x asc"]', "board[1].order_by[1]"),
        ('order_by = ["lap asc"]', 'order_by = "lap asc"', "board[1].order_by"),
        ('order_by = ["lap asc"]', "", "board[1]"),
        ("order_by", "orderby", "board[0].orderby"),
        ('name = "laps"', 'name = "speed"', "board[1].name"),
        ('"decimal(2)"', '"decimal(99)"', "board[1].measures.lap.type"),
        ('zone = "+05:30"', 'zone = "IST"', "board[0].zone"),
        ('"seconds"', '"mode + 1"', "board[1].measures.lap"),
        ('"seconds"', "'1 if accuracy == \"x\" else 2'", "board[1].measures.lap"),
        ("top = 10", "top = 0", "bundle[0].top"),
        ("top = 10", 'top = "ten"', "bundle[0].top"),
        ("top = 10", "tops = 10", "bundle[0].tops"),
        ('name = "home"', "", "bundle[0]"),
        ('board = "laps"', 'board = "lap"', "bundle[0].rankings[2].board"),
        ('board = "laps", ', "", "bundle[0].rankings[2].board"),
        ('window = "daily"', 'window = "weekly"', "bundle[0].rankings[1].window"),
        ('mode = "time"', 'lang = "en"', "bundle[0].rankings[1]"),
        ('mode = "time"', "mode = 5", "bundle[0].rankings[1].mode"),
        ('window = "daily", mode = "time"', 'window = "all-time"', "bundle[0].rankings[1]"),
    ],
)
def test_a_fault_in_the_file_names_its_path(old, new, field):
    assert old in TYPING
    with pytest.raises(SpecError) as caught:
        load(TYPING.replace(old, new, 1))
    assert caught.value.field == field


@pytest.mark.parametrize("text", ["board = 5\n[book]\nname='x'", "[book]\nname='x'\n[board]\na=1"])
def test_a_table_of_the_wrong_kind_is_refused(text):
    with pytest.raises(SpecError) as caught:
        load(text)
    assert caught.value.field == "board"


def test_a_book_without_boards_is_refused():
    with pytest.raises(SpecError, match="at least one board"):
        load('[book]\nname = "x"')


def test_a_syntax_error_names_its_line():
    with pytest.raises(SpecError, match="line 3"):
        load('[book]\nname = "x"\nstore = = 1')


def test_a_book_is_whole_unless_its_partition_says_how_it_is_spread():
    whole = load(TYPING)
    assert (whole.partition, whole.partitions) == ("book", 16)
    text = TYPING.replace(
        'name = "typing"', 'name = "typing"\npartition = "period"\npartitions = 4'
    )
    spread = load(text)
    assert (spread.partition, spread.partitions) == ("period", 4)


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ('partition = "player"', "book.partition"),
        ("partition = 3", "book.partition"),
        ("partitions = 0", "book.partitions"),
        ("partitions = 257", "book.partitions"),
        ('partitions = "4"', "book.partitions"),
    ],
)
def test_a_partition_that_cannot_be_names_its_field(line, field):
    with pytest.raises(SpecError) as caught:
        load(TYPING.replace('name = "typing"', f'name = "typing"\n{line}'))
    assert caught.value.field == field
