"""Folding the log into every part of a book, and merging the receipts that the parts stored.

Most books have one part. If a part cannot be used now, the others are folded all the same. The part
has its own position, so it continues from there, exactly once, when it can be used again.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from threading import Lock
from typing import NamedTuple

from msgspec import structs

from rankbook.book import events
from rankbook.book.fold import receipts
from rankbook.book.fold.apply import shows_profiles
from rankbook.book.fold.folder import STEP_EVENTS, Folded, Folder, Pending
from rankbook.book.manifest import Manifest, check_log
from rankbook.book.measure import MeasuredResult, Measurer, Scope
from rankbook.book.parts.partition import Partition
from rankbook.book.parts.progress import Furthest
from rankbook.book.parts.store import PartitionedStore
from rankbook.book.published import StepHistory
from rankbook.errors import RebuildNeeded, StoreError
from rankbook.forks import on_fork
from rankbook.log.base import Followable, Recorded, Recording
from rankbook.model import Receipt
from rankbook.rules import BoardRules, BookSpec
from rankbook.store.base import MANIFEST, Progress, Store


class Part(NamedTuple):
    """A store of rankings and the folder that folds the log into it.

    The single part of a book has no name and no scope.
    """

    name: str
    boards: tuple[BoardRules, ...]
    scope: Scope | None
    store: Store
    folder: Folder

    def receipts(self, seqs: Sequence[int]) -> dict[int, bytes]:
        """The stored receipts of these positions. None of them while the store is down."""
        if not seqs:
            return {}
        try:
            found = self.store.receipts(seqs)
        except StoreError:
            return {}
        return {seq: each for seq, each in zip(seqs, found, strict=True) if each is not None}

    def rank(
        self, seqs: Sequence[int], pending: Pending, *, new: bool, ranks: bool
    ) -> dict[int, bytes]:
        """Fold up to the last of these positions, if necessary, and return their receipts.

        `new` says that none of them can be ranked yet. While the store is down, receipts are
        missing.
        """
        made = {} if new else self.receipts(seqs)
        if any(seq not in made for seq in seqs):
            with suppress(StoreError):
                made |= self.folder.fold(self._narrow(pending), until=max(seqs), ranks=ranks)
            made |= self.receipts([seq for seq in seqs if seq not in made])
        return made

    def _narrow(self, pending: Pending) -> Pending:
        """What is pending, with only this part's share of each measured result."""
        if self.scope is None or not pending.measured:
            return pending
        narrow = self.folder.measurer.narrow
        return pending._replace(
            measured={seq: narrow(each) for seq, each in pending.measured.items()}
        )


