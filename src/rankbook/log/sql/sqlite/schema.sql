-- The log on SQLite, as it stands after every migration: what a new log is made from.
-- Tables carry the prefix `rankbook_`, because an application may keep them in its own database.

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
    body BLOB NOT NULL,
    checksum BLOB NOT NULL DEFAULT x''
) STRICT;

CREATE INDEX rankbook_event_player ON rankbook_event (player, seq);

CREATE INDEX rankbook_event_forget ON rankbook_event (seq) WHERE kind = 'forget' AND player <> '';

-- A program of before the checksums may have the log open still: what it records is refused.
CREATE TRIGGER rankbook_event_checksum BEFORE INSERT ON rankbook_event
WHEN length(NEW.checksum) <> 8
BEGIN
    SELECT RAISE(ABORT, 'the log was migrated by a newer program; start this one again');
END;
