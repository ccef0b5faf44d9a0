"""The bare application of the measurement `http`: Starlette, and bytes that it was given.

python -m bench.http_bare SOCKET_FD FOLDER: each file of the folder is a path.
"""

import socket
import sys
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


def bare(folder: Path) -> Starlette:
    """An application whose answers are the files of a folder, read once."""
    return Starlette(routes=[_route(path.name, path.read_bytes()) for path in folder.iterdir()])


def _route(name: str, body: bytes) -> Route:
    async def answer(_request: Request) -> Response:
        return Response(body, media_type="application/json")

    return Route(f"/{name}", answer)


def main(number: int, folder: Path) -> None:
    config = uvicorn.Config(
        bare(folder),
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
    )
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=number)])


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
