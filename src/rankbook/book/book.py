"""Rankbook, the public class of a book. Its methods are short, and the folders beside it do the
work."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from rankbook.book.clock import Clock, system_clock
from rankbook.book.directory import open_parts, read_spec
from rankbook.book.fold.folder import Pending
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
    EventLike,
    EventOutcome,
    Lag,
    PeriodSummary,
    PlayerPeriod,
    Receipt,
    Standings,
)
from rankbook.rules import Board, BoardRules, BookSpec, micros_of
from rankbook.store.base import Progress, Reads, Store

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
        """A book over an open log and an open store. The book closes both.

        Raises `RebuildNeeded` if the rankings were made under another specification, or from more
        events than the log has. With `outdated` it does not raise: such a book is only good for
        `rebuild`.
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
            self._boards,
            self._parts.measurer,
            spec.event_checker(),
            log,
            max_ahead_us=micros_of(spec.max_ahead_seconds),
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
        """Open the book in a directory: by its rankbook.toml, or by `spec`, which makes the book.

        Opening ranks pending events and closes periods that have ended, unless `catch_up` is false.
        While the store's server is down, the book records events and ranks them later.

        Raises `BookError` if there is no book or it cannot be used, and `SpecError` for a wrong
        specification. Raises `RebuildNeeded` if the specification has changed and `outdated` is
        false. An outdated book is only good for `rebuild`.
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

    def submit(self, event: EventLike) -> Receipt:
        """Record one event durably, rank it, and return what it changed.

        A dict of an event's fields will do, and `at` as RFC 3339 text.

        Raises `Refused` or `EventConflict`, with nothing written, and `LogError` if the log could
        not record the event. While the store is down the receipt says "pending": the event is safe.
        """
        return self.submit_many([event])[0]

    def submit_many(self, submitted: Sequence[EventLike], *, ranks: bool = True) -> list[Receipt]:
        """Record events in one durable transaction and rank them in steps of up to 1,000.

        If one event is refused or in conflict, none is recorded. Ranks in the receipts are those
        before and after the event's step. Without `ranks` they are None.
        """
        now_us = self._clock()
        validated = self._validate(submitted, now_us)
        recording = self._record(validated, now_us)
        pending = Pending.of(recording, [each.result for each in validated])
        stored = self._parts.fold_recorded(recording, pending, ranks=ranks)
        return self._parts.answer(recording, pending, stored)

    def record(
        self, submitted: EventLike | Sequence[EventLike], *, connection: object | None = None
    ) -> Recording:
        """Record events durably without ranking them; `fold` or the next submission ranks them.

        `new` of the answer counts the events that the log did not have before. Raises as
        `submit_many`.

        With a `connection` to the log's own database, the events are recorded in the transaction
        that is open on it. They become durable with its commit, or vanish with its rollback. It may
        be a connection of sqlite3 or psycopg, a SQLAlchemy Session or Connection, or Django's
        connection. Raises `ConfigError` at "connection" for another kind, another database or no
        transaction. A void or a correction needs a result that was committed before, or is in the
        same call. The answer may lack positions: they are 0 then.
        """
        if isinstance(submitted, Event | Mapping):
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

    def check(self, event: EventLike) -> None:
        """Check an event against the book's rules without recording it. Raises `Refused`."""
        self._validator.validate([event], self._clock())

    def fold(self, *, progress: Progress | None = None) -> None:
        """Rank all pending events. `progress` is called with numbers of events."""
        self._ready()
        self._parts.fold(progress=progress)

    def _validate(self, submitted: Sequence[EventLike], now_us: int) -> list[Validated]:
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

    def outcome(self, event: EventLike | str) -> EventOutcome:
        """What has become of the event with this id: unknown, recorded, ranked, or set aside.

        Ask this if the reply to a submission was lost; nothing is written. Given the event itself,
        it also compares the content, and raises `EventConflict` for other content. "unknown" holds
        for this moment: a submission that is still on its way may be recorded later.
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

        That time includes the caller's transaction in which it was recorded. Raises `StoreError`
        while the store is down.
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
        """One ranking, to read from: by default the board's first window and its current period.

        Between two seasons, the season that ended last is the current one. Raises `NotFound`, which
        lists what exists.
        """
        self._ready()
        return self._reader(self.store, self._clock()).ranking(
            board, window=window, period=period, tags=tags
        )

    def bundle(self, name: str) -> BundleReading:
        """All rankings of a bundle in their current periods, from one snapshot.

        The reading is kept until one of the rankings changes, or until the bundle's maximum age.
        """
        self._ready()
        return self._bundles.read(self.spec.bundle(name), self._clock())

    def player(self, player: str) -> list[Standings]:
        """The player's entry in every current ranking that has one, from one snapshot."""
        return self.snapshot(lambda reader: reader.player(player))

    def tags(self, board: str | Board, window: str | None = None) -> list[dict[str, str]]:
        """The tags under which a board has rankings in a window, by default its first window.

        Raises `NotFound`, which lists what exists.
        """
        return self.snapshot(lambda reader: reader.tags(board, window))

    def periods(
        self,
        board: str,
        window: str | None = None,
        *,
        limit: int = MOST_PERIODS,
        before: str | None = None,
    ) -> list[PeriodSummary]:
        """The newest `limit` periods that have entries, the newest first: of a window, or of all
        windows. To continue, give the last period of an answer as `before`.

        Raises `NotFound`, which lists what exists.
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
        first. To continue, give the last period of an answer as `before`.

        Raises `NotFound`, which lists what exists.
        """
        return self.snapshot(
            lambda reader: reader.player_periods(
                player, board, window, tags, limit=limit, before=before
            )
        )

    def snapshot(self, read: Callable[[Reader], T]) -> T:
        """What `read` returns. Everything that it reads comes from one snapshot of the rankings.

        `read` gets a reader with the reading methods of this book. It may be called more than once,
        and must only read. If the book is in parts, each part has a snapshot of its own.
        """
        self._ready()
        now_us = self._clock()
        return in_one_snapshot(self.store, lambda store: read(self._reader(store, now_us)))

    def _reader(self, store: Reads, now_us: int) -> Reader:
        return Reader(self.spec, self._boards, store, now_us)

    # --- what happens by itself ------------------------------------------------------------------

    def catch_up(self, *, progress: Progress | None = None) -> None:
        """Rank pending events, close ended periods, and erase forgotten players, as `open` does.

        If the store cannot be used now, this is left for later.
        """
        with suppress(StoreError):
            self._ready()
            self._parts.fold(progress=progress)
            self.close_due()
            self.log.erase(self.store.position())

    def on_close(self, listener: Callable[[Closing], object]) -> None:
        """Call `listener` when a period has closed and this process has published its seal.

        The log records a closing exactly once: at the next submission or opening after the boundary
        and its grace, or by `close_due`. Listeners do not hear of closings recorded before this
        book was opened. To hear of those that the opening finds, open without catching up, add the
        listener, and call `catch_up`. If a listener fails, that is a warning.
        """
        self._listeners.add(listener)

    def close_due(self, *, progress: Progress | None = None) -> None:
        """Record and publish the closing of every period that has ended. Submissions do so too."""
        self._ready()
        self._parts.fold(progress=progress)
        while self._record_due_seals(self._clock()):
            self._parts.fold(progress=progress)

    def _record_due_seals(self, now_us: int) -> bool:
        """Record the seals that are due. Returns whether any was new."""
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
        """What the book holds on disk, and every broken invariant of its stored form.

        `progress` is called with numbers of entries checked.
        """
        return examine(self.log, self.store, self._clock(), progress or _ignore)

    def backup(self, directory: str | Path, progress: Progress | None = None) -> Backup:
        """Copy log, rankings and rankbook.toml into a directory that is missing or empty.

        Submissions and reads may go on meanwhile. A log in PostgreSQL is not copied: its server
        must back it up. `progress` is called with numbers of bytes. Raises `BookError` if the
        directory is not empty.
        """
        return backup(self.spec, self.log, self.store, Path(directory), progress or _ignore)

    def rebuild(
        self,
        *,
        board: str | None = None,
        period: str | None = None,
        progress: Progress | None = None,
    ) -> int:
        """Make new rankings from the log beside those that are served, and then serve the new ones.

        That is all rankings, those of one board, or those of one period of it. Submissions and
        reads may go on meanwhile. A rebuild that was killed continues where it was. Returns the log
        position reached; `progress` is called with numbers of events. Restart processes that have
        the book open under another specification. Raises `NotFound` if there is no such board.
        Raises `RebuildNeeded` if the specification has changed and this would not rebuild
        everything.
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
        """Repair what `verify` finds, and return what that was. A second repair finds nothing.

        It makes exactly the rankings that differ from the log again, and replaces them in one step
        for each part. If the store's own form is broken, it makes all of them again.
        """
        with suppress(Corrupt):
            self.fold()
        told = progress or _ignore
        found = self._make_anew(lambda made: repair(made, self._parts, self._boards, told))
        return joined(found, self._parts.partition.names)

    def verify(self, *, progress: Progress | None = None) -> Verification:
        """Fold the log again in a scratch store, and compare it with both indexes of every ranking.

        Submissions may go on meanwhile, because each part is compared at one log position.
        `progress` is called with numbers of events folded and entries compared. Raises `StoreError`
        for a store that cannot be walked.
        """
        self._ready()
        found = verify_parts(self._parts, self._boards, self.log, progress or _ignore)
        return joined(found, self._parts.partition.names)

    def _make_anew(self, work: Callable[[Rebuild], T]) -> T:
        """Run what replaces rankings. Afterwards no reading from before is kept."""
        try:
            return work(Rebuild(self.log, self._manifest, self._outdated))
        finally:
            self._parts.settle()
            self._bundles.forget()

    def _ready(self) -> None:
        """Check what the opening could not check because the store was down. Raises `StoreDown`
        while it still is."""
        if self._unchecked:
            self._parts.check()
            self._unchecked = False


def _ignore(_number: int) -> None:
    """Progress that is not shown to anybody."""
