-- Claims for a member what one alone may have, for a while.
-- KEYS[1]: a hash of who has it. ARGV: the member, how others call it, for how many milliseconds;
-- 0 gives it back.
-- Replies: nothing when the member has it, or gave it back; else who has it, how that one is
-- called, and for how many milliseconds more, which are no more than were asked for.
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
  redis.call('HSET', key, 'member', member, 'called', ARGV[2])
  redis.call('PEXPIRE', key, lease)
end
return {}
