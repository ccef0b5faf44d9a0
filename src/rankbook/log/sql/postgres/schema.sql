-- The log on PostgreSQL, as it stands after every migration: what a new log is made from.
-- Names carry the prefix `rankbook_`, because an application keeps them in its own database.

CREATE TABLE rankbook_schema (
    number integer NOT NULL
);

CREATE TABLE rankbook_event (
    seq bigint,
    at_us bigint NOT NULL,
    received_us bigint NOT NULL,
    ticket bigint,
    xid xid8,
    id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    player text COLLATE "C" NOT NULL,
    body bytea NOT NULL,
    checksum bytea NOT NULL,
    CONSTRAINT rankbook_event_pkey PRIMARY KEY (id),
    CONSTRAINT rankbook_event_placed CHECK (num_nulls(ticket, xid) = CASE WHEN seq IS NULL THEN 0 ELSE 2 END)
);

CREATE SEQUENCE rankbook_ticket;

CREATE UNIQUE INDEX rankbook_event_seq ON rankbook_event (seq) WHERE seq IS NOT NULL;

CREATE INDEX rankbook_event_player ON rankbook_event (player, seq) WHERE seq IS NOT NULL;

CREATE INDEX rankbook_event_forget ON rankbook_event (seq)
WHERE seq IS NOT NULL AND kind = 'forget' AND player <> '';

CREATE INDEX rankbook_event_waiting ON rankbook_event (xid, ticket) WHERE seq IS NULL;

-- The checksum of an event: the first 8 bytes of the SHA-256 of its times, of the lengths of its id,
-- kind and player, and of these and its body; as `log/records.py` has it.
CREATE FUNCTION rankbook_checksum(
    id text, kind text, player text, at_us bigint, received_us bigint, body bytea
) RETURNS bytea LANGUAGE sql STABLE AS $$
SELECT substring(
    sha256(
        int8send(at_us) || int8send(received_us)
        || int4send(octet_length(id)) || int4send(octet_length(kind))
        || int4send(octet_length(player))
        || convert_to(id, 'UTF8') || convert_to(kind, 'UTF8') || convert_to(player, 'UTF8')
        || body)
    FROM 1 FOR 8)
$$;

-- Append the events that are not known, all of them or, after a conflict, none.
--
-- `conflict` is the first id that is known with other content, `fresh` how many were not known.
-- With `at_once`, and where nobody else is giving places and no event waits for one, the events
-- get theirs at once: `first_seq` and so on. Otherwise they wait for `rankbook_place`, and
-- `first_seq` is null. `since` and `low` are those of `rankbook_place`; `low` may be null.
--
-- The lock of whoever gives places is held until the commit. While it is held, an id that an open
-- transaction has recorded is not waited for longer than `lock_timeout` says here: the call then
-- fails with 55P03, and is to be made again without `at_once`.
CREATE FUNCTION rankbook_record(
    ids text[], kinds text[], players text[], ats_us bigint[], receiveds_us bigint[],
    bodies bytea[], checksums bytea[], at_once boolean, since xid8,
    OUT first_seq bigint, OUT fresh bigint, OUT conflict text, OUT low xid8
) LANGUAGE plpgsql AS $$
DECLARE
    drawn bigint;
BEGIN
    IF at_once AND pg_try_advisory_xact_lock(1380011595, 'rankbook_event'::regclass::oid::integer)
    THEN
        PERFORM set_config('lock_timeout', '20ms', true);
        SELECT
            1 + coalesce((SELECT max(seq) FROM rankbook_event WHERE seq IS NOT NULL), 0),
            pg_snapshot_xmin(pg_current_snapshot())
        INTO first_seq, low
        WHERE NOT EXISTS (SELECT FROM rankbook_event WHERE seq IS NULL AND xid >= since);
    END IF;
    IF first_seq IS NOT NULL THEN
        INSERT INTO rankbook_event (seq, id, kind, player, at_us, received_us, body, checksum)
        SELECT
            first_seq - 1 + row_number() OVER (ORDER BY draft.n),
            draft.id, draft.kind, draft.player, draft.at_us, draft.received_us, draft.body,
            draft.checksum
        FROM unnest(ids, kinds, players, ats_us, receiveds_us, bodies, checksums)
            WITH ORDINALITY
            AS draft (id, kind, player, at_us, received_us, body, checksum, n)
        WHERE NOT EXISTS (SELECT FROM rankbook_event AS known WHERE known.id = draft.id)
        ON CONFLICT (id) DO NOTHING;
    ELSE
        drawn := nextval('rankbook_ticket');
        INSERT INTO rankbook_event
            (ticket, xid, id, kind, player, at_us, received_us, body, checksum)
        SELECT nextval('rankbook_ticket'), pg_current_xact_id(), draft.*
        FROM unnest(ids, kinds, players, ats_us, receiveds_us, bodies, checksums) AS draft
        ON CONFLICT (id) DO NOTHING;
    END IF;
    GET DIAGNOSTICS fresh = ROW_COUNT;
    IF fresh < cardinality(ids) THEN
        SELECT draft.id INTO conflict
        FROM unnest(ids, kinds, players, bodies) WITH ORDINALITY
            AS draft (id, kind, player, body, n)
        CROSS JOIN LATERAL (
            SELECT kind, player, body FROM rankbook_event WHERE id = draft.id OFFSET 0
        ) AS known
        WHERE (known.kind, known.player, known.body) <> (draft.kind, draft.player, draft.body)
        ORDER BY draft.n
        LIMIT 1;
        IF conflict IS NOT NULL THEN
            DELETE FROM rankbook_event
            WHERE id = ANY (ids)
            AND (seq >= first_seq OR xid = pg_current_xact_id() AND ticket > drawn);
            RETURN;
        END IF;
    END IF;
    IF fresh > 0 THEN
        -- A follower that waits holds this lock, shared. Where none does, nothing is notified:
        -- transactions that notify commit one after the other, in the whole cluster.
        IF pg_try_advisory_lock(1380011607, 'rankbook_event'::regclass::oid::integer) THEN
            PERFORM pg_advisory_unlock(1380011607, 'rankbook_event'::regclass::oid::integer);
        ELSE
            PERFORM pg_notify('rankbook_event', '');
        END IF;
    END IF;
END
$$;

-- Give places to the events that wait for one, at most `most`: those of the older transaction
-- first, those of one transaction in the order in which they were recorded.
--
-- Whoever gives places holds the lock until its commit, so that whoever sees a place sees all
-- before it. `since` is what an earlier call gave as `low`, or 0: nothing waits below it.
CREATE FUNCTION rankbook_place(
    since xid8, most integer, OUT placed bigint, OUT low xid8
) LANGUAGE plpgsql AS $$
BEGIN
    low := pg_snapshot_xmin(pg_current_snapshot());
    PERFORM pg_advisory_xact_lock(1380011595, 'rankbook_event'::regclass::oid::integer);
    UPDATE rankbook_event AS event
    SET seq = waiting.place, ticket = NULL, xid = NULL
    FROM (
        SELECT
            id,
            row_number() OVER (ORDER BY xid, ticket) + coalesce(
                (SELECT max(seq) FROM rankbook_event WHERE seq IS NOT NULL), 0) AS place
        FROM rankbook_event
        WHERE seq IS NULL AND xid >= since
        ORDER BY xid, ticket
        LIMIT most
    ) AS waiting
    WHERE event.id = waiting.id;
    GET DIAGNOSTICS placed = ROW_COUNT;
    IF placed >= most THEN
        low := since;
    END IF;
END
$$;
