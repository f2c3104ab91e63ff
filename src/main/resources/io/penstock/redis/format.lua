-- Notes the format version of what a namespace holds, unless one is noted already.
--
-- KEYS[1]  a hash with the format version
-- ARGV     the format version of this instance
-- Answers  the format version that is noted
local key = KEYS[1]
redis.call('HDEL', key, '') -- after a deletion, Redis takes writes even if it is out of memory
local version = redis.call('HGET', key, 'version')
if not version then
  version = ARGV[1]
  redis.call('HSET', key, 'version', version)
end
return {version}
