-- Answers to queries, all from one state.
-- KEYS: head, state, rankings, then order, members and groups of each ranking ...
-- ARGV: role, generation, number of rankings, then for each: name, key digits, group digits;
--       then for each query: what, ranking, beside (a ranking or 0), and
--         "position": start, limit, version that is known or ""      "around": member, limit
--         "from" or "until": bound, limit
--         "count", or "entries" for no groups: number of bounds, bounds ...
-- RETURNS: "ok", made, position, records of the rankings, answers ...:
--       {count, groups, start, before, groups before, (item, entry) of each row, values beside}, or for
--       a count {count, groups, (entries, groups) before each bound}; or "lost", members key, order key
local refused = misplaced()
if refused then return refused end
local position, made = position_and_made()
local rankings = tonumber(ARGV[3])
local names, known = {}, {}
for r = 1, rankings do
  local first, arg = 1 + 3 * r, 1 + 3 * r
  names[r] = ARGV[arg]
  known[r] = {
    order = KEYS[first], members = KEYS[first + 1], groups_key = KEYS[first + 2],
    key_digits = tonumber(ARGV[arg + 1]), group_digits = tonumber(ARGV[arg + 2]),
  }
end

local function sized(r)
  local it = known[r]
  if not it.count then
    it.count, it.groups = call('ZCARD', it.order), call('ZCARD', it.groups_key)
  end
  return it
end

local function before(it, bound) return call('ZLEXCOUNT', it.order, '-', '(' .. bound) end

local function groups_before(it, bound)
  local group = string.sub(bound, 1, it.group_digits)
  local count = call('ZLEXCOUNT', it.groups_key, '-', '(' .. group)
  if #bound > it.group_digits
    and #call('ZRANGEBYLEX', it.order, '[' .. group, '(' .. bound, 'LIMIT', 0, 1) > 0 then
    count = count + 1
  end
  return count
end

-- Where the only row is known already, as `item` and its `entry`, it is not read again.
local function rows(it, start, limit, beside, item, entry)
  local items = {item}
  if limit > 0 and not item then items = call('ZRANGE', it.order, start, start + limit - 1) end
  if #items == 0 then return {it.count, it.groups, 0, 0, 0, {}, {}} end
  local members = {}
  for i = 1, #items do members[i] = string.sub(items[i], it.key_digits + 1) end
  local entries = item and {entry} or values(it.members, members, 1, #members)
  local found = {}
  for i = 1, #items do
    found[2 * i - 1] = items[i]
    found[2 * i] = entries[i]
  end
  local there, groups = 0, 0
  if start > 0 then
    local group = string.sub(items[1], 1, it.group_digits)
    there = before(it, group)
    groups = call('ZLEXCOUNT', it.groups_key, '-', '(' .. group)
  end
  local aside = {}
  if beside > 0 then aside = values(known[beside].members, members, 1, #members) end
  return {it.count, it.groups, start, there, groups, found, aside}
end

local records = values(KEYS[3], names, 1, rankings)
local answers = {'ok', made, position, records}
local at = 4 + 3 * rankings
while at <= #ARGV do
  local what, ranking, beside = ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local it = sized(ranking)
  local subject, limit = ARGV[at + 3], tonumber(ARGV[at + 4])
  local answer
  if what == 'position' then
    local is_known = string.match(records[ranking] or '0', '%d+$') == ARGV[at + 5]
    answer = rows(it, tonumber(subject), is_known and 0 or limit, beside)
    at = at + 6
  elseif what == 'around' then
    local entry = call('HGET', it.members, subject)
    if entry then
      local item = string.sub(entry, 1, it.key_digits) .. subject
      local rank = call('ZRANK', it.order, item)
      if not rank then return {'lost', it.members, it.order} end
      local start = math.min(rank - math.floor((limit - 1) / 2), it.count - limit)
      answer = rows(it, math.max(0, start), limit, beside, limit == 1 and item or nil, entry)
    else
      answer = rows(it, 0, 0, beside)
    end
    at = at + 5
  elseif what == 'from' then
    answer = rows(it, before(it, subject), limit, beside)
    at = at + 5
  elseif what == 'until' then
    local stop = before(it, subject)
    local start = math.max(0, stop - limit)
    answer = rows(it, start, stop - start, beside)
    at = at + 5
  else
    local counts, bounds = {}, tonumber(subject)
    for i = 1, bounds do
      local bound = ARGV[at + 3 + i]
      counts[2 * i - 1] = before(it, bound)
      counts[2 * i] = what == 'count' and groups_before(it, bound) or 0
    end
    answer = {it.count, it.groups, counts}
    at = at + 4 + bounds
  end
  answers[#answers + 1] = answer
end
return answers
