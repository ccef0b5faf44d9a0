-- The first form of the log: its schema number, its events, and a player's events in order.
CREATE TABLE rankbook_schema (
    number INTEGER NOT NULL
) STRICT;

CREATE TABLE rankbook_event (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    player TEXT NOT NULL,
    at_us INTEGER NOT NULL,
    received_us INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;

CREATE INDEX rankbook_event_player ON rankbook_event (player, seq);
