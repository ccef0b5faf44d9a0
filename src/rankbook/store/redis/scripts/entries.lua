-- Entries of members, and what is known of their rankings, in one state.
-- KEYS: head, state, rankings, members of each ranking ...
-- ARGV: role, generation, then for each ranking: name, number of members ...;
--       then all members in the same order ...
-- RETURNS: "ok", made, position, records of the rankings, entries of each ranking's members
local refused = misplaced()
if refused then return refused end
local position, made = position_and_made()
local rankings = #KEYS - 3
local names, found = {}, {}
local at = 3 + 2 * rankings
for r = 1, rankings do
  names[r] = ARGV[1 + 2 * r]
  local count = tonumber(ARGV[2 + 2 * r])
  found[r] = values(KEYS[3 + r], ARGV, at, at + count - 1)
  at = at + count
end
return {'ok', made, position, values(KEYS[3], names, 1, rankings), found}
