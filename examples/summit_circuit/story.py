"""Summit Circuit, a game with a competition each season: python -m examples.summit_circuit

1. The leaders view and the personal view read the same entry, whoever asks.
2. Equal scores share a place, and the next place is numbered after them (1 2 2 4), because the
   board says so: the order of the players' identifiers in the store is no sporting rule.
3. An increment whose answer was lost is sent again, and its points count once.
4. A season closes once, two hours after its end, and says so to who listens. A result that comes
   later is recorded and not ranked.
5. Past seasons stay readable, and stand side by side for one player.

Every player here is made up, and the clock is set by the program.
"""

import tempfile
from pathlib import Path

from examples.clock import Clock
from rankbook import Board, BookSpec, Event, Rankbook, Receipt, Standings
from rankbook.model import Closing, PlayerPeriod
from rankbook.rules import Season

BOARD = Board(
    name="circuit",
    measures={"points": "points"},
    order_by=("points desc",),
    keep="total",
    windows=("season", "all-time"),
    seasons=(
        Season("spring-2026", "2026-03-01", "2026-06-01"),
        Season("summer-2026", "2026-06-01", "2026-09-01"),
        Season("autumn-2026", "2026-09-15", "2026-12-01"),
    ),
    zone="Europe/Zurich",
    seal=True,
    grace_seconds=2 * 3600,
    numbering="competition",
    tie_break="first",
)
SPEC = BookSpec(name="summit-circuit", boards=(BOARD,))
SPRING = {"player-09": 180, "player-42": 150, "player-17": 120, "player-05": 90, "player-63": 60}


class Game:
    """The book, the clock it goes by, and the closings it has announced."""

    def __init__(self, directory: Path) -> None:
        self.clock = Clock("2026-03-02T18:00:00+01:00")
        self.book = Rankbook.open(directory, spec=SPEC, clock=self.clock)
        self.closings: list[Closing] = []
        self.book.on_close(self.closed)

    def closed(self, closing: Closing) -> None:
        """A season's standings have become final."""
        self.closings.append(closing)
        if closing.window == "season":
            winner = self.book.ranking(BOARD.name, period=closing.period.id).at(1)
            champion = f"; the champion is {winner.player}" if winner else ""
            print(f"  on_close: {closing.period.id} closed at {closing.at:%F %H:%M} UTC{champion}")

    def race(self, id: str, player: str, points: int, at: str | None = None) -> Receipt:
        """A player has finished a race, just now or at a moment before."""
        moment = None if at is None else Clock(at).now
        return self.book.submit(Event(id=id, player=player, values={"points": points}, at=moment))

    def personal(self, player: str) -> Standings:
        """A player's own score and place, with a neighbour on each side."""
        view = self.book.ranking(BOARD.name)
        own = view.entry(player)
        if own is not None:
            print(f"  {player}: {own.score} points, place {own.rank} of {view.count()}; around:")
        return shown(view.around(player, 3))


def shown(standings: Standings) -> Standings:
    """Print standings, and give them on."""
    for entry in standings.entries:
        print(f"  {entry.rank:>4}  {entry.player}  {entry.score}")
    return standings


def spring(game: Game) -> Standings:
    """Steps 1 to 3: the leaders after player-17 has drawn level."""
    for player, points in SPRING.items():
        game.clock.wait(60)
        game.race(f"spring-1/{player}", player, points)
    print("The leaders of spring:")
    shown(game.book.ranking(BOARD.name).top(10))
    print("\nplayer-17 wins 30 points more. The answer is lost, so the game sends them again:")
    game.clock.wait(3600)
    first = game.race("spring-2/player-17", "player-17", 30)
    game.clock.wait(5)
    again = game.race("spring-2/player-17", "player-17", 30)
    print(f"  {first.rankings[0].score} points, and {again.rankings[0].score} points")
    print("\nTwo share the second place; player-42 was there first, whatever the identifiers say:")
    leaders = shown(game.book.ranking(BOARD.name).top(10))
    print("\nThe personal view:")
    game.personal("player-17")
    return leaders


def end_of_spring(game: Game) -> tuple[Receipt, Receipt]:
    """Step 4: a result within the grace, and one past it."""
    print("\nSpring ends at midnight in Zurich. A race of that evening arrives an hour later:")
    game.clock.set("2026-06-01T01:00:00+02:00")
    within = game.race("spring-3/player-63", "player-63", 40, "2026-05-31T23:50:00+02:00")
    print(f"  {within.rankings[0].period}: {within.rankings[0].why}")
    print("At two the season closes, as the next submission notices; another race is too late:")
    game.clock.set("2026-06-01T02:30:00+02:00")
    late = game.race("spring-3/player-05", "player-05", 99, "2026-05-31T23:55:00+02:00")
    print(f"  {late.rankings[0].period}: {late.rankings[0].why}, and in all-time it counts")
    return within, late


def summer(game: Game) -> list[PlayerPeriod]:
    """Step 5: another season, and a player's seasons side by side."""
    game.clock.set("2026-07-01T18:00:00+02:00")
    for player, points in {"player-17": 200, "player-42": 170, "player-88": 20}.items():
        game.race(f"summer-1/{player}", player, points)
    print("\nThe leaders of summer:")
    shown(game.book.ranking(BOARD.name).top(10))
    game.clock.set("2026-09-10T12:00:00+02:00")
    print("\nBetween seasons the last one is shown, and nobody has to submit for it to close:")
    game.book.close_due()
    print("\nThe seasons of player-17, side by side:")
    seasons = game.book.player_periods("player-17", BOARD.name)
    for each in seasons:
        place = f"place {each.rank} of {each.count}, {each.score} points"
        state = "final" if each.period.sealed else "running"
        print(f"  {each.period.id}: {place}, percentile {each.percentile:.0f}, {state}")
    return seasons


def main() -> None:
    """Play it in a directory that goes afterwards."""
    with tempfile.TemporaryDirectory(prefix="rankbook-circuit-") as directory:
        game = Game(Path(directory))
        with game.book:
            spring(game)
            end_of_spring(game)
            summer(game)
            print(f"\nThe log and the rankings agree: {game.book.verify().agrees}")
