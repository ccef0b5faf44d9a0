-- Writes every change, every drop, receipts and the position, or nothing.
--
-- All is checked before the first write, for Redis does not take back what a script has written.
-- A publish that is sent again because its reply was lost finds its own id, and is done.
--
-- KEYS: head, state, rankings, audit, audit members, audit order,
--       order, members and groups of each ranking that is written, then of each that is dropped ...,
--       buckets of receipts ..., staged parts ...
-- ARGV: role, generation, made, expected position, new position, id,
--       rankings written, rankings dropped, buckets, staged parts, words ...
-- Words, those of staged parts first:
--       for each ranking that is written: name, key bytes and group bytes, key digits, group digits,
--         number of puts, number of removals, (member, entry) of each put, member of each removal
--       for each that is dropped: name
--       for each bucket: number of receipts, (log position, receipt) of each
-- RETURNS: "ok", made; or nothing is written: "moved", position; "made", made; "shape", name, record;
--       "type", key, type; "unstaged", part
local refused = misplaced()
if refused then return refused end
local expect, new, id = ARGV[4], ARGV[5], ARGV[6]
local written, dropped, buckets = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
local parts = tonumber(ARGV[10])
local state = call('HMGET', KEYS[2], 'position', 'made', 'by')
local position, made = state[1] or '0', state[2] or ''
if position == new and state[3] == id then return {'ok', made} end
if made ~= ARGV[3] then return {'made', made} end
if position ~= expect then return {'moved', position} end

local first_bucket = 7 + 3 * (written + dropped)
local first_part = first_bucket + buckets
refused = mistyped('zset', 7, first_bucket - 1, 3) or mistyped('zset', 9, first_bucket - 1, 3)
  or mistyped('hash', first_bucket, first_part - 1)
if refused then return refused end
local watched = call('EXISTS', KEYS[4]) == 1
if watched then refused = mistyped('hash', 5, 5) or mistyped('zset', 6, 6) end
if refused then return refused end

local words, at = ARGV, 11
if parts > 0 then
  words, at = {}, 1
  for i = first_part, #KEYS do
    local size = call('LLEN', KEYS[i])
    if size == 0 then return {'unstaged', KEYS[i]} end
    for from = 0, size - 1, CHUNK do
      for _, word in ipairs(call('LRANGE', KEYS[i], from, from + CHUNK - 1)) do
        words[#words + 1] = word
      end
    end
  end
  for i = 11, #ARGV do words[#words + 1] = ARGV[i] end
end

-- Where the words of each ranking begin, whether its keys have the shape that is kept, and the
-- entries that its members have.
local begins, names, named, old = {}, {}, {}, {}
for r = 1, written do
  begins[r], names[r] = at, words[at]
  local puts, removals = tonumber(words[at + 4]), tonumber(words[at + 5])
  local mine, removals_at = {}, at + 6 + 2 * puts
  for i = 1, puts do mine[i] = words[at + 4 + 2 * i] end
  for i = 1, removals do mine[puts + i] = words[removals_at + i - 1] end
  named[r], old[r] = mine, values(KEYS[5 + 3 * r], mine, 1, #mine)
  at = removals_at + removals
end
local records = values(KEYS[3], names, 1, written)
for r = 1, written do
  local shape = words[begins[r] + 1] .. ' '
  if records[r] and string.sub(records[r], 1, #shape) ~= shape then
    return {'shape', names[r], records[r]}
  end
end

local function keep_for_audit(name, member, entry, key_digits)
  local start = beginning(name)
  if call('HSETNX', KEYS[5], start .. member, entry or '') == 1 and entry then
    call('ZADD', KEYS[6], 0, start .. string.sub(entry, 1, key_digits) .. member)
  end
end

local function send(command, key, list)
  for i = 1, #list, CHUNK do
    call(command, key, unpack(list, i, math.min(i + CHUNK - 1, #list)))
  end
end

local changed = {}  -- (name, record) of each ranking that has an entry

local function write(r)
  local start, name, members, order, groups = begins[r], names[r], KEYS[5 + 3 * r], KEYS[4 + 3 * r], KEYS[6 + 3 * r]
  local key_digits, group_digits = tonumber(words[start + 2]), tonumber(words[start + 3])
  local puts, removals = tonumber(words[start + 4]), tonumber(words[start + 5])
  local puts_at, removals_at = start + 6, start + 6 + 2 * puts
  local gone, come, left, entered, seen = {}, {}, {}, {}, {}
  for i, member in ipairs(named[r]) do
    local before = old[r][i]
    local entry = i <= puts and words[puts_at + 2 * i - 1]
    if watched then keep_for_audit(name, member, before, key_digits) end
    local was = before and string.sub(before, 1, key_digits)
    local is = entry and string.sub(entry, 1, key_digits)
    if was ~= is then
      local left_group = was and string.sub(was, 1, group_digits)
      local group = is and string.sub(is, 1, group_digits)
      if was then gone[#gone + 1] = was .. member end
      if is then
        come[#come + 1] = 0
        come[#come + 1] = is .. member
      end
      if group ~= left_group then
        if left_group then left[left_group] = true end
        if group and not seen[group] then
          seen[group] = true
          entered[#entered + 1] = 0
          entered[#entered + 1] = group
        end
      end
    end
  end
  for i = puts_at, removals_at - 1, CHUNK do
    call('HSET', members, unpack(words, i, math.min(i + CHUNK - 1, removals_at - 1)))
  end
  local removals_end = removals_at + removals - 1
  for i = removals_at, removals_end, CHUNK do
    call('HDEL', members, unpack(words, i, math.min(i + CHUNK - 1, removals_end)))
  end
  send('ZREM', order, gone)
  send('ZADD', order, come)
  send('ZADD', groups, entered)
  local emptied = {}
  for group in pairs(left) do
    if not seen[group] then
      local rest = call('ZRANGEBYLEX', order, '[' .. group, '(' .. group .. '\255', 'LIMIT', 0, 1)
      if #rest == 0 then emptied[#emptied + 1] = group end
    end
  end
  send('ZREM', groups, emptied)
  if puts == 0 and call('EXISTS', members) == 0 then
    call('HDEL', KEYS[3], name)
  else
    changed[#changed + 1] = name
    changed[#changed + 1] = words[start + 1] .. ' ' .. new
  end
end

for r = 1, written do write(r) end
send('HSET', KEYS[3], changed)
for d = 1, dropped do
  local first = 4 + 3 * (written + d)
  call('UNLINK', KEYS[first], KEYS[first + 1], KEYS[first + 2])
  call('HDEL', KEYS[3], words[at])
  -- An audit cannot go on without what is dropped.
  if watched then call('UNLINK', KEYS[4], KEYS[5], KEYS[6]) end
  at = at + 1
end
for b = 1, buckets do
  local last = at + 2 * tonumber(words[at])
  for i = at + 1, last, CHUNK do
    call('HSET', KEYS[first_bucket + b - 1], unpack(words, i, math.min(i + CHUNK - 1, last)))
  end
  at = last + 1
end
for i = first_part, #KEYS do call('UNLINK', KEYS[i]) end
for i = 5, 6 do
  if watched then call('EXPIRE', KEYS[i], KEPT_SECONDS) end
end
if made == '' then
  made = id
  call('HSET', KEYS[2], 'made', made)
end
call('HSET', KEYS[2], 'position', new, 'by', id)
return {'ok', made}
