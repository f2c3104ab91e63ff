-- Keeps the instances that use shared objects, and a registry of these objects.
--
-- KEYS[1]  a hash: 'born', when it was created; 'lost', when objects were last lost; 'n:INSTANCE',
--          the number of the last heartbeat of each instance. Beside it, in the same slot, two
--          sorted sets: ':m' instances by the time of their last heartbeat; ':o' objects by the
--          time at which they may have expired.
-- ARGV     operation, instance, the birth it knows or '', now ('' except in tests), then
--          'beat'    a heartbeat: its number; the number of the last one that was answered (0 for a
--                    new instance); the silence after which an instance is gone; and the instance's
--                    channel, on which the number is published
--          'leave'   removes the instance
--          'admit'   registers an object: its name, how many objects there may be, and the time
--                    after which an unused object expires
--          'remove'  removes an object: its name
--          'settle'  corrects an expiry: the object, its recorded time, and its new time, or '' if
--                    it has expired
--          Times are microseconds.
-- Answers  now, code, birth, when objects were last lost, number of objects, and for
--          'beat'    D and the living instances; G when the instance is not a member any more
--          'admit'   D and when an object of that name was lost (0 for never); F when there are too
--                    many objects. Then objects that may have expired, each with its recorded time.
--          the rest  D

local key, op, me, born_known = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
local m, o = key .. ':m', key .. ':o'
local MAKING = 10000000 -- microseconds after its admission in which an object may still be created
local LOOKS = 4 -- maximum of possibly expired objects that one admission returns

local function text(n) return string.format('%.0f', n) end

local now = tonumber(ARGV[4])
if not now then
  local clock = redis.call('TIME')
  now = clock[1] * 1000000 + clock[2]
end

local born = redis.call('HGET', key, 'born')
if not born then
  born = text(now)
  redis.call('HSET', key, 'born', born)
end
local function lost() redis.call('HSET', key, 'lost', text(now)) end
if born_known ~= '' and born_known ~= born then lost() end

local function answer(code, ...)
  local all = {text(now), code, born, redis.call('HGET', key, 'lost') or '0',
      text(redis.call('ZCARD', o))}
  for _, each in ipairs({...}) do all[#all + 1] = each end
  return all
end

if op == 'beat' then
  local number, answered, lease = ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', m, '-inf', text(now - lease))) do
    redis.call('ZREM', m, name)
    redis.call('HDEL', key, 'n:' .. name)
  end
  if answered > 0 then
    local known = tonumber(redis.call('HGET', key, 'n:' .. me) or '')
    if known and known < answered then lost() end -- older data was restored
    if not known or known < answered or not redis.call('ZSCORE', m, me) then
      redis.call('ZREM', m, me)
      redis.call('HDEL', key, 'n:' .. me)
      return answer('G')
    end
  end
  redis.call('ZADD', m, text(now), me)
  -- A late heartbeat arrives after its successor; it must not look like older data.
  local said = tonumber(redis.call('HGET', key, 'n:' .. me) or '0')
  redis.call('HSET', key, 'n:' .. me, text(math.max(said, tonumber(number))))
  redis.call('PUBLISH', ARGV[8], number)
  return answer('D', unpack(redis.call('ZRANGE', m, 0, -1)))
end

if op == 'leave' then
  redis.call('ZREM', m, me)
  redis.call('HDEL', key, 'n:' .. me)
  return answer('D')
end

if op == 'remove' then
  redis.call('ZREM', o, ARGV[5])
  return answer('D')
end

if op == 'settle' then
  if redis.call('ZSCORE', o, ARGV[5]) == ARGV[6] then
    if ARGV[7] == '' then
      redis.call('ZREM', o, ARGV[5])
    else
      redis.call('ZADD', o, ARGV[7], ARGV[5])
    end
  end
  return answer('D')
end

if op == 'admit' then
  local object, most, idle = ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])
  local overdue = redis.call('ZRANGEBYSCORE', o, '-inf', text(now), 'WITHSCORES', 'LIMIT', 0, LOOKS)
  local known = tonumber(redis.call('ZSCORE', o, object) or '')
  if not known and redis.call('ZCARD', o) >= most then
    return answer('F', '0', unpack(overdue))
  end
  -- It should still exist, and yet it is to be created: its data was lost.
  local gone = known and known > now and known - idle < now - MAKING and now or 0
  redis.call('ZADD', o, text(now + idle), object)
  return answer('D', text(math.max(gone, tonumber(redis.call('HGET', key, 'lost') or '0'))),
      unpack(overdue))
end

return redis.error_reply('FOREIGN operation ' .. op .. ', expected one of this version')
