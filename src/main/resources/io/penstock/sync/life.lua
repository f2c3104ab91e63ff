-- The life of one Redis master, and who lives with it. Called last of a round: what was flushed,
-- restarted or replaced before or between the round's other calls is another life here.
-- KEYS[1]: a hash. ARGV: the member's name, after how many microseconds of silence a member is
-- forgotten, how many milliseconds the hash is kept, and, for tests, the time in microseconds.
-- Replies: life, count of rounds, time in microseconds, then name and silence of each member.
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
redis.call('HSET', key, 'm:' .. ARGV[1], string.format('%.0f', now))
redis.call('PEXPIRE', key, ARGV[3])
local reply = {run .. ':' .. born, count, string.format('%.0f', now)}
local all = redis.call('HGETALL', key)
for i = 1, #all, 2 do
  if string.sub(all[i], 1, 2) == 'm:' then
    local heard = tonumber(all[i + 1])
    -- the clock may have been set back: nobody is silent for less than nothing
    local silent = heard and math.max(0, now - heard)
    if silent and silent <= tonumber(ARGV[2]) then
      reply[#reply + 1] = string.sub(all[i], 3)
      reply[#reply + 1] = string.format('%.0f', silent)
    else
      redis.call('HDEL', key, all[i])
    end
  end
end
return reply
