-- Puts staged rankings in the place of those that are served, and gives up the rest of the staged
-- generation. Sent again, it finds that this is done.
-- KEYS: head, state staged, state served, removed, audit of what is served, rankings staged, rankings
--       served; order, members and groups of each that leaves ...; of each that comes, the same three
--       staged and then served ...
-- ARGV: role, generation staged, generation served, position, number that leave, number that come,
--       names of those ...
-- RETURNS: "ok", generation staged; or nothing is changed: "behind"; "served", generation served
if call('HGET', KEYS[1], 'adopted') == ARGV[2] then return {'ok', ARGV[2]} end
local refused = misplaced() or mistyped('hash', 2, 3) or mistyped('set', 4, 4)
  or mistyped('hash', 6, 7)
if refused then return refused end
local served = call('HGET', KEYS[1], 'generation') or '0'
if served ~= ARGV[3] then return {'served', served} end
local position = call('HGET', KEYS[3], 'position') or '0'
local made_position = position_and_made()
if position ~= ARGV[4] or made_position ~= ARGV[4] then return {'behind'} end
local leave, come = tonumber(ARGV[5]), tonumber(ARGV[6])
for i = 1, leave do
  call('UNLINK', KEYS[5 + 3 * i], KEYS[6 + 3 * i], KEYS[7 + 3 * i])
  call('HDEL', KEYS[7], ARGV[6 + i])
end
for i = 1, come do
  local at, name = 8 + 3 * leave + 6 * (i - 1), ARGV[6 + leave + i]
  for part = 0, 2 do
    call('UNLINK', KEYS[at + 3 + part])
    if call('EXISTS', KEYS[at + part]) == 1 then call('RENAME', KEYS[at + part], KEYS[at + 3 + part]) end
  end
  call('HSET', KEYS[7], name, call('HGET', KEYS[6], name))
  call('HDEL', KEYS[6], name)
end
call('SADD', KEYS[4], ARGV[2])
call('HSET', KEYS[1], 'adopted', ARGV[2])
call('HDEL', KEYS[1], 'beside')
call('UNLINK', KEYS[5])
return {'ok', ARGV[2]}
