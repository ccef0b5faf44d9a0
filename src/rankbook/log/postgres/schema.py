"""Opening a PostgreSQL database as a log: sessions, and the numbered form of the tables."""

from collections.abc import Mapping
from typing import Any

from psycopg import Connection, Cursor, Error, connect
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import tuple_row

from rankbook.errors import BookError
from rankbook.log import statements
from rankbook.uris import leaks, shown

DIALECT = "postgres"
OLDEST_SERVER = 13
# What a URI may say otherwise: a peer that is gone is noticed within half a minute.
DEFAULTS = {
    "application_name": "rankbook",
    "connect_timeout": "10",
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
}

Rows = Cursor[tuple[Any, ...]]

sql = statements.queries(DIALECT, "psycopg")


def explain(error: Error) -> str:
    """The error in one line, followed by PostgreSQL's code for it, if there is one."""
    text = " ".join((error.diag.message_primary or str(error)).split())
    return f"{text} ({error.sqlstate})" if error.sqlstate else text


def place(uri: str) -> str:
    """The database in a URI, as messages show it: without user, password and options.

    Raises `psycopg.ProgrammingError` for a malformed URI.
    """
    given = conninfo_to_dict(uri)
    host, port = given.get("host") or "", given.get("port")
    told = f"postgresql://{host}{f':{port}' if port else ''}/{given.get('dbname') or ''}"
    return shown(uri) if leaks(told, uri) else told


def ask(
    connection: Connection[Any], query: str, values: Mapping[str, object] | None = None
) -> Rows:
    """Run one statement; its rows are tuples, whatever factories a caller's connection has."""
    cursor: Rows = Cursor(connection, row_factory=tuple_row)
    return cursor.execute(query, values, binary=True)


def ask_one(
    connection: Connection[Any], query: str, values: Mapping[str, object] | None = None
) -> tuple[Any, ...]:
    """The one row of a statement that gives one."""
    [row] = ask(connection, query, values)
    return row


def session(uri: str, lock_timeout_ms: int) -> Connection:
    """A connection whose commits are durable, and whose transactions begin explicitly.

    Raises `psycopg.Error`, and `BookError` for a server or a database that cannot hold a log.
    """
    given = conninfo_to_dict(uri)
    defaults = {name: value for name, value in DEFAULTS.items() if name not in given}
    conninfo = make_conninfo(uri, client_encoding="utf8", **defaults)
    connection = connect(conninfo, autocommit=True)
    try:
        settings = {"lock_timeout": f"{lock_timeout_ms}ms"}
        *_, version, encoding = ask_one(connection, sql.session.sql, settings)
        if version // 10000 < OLDEST_SERVER:
            raise BookError(
                f"a log needs PostgreSQL {OLDEST_SERVER} or newer, and this is {version // 10000}"
            )
        if encoding != "UTF8":
            raise BookError(f"a log needs a database encoded in UTF8, and this is {encoding}")
    except BaseException:
        connection.close()
        raise
    return connection


def ensure_schema(connection: Connection, where: str, *, create: bool) -> None:
    """Migrate the tables to the newest number, in one transaction. Several processes may try at
    once.

    Raises `BookError` for a newer number than this program knows. Without `create` it also raises
    `BookError` for a database that holds no log.
    """
    if _known(connection, where, create=create) == newest():
        return
    with connection.transaction():
        ask(connection, sql.lock_schema.sql)
        number = _known(connection, where, create=create)
        for script in statements.upgrade(DIALECT, number):
            run(connection, script)
        ask(connection, sql.forget_schema_number.sql)
        ask(connection, sql.set_schema_number.sql, {"number": newest()})


def newest() -> int:
    """The schema number this program writes."""
    return statements.newest(DIALECT)


def run(connection: Connection, script: str) -> None:
    """Run a script of many statements inside the open transaction."""
    connection.execute(script.encode())


def _known(connection: Connection, where: str, *, create: bool) -> int:
    [found] = ask_one(connection, sql.has_schema.sql)
    [number] = ask_one(connection, sql.schema_number.sql) if found else [0]
    return statements.check_number(DIALECT, int(number or 0), where, create=create)
