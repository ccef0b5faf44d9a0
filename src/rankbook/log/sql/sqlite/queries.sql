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
SELECT seq, id, kind, player, at_us, received_us, body
FROM rankbook_event
WHERE seq > :after
ORDER BY seq
LIMIT :limit;

-- name: player_events(player, after, until, limit)
-- A player's events in (after, until], oldest first; served by the index on (player, seq).
SELECT seq, id, kind, player, at_us, received_us, body
FROM rankbook_event
WHERE player = :player AND seq > :after AND seq <= :until
ORDER BY seq
LIMIT :limit;

-- name: find(ids)
-- Events by id, in no order.
SELECT seq, id, kind, player, at_us, received_us, body
FROM rankbook_event
WHERE id IN (:ids);

-- name: head()^
-- The newest event that can be read, and the highest seq ever given, also to events deleted since.
SELECT
    coalesce((SELECT max(seq) FROM rankbook_event), 0),
    coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = 'rankbook_event'), 0);

-- name: insert_events()*!
INSERT INTO rankbook_event (seq, id, kind, player, at_us, received_us, body)
VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: to_forget(until)
-- Players to forget, by events up to a seq; served by the index rankbook_event_forget.
SELECT seq, player
FROM rankbook_event
WHERE kind = 'forget' AND player <> '' AND seq <= :until
ORDER BY seq;

-- name: erase_player(player, until)!
-- Leave of a player's events nothing but their places in the log and their ids.
UPDATE rankbook_event
SET kind = CASE kind WHEN 'forget' THEN kind ELSE 'forgotten' END, player = '', body = x'7b7d'
WHERE player = :player AND seq <= :until;
