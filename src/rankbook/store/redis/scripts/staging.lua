-- KEYS: head
-- ARGV: none
-- RETURNS: "ok", number of the staged generation, or 0
return {'ok', call('HGET', KEYS[1], 'beside') or '0'}
