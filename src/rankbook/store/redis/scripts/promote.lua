-- Serves the staged generation. Sent again, it finds that this is done.
-- KEYS: head, state staged, state served, first bucket staged, removed, audit of what is served
-- ARGV: role, generation staged, generation served, note, 1 where it may be behind
-- RETURNS: "ok", generation; or nothing is changed: "behind"; "served", generation that is served
if call('HGET', KEYS[1], 'adopted') == ARGV[2] then return {'ok', ARGV[2]} end
local refused = misplaced() or mistyped('hash', 2, 4) or mistyped('set', 5, 5)
if refused then return refused end
local served = call('HGET', KEYS[1], 'generation') or '0'
if served ~= ARGV[3] then return {'served', served} end
local made_position = position_and_made()
local lacking = tonumber(call('HGET', KEYS[3], 'position') or '0') - tonumber(made_position)
if lacking > 0 and ARGV[5] ~= '1' then return {'behind'} end
call('SADD', KEYS[5], served)
call('HSET', KEYS[4], '0', ARGV[4])
call('HSET', KEYS[1], 'generation', ARGV[2], 'adopted', ARGV[2])
call('HDEL', KEYS[1], 'beside')
call('UNLINK', KEYS[6])
return {'ok', ARGV[2]}
