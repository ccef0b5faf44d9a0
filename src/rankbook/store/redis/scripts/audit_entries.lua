-- Entries that members had when the audit began; "" or nothing where they had none.
-- KEYS: head, state, rankings, audit, audit members, audit order, members of the ranking
-- ARGV: role, generation, id, name, members ...
-- RETURNS: "ok", entries in the order of the members
local refused = misplaced() or mistyped('hash', 7, 7)
if refused then return refused end
if call('GET', KEYS[4]) ~= ARGV[3] then return {'ended'} end
local start, names = beginning(ARGV[4]), {}
for i = 5, #ARGV do names[i - 4] = start .. ARGV[i] end
local kept, now = values(KEYS[5], names, 1, #names), values(KEYS[7], ARGV, 5, #ARGV)
for i = 1, #names do
  if kept[i] then now[i] = kept[i] end
end
return {'ok', now}
