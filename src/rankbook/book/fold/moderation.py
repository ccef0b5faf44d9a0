"""Events other than results: bans, voids, corrections, profiles, seals and forgetting."""

from collections.abc import Sequence

from rankbook.book import events, state
from rankbook.book.fold.apply import Decider, Outcome, put_profile
from rankbook.book.fold.replay import REPLAYED, replay
from rankbook.book.fold.step import StepState
from rankbook.book.measure import Measurer
from rankbook.log import Log, Recorded, intact
from rankbook.rules import BoardRules


class Moderator:
    """Applies every event other than a result. `boards` are those of the book, or of one part."""

    def __init__(
        self, boards: Sequence[BoardRules], measurer: Measurer, decider: Decider, log: Log
    ) -> None:
        self._boards = boards
        self._measurer = measurer
        self._decider = decider
        self._log = log

    def apply(self, step: StepState, event: Recorded) -> list[Outcome]:
        """Apply an event. Returns an outcome for each ranking that its player's results have
        touched.

        If the event was erased since, it changes only the horizon. Raises `events.Unreadable`.
        """
        said = events.said(event)
        member = event.player.encode()
        if event.kind == "ban":
            step.put(state.BANS, member, state.marked(event.seq))
        elif event.kind == "unban":
            step.remove(state.BANS, member)
        elif event.kind == "profile":
            put_profile(step, event, said.profile)
        elif event.kind == "seal":
            _seal(step, event, said.target)
        elif event.kind == "forgotten":
            self._decider.periods.note_time(step, event)
        elif event.kind == "forget" and event.player:
            self._forget(step, event)
        if event.kind in REPLAYED and event.player:
            return replay(self._measurer, self._decider, step, self._log, event)
        return []

    def set_aside(self, step: StepState, event: Recorded, reason: str) -> None:
        """Note that an event cannot be read. No board ranks it, and later events go on.

        A result still moves the horizon by its time. A seal that Rankbook recorded names its period
        in its id, so it still closes the period. If an event does not match its checksum, only its
        position is used: any other field may be the one that was changed.
        """
        if not event.intact:
            pass
        elif event.kind == "result":
            self._decider.periods.note_time(step, event)
        elif event.kind == "seal" and (period := state.sealed_period(event.id)):
            _seal(step, event, period)
        content = state.pack_poison(event.id, reason)
        step.put(state.POISON, state.poison(event.seq), state.marked(event.seq, content))

    def _forget(self, step: StepState, event: Recorded) -> None:
        """Remove what the fold remembers of a player besides entries.

        The times of the player's events still count for the horizon, because the log keeps them. An
        event that does not match its checksum stays set aside, as it does in the log.
        """
        theirs = intact(self._log.of_player(event.player, event.seq))
        for each in theirs:
            step.want(state.POISON, state.poison(each.seq))
        step.load()
        for each in theirs:
            if each.kind != "forget":
                self._decider.periods.note_time(step, each)
            step.remove(state.POISON, state.poison(each.seq))
        member = event.player.encode()
        cooldowns = [state.cooldowns(rules.board.name) for rules in self._boards]
        for id in (state.BANS, state.PROFILES, *cooldowns):
            step.remove(id, member)


def _seal(step: StepState, event: Recorded, name: str) -> None:
    period = name.encode()
    step.remove(state.OPEN, period)
    if step.get(state.SEALS, period) is None:
        step.put(state.SEALS, period, state.marked(event.seq))
