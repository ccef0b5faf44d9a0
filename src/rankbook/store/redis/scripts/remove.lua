-- Removes some keys of a generation that was given up, and says which are next. Sent again, it says
-- the same. Where nothing is left, the generation is forgotten.
-- KEYS: removed, state, rankings, audit, audit members, audit order, keys to remove now ...
-- ARGV: generation, number of rankings to name, number of buckets left or "", rankings removed now ...
-- RETURNS: "ok", names of rankings that are next, number of buckets that are left
if call('SISMEMBER', KEYS[1], ARGV[1]) == 0 then return {'ok', {}, 0} end
for i = 7, #KEYS, CHUNK do
  call('UNLINK', unpack(KEYS, i, math.min(i + CHUNK - 1, #KEYS)))
end
for i = 4, #ARGV do call('HDEL', KEYS[3], ARGV[i]) end
if ARGV[3] ~= '' then call('HSET', KEYS[2], 'buckets', ARGV[3]) end
local buckets = call('HGET', KEYS[2], 'buckets')
if not buckets then
  buckets = math.floor(tonumber(call('HGET', KEYS[2], 'position') or '0') / 64) + 1
end
local names, cursor = {}, '0'
repeat
  local page = call('HSCAN', KEYS[3], cursor, 'COUNT', ARGV[2])
  cursor = page[1]
  for i = 1, #page[2], 2 do names[#names + 1] = page[2][i] end
until cursor == '0' or #names >= tonumber(ARGV[2])
if #names == 0 and tonumber(buckets) == 0 then
  call('UNLINK', KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6])
  call('SREM', KEYS[1], ARGV[1])
end
return {'ok', names, tonumber(buckets)}
