-- KEYS: any of a book's keys ...
-- ARGV: none
-- RETURNS: "ok", the type of each
local found = {}
for i = 1, #KEYS do
  local kind = call('TYPE', KEYS[i])
  found[i] = type(kind) == 'table' and kind.ok or kind
end
return {'ok', found}
