-- A page of the entries of a ranking that were kept for the audit, as others have changed them since.
-- KEYS: head, state, rankings, audit, audit members, audit order, members of the ranking
-- ARGV: role, generation, id, item after which the page begins or "", limit, name, key digits
-- RETURNS: "ok", last item or "" at the end, (member, entry) of each
local refused = misplaced()
if refused then return refused end
if call('GET', KEYS[4]) ~= ARGV[3] then return {'ended'} end
local start, limit = beginning(ARGV[6]), tonumber(ARGV[5])
local from = (ARGV[4] == '' and '[' or '(') .. start .. ARGV[4]
local items = call('ZRANGEBYLEX', KEYS[6], from, '(' .. start .. '\255', 'LIMIT', 0, limit)
local found = {}
local digits = tonumber(ARGV[7])
for i = 1, #items do
  local member = string.sub(items[i], #start + digits + 1)
  found[2 * i - 1] = member
  found[2 * i] = call('HGET', KEYS[5], start .. member)
end
local last = #items == limit and string.sub(items[limit], #start + 1) or ''
return {'ok', last, found}
