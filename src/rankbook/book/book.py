"""Rankbook: the one place where rules, log and store meet."""

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import msgspec

from rankbook.book import events, receipts, seasons, specification, state
from rankbook.book.admission import Admission, seals_due
from rankbook.book.bundles import BundleCache, BundleReading
from rankbook.book.fold import Folder, Progress
from rankbook.book.measuring import Admitted, fresh_results
from rankbook.book.outbox import outbox
from rankbook.book.outcomes import Outcomes
from rankbook.book.reading import RankingView, read_all, view
from rankbook.book.slices import sliced
from rankbook.book.upkeep import Upkeep
from rankbook.errors import BookError, RebuildNeeded, Refused, StoreError
from rankbook.log import open_log
from rankbook.log.base import Draft, Followable, Recorded, Recording
from rankbook.model import Closing, Event, PeriodSummary, PlayerPeriod, Receipt, Standings
from rankbook.rules import Board, BoardRules, BookSpec, Bundle, Ranking, current, instant, load
from rankbook.store import open_store
from rankbook.store.base import NOTE, ByPosition, Store

SEALS_AT_ONCE = 100
FILE = "rankbook.toml"

Clock = Callable[[], int]


def system_clock() -> int:
    """Microseconds since 1970 UTC."""
    return time.time_ns() // 1000


class Rankbook(Outcomes, Upkeep):
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
        self._admission = Admission(self._rules, spec.door(), log)
        self._outbox = outbox(spec.log, None)
        self._listeners: list[Callable[[Closing], object]] = []
        self._bundles = BundleCache(store, self._bundle_views)
        [kept] = store.receipts([NOTE])
        self._outdated = False
        try:
            specification.check(spec, kept)
            position = store.position()
            specification.check_log(log.head(), position)
        except RebuildNeeded:
            if not outdated:
                raise
            self._outdated = True
        self._folder = Folder(self._boards, log, store, specification.note(spec), self._folded)

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
        unless `catch_up` is false. Raises `BookError` when there is no book or it cannot be used,
        `SpecError` for a wrong specification, `RebuildNeeded` when that has changed and
        `outdated` is false; an outdated book is only good for `rebuild`.
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
        measured = {each.recorded.seq: each for each in fresh}
        seqs = [recorded.seq for recorded in recording.events]
        made = {} if recording.new else self._receipts(seqs)
        if any(seq not in made for seq in seqs):
            with suppress(StoreError):
                made |= self._folder.fold(until=max(seqs), ranks=ranks, fresh=fresh)
            made |= self._receipts([seq for seq in seqs if seq not in made])
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
            self._folder.check_note()
        return self._admission.admit(submitted, now_us)

    def _record(self, admitted: Sequence[Admitted], now_us: int) -> Recording:
        self._record_due_seals(now_us)
        return self.log.record([each.draft for each in admitted])

    def check(self, event: Event) -> None:
        """Hold an event against the book's rules without recording it. Raises `Refused`."""
        self._admission.drafts([event], self._clock())

    def fold(self, *, progress: Progress | None = None) -> None:
        """Rank everything that is recorded and pending. `progress` is told numbers of events."""
        self._folder.fold(progress=progress)

    # --- what happens by itself ------------------------------------------------------------------

    def catch_up(self, *, progress: Progress | None = None) -> None:
        """Rank what is pending, close what has ended, and erase whom to forget: as `open` does.

        Where the store cannot be used now, it is left for later.
        """
        with suppress(StoreError):
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
        self._folder.fold(progress=progress)
        while self._record_due_seals(self._clock()):
            self._folder.fold(progress=progress)

    def _record_due_seals(self, now_us: int) -> bool:
        if not self._seals:
            return False
        drafts: list[Draft] = []
        with suppress(StoreError):
            [answer] = self.store.read([ByPosition(state.OPEN, 0, SEALS_AT_ONCE)]).answers
            due = seals_due([(row.member, row.key) for row in sliced(answer).rows], now_us)
            drafts = self._admission.drafts(due, now_us)
        # Where one is recorded already it need not have our content to be known, as a seal of
        # somebody's own, or one whose body is lost.
        known = self.log.find([draft.id for draft in drafts]) if drafts else []
        drafts = [draft for draft, there in zip(drafts, known, strict=True) if there is None]
        return bool(drafts) and bool(self.log.record(drafts).new)

    def _folded(self, event: Recorded) -> None:
        """An event that is no result was published by this process."""
        if event.kind == "forget":
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
        name = board.name if isinstance(board, Board) else board
        return self._view(name, window, period, tags or {}, self._clock())

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
        """All rankings of a bundle in their current periods, from one snapshot.

        Kept until one of them changes, or as long as the bundle's maximum age says.
        """
        return self._bundles.read(self.spec.bundle(name), self._clock())

    def _bundle_views(self, bundle: Bundle, now_us: int) -> list[RankingView]:
        return [
            self._view(each.board, each.window, None, dict(each.tags), now_us)
            for each in bundle.rankings
        ]

    def player(self, player: str) -> list[Standings]:
        """The player's entry in every current ranking that has one, from one snapshot."""
        now_us = self._clock()
        views = [
            self._known_view(rules, ranking, now_us)
            for rules in self._boards
            for ranking in seasons.running(
                self.store, rules, {n: current(w, now_us) for n, w in rules.windows.items()}
            )
        ]
        _position, found = read_all(self.store, views, lambda each: each.entry_query(player))
        return [standings for standings in found if standings.entries]

    def periods(self, board: str, window: str | None = None) -> list[PeriodSummary]:
        """Every period of a window that has entries, the newest first; all windows by default.

        Raises `NotFound` and says what exists.
        """
        self.spec.board(board)
        rules = self._rules[board]
        names = list(rules.windows) if window is None else [rules.window(window).name]
        return [
            each
            for name in names
            for each in seasons.periods(self.store, rules, name, self._seen_now())
        ]

    def player_periods(
        self,
        player: str,
        board: str,
        window: str | None = None,
        tags: Mapping[str, object] | None = None,
    ) -> list[PlayerPeriod]:
        """The player's rank, score, count and percentile in each period, the newest first.

        Raises `NotFound` and says what exists.
        """
        self.spec.board(board)
        rules = self._rules[board]
        name = next(iter(rules.windows)) if window is None else window
        rules.window(name)
        chosen = dict(rules.tags(tags or {}))
        return seasons.of_player(self.store, rules, name, chosen, player, self._seen_now())

    def _seen_now(self) -> Callable[[BoardRules, Ranking], RankingView]:
        now_us = self._clock()
        return lambda rules, ranking: self._known_view(rules, ranking, now_us)

    def _known_view(self, rules: BoardRules, ranking: Ranking, now_us: int) -> RankingView:
        span = rules.window(ranking.window).period(ranking.period)
        return RankingView(self.store, rules, ranking, span, now_us)
