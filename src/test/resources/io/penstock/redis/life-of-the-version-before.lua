-- The life of one Redis master, and who lives with it. Called last of a round: what was flushed,
-- restarted or replaced before or between the round's other calls is another life here.
-- KEYS[1]: a hash. ARGV: the member's name, after how many microseconds of silence a member is
-- forgotten, how many milliseconds the hash is kept, for tests the time in microseconds, the number
-- of the round, 1 when with it all is said that the member has, the life and the count it was told
-- last ('' and 0 for none), then three words each: 'l', a limit it found lost and its birth; or 'm',
-- a member it misses and when that was heard, in microseconds. Who was told a higher count
-- of this life knows that it was rolled back: it becomes another one. Who was told another life does
-- not know what all is, and the first to come from that life brings word of a loss. Of a round that
-- is late, or comes twice, its member is not heard.
-- Replies: life, count of rounds, time in microseconds, then four words each: 'm', name, silence of
-- a member and for how long it has not said all, -1 for ever; 'l', limit, birth, 0; or 'x', '', how
-- long ago there was word of a loss, 0.
local LOSS_MICROS = 60000000 -- for so long it is told
local key = KEYS[1]
local clock = redis.call('TIME')
local real = clock[1] * 1000000 + clock[2]
local now = tonumber(ARGV[4]) or real
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or '?'
local born = redis.call('HGET', key, 'born')
if not born then
  born = string.format('%.0f', real)
  redis.call('HSET', key, 'born', born)
end
local count = redis.call('HINCRBY', key, 'count', 1)
local rolled_back = ARGV[7] == run .. ':' .. born and count <= tonumber(ARGV[8])
if ARGV[7] ~= '' and (rolled_back or ARGV[7] ~= run .. ':' .. born) then
  local told = 'p:' .. ARGV[7]
  if not redis.call('HGET', key, told) then
    redis.call('HSET', key, told, string.format('%.0f', now), 'lost', string.format('%.0f', now))
  end
end
if rolled_back then
  born = string.format('%.0f', math.max(real, (tonumber(born) or 0) + 1))
  redis.call('HSET', key, 'born', born)
end
if (tonumber(redis.call('HGET', key, 'n:' .. ARGV[1]) or -1) or -1) < tonumber(ARGV[5]) then
  local heard = string.format('%.0f', now)
  redis.call('HSET', key, 'm:' .. ARGV[1], heard, 'n:' .. ARGV[1], ARGV[5])
  local current = ARGV[7] == '' or ARGV[7] == run .. ':' .. born
  if ARGV[6] == '1' and current then redis.call('HSET', key, 'w:' .. ARGV[1], heard) end
end
for i = 9, #ARGV, 3 do
  local field = ARGV[i] .. ':' .. ARGV[i + 1]
  if ARGV[i] == 'l' then
    redis.call('HSET', key, field, ARGV[i + 2] .. ' ' .. string.format('%.0f', now))
  elseif tonumber(ARGV[i + 2]) > (tonumber(redis.call('HGET', key, field) or -1) or -1) then
    redis.call('HSET', key, field, ARGV[i + 2])
  end
end
redis.call('PEXPIRE', key, ARGV[3])
local reply = {run .. ':' .. born, count, string.format('%.0f', now)}
local all, fields = redis.call('HGETALL', key), {}
for i = 1, #all, 2 do fields[all[i]] = all[i + 1] end

local function say(...)
  for _, word in ipairs({...}) do reply[#reply + 1] = word end
end

-- the clock may have been set back: nobody is silent for less than nothing
local function since(at) return at and math.max(0, now - at) end

if tonumber(fields.lost) then say('x', '', string.format('%.0f', since(tonumber(fields.lost))), '0') end
for field, value in pairs(fields) do
  local kind, name = string.match(field, '^([mlp]):(.*)$')
  if kind == 'm' then
    local silent = since(tonumber(value))
    local whole = since(tonumber(fields['w:' .. name]))
    if silent and silent <= tonumber(ARGV[2]) then
      say('m', name, string.format('%.0f', silent), string.format('%.0f', whole or -1))
    else
      redis.call('HDEL', key, field, 'n:' .. name, 'w:' .. name)
    end
  elseif kind == 'p' then
    if (since(tonumber(value)) or 0) > tonumber(ARGV[2]) then redis.call('HDEL', key, field) end
  elseif kind == 'l' then
    local found, at = string.match(value, '^(%d+) (%d+)$')
    if found and since(tonumber(at)) <= LOSS_MICROS then
      say('l', name, found, '0')
    else
      redis.call('HDEL', key, field)
    end
  end
end
return reply
