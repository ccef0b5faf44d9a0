"""A redis-server of our own, a cluster of three, and a small endpoint that speaks Upstash's REST.

All on free loopback ports over temporary folders, bounded, and stopped at the end. Nothing is
synced to a disk: no test stops the machine.
"""

import json
import shutil
import signal
import socket
import subprocess
import tempfile
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from threading import Event, Lock, Thread

import hiredis

from tests.servers import Missing

MEMORY = Path("/dev/shm")
START_SECONDS = 30
ATTEMPTS = 5
SLOTS = 16384
OPTIONS = {
    "bind": "127.0.0.1",
    "save": "",
    "appendonly": "no",
    "maxmemory": "256mb",
    "maxmemory-policy": "noeviction",
    "loglevel": "warning",
}


class Connection:
    """One connection that says commands and gives replies as they are; errors are raised."""

    def __init__(self, port):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=START_SECONDS)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._reader = hiredis.Reader()

    def say(self, *command):
        self._socket.sendall(hiredis.pack_command(command))
        while (reply := self._reader.gets()) is False:
            found = self._socket.recv(1 << 20)
            if not found:
                raise ConnectionError("the server closed the connection")
            self._reader.feed(found)
        if isinstance(reply, hiredis.ReplyError):
            raise reply
        return reply

    def close(self):
        self._socket.close()


