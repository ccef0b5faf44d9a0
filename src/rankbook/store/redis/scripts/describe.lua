-- KEYS: head, state, rankings
-- ARGV: role, generation
-- RETURNS: "ok", made, position, (name, record) of each ranking
local refused = misplaced()
if refused then return refused end
local position, made = position_and_made()
return {'ok', made, position, call('HGETALL', KEYS[3])}
