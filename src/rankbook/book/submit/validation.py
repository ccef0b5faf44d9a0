"""Validation: every event is checked against the rules before the log records it.

A void or a correction has a recorded result as its target, and gets that result's player.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote

import msgspec

from rankbook.book import events, state
from rankbook.book.measure import MeasuredResult, Measurer
from rankbook.errors import NotFound, Refused
from rankbook.log.base import Draft, Log, Recorded
from rankbook.model import Event, EventLike
from rankbook.rules import ABOUT_A_RESULT, BoardRules, Fact, as_event


class Validated(NamedTuple):
    """An event as the log takes it. If it is a result, also its measures on every board."""

    draft: Draft
    result: MeasuredResult | None = None


class EventValidator:
    """Turns submitted events into drafts for the log, or refuses them with a reason.

    `check` compares an event with the limits of its book; see `rules/limits.py`.
    """

    def __init__(
        self,
        boards: Mapping[str, BoardRules],
        measurer: Measurer,
        check: Callable[[Event], None],
        log: Log,
        *,
        max_ahead_us: int | None = None,
    ) -> None:
        self._boards = boards
        self._measurer = measurer
        self._check = check
        self._log = log
        self._max_ahead_us = max_ahead_us

    def validate(self, submitted: Sequence[EventLike], now_us: int) -> list[Validated]:
        """The events, ready to be recorded, in their order. Raises `Refused`."""
        arrived = [as_event(each) for each in submitted]
        targets = self._targets(arrived)
        validated: list[Validated] = []
        for event in arrived:
            if event.kind == "result":
                each = self._result(event, now_us)
                targets.setdefault(each.draft.id, each.draft)
            else:
                each = Validated(self._other(event, now_us, targets))
            validated.append(each)
        return validated

    def _check_fields(self, event: Event) -> None:
        """Raises `Refused` if the event breaks the book's limits, or has an id that is kept for
        seals."""
        self._check(event)
        if event.id.startswith(state.SEAL):
            raise Refused("id", f"begins with {state.SEAL!r}, as only the ids of seals do")

    def _other(self, event: Event, now_us: int, targets: Mapping[str, Draft | Recorded]) -> Draft:
        if event.kind in ABOUT_A_RESULT:
            return self._about(event, now_us, targets)
        match event.kind:
            case "seal":
                return self._seal(event, now_us)
            case "forget":
                return self._forget(event, now_us)
        self._check_fields(event)
        return events.draft(event, now_us)

    def _result(self, event: Event, now_us: int) -> Validated:
        self._check_fields(event)
        draft = events.draft(event, now_us)
        self._check_time(draft.at_us, now_us)
        return Validated(draft, self._measurer.validate(events.fact_of(event, draft)))

    def _check_time(self, at_us: int, now_us: int) -> None:
        """A result from the future would reach a period that nobody else is in yet."""
        most_us = self._max_ahead_us
        if most_us is not None and at_us - now_us > most_us:
            seconds = (at_us - now_us) // 1_000_000
            limit = f"there may be {most_us / 1_000_000:g}"
            raise Refused("at", f"is {seconds} seconds ahead of the book's clock; {limit}")

    def _targets(self, submitted: Sequence[Event]) -> dict[str, Draft | Recorded]:
        """The recorded results that voids, unvoids and corrections are about."""
        wanted = [event.target for event in submitted if event.kind in ABOUT_A_RESULT]
        if not wanted:
            return {}
        return {each.id: each for each in self._log.find(wanted) if each is not None}

    def _about(self, event: Event, now_us: int, targets: Mapping[str, Draft | Recorded]) -> Draft:
        target = targets.get(event.target)
        if isinstance(target, Recorded) and not target.intact:
            raise Refused("target", f"is {event.target!r}, which was damaged in the log")
        if target is None or target.kind != "result":
            raise Refused("target", f"is {event.target!r}, which is no recorded result")
        if event.player not in ("", target.player):
            raise Refused("player", f"is {event.player!r}; the result is of {target.player!r}")
        whole = msgspec.structs.replace(event, player=target.player)
        self._check_fields(whole)
        if event.kind == "correct":
            corrected = Fact(
                target.player, event.values, event.profile, None, target.at_us, target.id, 0
            )
            self._measurer.validate(corrected, correction=True)
        return events.draft(whole, now_us)

    def _forget(self, event: Event, now_us: int) -> Draft:
        """A retry is of the event as it was left when it erased the player, and itself."""
        self._check_fields(event)
        draft = events.draft(event, now_us)
        [known] = self._log.find([draft.id])
        if known is not None and known.intact and known.kind == "forget" and not known.player:
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
        named = state.sealed_period(event.id) == event.target
        self._check_fields(msgspec.structs.replace(event, target="", id="" if named else event.id))
        return events.draft(event, now_us)
