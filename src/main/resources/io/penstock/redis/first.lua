-- Notes a value that all instances of a namespace have in common, unless one is noted already.
--
-- KEYS[1]  a hash with the value
-- ARGV     the name of its field, the value that this instance would note
-- Answers  the value that is noted
local key, field = KEYS[1], ARGV[1]
redis.call('HDEL', key, '') -- after a deletion, Redis takes writes even if it is out of memory
local value = redis.call('HGET', key, field)
if not value then
  value = ARGV[2]
  redis.call('HSET', key, field, value)
end
return {value}
