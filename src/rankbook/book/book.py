"""Rankbook: the one place where rules, log and store meet."""

import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import msgspec

from rankbook.book import events, manifest, state
from rankbook.book.fold import receipts
from rankbook.book.fold.folder import Folder, Progress
from rankbook.book.measure import Admitted, fresh_results
from rankbook.book.parts.folding import Part, Parts
from rankbook.book.parts.partition import Partition
from rankbook.book.parts.store import PartitionedStore
from rankbook.book.published import StepHistory
from rankbook.book.read.bundles import BundleCache
from rankbook.book.read.reader import Reads
from rankbook.book.read.slices import sliced
from rankbook.book.submit.outbox import outbox
from rankbook.book.submit.outcome import Outcomes
from rankbook.book.submit.validation import EventValidator, seals_due
from rankbook.book.upkeep.upkeep import Upkeep
from rankbook.errors import BookError, RebuildNeeded, Refused, StoreDown, StoreError
from rankbook.log import open_log
from rankbook.log.base import Followable, Recorded, Recording
from rankbook.model import Closing, Event, Receipt
from rankbook.rules import BoardRules, BookSpec, instant, load
from rankbook.store import open_store
from rankbook.store.base import NOTE, ByPosition, Row, Store

SEALS_AT_ONCE = 100
FILE = "rankbook.toml"

Clock = Callable[[], int]


def system_clock() -> int:
    """Microseconds since 1970 UTC."""
    return time.time_ns() // 1000


