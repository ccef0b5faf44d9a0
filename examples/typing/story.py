"""A typing site's leaderboard, step by step: python -m examples.typing

rankbook.toml beside this file has the board and the page. The steps show what it promises:

1. one test is a candidate for four bests, and each of them answers for itself;
2. a slower run, or an equal one, replaces nothing;
3. a retry of the same test is the same test;
4. a day is midnight to midnight in India, and the name and avatar beside a score are those of the
   result that has it, in every ranking;
5. the page is six rankings from one snapshot, without entries that have no usable name;
6. a cooldown is an option, and what it would cost;
7. the site's own table of tests and the log change in one transaction (saving.py).

Every player here is made up, and the clock is set by the program.
"""

import tempfile
from contextlib import closing
from pathlib import Path

from msgspec.structs import replace

from examples.clock import Clock
from examples.typing.saving import TypingTests
from rankbook import BookSpec, BundleReading, Entry, Event, Rankbook, Receipt, Refused
from rankbook.model import Value
from rankbook.rules import load

HERE = Path(__file__).parent
START = "2026-11-30T23:40:00+05:30"
COOLDOWN_SECONDS = 10


class Site:
    """A book of typing tests and the clock it goes by."""

    def __init__(self, directory: Path, spec: BookSpec) -> None:
        self.clock = Clock(START)
        self.book = Rankbook.open(directory, spec=spec, clock=self.clock)

    def test(
        self, id: str, player: str, name: str, wpm: float, accuracy: float, mode: str = "time"
    ) -> Receipt:
        """A player has finished a test, under the name and avatar they have just now."""
        values: dict[str, Value] = {"wpm": wpm, "accuracy": accuracy, "mode": mode}
        profile = {"name": name, "avatar": f"{name.lower()}.png"} if name else {}
        receipt = self.book.submit(Event(id=id, player=player, values=values, profile=profile))
        print(f"\n{self.clock.now:%H:%M:%S}  {id}: {name or player}, {wpm} wpm at {accuracy}%")
        for placed in receipt.rankings:
            where = f"{placed.window} {placed.tags.get('mode', 'overall')}"
            before = "-" if placed.previous_score is None else placed.previous_score
            change = f"{before} -> {placed.score}"
            print(f"          {where:18} {placed.why:10} {change:10} rank {placed.rank}")
        return receipt


def one_test_four_bests(site: Site) -> None:
    """Steps 1 to 3."""
    print("One test, four possible bests: 100 wpm at 98% accuracy scores 98.")
    site.test("t1", "u-asha", "Asha", 100, 98)
    site.clock.wait(60)
    site.test("t2", "u-ben", "Ben", 98, 100)
    print("\nBen has 98 too: both are first, and Asha, who was there earlier, is listed first.")
    site.clock.wait(60)
    site.test("t3", "u-asha", "Asha", 98, 100)
    print("\nAn equal score replaces nothing: the entry still says 100 wpm at 98%.")
    site.clock.wait(60)
    site.test("t4", "u-asha", "Asha", 80, 95, "words")
    print("\nA slower run in another mode is a best there, and nowhere else.")
    site.test("t4", "u-asha", "Asha", 80, 95, "words")
    print("\nThe connection broke, so it was sent again: the same receipt, and nothing counted.")


def midnight_in_india(site: Site) -> None:
    """Steps 4 and 5."""
    site.clock.set("2026-12-01T00:00:05+05:30")
    print("\nMidnight in India. The daily rankings are empty; those of all time are not.")
    site.test("t5", "u-asha", "Asha Rao", 91, 100)
    site.clock.wait(60)
    site.test("t6", "u-cleo", "", 120, 100)
    print("\nAsha has a new name, and Cleo has none. The page, from one snapshot:")
    show(site.book.bundle("page"))
    yesterday = site.book.ranking("speed", window="daily", period="2026-11-30").top()
    print(f"\nYesterday stays readable: {', '.join(line(entry) for entry in yesterday.entries)}")


def show(page: BundleReading) -> None:
    """Print a bundle."""
    for standings in page.rankings:
        where = f"{standings.period.id} {standings.tags.get('mode', 'overall')}"
        print(f"  {where:18} {'; '.join(line(entry) for entry in standings.entries) or '-'}")


def line(entry: Entry) -> str:
    """An entry as the page shows it."""
    shown = f"{entry.rank}. {entry.profile['name']} {entry.score}"
    return f"{shown} ({entry.details['wpm']} wpm at {entry.details['accuracy']}%)"


def cooldown(directory: Path, spec: BookSpec) -> Receipt:
    """Step 6: the same board with a cooldown, in a book of its own."""
    print(f"\nThe same with cooldown_seconds = {COOLDOWN_SECONDS}, as an option:")
    [board] = spec.boards
    slower = replace(board, cooldown_seconds=COOLDOWN_SECONDS)
    site = Site(directory, replace(spec, boards=(slower,)))
    with site.book:
        site.test("c1", "u-dev", "Dev", 90, 100)
        site.clock.wait(4)
        receipt = site.test("c2", "u-dev", "Dev", 110, 100)
        print("\nRecorded and not ranked: the better score is lost to the boards until the next.")
        return receipt


def saved_with_its_event(directory: Path, spec: BookSpec) -> list[str]:
    """Step 7: a table of the site's in the log's database; the tests that it keeps."""
    print("\nA test and its event are saved in one transaction:")
    with closing(TypingTests(directory, spec, Clock(START))) as tests:
        tests.save("s1", "u-asha", 100, 98)
        print(f"          s1 is {tests.book.outcome('s1').status}")
        try:
            tests.save("s2", "u-asha", 100, 140)
        except Refused as error:
            print(f"          s2 is {tests.book.outcome('s2').status}, and not kept: {error}")
        tests.rank()
        print(f"          s1 is {tests.book.outcome('s1').status}")
        return tests.kept()


def play(directory: Path) -> tuple[BundleReading, Receipt]:
    """Every step, in books under `directory`: the last page, and the receipt in the cooldown."""
    spec = load((HERE / "rankbook.toml").read_text(encoding="utf-8"))
    site = Site(directory / "site", spec)
    with site.book:
        one_test_four_bests(site)
        midnight_in_india(site)
        page = site.book.bundle("page")
        print(f"\nThe log and the rankings agree: {site.book.verify().agrees}")
    receipt = cooldown(directory / "cooldown", spec)
    saved_with_its_event(directory / "saving", spec)
    return page, receipt


def main() -> None:
    """Play it in a directory that goes afterwards."""
    with tempfile.TemporaryDirectory(prefix="rankbook-typing-") as directory:
        play(Path(directory))
