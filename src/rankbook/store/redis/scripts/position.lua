-- KEYS: head, state
-- ARGV: role, generation
-- RETURNS: "ok", made, position
local refused = misplaced()
if refused then return refused end
local position, made = position_and_made()
return {'ok', made, position}
