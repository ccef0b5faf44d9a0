"""A book in parts: the log is folded into each of them on its own, and receipts are joined.

A part that cannot be used now does not keep the others from being folded. Its own position says how
far it is, so that it goes on by itself, exactly once, when it can be used again.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from threading import Lock
from typing import NamedTuple

from msgspec import structs

from rankbook.book import events
from rankbook.book.fold import receipts
from rankbook.book.fold.apply import Decider, keeps_profiles
from rankbook.book.fold.folder import STEP_EVENTS, Folded, Folder, Progress
from rankbook.book.manifest import Manifest
from rankbook.book.measure import MeasuredResult
from rankbook.book.parts.partition import Scope
from rankbook.book.parts.store import PartitionedStore
from rankbook.errors import StoreError
from rankbook.log.base import Followable, Recorded, Recording
from rankbook.model import Receipt
from rankbook.rules import BoardRules
from rankbook.store.base import Store


class Part(NamedTuple):
    """A store of rankings and what folds the log into it: a part of a book, or all of it, which
    has no name and no scope."""

    name: str
    boards: tuple[BoardRules, ...]
    scope: Scope | None
    store: Store
    folder: Folder

    def receipts(self, seqs: Sequence[int]) -> dict[int, bytes]:
        """The stored receipts of these positions; none of them while the store is down."""
        if not seqs:
            return {}
        try:
            found = self.store.receipts(seqs)
        except StoreError:
            return {}
        return {seq: each for seq, each in zip(seqs, found, strict=True) if each is not None}

    def made(
        self, seqs: Sequence[int], *, new: bool, ranks: bool, fresh: Sequence[MeasuredResult]
    ) -> dict[int, bytes]:
        """The receipts of recorded events, `new` or not, which are folded if need be; without those
        that cannot be had while the store is down."""
        made = {} if new else self.receipts(seqs)
        if any(seq not in made for seq in seqs):
            with suppress(StoreError):
                made |= self.folder.fold(until=max(seqs), ranks=ranks, fresh=fresh)
            made |= self.receipts([seq for seq in seqs if seq not in made])
        return made


class Parts:
    """The parts of a book. `told` is called with each seal once, after the part that has its period
    has published it here, and with each forget for every part."""

    def __init__(
        self,
        spread: PartitionedStore,
        boards: Sequence[BoardRules],
        log: Followable,
        manifest: Manifest,
        told: Folded,
    ) -> None:
        self.decider = Decider(boards)
        self._spread = spread
        self._log = log
        self._told = told
        self._forgotten = 0
        self._sealed: list[Recorded] = []
        self._lock = Lock()
        self.parts = tuple(
            [self._part(number, boards, manifest) for number in spread.partition.every]
        )

    def _part(self, number: int, boards: Sequence[BoardRules], manifest: Manifest) -> Part:
        partition, store = self._spread.partition, self._spread.parts[number]
        own = tuple([each for each in boards if partition.may_have(number, each.board.name)])
        scope = Scope(lambda name: partition.of(name) == number, keeps_profiles(boards))
        folder = Folder(own, self._log, store, manifest, partial(self._folded, number), scope)
        return Part(partition.names[number], own, scope, store, folder)

    def check_note(self) -> None:
        """As `Folder.check_note`, by the first part that can be asked: rankings are made anew in
        the order of the parts."""
        for part in self.parts:
            with suppress(StoreError):
                part.folder.check_note()
                return

    def fold(
        self,
        *,
        until: int | None = None,
        step_events: int = STEP_EVENTS,
        progress: Progress | None = None,
    ) -> None:
        """As `Folder.fold`, for every part. Raises the first `StoreError` of a part, after all have
        been tried."""
        troubles: list[StoreError] = []
        furthest = _Furthest(progress)
        try:
            for part in self.parts:
                told = furthest.of_part()
                try:
                    part.folder.fold(until=until, step_events=step_events, progress=told)
                except StoreError as error:
                    troubles.append(error)
        finally:
            self._settle()
        if troubles:
            raise troubles[0]

    def submitted(
        self, recording: Recording, *, ranks: bool, fresh: Sequence[MeasuredResult]
    ) -> list[Receipt]:
        """Fold what was recorded into every part, and the receipts as far as that went."""
        seqs = [recorded.seq for recorded in recording.events]
        measured = {each.recorded.seq: each for each in fresh}
        found: dict[int, dict[int, bytes]] = {seq: {} for seq in seqs}
        try:
            for number, part in enumerate(self.parts):
                own = [part.folder.decider.narrowed(each) for each in fresh]
                made = part.made(seqs, new=bool(recording.new), ranks=ranks, fresh=own)
                for seq in found.keys() & made.keys():
                    found[seq][number] = made[seq]
        finally:
            self._settle()
        return [
            self._receipt(recorded, found[recorded.seq], measured.get(recorded.seq))[0]
            for recorded in recording.events
        ]

    def receipt(self, recorded: Recorded) -> tuple[Receipt, str]:
        """The receipt of an event as far as it is ranked, and the reason where it was set aside."""
        made = [part.receipts([recorded.seq]) for part in self.parts]
        return self._receipt(
            recorded,
            {number: each[recorded.seq] for number, each in enumerate(made) if each},
            None,
        )

    def _receipt(
        self, recorded: Recorded, found: Mapping[int, bytes], result: MeasuredResult | None
    ) -> tuple[Receipt, str]:
        missing = [number for number in self._wanted(recorded, result) if number not in found]
        stored = receipts.joined(found.values()) if found else None
        if missing and stored == receipts.NOTHING:
            stored = None
        made = receipts.receipt(self.decider, recorded, stored, result)
        if not missing:
            return made, receipts.reason(stored or b"")
        names = tuple([self.parts[number].name for number in missing])
        return structs.replace(made, status="pending", pending_parts=names), ""

    def _wanted(self, recorded: Recorded, result: MeasuredResult | None) -> Sequence[int]:
        """The parts that have a ranking of the event. Of one that is no result they are known only
        when it has been folded, so that it is all of them."""
        partition = self._spread.partition
        if recorded.kind != "result":
            return partition.every
        try:
            touched = self.decider.declared(result or self.decider.result(recorded))
        except events.Unreadable:
            return partition.every
        return sorted({partition.of(ranking.name) for ranking in touched}) or partition.every

    def _folded(self, number: int, event: Recorded) -> None:
        """An event that is no result was published in a part by this process."""
        if event.kind == "forget":
            self._forgotten = max(self._forgotten, event.seq)
            self._told(event)
        elif event.kind == "seal" and number == self._of_seal(event):
            with self._lock:
                self._sealed.append(event)

    def _of_seal(self, event: Recorded) -> int:
        return self._spread.partition.of(events.body(event).target)

    def _settle(self) -> None:
        """Tell of the seals that were published, in their order, and have the log erase the players
        whom every part has forgotten: the part that is last to do so is folded by a process that
        then comes here."""
        with self._lock:
            sealed, self._sealed = self._sealed, []
        for event in sorted(sealed, key=lambda each: each.seq):
            self._told(event)
        if self._forgotten:
            with suppress(StoreError):
                position = self._spread.position()
                self._log.erase(position)
                if position >= self._forgotten:
                    self._forgotten = 0


class _Furthest:
    """Progress of several folds of one log, told as that of the one that has come furthest."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._most = 0

    def of_part(self) -> Progress | None:
        """The progress of one more fold."""
        if self._progress is None:
            return None
        self._own = 0
        return self._more

    def _more(self, events: int) -> None:
        self._own += events
        more = max(0, self._own - self._most)
        self._most += more
        assert self._progress is not None
        self._progress(more)


def shared(progress: Progress | None, among: int) -> Progress | None:
    """Progress of so many folds of one log, one after the other, told as that of a single one."""
    if progress is None or among == 1:
        return progress
    told = [0, 0]

    def more(events: int) -> None:
        told[0] += events
        step = told[0] // among - told[1]
        told[1] += step
        progress(step)

    return more
