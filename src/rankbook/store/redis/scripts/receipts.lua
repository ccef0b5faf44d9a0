-- KEYS: head, state, buckets ...
-- ARGV: role, generation, then for each bucket: number of log positions, log positions ...
-- RETURNS: "ok", made, position, receipts in the order of the log positions
local refused = misplaced()
if refused then return refused end
local position, made = position_and_made()
local found, at = {}, 3
for b = 3, #KEYS do
  local count = tonumber(ARGV[at])
  local part = values(KEYS[b], ARGV, at + 1, at + count)
  for i = 1, count do found[#found + 1] = part[i] end
  at = at + count + 1
end
return {'ok', made, position, found}
