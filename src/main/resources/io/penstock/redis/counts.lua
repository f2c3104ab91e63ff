-- Merges the counts of one writer for a limit, and returns the counts of the other writers.
--
-- KEYS[1]  the hash of the limit. Its fields are 'count|MEASURE:MILLIS|CELL|WRITER', with decimal
--          values. A count only grows.
-- ARGV     writer, Unix time in milliseconds or '' for the clock, then MEASURE:MILLIS, cell and
--          amount of each own count
-- Answers  MEASURE:MILLIS, cell and amount of each count of another writer
local key, writer, now = KEYS[1], ARGV[1], tonumber(ARGV[2])
if not now then
  local clock = redis.call('TIME')
  now = clock[1] * 1000 + math.floor(clock[2] / 1000)
end

-- Compares counts as text, because they go up to 2^63 - 1, beyond the exact range of a double.
local function larger(a, b)
  if #a ~= #b then return #a > #b end
  return a > b
end

-- A cell counts until the end of the next one.
local function ends(millis, cell) return (tonumber(cell) + 2) * tonumber(millis) end

-- A Redis that is out of memory refuses commands that may need more, except in a script that has
-- already written, as with this deletion of nothing. Counts are small and bounded.
if #ARGV > 2 then redis.call('HDEL', key, '') end
local keep = 0
for i = 3, #ARGV, 3 do
  local field, cell, amount = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local millis = string.match(field, ':(%d+)$')
  local left = ends(millis, cell) - now
  if left > 0 then
    local name = 'count|' .. field .. '|' .. cell .. '|' .. writer
    local known = redis.call('HGET', key, name)
    if not known or not string.match(known, '^%d+$') or larger(amount, known) then
      redis.call('HSET', key, name, amount)
    end
    keep = math.max(keep, left)
  end
end
if keep > 0 and redis.call('PTTL', key) < keep then
  redis.call('PEXPIRE', key, string.format('%.0f', keep + 60000))
end

local reply = {}
local all = redis.call('HGETALL', key)
for i = 1, #all, 2 do
  local field, millis, cell, who = string.match(all[i], '^count|([^|:]+:(%d+))|(%d+)|(.*)$')
  if field then
    if ends(millis, cell) <= now then
      redis.call('HDEL', key, all[i])
    elseif who ~= writer then
      reply[#reply + 1] = field
      reply[#reply + 1] = cell
      reply[#reply + 1] = all[i + 1]
    end
  end
end
return reply
