-- Every query of the SQLite log, by name. `(:ids)` in `find` grows to one mark an id.

-- name: has_schema()$
-- Whether this database holds a log at all.
SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'rankbook_schema';

-- name: schema_number()$
-- The number of the last migration applied.
SELECT max(number) FROM rankbook_schema;

-- name: forget_schema_number()!
DELETE FROM rankbook_schema;

-- name: set_schema_number(number)!
INSERT INTO rankbook_schema (number) VALUES (:number);

-- name: read_events(after, limit)
-- Events after a seq, oldest first.
SELECT seq, id, kind, player, at_us, received_us, body, checksum
FROM rankbook_event
WHERE seq > :after
ORDER BY seq
LIMIT :limit;

-- name: player_events(player, after, until, limit)
-- A player's events in (after, until], oldest first; served by the index on (player, seq).
SELECT seq, id, kind, player, at_us, received_us, body, checksum
FROM rankbook_event
WHERE player = :player AND seq > :after AND seq <= :until
ORDER BY seq
LIMIT :limit;

-- name: find(ids)
-- Events by id, in no order.
SELECT seq, id, kind, player, at_us, received_us, body, checksum
FROM rankbook_event
WHERE id IN (:ids);

-- name: head()^
-- The newest event that can be read, and the highest seq ever given, also to events deleted since.
SELECT
    coalesce((SELECT max(seq) FROM rankbook_event), 0),
    coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = 'rankbook_event'), 0);

-- name: positions()
-- Every position that is there, in order.
SELECT seq FROM rankbook_event ORDER BY seq;

-- name: insert_events()*!
INSERT INTO rankbook_event (seq, id, kind, player, at_us, received_us, body, checksum)
VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- name: to_forget(until)
-- Players to forget, by events up to a seq; served by the index rankbook_event_forget.
SELECT seq, id, kind, player, at_us, received_us, body, checksum
FROM rankbook_event
WHERE kind = 'forget' AND player <> '' AND seq <= :until
ORDER BY seq;

-- name: erase_player(player, until)!
-- Leave of a player's events nothing but their places in the log, their times and their ids. An
-- event that does not match its checksum gets none that it would match, and its times may be no
-- numbers: that could not be written.
UPDATE rankbook_event
SET
    kind = CASE kind WHEN 'forget' THEN kind ELSE 'forgotten' END,
    player = '',
    at_us = CASE typeof(at_us) WHEN 'integer' THEN at_us ELSE 0 END,
    received_us = CASE typeof(received_us) WHEN 'integer' THEN received_us ELSE 0 END,
    body = x'7b7d',
    checksum = CASE
        WHEN typeof(kind) = 'text' AND typeof(body) = 'blob' AND checksum = rankbook_checksum(
            CAST(id AS BLOB), CAST(kind AS BLOB), CAST(player AS BLOB), at_us, received_us, body)
        THEN rankbook_checksum(
            CAST(id AS BLOB),
            CAST(CASE kind WHEN 'forget' THEN kind ELSE 'forgotten' END AS BLOB),
            x'', at_us, received_us, x'7b7d')
        ELSE x''
    END
WHERE player = :player AND seq <= :until AND typeof(id) = 'text';
