-- Begins a staged generation, where there is none. Numbers are never given twice.
-- KEYS: head
-- ARGV: none
-- RETURNS: "ok", number of the staged generation
local found = call('HMGET', KEYS[1], 'beside', 'last', 'generation')
if found[1] then return {'ok', found[1]} end
local number = math.max(tonumber(found[2] or '0'), tonumber(found[3] or '0')) + 1
call('HSET', KEYS[1], 'beside', number, 'last', number)
return {'ok', tostring(number)}
