-- KEYS: head, state, rankings, audit, audit members, audit order
-- ARGV: role, generation, id
-- RETURNS: "ok"
if call('GET', KEYS[4]) == ARGV[3] then call('UNLINK', KEYS[4], KEYS[5], KEYS[6]) end
return {'ok'}
