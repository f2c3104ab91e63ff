-- Claims for a member, for a limited time, something that only one member may have.
--
-- KEYS[1]  a hash with the holder of the claim
-- ARGV     the member, its name for display, and the duration in milliseconds; 0 releases the claim
-- Answers  nothing when the member has the claim or has released it; otherwise the holder, its name
--          for display, and the milliseconds left, which are never more than the duration asked for
local key, member, lease = KEYS[1], ARGV[1], tonumber(ARGV[3])
local held = redis.call('HMGET', key, 'member', 'called')
if held[1] and held[1] ~= member then
  if lease == 0 then return {} end
  local left = redis.call('PTTL', key)
  if left < 0 or left > lease then
    redis.call('PEXPIRE', key, lease)
    left = lease
  end
  return {held[1], held[2] or '', left}
end
if lease == 0 then
  redis.call('HDEL', key, 'member', 'called')
else
  redis.call('HDEL', key, '') -- after a deletion, Redis takes writes even if it is out of memory
  redis.call('HSET', key, 'member', member, 'called', ARGV[2])
  redis.call('PEXPIRE', key, lease)
end
return {}
