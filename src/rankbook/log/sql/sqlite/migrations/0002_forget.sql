-- Players to forget whose events have not been erased yet are found without reading the log.
CREATE INDEX rankbook_event_forget ON rankbook_event (seq) WHERE kind = 'forget' AND player <> '';
