"""Events as the log stores them: drafts, and the canonical body."""

import uuid
from decimal import Decimal
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from rankbook.errors import LogError
from rankbook.log.base import Draft, Recorded
from rankbook.model import Event, Value
from rankbook.rules import ABOUT_A_RESULT, Fact, as_event, instant, micros, read_fraction

__all__ = [
    "NOTHING",
    "SPEAKING",
    "Body",
    "Unreadable",
    "body",
    "content_of",
    "draft",
    "fact",
    "fact_of",
    "instant",
    "readable",
    "said",
    "same",
    "same_content",
]

MAX_INTEGER = (1 << 63) - 1
VALUES = frozenset((int, float, Decimal, str))


class Unreadable(LogError):
    """A recorded event cannot be read, or was changed since. Its `reason` is always the same."""

    def __init__(self, recorded: Recorded, reason: str) -> None:
        super().__init__(f"event {recorded.id!r} (seq {recorded.seq}) cannot be read: {reason}")
        self.reason = reason


class Body(msgspec.Struct, frozen=True, omit_defaults=True):
    """The body of an event, as the log keeps it. It has `at` only if the caller gave it, so a retry
    without `at` has the same content."""

    values: dict[str, Value] = {}
    profile: dict[str, str] = {}
    sequence: Annotated[int, Meta(ge=-MAX_INTEGER - 1, le=MAX_INTEGER)] | None = None
    target: str = ""
    at: int | None = None


# The kinds whose bodies are read; of the others the kind and the player say everything.
SPEAKING = ("result", *ABOUT_A_RESULT, "profile", "seal")

_encoder = msgspec.json.Encoder(order="deterministic", decimal_format="number")
_decoder = msgspec.json.Decoder(Body, float_hook=read_fraction)
_content = msgspec.json.Decoder(dict[str, Any], float_hook=Decimal)

NOTHING = Body()


def draft(event: Event, now_us: int) -> Draft:
    """The event as the log takes it. An event without an id gets one; one without `at` gets now.

    Raises `Refused` for a time outside the years 1 to 9999.
    """
    at_us = None if event.at is None else micros(event.at)
    body = Body(event.values, event.profile, event.sequence, event.target, at_us)
    return Draft(
        event.id or uuid.uuid4().hex,
        event.kind,
        event.player,
        now_us if at_us is None else at_us,
        now_us,
        _encoder.encode(body),
    )


def body(recorded: Recorded) -> Body:
    """The body of a recorded event. Raises `Unreadable`, which is a `LogError`."""
    if not recorded.intact:
        raise Unreadable(recorded, "its checksum does not match")
    try:
        said = _decoder.decode(recorded.body)
        if VALUES.issuperset(map(type, said.values.values())):
            return said
        raise msgspec.ValidationError
    except msgspec.ValidationError as error:
        raise Unreadable(recorded, "its body is not that of an event") from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise Unreadable(recorded, "its body is no JSON") from error


def content_of(recorded: Recorded) -> Body:
    """The body of a recorded event, or an empty one if it was erased or cannot be read."""
    if recorded.kind == "forgotten":
        return NOTHING
    try:
        return body(recorded)
    except Unreadable:
        return NOTHING


def said(recorded: Recorded) -> Body:
    """The body, or `NOTHING` for a kind that needs no body. Raises `Unreadable`."""
    if recorded.intact and recorded.kind not in SPEAKING:
        return NOTHING
    return body(recorded)


def readable(recorded: Recorded) -> bool:
    """Whether the event can be folded."""
    try:
        said(recorded)
    except Unreadable:
        return False
    return True


def same(event: Event, recorded: Recorded) -> bool:
    """Whether a submitted event is the same as the recorded one, so that it is a retry.

    A void or correction need not name the player. Nothing is left to compare of an erased forget.
    """
    if recorded.kind != event.kind:
        return False
    if event.kind == "forget" and not recorded.player:
        return True
    named = event.player or event.kind not in ABOUT_A_RESULT
    if named and event.player != recorded.player:
        return False
    return same_content(draft(as_event(event), recorded.at_us).body, recorded.body)


def same_content(body: bytes, recorded: bytes) -> bool:
    """Whether two bodies say the same. Earlier releases wrote 1.0 where 1 is written now."""
    if body == recorded:
        return True
    try:
        return _content.decode(body) == _content.decode(recorded)
    except (msgspec.DecodeError, RecursionError):
        return False


def fact_of(event: Event, draft: Draft) -> Fact:
    """The result in a draft, in the form in which rules will see it when they read it from
    the log."""
    profile = event.profile
    if len(profile) > 1:
        profile = dict(sorted(profile.items()))  # as in the canonical body
    return Fact(event.player, event.values, profile, event.sequence, draft.at_us, draft.id, 0)


def fact(recorded: Recorded) -> Fact:
    """A recorded result, as rules see it."""
    said = body(recorded)
    return Fact(
        recorded.player,
        said.values,
        said.profile,
        said.sequence,
        recorded.at_us,
        recorded.id,
        recorded.seq,
    )
