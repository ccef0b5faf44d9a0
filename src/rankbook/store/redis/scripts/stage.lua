-- A part of a publish that is too large for one call, kept until the last call takes it. Sent
-- again, it replaces itself.
-- KEYS: the part
-- ARGV: seconds it is kept, words ...
-- RETURNS: "ok", number of words
call('UNLINK', KEYS[1])
for i = 2, #ARGV, CHUNK do
  call('RPUSH', KEYS[1], unpack(ARGV, i, math.min(i + CHUNK - 1, #ARGV)))
end
call('EXPIRE', KEYS[1], ARGV[1])
return {'ok', #ARGV - 1}
