-- KEYS: members of rankings ...
-- ARGV: none
-- RETURNS: "ok", number of entries of each
local found = {}
for i = 1, #KEYS do found[i] = call('HLEN', KEYS[i]) end
return {'ok', found}
