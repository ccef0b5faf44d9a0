"""What an operator may choose about the service. All of it has a default that is safe to keep."""

from pathlib import Path

import msgspec


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Choices for one service. Sizes are bytes, times are seconds, rates are a second.

    `directory` is the book's directory, where its keys are kept; without one there are no keys
    that outlive the process. With `read_open` anybody who can connect may read. `cors` lists
    the origins of pages elsewhere that may call. With `remote_avatars` pages show pictures from
    the addresses in profiles, and so tell those who serve them who looks.
    """

    directory: Path | None = None
    read_open: bool = True
    cors: tuple[str, ...] = ()
    secure_cookies: bool = False
    remote_avatars: bool = False
    body_bytes: int = 2 << 20
    body_seconds: float = 10.0
    batch_events: int = 1000
    queue_events: int = 20_000
    key_rate: float = 2000.0
    key_burst: int = 20_000
    player_rate: float = 20.0
    player_burst: int = 2000
    signed: bool = False
    signing_seconds: float = 300.0
    sealed_seconds: int = 86_400
    heartbeat_seconds: float = 15.0
    watch_seconds: float = 0.25
    send_seconds: float = 20.0
    live_events: int = 1000
    live_clients: int = 1000
    upkeep_seconds: float = 1.0
