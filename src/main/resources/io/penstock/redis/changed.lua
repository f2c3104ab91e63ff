-- Records which limits have changed counts, and returns the limits changed since a given time.
--
-- KEYS[1]  a sorted set of limits by the time of their last change, in microseconds
-- ARGV     time since which changes are wanted, microseconds for which a change is remembered, then
--          the limits changed now
-- Answers  the time now, and the limits changed since; all of them when the clock was set back
local key, since = KEYS[1], tonumber(ARGV[1])
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
-- The deletion comes first: a Redis that is out of memory refuses commands that may need more,
-- except in a script that has already written.
redis.call('ZREMRANGEBYSCORE', key, '-inf', now - ARGV[2])
for i = 3, #ARGV do
  redis.call('ZADD', key, now, ARGV[i])
end
redis.call('PEXPIRE', key, string.format('%.0f', ARGV[2] / 1000))
if now < since then since = 0 end
local reply = redis.call('ZRANGEBYSCORE', key, since, '+inf')
table.insert(reply, 1, string.format('%.0f', now))
return reply
