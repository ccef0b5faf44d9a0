-- Every event gets a checksum, those that are there by what they hold now. The table is written anew.
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

ALTER TABLE rankbook_event ADD COLUMN checksum bytea;

ALTER TABLE rankbook_event ALTER COLUMN checksum TYPE bytea
USING rankbook_checksum(id, kind, player, at_us, received_us, body);

ALTER TABLE rankbook_event ALTER COLUMN checksum SET NOT NULL;

DROP FUNCTION rankbook_record(text[], text[], text[], bigint[], bigint[], bytea[], boolean, xid8);

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
