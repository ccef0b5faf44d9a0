-- Begins an audit, or holds the one of the same id open: from here on, publishing keeps what it
-- changes, until the lease is over. Sent again, it begins anew. What has ended cannot be held.
-- KEYS: head, state, rankings, audit, audit members, audit order
-- ARGV: role, generation, id, seconds of the lease, 1 to hold it or 0
-- RETURNS: "ok", made, position, (name, record) of each ranking; or "audited" by another; "ended"
local refused = misplaced() or mistyped('hash', 2, 3) or mistyped('string', 4, 4)
if refused then return refused end
local id = call('GET', KEYS[4])
local position, made = position_and_made()
if ARGV[5] == '1' then
  if id ~= ARGV[3] then return {'ended'} end
  call('EXPIRE', KEYS[4], ARGV[4])
  for i = 5, 6 do call('EXPIRE', KEYS[i], KEPT_SECONDS) end
  return {'ok', made, position, {}}
end
if id and id ~= ARGV[3] then return {'audited'} end
call('UNLINK', KEYS[5], KEYS[6])
call('SET', KEYS[4], ARGV[3], 'EX', ARGV[4])
return {'ok', made, position, call('HGETALL', KEYS[3])}
