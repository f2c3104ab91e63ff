-- Which instances wait at shared objects, and which objects there are.
-- KEYS[1]  a hash: when it was born, when objects were lost last, and the number of the last sign of
--          life of each instance. Beside it, in the same slot: ':m' when each was heard last; ':o'
--          objects, by when they may have been forgotten.
-- ARGV     what to do, instance, birth it knows or '', now ('' but in tests), then
--          'beat'    its number, the one of the last that was answered (0: it comes), after how much
--                    silence an instance is gone, and its channel, on which the number is said;
--          'leave';  'admit' an object, how many there may be, and after how long what is unused is
--                    forgotten;  'remove' an object;
--          'settle'  an object, when it was to be forgotten, and when it is to be instead, or ''.
--          Times are microseconds.
-- Answers  now, code, birth, when objects were lost last, objects, and
--          'beat'    D, and who lives; G when the instance is none any more;
--          'admit'   D, and when an object of that name was lost (0: never); F when there are too
--                    many. Then objects that may have been forgotten, each with when.

local key, op, me, born_known = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
local m, o = key .. ':m', key .. ':o'
local MAKING = 10000000 -- an object that was admitted may still be made
local LOOKS = 4 -- objects to be looked at, each time

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
    if known and known < answered then lost() end -- older data were put back
    if not known or known < answered or not redis.call('ZSCORE', m, me) then
      redis.call('ZREM', m, me)
      redis.call('HDEL', key, 'n:' .. me)
      return answer('G')
    end
  end
  redis.call('ZADD', m, text(now), me)
  -- one that was late comes after its successor, and is no older state of Redis
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
  -- it was there and is not: nobody forgot it
  local gone = known and known > now and known - idle < now - MAKING and now or 0
  redis.call('ZADD', o, text(now + idle), object)
  return answer('D', text(math.max(gone, tonumber(redis.call('HGET', key, 'lost') or '0'))),
      unpack(overdue))
end

return redis.error_reply('FOREIGN operation ' .. op .. ', expected one of this version')
