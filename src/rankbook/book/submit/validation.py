"""What may be recorded: every event is held against the rules before it becomes part of the truth.

Where an event is about another one (void, correct), the player is the other's.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from urllib.parse import unquote

import msgspec

from rankbook.book import events, state
from rankbook.book.measure import Admitted, Measurer
from rankbook.errors import NotFound, Refused
from rankbook.log.base import Draft, Log, Recorded
from rankbook.model import Event
from rankbook.rules import BoardRules, Fact

SEAL = "seal:"


class EventValidator:
    """Turns submitted events into drafts, or refuses them with a reason."""

    def __init__(
        self, boards: Mapping[str, BoardRules], door: Callable[[Event], None], log: Log
    ) -> None:
        self._boards = boards
        self._measurer = Measurer(tuple(boards.values()))
        self._check = door
        self._log = log

    def drafts(self, submitted: Sequence[Event], now_us: int) -> list[Draft]:
        """Drafts of the events, in their order. Raises `Refused`."""
        return [each.draft for each in self.admit(submitted, now_us)]

    def admit(self, submitted: Sequence[Event], now_us: int) -> list[Admitted]:
        """The events as they may be recorded, in their order. Raises `Refused`."""
        targets = self._targets(submitted)
        admitted: list[Admitted] = []
        for event in submitted:
            if event.kind == "result":
                each = self._result(event, now_us)
                targets.setdefault(each.draft.id, each.draft)
            else:
                each = Admitted(self._other(event, now_us, targets))
            admitted.append(each)
        return admitted

    def _other(self, event: Event, now_us: int, targets: Mapping[str, Draft | Recorded]) -> Draft:
        match event.kind:
            case "void" | "correct":
                return self._about(event, now_us, targets)
            case "seal":
                return self._seal(event, now_us)
            case "forget":
                return self._forget(event, now_us)
        if event.kind not in ("ban", "unban", "profile"):
            raise Refused("kind", f"is {event.kind!r}, which is no kind of event")
        self._check(event)
        return events.draft(event, now_us)

    def _result(self, event: Event, now_us: int) -> Admitted:
        self._check(event)
        draft = events.draft(event, now_us)
        fact = events.fact_of(event, draft)
        return Admitted(draft, fact, self._measurer.admit(fact))

    def _targets(self, submitted: Sequence[Event]) -> dict[str, Draft | Recorded]:
        """The recorded results that voids and corrections are about."""
        wanted = [event.target for event in submitted if event.kind in ("void", "correct")]
        if not wanted:
            return {}
        return {each.id: each for each in self._log.find(wanted) if each is not None}

    def _about(self, event: Event, now_us: int, targets: Mapping[str, Draft | Recorded]) -> Draft:
        target = targets.get(event.target)
        if target is None or target.kind != "result":
            raise Refused("target", f"is {event.target!r}, which is no recorded result")
        if event.player not in ("", target.player):
            raise Refused("player", f"is {event.player!r}; the result is of {target.player!r}")
        whole = msgspec.structs.replace(event, player=target.player)
        self._check(whole)
        if event.kind == "correct":
            self._measurer.admit(
                Fact(target.player, event.values, event.profile, None, target.at_us, target.id, 0)
            )
        return events.draft(whole, now_us)

    def _forget(self, event: Event, now_us: int) -> Draft:
        """A retry is of the event as it was left when it erased the player, and itself."""
        self._check(event)
        draft = events.draft(event, now_us)
        [known] = self._log.find([draft.id])
        if known is not None and known.kind == "forget" and not known.player:
            return draft._replace(player="", body=known.body)
        return draft

    def _seal(self, event: Event, now_us: int) -> Draft:
        parts = [unquote(part) for part in event.target.split("/")]
        rules = self._boards.get(parts[0])
        if len(parts) != 3 or rules is None:
            raise Refused("target", f"is {event.target!r}, not BOARD/WINDOW/PERIOD")
        if not rules.board.seal:
            raise Refused("target", f"board {parts[0]!r} does not seal its periods")
        try:
            span = rules.window(parts[1]).period(parts[2])
        except NotFound as error:
            raise Refused("target", str(error)) from error
        closes_us = rules.closes_at(span)
        if closes_us is None:
            raise Refused("target", f"is {event.target!r}, which never ends")
        if now_us < closes_us:
            raise Refused("target", f"is {event.target!r}, which is not over")
        if event.target != state.period_name(*parts):
            raise Refused("target", f"is {event.target!r}; write {state.period_name(*parts)}")
        if event.player:
            raise Refused("player", f"is {event.player!r}; a seal is of no player")
        # The names of seasons may be longer, quoted, than other targets and ids.
        named = event.id == seal_id(event.target)
        self._check(msgspec.structs.replace(event, target="", id="" if named else event.id))
        return events.draft(event, now_us)


def seal_id(period: str) -> str:
    """The id of the seal that the boundary of a period brings, by the period's name."""
    return f"{SEAL}{period}"


def sealed_by(event_id: str) -> str:
    """The name of the period that the seal with this id is about; empty where it does not say."""
    return event_id.removeprefix(SEAL) if event_id.startswith(SEAL) else ""


def seals_due(rows: Iterable[tuple[bytes, bytes]], now_us: int) -> list[Event]:
    """The seals of periods that have closed by now, from the open periods (name, closing key).

    A seal has one id and the boundary's own instant, so it is recorded once whoever finds it due.
    """
    return [
        Event(
            id=seal_id(name.decode()),
            kind="seal",
            player="",
            target=name.decode(),
            at=events.instant(state.read_number(key)),
        )
        for name, key in rows
        if state.read_number(key) <= now_us
    ]