def read_spec(directory: Path) -> BookSpec:
    """What a directory's rankbook.toml says. Raises `BookError` without one, and `SpecError`."""
    try:
        return load((directory / FILE).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise BookError(f"{directory} is no book: it has no {FILE}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BookError(f"{directory / FILE} cannot be read: {error}") from error


class Rankbook(Reads, Outcomes, Upkeep):
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
        self.store = store
        self._clock = clock
        self._opened_us = clock()
        self._rules = {board.name: BoardRules(board) for board in spec.boards}
        self._boards = tuple(self._rules.values())
        self._seals = any(board.seal for board in spec.boards)
        self._validator = EventValidator(self._rules, spec.event_checker(), log)
        self._outbox = outbox(spec.log, None)
        self._listeners: list[Callable[[Closing], object]] = []
        self._in_parts: Parts | None = None
        self._folder: Folder | Parts
        self._manifest = note = manifest.Manifest(spec, log)
        follows = spec.partition == "book" and spec.bundles
        recent = StepHistory() if follows else None
        if spec.partition == "book":
            self._folder = Folder(self._boards, log, store, note, self._folded, recent=recent)
            self._whole = Part("", self._boards, None, store, self._folder)
            self._parts = (self._whole,)
        else:
            self.store = spread = PartitionedStore(Partition(spec), store)
            self._folder = self._in_parts = Parts(spread, self._boards, log, note, self._folded)
            self._parts = self._in_parts.parts
        self._bundles = BundleCache(self.store, self._bundle_views, recent)
        self._outdated = self._unchecked = False
        try:
            self._check_parts()
        except RebuildNeeded:
            if not outdated:
                raise
            self._outdated = True
        except StoreDown:
            self._unchecked = True

    def _ready(self) -> None:
        """What could not be checked at the opening, for the store was down: before anything is read
        from it. Raises `StoreDown` while it is."""
        if self._unchecked:
            self._check_parts()
            self._unchecked = False

    def _check_parts(self) -> None:
        """Raises `RebuildNeeded`; and `StoreError` where none of the parts can be used."""
        down: list[StoreError] = []
        for part in self._parts:
            try:
                [kept] = part.store.receipts([NOTE])
                self._manifest.check(kept)
                position = part.store.position()  # before the head, which only grows
                manifest.check_log(self.log.head(), position)
            except StoreError as error:
                down.append(error)
        if len(down) == len(self._parts):
            raise down[0]

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

        What is recorded and not ranked yet is ranked first, and periods that have ended are closed,
        unless `catch_up` is false. While the store's server is down, a book that is opened records,
        and ranks later. Raises `BookError` when there is no book or it cannot be used, `SpecError`
        for a wrong specification, `RebuildNeeded` when that has changed and `outdated` is false; an
        outdated book is only good for `rebuild`.
        """
        place = Path(directory)
        if spec is None:
            spec = read_spec(place)
        log = open_log(spec.log, place)
        try:
            store = open_store(spec.store, place)
        except BaseException:
            log.close()
            raise
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
        now_us = self._clock()
        admitted = self._admit(submitted, now_us)
        recording = self._record(admitted, now_us)
        fresh = fresh_results(admitted, recording)
        if self._in_parts is not None:
            return self._in_parts.submitted(recording, ranks=ranks, fresh=fresh)
        measured = {each.recorded.seq: each for each in fresh}
        seqs = [recorded.seq for recorded in recording.events]
        made = self._whole.made(seqs, new=bool(recording.new), ranks=ranks, fresh=fresh)
        return [
            receipts.receipt(
                self._folder.decider, recorded, made.get(recorded.seq), measured.get(recorded.seq)
            )
            for recorded in recording.events
        ]

    def record(
        self, submitted: Event | Sequence[Event], *, connection: object | None = None
    ) -> Recording:
        """Record events durably without ranking them; `fold` or the next submission does that.

        `new` of the answer counts those that were not known before. Raises as `submit_many`.

        With a `connection` to the log's own database, of sqlite3 or psycopg, on which a
        transaction is open, the events are recorded in that transaction: they become durable with
        its commit, or vanish with its rollback. What wraps such a connection will do: a SQLAlchemy
        Session or Connection, or Django's connection. Raises `Refused` at "connection" for another
        kind, another database or no transaction. Voids and corrections are of results that were
        committed before, or are in the same call. The answer may lack positions, as 0.
        """
        if isinstance(submitted, Event):
            submitted = [submitted]
        now_us = self._clock()
        admitted = self._admit(submitted, now_us)
        if connection is None:
            return self._record(admitted, now_us)
        if self._outbox is None:
            raise Refused("connection", "is for logs in SQLite and PostgreSQL")
        return self._outbox.record(connection, [each.draft for each in admitted])

    def _admit(self, submitted: Sequence[Event], now_us: int) -> list[Admitted]:
        if self._outdated:
            raise RebuildNeeded("the rankings were made under another specification: rebuild them")
        with suppress(StoreError):
            self._ready()
            self._folder.check_note()
        return self._validator.admit(submitted, now_us)

    def _record(self, admitted: Sequence[Admitted], now_us: int) -> Recording:
        self._record_due_seals(now_us)
        return self.log.record([each.draft for each in admitted])

    def check(self, event: Event) -> None:
        """Hold an event against the book's rules without recording it. Raises `Refused`."""
        self._validator.drafts([event], self._clock())

    def fold(self, *, progress: Progress | None = None) -> None:
        """Rank everything that is recorded and pending. `progress` is told numbers of events."""
        self._ready()
        self._folder.fold(progress=progress)

    # --- what happens by itself ------------------------------------------------------------------

    def catch_up(self, *, progress: Progress | None = None) -> None:
        """Rank what is pending, close what has ended, and erase whom to forget: as `open` does.

        Where the store cannot be used now, it is left for later.
        """
        with suppress(StoreError):
            self._ready()
            self._folder.fold(progress=progress)
            self.close_due()
            self.log.erase(self.store.position())

    def on_close(self, listener: Callable[[Closing], object]) -> None:
        """Call `listener` when a period has closed and this process has published its seal.

        A closing is recorded in the log exactly once, whenever it is noticed: at the next
        submission or opening after the boundary and its grace, or by `close_due`. Closings that
        were recorded before this book was opened are not told again; to be told of those that the
        opening notices, open without catching up, listen, and `catch_up`. A listener that fails is
        a warning.
        """
        self._listeners.append(listener)

    def close_due(self, *, progress: Progress | None = None) -> None:
        """Record and publish the closing of every period that has ended, as submissions do."""
        self._ready()
        self._folder.fold(progress=progress)
        while self._record_due_seals(self._clock()):
            self._folder.fold(progress=progress)

    def _record_due_seals(self, now_us: int) -> bool:
        if not self._seals:
            return False
        rows: list[Row] = []
        for part in self._parts:
            with suppress(StoreError):
                [answer] = part.store.read([ByPosition(state.OPEN, 0, SEALS_AT_ONCE)]).answers
                rows += sliced(answer).rows
        first = sorted([(row.key, row.member) for row in rows])[:SEALS_AT_ONCE]
        due = seals_due([(member, key) for key, member in first], now_us)
        drafts = self._validator.drafts(due, now_us)
        # Where one is recorded already it need not have our content to be known, as a seal of
        # somebody's own, or one whose body is lost.
        known = self.log.find([draft.id for draft in drafts]) if drafts else []
        drafts = [draft for draft, there in zip(drafts, known, strict=True) if there is None]
        return bool(drafts) and bool(self.log.record(drafts).new)

    def _folded(self, event: Recorded) -> None:
        """An event that is no result was published by this process."""
        if event.kind == "forget":
            if self._in_parts is None:
                self.log.erase(event.seq)
            self._bundles.forget()
        elif event.kind == "seal" and event.received_us >= self._opened_us:
            self._tell(event)

    def _tell(self, event: Recorded) -> None:
        """Tell the listeners of a closing. One that fails is a warning: the results are safe."""
        board, window, period = state.read_period(events.body(event).target)
        rules = self._rules.get(board)
        if rules is None or window not in rules.windows:
            return
        shown = rules.period(rules.window(window).period(period))
        closing = Closing(
            board=board,
            window=window,
            period=msgspec.structs.replace(shown, sealed=True),
            at=instant(event.at_us),
        )
        for listener in self._listeners:
            try:
                listener(closing)
            except Exception as error:
                warnings.warn(f"an on_close listener failed: {error!r}", stacklevel=2)
