-- Begins an audit, or holds the one of the same id open: from here on, publishing keeps what it
-- changes, until the lease is over.
-- KEYS: head, state, rankings, audit, audit members, audit order
-- ARGV: role, generation, id, seconds of the lease
-- RETURNS: "ok", made, position, (name, record) of each ranking; or "audited" by another
local refused = misplaced() or mistyped('hash', 2, 3) or mistyped('string', 4, 4)
if refused then return refused end
local id = call('GET', KEYS[4])
if id and id ~= ARGV[3] then return {'audited'} end
local position, made = position_and_made()
if id then
  call('EXPIRE', KEYS[4], ARGV[4])
  return {'ok', made, position, {}}
end
call('UNLINK', KEYS[5], KEYS[6])
call('SET', KEYS[4], ARGV[3], 'EX', ARGV[4])
return {'ok', made, position, call('HGETALL', KEYS[3])}
