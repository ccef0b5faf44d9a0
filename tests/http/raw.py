"""Requests by hand, over a socket of one's own: heads, bodies that never end, and whole answers."""

import socket

from tests.http.running import SECONDS


def head(token: str, length: int, *more: str) -> bytes:
    """The head of a submission."""
    lines = [
        "POST /v1/events HTTP/1.1",
        "Host: 127.0.0.1",
        f"Authorization: Bearer {token}",
        "Content-Type: application/json",
        f"Content-Length: {length}",
        *more,
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def connected(running) -> socket.socket:
    return socket.create_connection(("127.0.0.1", running.port), SECONDS)


def answered(connection: socket.socket) -> tuple[int, bytes]:
    """The status and the whole of an answer after which the connection is closed."""
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    whole = b"".join(parts)
    return int(whole.split(b" ", 2)[1]), whole