class RedisServer:
    """A redis-server in a folder; `options` are those of its configuration."""

    def __init__(self, program, folder, **options):
        self._program = program
        self.folder = folder
        self._options = OPTIONS | {"dir": str(folder)} | options
        self._process = None
        self._tags = count(1)
        self.port = 0
        self.command = []

    def uri(self, tag=None, **settings):
        """Where it is, under a tag that no other test has."""
        tag = tag or f"test-{next(self._tags)}"
        more = "".join(f"&{name}={value}" for name, value in settings.items())
        return f"redis://127.0.0.1:{self.port}/0?tag={tag}{more}"

    def start(self, **options):
        """Start it and wait until it answers: at first on a free port, then on the same."""
        self._options |= options
        for _attempt in range(ATTEMPTS):
            port = self.port or free_port()
            if self._start(port):
                self.port = port
                return
        raise RuntimeError(f"redis-server does not start: {self._log().read_text()[-2000:]}")

    def stop(self, how=signal.SIGKILL):
        """Stop it as it is; SIGTERM would have it save first, if it is asked to save."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(START_SECONDS)
            self._process = None

    def say(self, *command):
        with closing(Connection(self.port)) as connection:
            return connection.say(*command)

    @contextmanager
    def configured(self, **settings):
        """With other settings, as CONFIG SET takes them, within the block."""
        before = {name: self.say("CONFIG", "GET", name)[1] for name in settings}
        try:
            for name, value in settings.items():
                self.say("CONFIG", "SET", name, value)
            yield
        finally:
            for name, value in before.items():
                self.say("CONFIG", "SET", name, value)

    def _start(self, port):
        options = self._options | {"port": str(port)}
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        command = [self._program, *self.command, *words]
        setpriv = shutil.which("setpriv")
        if setpriv is not None:
            command = [setpriv, "--pdeathsig", "KILL", "--", *command]
        with self._log().open("ab") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        for _wait in range(START_SECONDS * 100):
            if self._answers(port):
                return True
            try:
                self._process.wait(0.01)
            except subprocess.TimeoutExpired:
                continue
            return False
        self.stop()
        return False

    def _answers(self, port):
        """Whether it is our server that answers, and has loaded what it had saved."""
        ours = f"process_id:{self._process.pid}\r".encode()
        with suppress(OSError, ConnectionError, hiredis.ReplyError):
            connection = Connection(port)
            with closing(connection):
                return ours in connection.say("INFO") and connection.say("PING") == b"PONG"
        return False

    def _log(self):
        return self.folder / "server.log"


def free_port():
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _program():
    found = shutil.which("redis-server") or shutil.which("valkey-server")
    if found is None:
        raise Missing("needs a Redis server: sudo apt-get install redis-server")
    return found


@contextmanager
def _folder():
    within = MEMORY if MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="rankbook-redis-", dir=within) as name:
        yield Path(name)


@contextmanager
def redis_server(**options) -> Iterator[RedisServer]:
    """A running redis-server. Raises `Missing` where its program is not installed."""
    program = _program()
    with _folder() as folder:
        server = RedisServer(program, folder, **options)
        try:
            server.start()
            yield server
        finally:
            server.stop()


class RedisCluster:
    """Three servers with a third of the slots each."""

    def __init__(self, nodes):
        self.nodes = nodes
        self._tags = count(1)

    def uri(self, tag=None, **settings):
        """Where it is, under a tag that no other test has."""
        tag = tag or f"test-{next(self._tags)}"
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)
        more = "".join(f"&{name}={value}" for name, value in settings.items())
        return f"redis+cluster://{hosts}?tag={tag}{more}"

    def join(self):
        first, *others = self.nodes
        edges = [SLOTS * number // len(self.nodes) for number in range(len(self.nodes) + 1)]
        for node, start, stop in zip(self.nodes, edges, edges[1:], strict=False):
            node.say("CLUSTER", "ADDSLOTSRANGE", start, stop - 1)
        for node in others:
            node.say("CLUSTER", "MEET", "127.0.0.1", first.port, first.bus)
        self.wait()

    def wait(self):
        """Until every node knows every other and serves its slots."""
        wanted = {b"cluster_state:ok", f"cluster_known_nodes:{len(self.nodes)}".encode()}
        wanted.add(f"cluster_slots_ok:{SLOTS}".encode())
        pause = Event()
        for node in self.nodes:
            for _wait in range(START_SECONDS * 100):
                if wanted <= set(node.say("CLUSTER", "INFO").split(b"\r\n")):
                    break
                pause.wait(0.01)
            else:
                raise RuntimeError("the cluster does not come together")

    def owner(self, tag):
        """The node that has the slot of a tag."""
        slot = self.nodes[0].say("CLUSTER", "KEYSLOT", f"{{{tag}}}")
        return self.nodes[min(slot * len(self.nodes) // SLOTS, len(self.nodes) - 1)]

    def flush(self):
        for node in self.nodes:
            node.say("FLUSHALL")


@contextmanager
def redis_cluster(nodes=3) -> Iterator[RedisCluster]:
    """A running cluster. Raises `Missing` where there is no program for it."""
    program = _program()
    with ExitStack() as stack:
        servers = []
        for _node in range(nodes):
            bus = free_port()
            more = {"cluster-enabled": "yes", "cluster-port": str(bus)}
            more |= {"cluster-node-timeout": "2000", "cluster-require-full-coverage": "no"}
            server = RedisServer(program, stack.enter_context(_folder()), **more)
            server.bus = bus
            stack.callback(server.stop)
            server.start()
            servers.append(server)
        cluster = RedisCluster(servers)
        cluster.join()
        yield cluster


# --- Upstash's REST ------------------------------------------------------------------------------


class Endpoint:
    """Runs commands that come as JSON on a redis-server: POST /, /pipeline and /multi-exec.

    It knows text only: what a server answers in other bytes is spoilt, as JSON has no bytes.
    `lose` replies are lost after their command was run.
    """

    def __init__(self, port, token):
        self._port = port
        self.token = token
        self.lose = 0
        self.commands = []
        self._lock = Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Rest,), {"it": self}))
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, args=[0.01])
        self._thread.start()

    @property
    def uri(self):
        return f"upstash+http://127.0.0.1:{self._server.server_address[1]}"

    def close(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def run(self, connection, path, body):
        """The JSON answer to a request."""
        if path == "/":
            return self._one(connection, body)
        if path == "/pipeline":
            return [self._one(connection, command) for command in body]
        if path == "/multi-exec":
            with self._lock:
                connection.say("MULTI")
                for command in body:
                    connection.say(*command)
                return [{"result": each} for each in connection.say("EXEC")]
        return {"error": "ERR no such path"}

    def _one(self, connection, command):
        self.commands.append(str(command[0]))
        try:
            return {"result": connection.say(*[str(word) for word in command])}
        except hiredis.ReplyError as error:
            return {"error": str(error)}


class Rest(BaseHTTPRequestHandler):
    """One connection of a client, and one of its own to the server."""

    protocol_version = "HTTP/1.1"
    it: Endpoint

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.redis = Connection(self.it._port)

    def finish(self):
        self.redis.close()
        super().finish()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers["Authorization"] != f"Bearer {self.it.token}":
            self._answer({"error": "Unauthorized"}, 401)
            return
        found = self.it.run(self.redis, self.path, body)
        if self.it.lose:
            self.it.lose -= 1
            self.close_connection = True
            return
        failed = isinstance(found, dict) and "error" in found
        self._answer(self._shown(found), 400 if failed else 200)

    def _shown(self, found):
        if isinstance(found, list):
            return [self._shown(each) for each in found]
        return {name: self._text(value) for name, value in found.items()}

    def _text(self, value):
        if isinstance(value, list):
            return [self._text(each) for each in value]
        if isinstance(value, bytes):
            value = value.decode(errors="replace")
            if self.headers["Upstash-Encoding"] == "base64":
                return b64encode(value.encode()).decode()
        return value

    def _answer(self, found, status):
        body = json.dumps(found).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments):
        """Nothing."""


@contextmanager
def upstash_endpoint(server, token) -> Iterator[Endpoint]:
    """A running endpoint in front of a redis-server."""
    endpoint = Endpoint(server.port, token)
    try:
        yield endpoint
    finally:
        endpoint.close()
