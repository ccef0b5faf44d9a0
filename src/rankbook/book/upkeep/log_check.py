"""Checking the log alone: every event against its checksum, and what keeps the events."""

from pathlib import Path

import msgspec

from rankbook.book import events
from rankbook.book.directory import read_spec
from rankbook.errors import LogError, StoreError
from rankbook.log import Checkable, Log, Recorded, open_log
from rankbook.model import SetAside
from rankbook.store.base import Progress

PAGE = 1000
MOST_LISTED = 1000


class LogVerification(msgspec.Struct, frozen=True, kw_only=True):
    """What `verify_log` found. `events` were read, up to `position`; `set_aside` of them do not
    match their checksums or cannot be read, of which `unreadable` lists at most 1,000. `faults`
    are what is wrong with the log as a whole. It is `sound` if there is nothing of either.
    """

    sound: bool
    position: int
    events: int
    set_aside: int
    unreadable: tuple[SetAside, ...]
    faults: tuple[str, ...]


def verify_log(
    directory: str | Path, *, progress: Progress = lambda _events: None
) -> LogVerification:
    """Read the log of the book in `directory`, and nothing else, and say what is damaged.

    `progress` is told numbers of events. Raises `BookError` where there is no log to open.
    """
    where = Path(directory)
    log = open_log(read_spec(where).log, where, create=False)
    try:
        return check_log(log, progress)
    finally:
        log.close()


def check_log(log: Log, progress: Progress) -> LogVerification:
    """See `verify_log`. Where the log cannot be read any further, that is a fault."""
    faults = log_faults(log, thorough=True)
    position = count = aside = 0
    listed: list[SetAside] = []
    try:
        while page := log.read(position, PAGE):
            for event in page:
                reason = _reason(event)
                if reason and len(listed) < MOST_LISTED:
                    listed.append(SetAside(seq=event.seq, event_id=event.id, reason=reason))
                aside += bool(reason)
            position, count = page[-1].seq, count + len(page)
            progress(len(page))
    except (LogError, StoreError) as error:
        faults.append(f"the log cannot be read after position {position}: {error}")
    return LogVerification(
        sound=not faults and not aside,
        position=position,
        events=count,
        set_aside=aside,
        unreadable=tuple(listed),
        faults=tuple(faults),
    )


def log_faults(log: Log, *, thorough: bool = False) -> list[str]:
    """What the log finds wrong with what keeps its events."""
    if not isinstance(log, Checkable):
        return []
    try:
        return [f"the log: {fault}" for fault in log.faults(thorough=thorough)]
    except LogError as error:
        return [str(error)]


def _reason(event: Recorded) -> str:
    """Why the event is set aside; empty where it is not."""
    try:
        events.said(event)
    except events.Unreadable as error:
        return error.reason
    return ""
