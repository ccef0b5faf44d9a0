"""The settings of the service. Every default is safe to keep."""

from pathlib import Path

import msgspec


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of one service. Sizes are in bytes, times in seconds, rates per second.

    `directory` is the book's directory, which holds its keys. Without it, keys end with the
    process. With `read_open` anyone who can connect may read. `cors` lists other origins whose
    pages may call the service. With `remote_avatars` pages show pictures from the addresses in
    profiles, and whoever serves such a picture learns who looks.
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
