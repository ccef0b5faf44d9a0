"""A wire to a server that can be cut at a chosen moment: after a request, before its answer."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from select import select
from threading import Thread
from urllib.parse import urlsplit, urlunsplit


class Proxy:
    """Passes bytes between a client and a server, for any number of connections."""

    def __init__(self, host: str, port: int) -> None:
        self._server = (host, port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._marker = b""
        self.cuts = 0
        self.port: int = self._listener.getsockname()[1]
        self._clients: list[socket.socket] = []
        self._threads = [Thread(target=self._accept)]
        self._threads[0].start()

    def cut(self, marker: bytes, times: int = 1) -> None:
        """Cut the connection when the server answers a request that has `marker` in it."""
        self._marker, self.cuts = marker, times

    def close(self) -> None:
        """Cut every connection, and take no more."""
        for each in [self._listener, *self._clients]:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while True:
            try:
                client, _address = self._listener.accept()
            except OSError:
                return
            self._clients.append(client)
            self._threads.append(Thread(target=self._serve, args=[client]))
            self._threads[-1].start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError), socket.create_connection(self._server) as server:
            while True:
                ready, _, _ = select([client, server], [], [])
                if client in ready:
                    request = client.recv(1 << 20)
                    server.sendall(request)
                    if self.cuts and self._marker in request:
                        self.cuts -= 1
                        server.recv(1)
                        return
                    if not request:
                        return
                if server in ready:
                    answer = server.recv(1 << 20)
                    if not answer:
                        return
                    client.sendall(answer)


@contextmanager
def proxied(uri: str) -> Iterator[tuple[str, Proxy]]:
    """The URI of a database through a proxy, and the proxy."""
    parts = urlsplit(uri)
    proxy = Proxy(parts.hostname, parts.port)
    try:
        place = f"{parts.username}@127.0.0.1:{proxy.port}"
        yield urlunsplit(parts._replace(netloc=place)), proxy
    finally:
        proxy.close()
