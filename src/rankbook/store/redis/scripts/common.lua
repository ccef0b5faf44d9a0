-- In front of every script: what they share. No script knows a rule of a board.
--
-- KEYS[1] is the book's head, KEYS[2] the state of the generation that the other keys are of.
-- ARGV[1] is the role in which that generation is wanted, "generation" (served) or "beside"
-- (staged), and ARGV[2] its number. A script that is called for another generation returns
-- {"generation", number or ""}.

local call = redis.call
local CHUNK = 1000  -- Lua unpacks at most 8,000 values
local KEPT_SECONDS = 600  -- what was kept for an audit outlives it, but not for long

local function misplaced()
  local number = call('HGET', KEYS[1], ARGV[1])
  if not number then number = ARGV[1] == 'generation' and '0' or '' end
  if number ~= ARGV[2] then return {'generation', number} end
end

-- Returns {"type", key, its type} for the first of KEYS[from], KEYS[from + step] ... KEYS[to] that is
-- there and has another type: no script writes to a key before it knows that it can. A command that
-- reads a key of another type fails by itself.
local function mistyped(wanted, from, to, step)
  for i = from, to, step or 1 do
    local found = call('TYPE', KEYS[i])
    found = type(found) == 'table' and found.ok or found
    if found ~= wanted and found ~= 'none' then return {'type', KEYS[i], found} end
  end
end

local function position_and_made()
  local found = call('HMGET', KEYS[2], 'position', 'made')
  return found[1] or '0', found[2] or ''
end

-- HMGET of words[from] ... words[to], which may be many.
local function values(key, words, from, to)
  local found = {}
  for i = from, to, CHUNK do
    local part = call('HMGET', key, unpack(words, i, math.min(i + CHUNK - 1, to)))
    for j = 1, #part do found[i - from + j] = part[j] end
  end
  return found
end

-- The name of a ranking as a beginning that no other ranking's has, for keys that have many.
local function beginning(name) return #name .. ':' .. name end
