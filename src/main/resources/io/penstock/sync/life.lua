-- The life of one Redis master, and who lives with it. Called last of a round: what was flushed,
-- restarted or replaced before or between the round's other calls shows here.
-- KEYS[1]: a hash. ARGV: the member's name, after how many microseconds of silence a member is
-- forgotten, how many milliseconds the hash is kept, for tests the time in microseconds, the number
-- of the round, 1 when with it all is said that the member has, the life, the run and the count it
-- was told last ('', '' and 0 for none), a random id, 1 when it is the member's last round, then
-- three words each: 'l', a limit it found lost and its birth; or 'm', a member it misses and when
-- that was heard, in microseconds.
-- A life is named by the id that was written when the hash was made, which a flush or a start
-- without data loses, and by when it began. Another run answers after a restart or a failover, and
-- has the same life when it knows all rounds that were counted when any member was told last: of
-- each run before, the hash has how many rounds were counted when it ended. Who was told more knows
-- that the master was rolled back: it becomes another life. Who was told another life does not know
-- what all is, and the first to come from that life brings word of a loss. Of a round that is late,
-- or comes twice, its member is not heard.
-- Instances of the version before know neither the id nor runs: they count rounds in the same
-- field, and leave alone what they do not know.
-- Replies: life, count of rounds, time in microseconds, run, how long ago its first round was, how
-- long before that the last one of the run before was (-1 when there was none), how many of the
-- rounds that were counted when the member was told last are known for certain (-1 for all), then
-- six words each: 'm', name, silence of a member, how long ago it said all, and how long ago it was
-- heard when it had been told this run and this life (-1 for never), and 1 when it left; 'l', limit,
-- birth, 0, 0, 0; or 'x', '', how long ago there was word of a loss, 0, 0, 0.
local LOSS_MICROS = 60000000 -- for so long it is told
local ENDED_MICROS = 172800000000 -- for so long it is known how a run ended
local key, me = KEYS[1], ARGV[1]
local told_life, told_run, told_count = ARGV[7], ARGV[8], tonumber(ARGV[9])
local clock = redis.call('TIME')
local real = clock[1] * 1000000 + clock[2]
local now = tonumber(ARGV[4]) or real
local server = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or '?'

local function text(n) return string.format('%.0f', n) end
-- the clock may have been set back: nothing was less than no time ago
local function since(at) return at and math.max(0, now - at) end

local fields = {}
local function set(...)
  redis.call('HSET', key, ...)
  local words = {...}
  for i = 1, #words, 2 do fields[words[i]] = words[i + 1] end
end
local all = redis.call('HGETALL', key)
for i = 1, #all, 2 do fields[all[i]] = all[i + 1] end

-- the life
local id = fields.born and fields.id or ARGV[10]
if not fields.born then set('born', text(real)) end
if fields.id ~= id then set('id', id) end
local count = tonumber(redis.call('HINCRBY', key, 'count', 1))
local function life() return id .. ':' .. fields.born end

-- the run: its name, when its first round was, and the last one before it. What instances of the
-- version before count in a run before others have come to it tells nothing of what it knows.
local counted, counted_at = string.match(fields.at or '', '^(%d+) (%d+)$')
local run, first, before = string.match(fields.run or '', '^(%S+) (%d+) (%-?%d+)$')
local function forget(fields_of) -- all fields of members that begin so
  for field in pairs(fields) do
    if string.match(field, fields_of) then
      redis.call('HDEL', key, field)
      fields[field] = nil
    end
  end
end
local function begin_run(kept, at, last)
  forget('^a:')
  local next = server .. '.' .. text(at)
  if run then set('e:' .. run, text(kept) .. ' ' .. text(now) .. ' ' .. next) end
  run, first, before = next, text(now), last or '-1'
  set('run', run .. ' ' .. first .. ' ' .. before)
end
if not run or string.match(run, '^%w+') ~= server then
  begin_run(tonumber(counted) or 0, real, counted_at)
