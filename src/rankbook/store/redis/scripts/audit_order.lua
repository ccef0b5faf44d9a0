-- A page of an order as it was when the audit began.
-- KEYS: head, state, rankings, audit, audit members, audit order, order of the ranking
-- ARGV: role, generation, id, item after which the page begins or "", limit, name, key digits
-- RETURNS: "ok", last item or "" at the end, items that have not changed since, items that have
local refused = misplaced() or mistyped('zset', 7, 7)
if refused then return refused end
if call('GET', KEYS[4]) ~= ARGV[3] then return {'ended'} end
local after, limit, start, key_digits = ARGV[4], tonumber(ARGV[5]), beginning(ARGV[6]), tonumber(ARGV[7])
local from = after == '' and '-' or '(' .. after
local items = call('ZRANGEBYLEX', KEYS[7], from, '+', 'LIMIT', 0, limit)
local members = {}
for i = 1, #items do members[i] = start .. string.sub(items[i], key_digits + 1) end
local kept = values(KEYS[5], members, 1, #members)
local same = {}
for i = 1, #items do
  if not kept[i] then same[#same + 1] = items[i] end
end
local last = #items == limit and items[limit] or ''
local upto = last == '' and '(' .. start .. '\255' or '[' .. start .. last
local were = call('ZRANGEBYLEX', KEYS[6], (after == '' and '[' or '(') .. start .. after, upto)
for i = 1, #were do were[i] = string.sub(were[i], #start + 1) end
return {'ok', last, same, were}
