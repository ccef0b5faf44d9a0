"""`rankbook serve`: the HTTP service of a book."""

from enum import StrEnum
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

import typer

from rankbook.cli.options import BookOption, opened, place
from rankbook.cli.screen.output import show
from rankbook.errors import BookError

if TYPE_CHECKING:
    from rankbook.http import Settings

HOST = "127.0.0.1"
PORT = 8000


class Read(StrEnum):
    """Who may read."""

    OPEN = "open"
    KEYS = "keys"


def serve(
    ctx: typer.Context,
    host: Annotated[
        str, typer.Option("--host", envvar="RANKBOOK_HOST", help="The address to listen on.")
    ] = HOST,
    port: Annotated[
        int,
        typer.Option(
            "--port", envvar="RANKBOOK_PORT", min=0, max=65535, help="The port; 0 takes a free one."
        ),
    ] = PORT,
    workers: Annotated[
        int, typer.Option("--workers", envvar="RANKBOOK_WORKERS", min=1, max=64, help="Processes.")
    ] = 1,
    read: Annotated[
        Read,
        typer.Option("--read", envvar="RANKBOOK_READ", help="Who may read: all, or who has a key."),
    ] = Read.OPEN,
    cors: Annotated[
        list[str] | None,
        typer.Option(
            "--cors",
            envvar="RANKBOOK_CORS",
            metavar="ORIGIN",
            help="An origin whose pages may call; may be repeated.",
        ),
    ] = None,
    signed: Annotated[
        bool,
        typer.Option("--signed", envvar="RANKBOOK_SIGNED", help="Take signed submissions only."),
    ] = False,
    secure_cookies: Annotated[
        bool,
        typer.Option(
            "--secure-cookies",
            envvar="RANKBOOK_SECURE_COOKIES",
            help="Browsers reach it by HTTPS only.",
        ),
    ] = False,
    remote_avatars: Annotated[
        bool,
        typer.Option(
            "--remote-avatars",
            envvar="RANKBOOK_REMOTE_AVATARS",
            help="Pages show pictures from the addresses in profiles.",
        ),
    ] = False,
    key_rate: Annotated[
        float,
        typer.Option(
            "--key-rate",
            envvar="RANKBOOK_KEY_RATE",
            min=0,
            help="Events a second with a key; 0 is no limit.",
        ),
    ] = 2000.0,
    player_rate: Annotated[
        float,
        typer.Option(
            "--player-rate",
            envvar="RANKBOOK_PLAYER_RATE",
            min=0,
            help="Results a second of a player; 0 is no limit.",
        ),
    ] = 20.0,
    access_log: Annotated[
        bool,
        typer.Option(
            "--access-log", envvar="RANKBOOK_ACCESS_LOG", help="A line on stderr for each request."
        ),
    ] = False,
    book: BookOption = None,
) -> None:
    """Serve the book over HTTP, on this machine only unless a host says otherwise."""
    serving, settings_of = _service()
    opened(ctx, book).close()
    directory = place(ctx, book).resolve()
    settings = settings_of(
        directory=directory,
        read_open=read is Read.OPEN,
        cors=tuple(cors or ()),
        signed=signed,
        secure_cookies=secure_cookies,
        remote_avatars=remote_avatars,
        key_rate=key_rate,
        player_rate=player_rate,
    )
    listening = serving.bound(host, port)
    with listening:
        show(f"{directory.name} is served at {serving.address(listening)}; Ctrl-C stops it")
        serving.serve(directory, settings, listening, workers=workers, access_log=access_log)


def _service() -> tuple[ModuleType, type["Settings"]]:
    """The service's modules, whose libraries are an extra."""
    try:
        from rankbook.http.server import serving
        from rankbook.http.settings import Settings
    except ModuleNotFoundError as error:
        raise BookError(
            f"{error.name} is not installed; the service needs: pip install 'rankbook[serve]'"
        ) from None
    return serving, Settings
