-- Every query of the PostgreSQL log, by name.

-- name: session(lock_timeout)
-- How our own sessions differ from what the server may be configured to. Everything is asked for
-- by an index, whatever the statistics say, so that a plan is made once and serves every size, and
-- is not compiled for the many rows it might give; a lock is waited for no longer than this; each statement sees what has been
-- committed before it; and a commit is durable when it returns.
SELECT
    set_config('enable_seqscan', 'off', false),
    set_config('enable_hashjoin', 'off', false),
    set_config('enable_mergejoin', 'off', false),
    set_config('plan_cache_mode', 'force_generic_plan', false),
    set_config('jit', 'off', false),
    set_config('lock_timeout', :lock_timeout, false),
    set_config('default_transaction_isolation', 'read committed', false),
    set_config(
        'synchronous_commit',
        CASE current_setting('synchronous_commit')
            WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END,
        false),
    current_setting('server_version_num')::integer,
    current_setting('server_encoding');

-- name: lock_schema()
-- Whoever makes or migrates the tables does so alone, until the end of the transaction.
SELECT pg_advisory_xact_lock(1380011595, 0);

-- name: has_schema()
-- Whether this database holds a log at all. (to_regclass answers from a cache, which whoever has
-- just waited for `lock_schema` may have filled before.)
SELECT EXISTS (
    SELECT FROM pg_class WHERE relname = 'rankbook_schema' AND pg_table_is_visible(oid)
);

-- name: schema_number()
-- The number of the last migration applied.
SELECT max(number) FROM rankbook_schema;

-- name: forget_schema_number()!
DELETE FROM rankbook_schema;

-- name: set_schema_number(number)!
INSERT INTO rankbook_schema (number) VALUES (:number);

-- name: record(ids, kinds, players, ats_us, receiveds_us, bodies, checksums, at_once, since)
-- Append drafts; see the function.
SELECT first_seq, fresh, conflict, low::text
FROM rankbook_record(
    :ids, :kinds, :players, :ats_us, :receiveds_us, :bodies, :checksums,
    :at_once, :since::xid8);

-- name: record_one(id, kind, player, at_us, received_us, body, checksum, at_once, since)
-- The same for one draft: values are sent in half the time that lists of one value take.
SELECT first_seq, fresh, conflict, low::text
FROM rankbook_record(
    ARRAY[:id], ARRAY[:kind], ARRAY[:player], ARRAY[:at_us::bigint], ARRAY[:received_us::bigint],
    ARRAY[:body::bytea], ARRAY[:checksum::bytea], :at_once, :since::xid8);

-- name: place(since, most)
-- Give places to events that wait for one; see the function.
SELECT placed, low::text FROM rankbook_place(:since::xid8, :most);

-- name: read_events(since, after, limit)
-- Events after a place, oldest first; one row of nulls where there is none. The last column is
-- null where other events wait for a place, and otherwise below what none waits (see `place`).
SELECT
    event.seq, event.id, event.kind, event.player, event.at_us, event.received_us, event.body,
    event.checksum, waiting.low
FROM (
    SELECT
        CASE WHEN NOT EXISTS (
            SELECT FROM rankbook_event WHERE seq IS NULL AND xid >= :since::xid8
        ) THEN pg_snapshot_xmin(pg_current_snapshot())::text END AS low
) AS waiting
LEFT JOIN (
    SELECT seq, id, kind, player, at_us, received_us, body, checksum
    FROM rankbook_event
    WHERE seq > :after
    ORDER BY seq
    LIMIT :limit
) AS event ON true
ORDER BY event.seq;

-- name: player_events(player, after, until, limit)
-- A player's events in (after, until], oldest first; served by the index on (player, seq).
SELECT seq, id, kind, player, at_us, received_us, body, checksum
FROM rankbook_event
WHERE player = :player AND seq > :after AND seq <= :until
ORDER BY seq
LIMIT :limit;

-- name: find(ids)
-- Events by id, in no order; seq is 0 for one that waits for its place.
SELECT coalesce(seq, 0), id, kind, player, at_us, received_us, body, checksum
FROM rankbook_event
WHERE id = ANY (:ids);

-- name: head(since)
-- The place of the newest event once those that wait have theirs, and `low` as in `read_events`.
SELECT
    coalesce((SELECT max(seq) FROM rankbook_event WHERE seq IS NOT NULL), 0) + waiting.count,
    CASE waiting.count WHEN 0 THEN pg_snapshot_xmin(pg_current_snapshot())::text END
FROM (
    SELECT count(*) FROM rankbook_event WHERE seq IS NULL AND xid >= :since::xid8
) AS waiting;

-- name: to_forget(until)
-- Players to forget, by events up to a place; served by the index rankbook_event_forget. Others
-- who erase wait here, and then find nothing.
SELECT seq, id, kind, player, at_us, received_us, body, checksum
FROM rankbook_event
WHERE kind = 'forget' AND player <> '' AND seq <= :until
ORDER BY seq
FOR UPDATE;

-- name: erase_player(player, until)!
-- Leave of a player's events nothing but their places in the log, their times and their ids. An
-- event that does not match its checksum gets none that it would match.
UPDATE rankbook_event
SET
    kind = CASE kind WHEN 'forget' THEN kind ELSE 'forgotten' END,
    player = '',
    body = '{}',
    checksum = CASE
        WHEN checksum = rankbook_checksum(id, kind, player, at_us, received_us, body)
        THEN rankbook_checksum(
            id, CASE kind WHEN 'forget' THEN kind ELSE 'forgotten' END, '',
            at_us, received_us, '{}')
        ELSE ''
    END
WHERE player = :player AND seq <= :until;

-- name: listen()
-- What `wait` hears of, and the lock by which those who record know that somebody listens.
LISTEN rankbook_event;
SELECT pg_advisory_lock_shared(1380011607, 'rankbook_event'::regclass::oid::integer);

-- name: unlisten()
UNLISTEN rankbook_event;
SELECT pg_advisory_unlock_shared(1380011607, 'rankbook_event'::regclass::oid::integer);