class Parts:
    """All parts of a book. `store` reads them as one; `measurer` measures for the whole book.

    `folded` is called once with each seal, after the part that has its period has published it in
    this process. It is called with each forget, once for every part.
    """

    def __init__(
        self,
        spec: BookSpec,
        boards: Sequence[BoardRules],
        log: Followable,
        store: Store,
        manifest: Manifest,
        folded: Folded,
        history: StepHistory | None,
    ) -> None:
        """Raises `SpecError` if the store cannot keep the parts of the book."""
        self.partition = Partition(spec)
        self.measurer = Measurer(boards)
        self.store: Store = store
        stores: tuple[Store, ...] = (store,)
        if not self.partition.is_whole:
            self.store = partitioned = PartitionedStore(self.partition, store)
            stores = partitioned.parts
        self._log = log
        self._manifest = manifest
        self._folded = folded
        self._forgotten = 0
        self._sealed: list[Recorded] = []
        self._lock = Lock()
        made: list[Part] = []
        for number, each in enumerate(stores):
            own = [rules for rules in boards if self.partition.may_have(number, rules.board.name)]
            scope = self.partition.scope(number, shows_profiles(boards))
            on_folded = partial(self._note_folded, number)
            folder = Folder(own, log, each, manifest, on_folded, scope, history)
            made.append(Part(self.partition.names[number], tuple(own), scope, each, folder))
        self.parts = tuple(made)
        on_fork(self)

    def after_fork(self) -> None:
        """In a child: take a new lock, because a thread of the parent may hold the old one."""
        self._lock = Lock()

    def check(self) -> None:
        """Raises `RebuildNeeded` if the rankings of a part are not those of this book, and
        `StoreError` if no part can be used."""
        down: list[StoreError] = []
        for part in self.parts:
            try:
                [kept] = part.store.receipts([MANIFEST])
                self._manifest.check(kept)
                position = part.store.position()  # before the head, which only grows
                check_log(self._log.head(), position)
                if kept is None and position and part.store.receipts([MANIFEST]) == [None]:
                    raise RebuildNeeded(
                        "the manifest of the rankings is lost, which names their specification: "
                        "rebuild them"
                    )
            except StoreError as error:
                down.append(error)
        if len(down) == len(self.parts):
            raise down[0]

    def check_manifest(self) -> None:
        """As `Folder.check_manifest`, for the first part that can be asked, because a rebuild goes
        through the parts in their order. Passes if no part can be asked."""
        for part in self.parts:
            with suppress(StoreError):
                part.folder.check_manifest()
                return

    def fold(
        self,
        *,
        until: int | None = None,
        step_events: int = STEP_EVENTS,
        progress: Progress | None = None,
    ) -> None:
        """Fold every part, as `Folder.fold` does. Tries all parts, and then raises the first
        `StoreError`."""
        troubles: list[StoreError] = []
        furthest = Furthest(progress)
        try:
            for part in self.parts:
                told = furthest.next_fold()
                try:
                    part.folder.fold(until=until, step_events=step_events, progress=told)
                except StoreError as error:
                    troubles.append(error)
        finally:
            self.settle()
        if troubles:
            raise troubles[0]

    def fold_recorded(
        self, recording: Recording, pending: Pending, *, ranks: bool
    ) -> dict[int, dict[int, bytes]]:
        """Fold recorded events into every part.

        Returns, for each event's position, the receipt that each part stored, by the part's number.
        A part that cannot be used now has none.
        """
        seqs = [recorded.seq for recorded in recording.events]
        stored: dict[int, dict[int, bytes]] = {seq: {} for seq in seqs}
        try:
            for number, part in enumerate(self.parts):
                made = part.rank(seqs, pending, new=bool(recording.new), ranks=ranks)
                for seq in stored.keys() & made.keys():
                    stored[seq][number] = made[seq]
        finally:
            self.settle()
        return stored

    def answer(
        self, recording: Recording, pending: Pending, stored: Mapping[int, Mapping[int, bytes]]
    ) -> list[Receipt]:
        """The receipts of recorded events, merged from what the parts stored."""
        return [
            self._receipt(recorded, stored[recorded.seq], pending.measured.get(recorded.seq))[0]
            for recorded in recording.events
        ]

    def receipt(self, recorded: Recorded) -> tuple[Receipt, str]:
        """The receipt of an event as far as it is ranked, and the reason if it was set aside."""
        found = [part.receipts([recorded.seq]) for part in self.parts]
        stored = {number: each[recorded.seq] for number, each in enumerate(found) if each}
        return self._receipt(recorded, stored, None)

    def receipts(self, events: Sequence[Recorded]) -> list[Receipt | None]:
        """The receipts of events, None where a part has not ranked it. Raises `StoreError`."""
        stored = self.store.receipts([recorded.seq for recorded in events])
        return [
            None if each is None else receipts.receipt(self.measurer, recorded, each)
            for recorded, each in zip(events, stored, strict=True)
        ]

    def settle(self) -> None:
        """Call `folded` with the seals that were published here, in their order. Have the log erase
        the players that every part has forgotten."""
        if not self._sealed and not self._forgotten:
            return
        with self._lock:
            sealed, self._sealed = self._sealed, []
        for event in sorted(sealed, key=lambda each: each.seq):
            self._folded(event)
        if self._forgotten:
            with suppress(StoreError):
                position = self.store.position()
                self._log.erase(position)
                if position >= self._forgotten:
                    self._forgotten = 0

    def _receipt(
        self, recorded: Recorded, stored: Mapping[int, bytes], result: MeasuredResult | None
    ) -> tuple[Receipt, str]:
        """The receipt merged from what each part stored; "pending" while a part has stored none."""
        missing = [number for number in self._wanted(recorded, result) if number not in stored]
        merged = receipts.merge(list(stored.values()))
        if missing and merged == receipts.NOTHING:
            merged = None
        made = receipts.receipt(self.measurer, recorded, merged, result)
        if not missing:
            return made, receipts.reason(merged or b"")
        names = tuple([self.partition.names[number] for number in missing])
        shown = () if self.partition.is_whole else names
        return structs.replace(made, status="pending", pending_parts=shown), ""

    def _wanted(self, recorded: Recorded, result: MeasuredResult | None) -> Sequence[int]:
        """The parts that must rank the event. For an event other than a result, only the fold finds
        out which rankings it changes, so all parts must fold it."""
        partition = self.partition
        if partition.is_whole or recorded.kind != "result":
            return partition.every
        try:
            touched = self.measurer.declared(result or self.measurer.measure(recorded))
        except events.Unreadable:
            return partition.every
        return sorted({partition.of(ranking.name) for ranking in touched}) or partition.every

    def _note_folded(self, number: int, event: Recorded) -> None:
        """An event that is no result was published in a part by this process."""
        if event.kind == "forget":
            self._forgotten = max(self._forgotten, event.seq)
            self._folded(event)
        elif event.kind == "seal" and number == self.partition.of(events.body(event).target):
            with self._lock:
                self._sealed.append(event)
