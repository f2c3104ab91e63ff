-- Keeps the instances that use shared objects, and a registry of these objects.
--
-- KEYS[1]  a hash: 'born', when it was created; 'lost', when objects were last lost; 'n:INSTANCE',
--          the number of the last heartbeat of each instance. Beside it, in the same slot:
--          ':m'  instances by the time of their last heartbeat (sorted set)
--          ':o'  objects by the time at which they may have expired (sorted set)
--          ':s'  'BYTES TENANT' by object: the bytes that it was admitted with, and who made it, or
--                made it grow last (hash)
--          ':t'  'OBJECTS BYTES' by tenant, the sums of ':s'; '' is the sum over all (hash)
-- ARGV     operation, instance, the birth it knows or '', now ('' except in tests), then
--          'beat'    a heartbeat: its number; the number of the last one that was answered (0 for a
--                    new instance); the silence after which an instance is gone; and the instance's
--                    channel, on which the number is published
--          'leave'   removes the instance
--          'admit'   registers an object, or gives it more bytes: its name; how many objects there
--                    may be; the time after which an unused object expires; the tenant; how many
--                    objects a tenant may have; how many bytes all objects may take, and those of a
--                    tenant; how many bytes the object needs, and how many it asks for
--          'remove'  removes an object: its name
--          'overdue' lists objects that may have expired: how many at most
--          'settle'  corrects an expiry: the object, its recorded time, its new time, or '' if it
--                    has expired, and the bytes that it takes
--          Times are microseconds.
-- Answers  now, code, birth, when objects were last lost, number of objects, bytes of all objects,
--          and for
--          'beat'    D and the living instances; G when the instance is not a member any more
--          'admit'   D, when an object of that name was lost (0 for never), and the bytes that it is
--                    admitted with; F, '0' and what is full: 'objects' or 'bytes', 'own objects' or
--                    'own bytes' for those of the tenant; O, '0' and '0' when Redis is out of memory.
--                    Then objects that may have expired, each with its recorded time.
--          'overdue' D, and such objects
--          the rest  D

local key, op, me, born_known = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
local m, o, s, t = key .. ':m', key .. ':o', key .. ':s', key .. ':t'
local MAKING = 10000000 -- microseconds after its admission in which an object may still be created
local LOOKS = 4 -- maximum of possibly expired objects that one admission returns

local function text(n) return string.format('%.0f', n) end

local now = tonumber(ARGV[4])
if not now then
  local clock = redis.call('TIME')
  now = clock[1] * 1000000 + clock[2]
end

-- A Redis that is out of memory refuses commands that may need more, except in a script that has
-- already written, as with this deletion of nothing. All but new objects must go on then.
if op ~= 'admit' then redis.call('HDEL', key, '') end

local born = redis.call('HGET', key, 'born')
if not born then
  born = text(now)
  redis.call('HSET', key, 'born', born)
end
local function lost() redis.call('HSET', key, 'lost', text(now)) end
if born_known ~= '' and born_known ~= born then lost() end

local function sums(tenant)
  local objects, bytes = string.match(redis.call('HGET', t, tenant) or '', '^(%d+) (%d+)$')
  return tonumber(objects or 0), tonumber(bytes or 0)
end

local function answer(code, ...)
  local _, bytes = sums('')
  local all = {text(now), code, born, redis.call('HGET', key, 'lost') or '0',
      text(redis.call('ZCARD', o)), text(bytes)}
  for _, each in ipairs({...}) do all[#all + 1] = each end
  return all
end

local function entry(object) -- returns the bytes and the tenant of an object, or nil
  local bytes, tenant = string.match(redis.call('HGET', s, object) or '', '^(%d+) (.*)$')
  return tonumber(bytes or ''), tenant
end

local function add(tenant, more_objects, more_bytes)
  for _, who in ipairs({'', tenant}) do
    local objects, bytes = sums(who)
    objects, bytes = math.max(0, objects + more_objects), math.max(0, bytes + more_bytes)
    if objects > 0 then
      redis.call('HSET', t, who, text(objects) .. ' ' .. text(bytes))
    else
      redis.call('HDEL', t, who)
    end
  end
end

local function remove(object)
  redis.call('ZREM', o, object)
  local bytes, tenant = entry(object)
  if bytes then
    redis.call('HDEL', s, object)
    add(tenant, -1, -bytes)
  end
end

-- Returns objects that may have expired, each with its recorded time.
local function overdue(most)
  return redis.call('ZRANGEBYSCORE', o, '-inf', text(now), 'WITHSCORES', 'LIMIT', 0, most)
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
  remove(ARGV[5])
  return answer('D')
end

if op == 'overdue' then return answer('D', unpack(overdue(tonumber(ARGV[5])))) end

if op == 'settle' then
  local object, recorded, due, bytes = ARGV[5], ARGV[6], ARGV[7], tonumber(ARGV[8])
  if redis.call('ZSCORE', o, object) ~= recorded then
    return answer('D') -- it was used meanwhile, or is gone
  end
  if due == '' then
    remove(object)
    return answer('D')
  end
  redis.call('ZADD', o, due, object)
  local had, tenant = entry(object)
  if had and bytes > 0 and bytes < had then
    redis.call('HSET', s, object, text(bytes) .. ' ' .. tenant)
    add(tenant, 0, bytes - had)
  end
  return answer('D')
end

if op == 'admit' then
  local object, most, idle, tenant = ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8]
  local own_most, most_bytes, own_most_bytes =
      tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])
  local needs, asks = tonumber(ARGV[12]), tonumber(ARGV[13])
  local late = overdue(LOOKS)
  local known = tonumber(redis.call('ZSCORE', o, object) or '')
  local had, owner = entry(object)
  local _, all_bytes = sums('')
  local own_objects, own_bytes = sums(tenant)
  if had then all_bytes = all_bytes - had end
  if owner == tenant then own_objects, own_bytes = own_objects - 1, own_bytes - had end
  needs = math.max(needs, had or 0)
  local full
  if own_most < most and own_objects >= own_most then
    full = 'own objects'
  elseif own_most_bytes < most_bytes and own_bytes + needs > own_most_bytes then
    full = 'own bytes'
  elseif not known and redis.call('ZCARD', o) >= most then
    full = 'objects'
  elseif all_bytes + needs > most_bytes then
    full = 'bytes'
  end
  if full then return answer('F', '0', full, unpack(late)) end
  -- It should still exist, and yet it is to be created: its data was lost.
  local gone = known and known > now and known - idle < now - MAKING and now or 0
  local added = redis.pcall('ZADD', o, text(now + idle), object)
  if type(added) == 'table' and added.err then
    if not string.find(added.err, 'OOM', 1, true) then return added end
    return answer('O', '0', '0', unpack(late))
  end
  local room = math.max(needs, math.min(asks, most_bytes - all_bytes, own_most_bytes - own_bytes))
  redis.call('HSET', s, object, text(room) .. ' ' .. tenant)
  if had then add(owner, -1, -had) end
  add(tenant, 1, room)
  return answer('D', text(math.max(gone, tonumber(redis.call('HGET', key, 'lost') or '0'))),
      text(room), unpack(late))
end

return redis.error_reply('FOREIGN operation ' .. op .. ', expected one of penstock')
