-- What is wrong in a page of a ranking as it is now.
-- KEYS: head, state, rankings, audit, audit members, audit order, order, members, groups
-- ARGV: role, generation, id, what to walk (order, members or groups), cursor, size of the page,
--       key digits, group digits
-- RETURNS: "ok", next cursor or "" at the end, number looked at, (fault, where) of each
local refused = misplaced() or mistyped('zset', 7, 7) or mistyped('hash', 8, 8) or mistyped('zset', 9, 9)
if refused then return refused end
local order, members, groups = KEYS[7], KEYS[8], KEYS[9]
local walk, cursor, limit = ARGV[4], ARGV[5], tonumber(ARGV[6])
local key_digits, group_digits = tonumber(ARGV[7]), tonumber(ARGV[8])
local faults = {}
local function fault(what, where)
  faults[#faults + 1] = what
  faults[#faults + 1] = where
end

if walk == 'members' then
  local page = call('HSCAN', members, cursor, 'COUNT', limit)
  for i = 1, #page[2], 2 do
    local member, entry = page[2][i], page[2][i + 1]
    if not call('ZSCORE', order, string.sub(entry, 1, key_digits) .. member) then
      fault('a member is not in the order', member)
    end
  end
  return {'ok', page[1] == '0' and '' or page[1], #page[2] / 2, faults}
end

local from = cursor == '' and '-' or '(' .. cursor
local items = call('ZRANGEBYLEX', walk == 'groups' and groups or order, from, '+', 'LIMIT', 0, limit)
if walk == 'groups' then
  for _, group in ipairs(items) do
    local first = call('ZRANGEBYLEX', order, '[' .. group, '(' .. group .. '\255', 'LIMIT', 0, 1)
    if #first == 0 then fault('a group has no entry', group) end
  end
else
  local names, group = {}, nil
  for i = 1, #items do names[i] = string.sub(items[i], key_digits + 1) end
  local entries = values(members, names, 1, #names)
  for i = 1, #items do
    if not entries[i] then
      fault('an item of the order has no entry', items[i])
    elseif string.sub(entries[i], 1, key_digits) ~= string.sub(items[i], 1, key_digits) then
      fault('an item of the order has another key than its entry', items[i])
    end
    if call('ZSCORE', order, items[i]) ~= '0' then fault('an item has a score', items[i]) end
    if string.sub(items[i], 1, group_digits) ~= group then
      group = string.sub(items[i], 1, group_digits)
      if not call('ZSCORE', groups, group) then fault('a group is not among the groups', group) end
    end
  end
end
return {'ok', #items == limit and items[limit] or '', #items, faults}
