"""The typing site of the first article, as a book: its toml, and a typing test as an event."""

from rankbook import Event
from rankbook.rules import load
from tests.book.home import when

TOML = """
[book]
name = "typing"

[values]
wpm = { type = "number", min = 0, max = 400 }
accuracy = { type = "number", min = 0, max = 100 }
mode = { type = "text", one_of = ["time", "words"] }

[[board]]
name = "speed"
measures = { score = "round(wpm * accuracy / 100)" }
order_by = ["score desc"]
splits = [[], ["mode"]]
windows = ["all-time", "daily"]
zone = "+05:30"
details = ["wpm", "accuracy", "mode"]

[[bundle]]
name = "home"
rankings = [
  { board = "speed", window = "all-time" },
  { board = "speed", window = "all-time", mode = "time" },
  { board = "speed", window = "all-time", mode = "words" },
  { board = "speed", window = "daily" },
  { board = "speed", window = "daily", mode = "time" },
  { board = "speed", window = "daily", mode = "words" },
]
"""
SPEC = load(TOML)


def typed(player, wpm, accuracy=100, mode="time", *, at=None, id="", avatar="owl"):
    return Event(
        player=player,
        values={"wpm": wpm, "accuracy": accuracy, "mode": mode},
        id=id,
        at=None if at is None else when(at),
        profile={"name": player.title(), "avatar": avatar},
    )
