"""`rankbook serve`: the HTTP service of a book."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from rankbook.cli.call import Call
from rankbook.cli.extras import service_extra
from rankbook.cli.options import BookOption
from rankbook.cli.screen.output import show

HOST = "127.0.0.1"
PORT = 8000


class Read(StrEnum):
    """Who may read."""

    OPEN = "open"
    KEYS = "keys"


def _option(name: str, help: str, **more: Any) -> Any:
    """An option that the environment may give, too: --key-rate is RANKBOOK_KEY_RATE there."""
    variable = "RANKBOOK_" + name.removeprefix("--").replace("-", "_").upper()
    return typer.Option(name, envvar=variable, help=help, **more)


def serve(
    ctx: typer.Context,
    host: Annotated[str, _option("--host", "The address to listen on.")] = HOST,
    port: Annotated[
        int, _option("--port", "The port; 0 takes a free one.", min=0, max=65535)
    ] = PORT,
    workers: Annotated[int, _option("--workers", "Processes.", min=1, max=64)] = 1,
    read: Annotated[
        Read, _option("--read", "Who may read: everybody, or those with a key.")
    ] = Read.OPEN,
    cors: Annotated[
        list[str] | None,
        _option("--cors", "An origin whose pages may call; may be repeated.", metavar="ORIGIN"),
    ] = None,
    signed: Annotated[bool, _option("--signed", "Take signed submissions only.")] = False,
    secure_cookies: Annotated[
        bool, _option("--secure-cookies", "Browsers reach it by HTTPS only.")
    ] = False,
    remote_avatars: Annotated[
        bool, _option("--remote-avatars", "Pages show pictures from the addresses in profiles.")
    ] = False,
    key_rate: Annotated[
        float, _option("--key-rate", "Events a second with a key; 0 is no limit.", min=0)
    ] = 2000.0,
    player_rate: Annotated[
        float, _option("--player-rate", "Results a second of a player; 0 is no limit.", min=0)
    ] = 20.0,
    access_log: Annotated[
        bool, _option("--access-log", "A line on stderr for each request.")
    ] = False,
    book: BookOption = None,
) -> None:
    """Serve the book over HTTP, on this machine only unless --host says otherwise."""
    with service_extra():
        from rankbook.http import Settings, address, listen
        from rankbook.http import serve as serve_http
    call = Call(ctx=ctx, book=book)
    call.open().close()
    directory = call.directory.resolve()
    settings = Settings(
        directory=directory,
        read_open=read is Read.OPEN,
        cors=tuple(cors or ()),
        signed=signed,
        secure_cookies=secure_cookies,
        remote_avatars=remote_avatars,
        key_rate=key_rate,
        player_rate=player_rate,
    )
    with listen(host, port) as listening:
        show(f"{directory.name} is served at {address(listening)}; Ctrl-C stops it")
        serve_http(directory, settings, listening, workers=workers, access_log=access_log)
