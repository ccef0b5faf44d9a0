"""Rankbook, the whole public class: each method is a sentence, and the rooms below do its work."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from rankbook.book.clock import Clock, system_clock
from rankbook.book.directory import open_parts, read_spec
from rankbook.book.fold.folder import Progress
from rankbook.book.manifest import Manifest
from rankbook.book.parts.folding import Parts
from rankbook.book.parts.outcome import outcome_of
from rankbook.book.published import StepHistory
from rankbook.book.read.bundles import BundleCache, BundleReading
from rankbook.book.read.periods import MOST_PERIODS
from rankbook.book.read.reader import Reader
from rankbook.book.read.snapshot import in_one_snapshot
from rankbook.book.read.view import RankingView
from rankbook.book.submit.closings import ClosingListeners
from rankbook.book.submit.outbox import outbox
from rankbook.book.submit.record import record
from rankbook.book.submit.seals import record_due_seals
from rankbook.book.submit.validation import EventValidator, Validated
from rankbook.book.upkeep.backup import Backup, backup
from rankbook.book.upkeep.compare import Verification, joined
from rankbook.book.upkeep.doctor import Examination, examine, lag_seconds
from rankbook.book.upkeep.rebuild import Rebuild, repair
from rankbook.book.upkeep.verify import verify_parts
from rankbook.errors import ConfigError, Corrupt, RebuildNeeded, StoreDown, StoreError
from rankbook.log.base import Followable, Recorded, Recording
from rankbook.model import (
    Closing,
    Event,
    EventOutcome,
    Lag,
    PeriodSummary,
    PlayerPeriod,
    Receipt,
    Standings,
)
from rankbook.rules import Board, BoardRules, BookSpec
from rankbook.store.base import Reads, Store

T = TypeVar("T")


class Rankbook:
    """A book: boards, a log and a store. Safe to use from many threads; a context manager.

    `Rankbook.open(directory)` opens one from its rankbook.toml. `clock` gives microseconds.
    """

    def __init__(
        self,
        spec: BookSpec,
        log: Followable,
        store: Store,
        *,
        clock: Clock = system_clock,
        outdated: bool = False,
    ) -> None:
        """A book over an open log and store, which it then owns.

        Raises `RebuildNeeded` when the rankings were made under another specification, or from
        more than the log has, unless `outdated`: such a book is only good for `rebuild`.
        """
        self.spec = spec
        self.log = log
        self._clock = clock
        self._boards = {board.name: BoardRules(board) for board in spec.boards}
        self._seals = any(board.seal for board in spec.boards)
        self._manifest = Manifest(spec, log)
        self._listeners = ClosingListeners(self._boards, clock())
        history = StepHistory() if spec.partition == "book" and spec.bundles else None
        boards = tuple(self._boards.values())
        self._parts = Parts(spec, boards, log, store, self._manifest, self._folded, history)
        self.store = self._parts.store
        self._validator = EventValidator(
            self._boards, self._parts.measurer, spec.event_checker(), log
        )
        self._outbox = outbox(spec.log, None)
        self._bundles = BundleCache(
            self.store, lambda bundle, now: self._reader(self.store, now).views(bundle), history
        )
        self._outdated = self._unchecked = False
        try:
            self._parts.check()
        except RebuildNeeded:
            if not outdated:
                raise
            self._outdated = True
        except (StoreDown, Corrupt):
            self._unchecked = True  # what is damaged can be repaired

    @classmethod
    def open(
        cls,
        directory: str | Path,
        *,
        spec: BookSpec | None = None,
        clock: Clock = system_clock,
        catch_up: bool = True,
        outdated: bool = False,
    ) -> "Rankbook":
        """Open the book in a directory: by its rankbook.toml, or by `spec`, which makes it.

        With `catch_up`, what is pending is ranked first, and periods that have ended are closed.
        While the store's server is down, a book records, and ranks later. Raises `BookError` when
        there is no book or it cannot be used, `SpecError` for a wrong specification, and
        `RebuildNeeded` when that has changed, unless `outdated`: then the book is for `rebuild`.
        """
        place = Path(directory)
        spec = read_spec(place) if spec is None else spec
        log, store = open_parts(spec, place)
        try:
            book = cls(spec, log, store, clock=clock, outdated=outdated)
            book._outbox = outbox(spec.log, place)
            if catch_up and not book._outdated:
                book.catch_up()
            return book
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

    def __exit__(self, *_error: object) -> None:
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
        now_us = self._clock()
        validated = self._validate(submitted, now_us)
        recording = self._record(validated, now_us)
        results = [each.result for each in validated]
        return self._parts.rank(recording, results, ranks=ranks)

    def record(
        self, submitted: Event | Sequence[Event], *, connection: object | None = None
    ) -> Recording:
        """Record events durably without ranking them; `fold` or the next submission does that.

        `new` of the answer counts those that were not known before. Raises as `submit_many`.

        With a `connection` to the log's own database, of sqlite3 or psycopg, the events are
        recorded in its open transaction, and become durable or vanish with it. A SQLAlchemy Session
        or Connection, or Django's connection, will do too. Voids and corrections are of results
        that were committed before, or are in the same call. Positions in the answer may be 0: not
        known yet. Raises `ConfigError` for another kind, another database or no transaction.
        """
        if isinstance(submitted, Event):
            submitted = [submitted]
        now_us = self._clock()
        validated = self._validate(submitted, now_us)
        if connection is None:
            return self._record(validated, now_us)
        if self._outbox is None:
            raise ConfigError("connection", "is for logs in SQLite and PostgreSQL")
        outbox = self._outbox
        drafts = [each.draft for each in validated]
        return record(lambda some: outbox.record(connection, some), self.log, drafts)

    def check(self, event: Event) -> None:
        """Hold an event against the book's rules without recording it. Raises `Refused`."""
        self._validator.validate([event], self._clock())

    def fold(self, *, progress: Progress | None = None) -> None:
        """Rank everything that is recorded and pending. `progress` is told numbers of events."""
        self._ready()
        self._parts.fold(progress=progress)

    def _validate(self, submitted: Sequence[Event], now_us: int) -> list[Validated]:
        if self._outdated:
            raise RebuildNeeded("the rankings were made under another specification: rebuild them")
        with suppress(StoreError):
            self._ready()
            self._parts.check_manifest()
        return self._validator.validate(submitted, now_us)

    def _record(self, validated: Sequence[Validated], now_us: int) -> Recording:
        self._record_due_seals(now_us)
        return record(self.log.record, self.log, [each.draft for each in validated])

    # --- what has become of an event -------------------------------------------------------------

    def outcome(self, event: Event | str) -> EventOutcome:
        """What has become of the event with this id: unknown, recorded, ranked, or set aside.

        This resolves a submission whose reply was lost. Given the event itself, other content
        raises `EventConflict`. "Unknown" is of now: a submission under way may be recorded later.
        """
        with suppress(StoreError):
            self._ready()
        return outcome_of(event, self.log, self._parts)

    def receipts(self, events: Sequence[Recorded]) -> list[Receipt | None]:
        """The receipts of recorded events, read at once; None where an event is not ranked yet."""
        self._ready()
        return self._parts.receipts(events)

    def pending(self) -> int:
        """How far the rankings are behind the log, as a difference of positions."""
        self._ready()
        return max(0, self.log.head() - self.store.position())

    def lag(self) -> Lag:
        """How many events are pending, and how long ago the oldest of them was received.

        Raises `StoreError` while the store is down.
        """
        self._ready()
        position = self.store.position()
        head = self.log.head()
        seconds = lag_seconds(self.log, position, self._clock()) if head > position else 0.0
        return Lag(max(0, head - position), seconds, position, head)

    # --- reading ---------------------------------------------------------------------------------

    def boards(self) -> tuple[Board, ...]:
        """The boards, as specified."""
        return self.spec.boards

    def ranking(
        self,
        board: str | Board,
        *,
        window: str | None = None,
        period: str | None = None,
        tags: Mapping[str, object] | None = None,
    ) -> RankingView:
        """One ranking, to read from: the board's first window and its current period by default.

        Between seasons the current one is that which ended last. Raises `NotFound` and says what
        exists.
        """
        self._ready()
        return self._reader(self.store, self._clock()).ranking(
            board, window=window, period=period, tags=tags
        )

    def bundle(self, name: str) -> BundleReading:
        """All rankings of a bundle in their current periods, from one snapshot.

        Kept until one changes, or as long as the bundle's maximum age says.
        """
        self._ready()
        return self._bundles.read(self.spec.bundle(name), self._clock())

    def player(self, player: str) -> list[Standings]:
        """The player's entry in every current ranking that has one, from one snapshot."""
        return self.snapshot(lambda reader: reader.player(player))

    def tags(self, board: str | Board, window: str | None = None) -> list[dict[str, str]]:
        """The tags of a board's rankings in a window, by default its first. Raises `NotFound`."""
        return self.snapshot(lambda reader: reader.tags(board, window))

    def periods(
        self,
        board: str,
        window: str | None = None,
        *,
        limit: int = MOST_PERIODS,
        before: str | None = None,
    ) -> list[PeriodSummary]:
        """The newest `limit` periods of a window that have entries, the newest first; of all
        windows by default. `before` a period of the window goes on from there.

        Raises `NotFound` and says what exists.
        """
        return self.snapshot(
            lambda reader: reader.periods(board, window, limit=limit, before=before)
        )

    def player_periods(
        self,
        player: str,
        board: str,
        window: str | None = None,
        tags: Mapping[str, object] | None = None,
        *,
        limit: int = MOST_PERIODS,
        before: str | None = None,
    ) -> list[PlayerPeriod]:
        """The player's rank, score, count and percentile in the newest `limit` periods, the newest
        first. `before` a period of the window goes on from there.

        Raises `NotFound` and says what exists.
        """
        return self.snapshot(
            lambda reader: reader.player_periods(
                player, board, window, tags, limit=limit, before=before
            )
        )

    def snapshot(self, read: Callable[[Reader], T]) -> T:
        """What `read` gives, with all that it reads from one snapshot of the rankings.

        Its reader answers what this book does. `read` may be called more than once, and must only
        read. In a book in parts the snapshot is one of each part.
        """
        self._ready()
        now_us = self._clock()
        return in_one_snapshot(self.store, lambda store: read(self._reader(store, now_us)))

    def _reader(self, store: Reads, now_us: int) -> Reader:
        return Reader(self.spec, self._boards, store, now_us)

    # --- what happens by itself ------------------------------------------------------------------

    def catch_up(self, *, progress: Progress | None = None) -> None:
        """Rank what is pending, close what has ended, and erase whom to forget: as `open` does.

        Where the store cannot be used now, it is left for later.
        """
        with suppress(StoreError):
            self._ready()
            self._parts.fold(progress=progress)
            self.close_due()
            self.log.erase(self.store.position())

    def on_close(self, listener: Callable[[Closing], object]) -> None:
        """Call `listener` when a period has closed and this process has published its seal.

        A closing is recorded once: at the next submission or opening after the boundary and its
        grace, or by `close_due`. To hear of those that the opening notices, open without catching
        up, listen, and `catch_up`; earlier ones are not told again. A listener that fails is a
        warning.
        """
        self._listeners.add(listener)

    def close_due(self, *, progress: Progress | None = None) -> None:
        """Record and publish the closing of every period that has ended, as submissions do."""
        self._ready()
        self._parts.fold(progress=progress)
        while self._record_due_seals(self._clock()):
            self._parts.fold(progress=progress)

    def _record_due_seals(self, now_us: int) -> bool:
        """Record the seals that are due; whether any was new."""
        stores = [part.store for part in self._parts.parts] if self._seals else []
        return record_due_seals(stores, self._validator, self.log, now_us)

    def _folded(self, event: Recorded) -> None:
        """A forget or a seal was published by this process."""
        if event.kind == "forget":
            self._bundles.forget()
        else:
            self._listeners.tell(event)

    # --- upkeep ----------------------------------------------------------------------------------

    def doctor(self, *, progress: Progress | None = None) -> Examination:
        """What the book holds on disk, and every broken invariant of its store's form."""
        return examine(self.log, self.store, self._clock(), progress or _ignore)

    def backup(self, directory: str | Path, progress: Progress | None = None) -> Backup:
        """Copy log, rankings and rankbook.toml into a directory that is missing or empty.

        Submissions and reads go on meanwhile. A log in PostgreSQL is left to its server's own
        backup. `progress` is told numbers of bytes. Raises `BookError` for another directory.
        """
        return backup(self.spec, self.log, self.store, Path(directory), progress or _ignore)

    def rebuild(
        self,
        *,
        board: str | None = None,
        period: str | None = None,
        progress: Progress | None = None,
    ) -> int:
        """Make rankings anew from the log, beside those that are served, and then serve them.

        All of them, or those of one board, or of one period of it; the log position reached.
        Submissions and reads go on meanwhile, and a rebuild that was killed goes on where it was.
        Processes that have the book open under another specification must be started again. Raises
        `NotFound`, and `RebuildNeeded` where that has changed and not everything is made anew.
        """
        if board is None:
            position = self._make_anew(lambda made: made.all(self._parts, progress))
            self._outdated = False
            return position
        rules = self._boards[self.spec.board(board).name]
        self._ready()
        if self._outdated:
            raise RebuildNeeded("the specification has changed: every ranking must be made anew")
        return self._make_anew(lambda made: made.board(self._parts, rules, period, progress))

    def repair(self, *, progress: Progress | None = None) -> Verification:
        """Mend what `verify` finds, and say what that was: a second repair finds nothing.

        The rankings that disagree, and all where the store's form is broken, are made anew from
        the log and replaced in one step of each part of the book.
        """
        with suppress(Corrupt):
            self.fold()
        told = progress or _ignore
        found = self._make_anew(lambda made: repair(made, self._parts, self._boards, told))
        return joined(found, self._parts.partition.names)

    def verify(self, *, progress: Progress | None = None) -> Verification:
        """Fold the log anew, in a scratch store, and compare it with both indexes of every ranking.

        Submissions go on meanwhile: each part of the book is compared at one log position. Raises
        `StoreError` for a store that cannot be walked.
        """
        self._ready()
        found = verify_parts(self._parts, self._boards, self.log, progress or _ignore)
        return joined(found, self._parts.partition.names)

    def _make_anew(self, work: Callable[[Rebuild], T]) -> T:
        """Do what replaces rankings; afterwards no reading of before is kept."""
        try:
            return work(Rebuild(self.log, self._manifest, self._outdated))
        finally:
            self._parts.settle()
            self._bundles.forget()

    def _ready(self) -> None:
        """Check what the opening could not, because the store was down. Raises `StoreDown` while
        it still is."""
        if self._unchecked:
            self._parts.check()
            self._unchecked = False


def _ignore(_number: int) -> None:
    """Progress that nobody wants to hear of."""
