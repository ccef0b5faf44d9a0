"""Rankbook: the one place where rules, log and store meet."""

import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import msgspec

from rankbook.book import events, receipts, specification
from rankbook.book.doctor import Examination, examine
from rankbook.book.fold import Folder, Progress
from rankbook.book.reading import RankingView, read_all, view
from rankbook.book.reconcile import Verification, compare
from rankbook.errors import BookError, Refused, StoreError
from rankbook.log import open_log
from rankbook.log.base import Draft, Log, Recording
from rankbook.model import Event, Receipt, Standings
from rankbook.rules import Board, BoardRules, BookSpec, Fact, load
from rankbook.store import open_store
from rankbook.store.base import Auditable, Store

FILE = "rankbook.toml"

Clock = Callable[[], int]


def system_clock() -> int:
    """Microseconds since 1970 UTC."""
    return time.time_ns() // 1000


class BundleReading(msgspec.Struct, frozen=True, kw_only=True):
    """The rankings of a bundle, read from one snapshot at one log position."""

    name: str
    position: int
    rankings: tuple[Standings, ...]


class Rankbook:
    """A book: boards, a log and a store. Safe to use from many threads; a context manager.

    `Rankbook.open(directory)` opens one from its rankbook.toml. `clock` gives microseconds.
    """

    def __init__(
        self, spec: BookSpec, log: Log, store: Store, *, clock: Clock = system_clock
    ) -> None:
        """A book over an open log and store, which it then owns.

        Raises `RebuildNeeded` when the rankings were made under another specification.
        """
        self.spec = spec
        self.log = log
        self.store = store
        self._clock = clock
        self._rules = {board.name: BoardRules(board) for board in spec.boards}
        self._boards = tuple(self._rules.values())
        self._door = spec.door()
        [kept] = store.receipts([receipts.NOTE])
        specification.check(spec, kept)
        self._folder = Folder(self._boards, log, store, specification.note(spec))

    @classmethod
    def open(
        cls,
        directory: str | Path,
        *,
        spec: BookSpec | None = None,
        clock: Clock = system_clock,
    ) -> "Rankbook":
        """Open the book in a directory: by its rankbook.toml, or by `spec`, which makes it.

        Raises `BookError` when there is no book or it cannot be used, `SpecError` for a wrong
        specification, `RebuildNeeded` when that has changed.
        """
        place = Path(directory)
        if spec is None:
            try:
                spec = load((place / FILE).read_text(encoding="utf-8"))
            except (FileNotFoundError, NotADirectoryError):
                raise BookError(f"{place} is no book: it has no {FILE}") from None
            except (OSError, UnicodeDecodeError) as error:
                raise BookError(f"{place / FILE} cannot be read: {error}") from error
        log = open_log(spec.log, place)
        try:
            store = open_store(spec.store, place)
        except BaseException:
            log.close()
            raise
        try:
            return cls(spec, log, store, clock=clock)
        except BaseException:
            log.close()
            store.close()
            raise

    def close(self) -> None:
        """Make everything durable and release it. Closing twice is harmless."""
        try:
            self.log.close()
        finally:
            self.store.close()

    def __enter__(self) -> "Rankbook":
        """The book itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the book."""
        self.close()

    # --- writing ---------------------------------------------------------------------------------

    def submit(self, event: Event) -> Receipt:
        """Record one event durably, rank it, and say what it changed.

        Raises `Refused` or `EventConflict`, with nothing written, and `LogError` when the event
        could not be recorded. With the store down the receipt says "pending": the event is safe.
        """
        return self.submit_many([event])[0]

    def submit_many(self, submitted: Sequence[Event], *, ranks: bool = True) -> list[Receipt]:
        """Record events in one durable transaction and rank them in steps of up to 1,000.

        All or nothing: one event refused or in conflict, and none is recorded. Ranks in the
        receipts are those before and after the event's step; without `ranks` they are None.
        """
        recording = self.record(submitted)
        seqs = [recorded.seq for recorded in recording.events]
        made = {} if recording.new else self._receipts(seqs)
        if any(seq not in made for seq in seqs):
            with suppress(StoreError):
                made |= self._folder.fold(until=max(seqs), ranks=ranks)
            made |= self._receipts([seq for seq in seqs if seq not in made])
        return [
            receipts.receipt(self._boards, recorded, made.get(recorded.seq))
            for recorded in recording.events
        ]

    def _receipts(self, seqs: Sequence[int]) -> dict[int, bytes]:
        """The stored receipts of these positions; none of them while the store is down."""
        if not seqs:
            return {}
        try:
            found = self.store.receipts(seqs)
        except StoreError:
            return {}
        return {seq: each for seq, each in zip(seqs, found, strict=True) if each is not None}

    def record(self, submitted: Sequence[Event]) -> Recording:
        """Record events durably without ranking them; `fold` or the next submission does that.

        `new` of the answer counts those that were not known before. Raises as `submit_many`.
        """
        now_us = self._clock()
        return self.log.record([self._checked(event, now_us) for event in submitted])

    def check(self, event: Event) -> None:
        """Hold an event against the book's rules without recording it. Raises `Refused`."""
        self._checked(event, self._clock())

    def _checked(self, event: Event, now_us: int) -> Draft:
        if event.kind != "result":
            raise Refused("kind", f"is {event.kind!r}; this version ranks results")
        self._door(event)
        draft = events.draft(event, now_us)
        fact = Fact(
            event.player, event.values, event.profile, event.sequence, draft.at_us, draft.id, 0
        )
        for rules in self._boards:
            rules.rankings(event.values, draft.at_us)
            rules.candidate(fact)
        return draft

    def fold(self, *, progress: Progress | None = None) -> None:
        """Rank everything that is recorded and pending. `progress` is told numbers of events."""
        self._folder.fold(progress=progress)

    def pending(self) -> int:
        """How far the rankings are behind the log, as a difference of positions."""
        return max(0, self.log.head() - self.store.position())

    # --- reading ---------------------------------------------------------------------------------

    def boards(self) -> tuple[Board, ...]:
        """The boards, as specified."""
        return self.spec.boards

    def ranking(
        self,
        board: str,
        *,
        window: str | None = None,
        period: str | None = None,
        tags: Mapping[str, object] | None = None,
    ) -> RankingView:
        """One ranking, to read from: the board's first window and its current period by default.

        Raises `NotFound` and says what exists.
        """
        return self._view(board, window, period, tags or {}, self._clock())

    def _view(
        self,
        board: str,
        window: str | None,
        period: str | None,
        tags: Mapping[str, object],
        now_us: int,
    ) -> RankingView:
        self.spec.board(board)
        return view(self.store, self._rules[board], window, period, tags, now_us)

    def bundle(self, name: str) -> BundleReading:
        """All rankings of a bundle in their current periods, from one snapshot."""
        bundle = self.spec.bundle(name)
        now_us = self._clock()
        views = [
            self._view(each.board, each.window, None, dict(each.tags), now_us)
            for each in bundle.rankings
        ]
        position, found = read_all(self.store, views, lambda each: each.top_query(bundle.top))
        return BundleReading(name=name, position=position, rankings=tuple(found))

    def player(self, player: str, tags: Iterable[Mapping[str, object]] = ()) -> list[Standings]:
        """The player's entry in every current ranking that has one, from one snapshot.

        Which tags there are is known from the bundles; more can be given.
        """
        splits = {tuple(sorted(each.tags)) for b in self.spec.bundles for each in b.rankings}
        splits |= {tuple(sorted((k, str(v)) for k, v in each.items())) for each in tags}
        splits.add(())
        now_us = self._clock()
        views = [
            self._view(board.name, window, None, dict(split), now_us)
            for board in self.spec.boards
            for window in board.windows
            for split in sorted(splits)
            if any(set(names) == {name for name, _ in split} for names in board.splits)
        ]
        _position, found = read_all(self.store, views, lambda each: each.entry_query(player))
        return [standings for standings in found if standings.entries]

    # --- checking --------------------------------------------------------------------------------

    def doctor(self, *, progress: Progress | None = None) -> Examination:
        """What the book holds on disk, and every broken invariant of its store's form.

        `progress` is told numbers of entries looked at.
        """
        return examine(self.log, self.store, progress or (lambda _number: None))

    def verify(self, *, progress: Progress | None = None) -> Verification:
        """Fold the log anew, beside, and compare it with both indexes of every ranking.

        Submissions go on meanwhile: everything is compared at one log position. `progress` is
        told numbers of events folded and entries compared. Raises `StoreError` for a store that
        cannot be walked.
        """
        auditable = self.store
        if not isinstance(auditable, Auditable):
            raise StoreError("this store cannot be walked, so it cannot be verified")
        told = progress or (lambda _number: None)
        with tempfile.TemporaryDirectory(prefix="rankbook-verify-") as beside:
            shadow = open_store("embedded:", Path(beside))
            try:
                with auditable.audit() as actual:
                    folder = Folder(self._boards, self.log, shadow, b"")
                    folder.fold(until=actual.position, progress=told)
                    assert isinstance(shadow, Auditable)
                    with shadow.audit() as expected:
                        return compare(self._rules, expected, actual, told)
            finally:
                shadow.close()
