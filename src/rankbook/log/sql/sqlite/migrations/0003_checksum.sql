-- Every event gets a checksum, those that are there by what they hold now. A damaged row with values
-- of other types cannot be written, and stays without one.
ALTER TABLE rankbook_event ADD COLUMN checksum BLOB NOT NULL DEFAULT x'';

UPDATE rankbook_event
SET checksum = rankbook_checksum(
    CAST(id AS BLOB), CAST(kind AS BLOB), CAST(player AS BLOB), at_us, received_us, body)
WHERE typeof(id) = 'text' AND typeof(kind) = 'text' AND typeof(player) = 'text'
AND typeof(at_us) = 'integer' AND typeof(received_us) = 'integer' AND typeof(body) = 'blob';

-- A program of before the checksums may have the log open still: what it records is refused.
CREATE TRIGGER rankbook_event_checksum BEFORE INSERT ON rankbook_event
WHEN length(NEW.checksum) <> 8
BEGIN
    SELECT RAISE(ABORT, 'the log was migrated by a newer program; start this one again');
END;
