-- A page of the members that have not changed since the audit began.
-- KEYS: head, state, rankings, audit, audit members, audit order, members of the ranking
-- ARGV: role, generation, id, cursor, size of the page, name, key digits
-- RETURNS: "ok", next cursor or "" at the end, (member, entry) of each
local refused = misplaced() or mistyped('hash', 7, 7)
if refused then return refused end
if call('GET', KEYS[4]) ~= ARGV[3] then return {'ended'} end
local start, page = beginning(ARGV[6]), call('HSCAN', KEYS[7], ARGV[4], 'COUNT', ARGV[5])
local found = {}
local names = {}
for i = 1, #page[2], 2 do names[#names + 1] = start .. page[2][i] end
local kept = values(KEYS[5], names, 1, #names)
for i = 1, #names do
  if not kept[i] then
    found[#found + 1] = page[2][2 * i - 1]
    found[#found + 1] = page[2][2 * i]
  end
end
return {'ok', page[1] == '0' and '' or page[1], found}
