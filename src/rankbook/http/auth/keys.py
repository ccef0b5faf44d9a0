"""Keys: who may read, submit and administer. They are stored hashed, in a file of the book's
directory.

A key is shown once, when it is made: `rankbook_ID_SECRET`. The file has the SHA-256 of the secret.
The secret is 256 random bits, so no slower hash is needed. A signing key never travels. Its owner
and the file both hold the secret itself, because checking an HMAC takes the same secret as making
one.
"""

import fcntl
import hashlib
import hmac
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Literal, get_args

import msgspec

from rankbook.errors import BookError, NotFound, Refused
from rankbook.forks import on_fork

Scope = Literal["read", "submit", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
FILE = "keys.json"
PREFIX = "rankbook"
MAX_NAME = 64

_NOBODY = hashlib.sha256(secrets.token_bytes(32)).hexdigest()


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """A key without its secret. A `signed` key only signs submissions."""

    id: str
    name: str
    scopes: tuple[Scope, ...]
    created_at: datetime
    signed: bool = False

    def may(self, scope: Scope) -> bool:
        """Whether the key has the scope; admin includes the others."""
        return scope in self.scopes or "admin" in self.scopes


class _Stored(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A key as the file stores it: with the hash of its secret, or with the secret of a signing
    key."""

    key: Key
    hash: str = ""
    secret: str = ""


class _File(msgspec.Struct, frozen=True, kw_only=True):
    """The whole file. `session` is the secret of session cookies."""

    version: Literal[1] = 1
    session: str
    keys: tuple[_Stored, ...] = ()


class KeyRing:
    """The keys of a book. Safe to use from many threads. It notices changes by other processes.

    Without a path the keys are kept in memory. Raises `BookError` if the file cannot be used.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lock = Lock()
        on_fork(self)
        self._seen: object = None
        self._file = _File(session=secrets.token_hex(32))
        self._by_id: dict[str, _Stored] = {}

    def after_fork(self) -> None:
        """In a child: take a new lock, because a thread of the parent may hold the old one."""
        self._lock = Lock()

    @classmethod
    def of_book(cls, directory: Path | None) -> "KeyRing":
        """The keys of the book in a directory; without a directory, in memory."""
        return cls(None if directory is None else directory / FILE)

    def find(self, token: str) -> Key | None:
        """The key with this token, or None. Takes the same time for every token."""
        _prefix, _, rest = token.partition("_")
        id, _, secret = rest.partition("_")
        stored = self._current().get(id)
        wanted = stored.hash if stored is not None and stored.hash else _NOBODY
        same = hmac.compare_digest(_hashed(secret), wanted)
        return stored.key if same and stored is not None else None

    def get(self, id: str) -> Key | None:
        """The key with this id, or None."""
        stored = self._current().get(id)
        return None if stored is None else stored.key

    def signing_secret(self, id: str) -> bytes | None:
        """The secret of the signing key with this id, or None."""
        stored = self._current().get(id)
        return stored.secret.encode() if stored is not None and stored.secret else None

    def session_secret(self) -> bytes:
        """The secret of session cookies: the same for every process of the book."""
        if self._path is not None and not self._path.exists():
            with self._changing():
                pass
        self._current()
        return self._file.session.encode()

    def list(self) -> list[Key]:
        """Every key, the oldest first."""
        return [stored.key for stored in self._current().values()]

    def create(
        self, name: str, scopes: Sequence[str], *, signed: bool = False, now: datetime | None = None
    ) -> tuple[Key, str]:
        """A new key and its token, which nobody can find out afterwards. Raises `Refused`.

        The token of a signing key is the secret that makes its signatures.
        """
        key = Key(
            id=secrets.token_hex(6),
            name=_named(name),
            scopes=_scoped(scopes, signed),
            created_at=(now or datetime.now(UTC)).replace(microsecond=0),
            signed=signed,
        )
        secret = secrets.token_urlsafe(32)
        stored = _Stored(
            key=key, hash="" if signed else _hashed(secret), secret=secret if signed else ""
        )
        with self._changing() as change:
            change(lambda keys: (*keys, stored))
        return key, secret if signed else f"{PREFIX}_{key.id}_{secret}"

    def revoke(self, id: str) -> Key:
        """Revoke a key for good: it is refused from now on. Raises `NotFound`."""
        with self._changing() as change:
            stored = self._by_id.get(id)
            if stored is None:
                there = ", ".join(self._by_id) or "none"
                raise NotFound(f"no key {id!r}; there are: {there}")
            change(lambda keys: tuple([each for each in keys if each.key.id != id]))
        return stored.key

    def _current(self) -> dict[str, _Stored]:
        """The keys by id. If the file has changed, they are read again."""
        if self._path is None:
            return self._by_id
        try:
            found = os.stat(self._path)
        except FileNotFoundError:
            self._by_id, self._seen = {}, None
            return self._by_id
        except OSError as error:
            raise BookError(f"the keys {self._path} cannot be read: {error.strerror}") from error
        seen = (found.st_mtime_ns, found.st_ino, found.st_size)
        if seen != self._seen:
            with self._lock:
                self._read(self._path)
                self._seen = seen
        return self._by_id

    def _read(self, path: Path) -> None:
        try:
            file = msgspec.json.decode(path.read_bytes(), type=_File)
        except (OSError, msgspec.DecodeError) as error:
            raise BookError(f"the keys {path} cannot be read: {error}") from error
        self._file = file
        self._by_id = {stored.key.id: stored for stored in file.keys}

    @contextmanager
    def _changing(self) -> Iterator[Callable[[Callable[..., tuple[_Stored, ...]]], None]]:
        """Lets one process at a time change the keys: read, change, and replace the file."""

        def change(to: Callable[..., tuple[_Stored, ...]]) -> None:
            self._write(msgspec.structs.replace(self._file, keys=to(self._file.keys)))

        if self._path is None:
            yield change
            return
        with _exclusive(self._path.with_name(f".{self._path.name}.lock")):
            if self._path.exists():
                self._read(self._path)
            else:
                self._write(_File(session=secrets.token_hex(32)))
            yield change
        self._seen = None

    def _write(self, file: _File) -> None:
        if self._path is not None:
            replace(self._path, msgspec.json.format(msgspec.json.encode(file)))
        self._file = file
        self._by_id = {stored.key.id: stored for stored in file.keys}


@contextmanager
def _exclusive(lock: Path) -> Iterator[None]:
    try:
        held = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise BookError(f"the keys cannot be changed: {lock}: {error.strerror}") from error
    try:
        _give_to_owner(held, lock.parent)
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def replace(path: Path, content: bytes) -> None:
    """Replace a file in one step, durably; only its owner can read it. Raises `BookError`."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        written = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        _give_to_owner(written, path.parent)
        with os.fdopen(written, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise BookError(f"{path} cannot be written: {error.strerror}") from error


def _give_to_owner(file: int, directory: Path) -> None:
    """If root makes the file, give it to the directory's owner, who may run the service."""
    if os.geteuid() == 0:
        owner = os.stat(directory)
        os.fchown(file, owner.st_uid, owner.st_gid)


def _hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()


def _named(name: str) -> str:
    if not 1 <= len(name) <= MAX_NAME or not name.isprintable():
        raise Refused("name", f"is 1 to {MAX_NAME} printable characters")
    return name


def _scoped(scopes: Sequence[str], signed: bool) -> tuple[Scope, ...]:
    for scope in scopes:
        if scope not in SCOPES:
            raise Refused("scope", f"is {scope!r}; there are: {', '.join(SCOPES)}")
    if not scopes:
        raise Refused("scope", f"is missing; there are: {', '.join(SCOPES)}")
    if signed and set(scopes) != {"submit"}:
        raise Refused("scope", "of a signing key is submit: only submissions are signed")
    return tuple([scope for scope in SCOPES if scope in scopes])