end

-- how many of the rounds that were counted when the member was told last are known for certain
local function kept_since(name)
  local least = math.huge
  for _ = 1, #all do
    if name == run then return least end
    local most, _, next = string.match(fields['e:' .. name] or '', '^(%d+) (%d+) (%S+)$')
    if not most then return 0 end
    least, name = math.min(least, tonumber(most)), next
  end
  return 0
end
local kept = -1
if told_life ~= '' then
  local most = 0
  if string.match(told_life, '^[^:]*') == id then
    most = told_run == run and count - 1 or kept_since(told_run)
  end
  if told_count > most then kept = told_run == run and 0 or most end
end

local rolled_back = told_life == life() and kept ~= -1
if told_life ~= '' and (rolled_back or told_life ~= life()) then
  local told = 'p:' .. told_life
  if not fields[told] then
    set(told, text(now), 'lost', text(now))
  end
end
if rolled_back then
  set('born', text(math.max(real, (tonumber(fields.born) or 0) + 1)))
  -- back in the place of newer data: nothing tells how far
  if told_run == run then begin_run(0, math.max(real, tonumber(string.match(run, '%d+$')) + 1)) end
  forget('^[wa]:') -- what was said before was said to another life
end

-- the member
set('at', text(count) .. ' ' .. text(now))
if (tonumber(fields['n:' .. me] or -1) or -1) < tonumber(ARGV[5]) then
  local heard = text(now)
  set('m:' .. me, heard, 'n:' .. me, ARGV[5])
  if told_life == '' or (told_life == life() and told_run == run) then
    set('a:' .. me, heard)
    if ARGV[6] == '1' then set('w:' .. me, heard) end
  end
  if ARGV[11] == '1' then set('b:' .. me, heard) end
end
for i = 12, #ARGV, 3 do
  local field = ARGV[i] .. ':' .. ARGV[i + 1]
  if ARGV[i] == 'l' then
    set(field, ARGV[i + 2] .. ' ' .. text(now))
  elseif tonumber(ARGV[i + 2]) > (tonumber(fields[field] or -1) or -1) then
    set(field, ARGV[i + 2])
  end
end
redis.call('PEXPIRE', key, ARGV[3])

local age = since(tonumber(first))
local gap = before == '-1' and -1 or math.max(0, tonumber(first) - tonumber(before))
local reply = {life(), count, text(now), run, text(age), text(gap), text(kept)}
local function say(...)
  for _, word in ipairs({...}) do reply[#reply + 1] = word end
end
local function ago(field) return text(since(tonumber(fields[field])) or -1) end

if tonumber(fields.lost) then say('x', '', ago('lost'), '0', '0', '0') end
for field, value in pairs(fields) do
  local kind, name = string.match(field, '^([mlpe]):(.*)$')
  if kind == 'm' then
    local silent = since(tonumber(value))
    if silent and silent <= tonumber(ARGV[2]) then
      local left = fields['b:' .. name] and '1' or '0'
      say('m', name, text(silent), ago('w:' .. name), ago('a:' .. name), left)
    else
      redis.call(
          'HDEL', key, field, 'n:' .. name, 'w:' .. name, 'a:' .. name, 'b:' .. name)
    end
  elseif kind == 'p' then
    if (since(tonumber(value)) or 0) > tonumber(ARGV[2]) then redis.call('HDEL', key, field) end
  elseif kind == 'e' then
    local at = tonumber(string.match(value, '^%d+ (%d+)') or '')
    if not at or since(at) > ENDED_MICROS then redis.call('HDEL', key, field) end
  elseif kind == 'l' then
    local found, at = string.match(value, '^(%d+) (%d+)$')
    if found and since(tonumber(at)) <= LOSS_MICROS then
      say('l', name, found, '0', '0', '0')
    else
      redis.call('HDEL', key, field)
    end
  end
end
return reply
