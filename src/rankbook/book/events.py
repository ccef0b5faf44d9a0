"""Events on their way into the log and out of it: the canonical body."""

import uuid

import msgspec

from rankbook.errors import LogError
from rankbook.log.base import Draft, Recorded
from rankbook.model import Event, Value
from rankbook.rules import Fact, instant, micros

__all__ = ["Body", "body", "draft", "fact", "instant"]


class Body(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an event says, as the log keeps it. `at` is only there when the caller gave it, so
    that a retry without it has the same content."""

    values: dict[str, Value] = {}
    profile: dict[str, str] = {}
    sequence: int | None = None
    target: str = ""
    at: int | None = None


_encoder = msgspec.json.Encoder(order="deterministic")
_decoder = msgspec.json.Decoder(Body)


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
    """What a recorded event says. Raises `LogError` when its body cannot be read."""
    try:
        return _decoder.decode(recorded.body)
    except msgspec.DecodeError as error:
        raise LogError(f"event {recorded.id!r} (seq {recorded.seq}) cannot be read") from error


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
