-- Says of which limits counts were changed, and which others were.
-- KEYS[1]: a sorted set of limits by when they were changed last, in microseconds.
-- ARGV: since when, for how many microseconds a limit is remembered, then the limits changed now.
-- Replies: now, and the limits changed since; all when the clock was before that.
local key, since = KEYS[1], tonumber(ARGV[1])
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
for i = 3, #ARGV do
  redis.call('ZADD', key, now, ARGV[i])
end
redis.call('ZREMRANGEBYSCORE', key, '-inf', now - ARGV[2])
redis.call('PEXPIRE', key, string.format('%.0f', ARGV[2] / 1000))
if now < since then since = 0 end
local reply = redis.call('ZRANGEBYSCORE', key, since, '+inf')
table.insert(reply, 1, string.format('%.0f', now))
return reply
