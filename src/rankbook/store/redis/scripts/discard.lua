-- Gives up the staged generation; it is removed afterwards.
-- KEYS: head, removed
-- ARGV: none
-- RETURNS: "ok", its number, or 0
local number = call('HGET', KEYS[1], 'beside')
if number then
  call('SADD', KEYS[2], number)
  call('HDEL', KEYS[1], 'beside')
end
return {'ok', number or '0'}
