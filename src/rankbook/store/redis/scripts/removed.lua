-- KEYS: removed
-- ARGV: none
-- RETURNS: "ok", numbers of generations that are to be removed
return {'ok', call('SMEMBERS', KEYS[1])}
