-- Detects losses of data on one Redis master, and lists the members that use it for shared limits.
--
-- A member calls this script at the end of each round, over the same connection as the round's
-- other calls. A flush, a restart or a replacement of the server, before or between those calls,
-- therefore shows in the answer of this script.
--
-- Idea. The script counts rounds, and remembers two things about the data:
--   life  A period without loss of data. Its name is ID:BORN: a random id that is written when the
--         hash is created, which a flush or a start without data deletes, and the time of birth.
--   run   The time of one server process. Another run begins after a restart or a failover.
-- Each member sends the life, the run and the count of its last answer:
--   * If the life is the present one, but the master does not know all rounds that it had counted
--     then, the master was rolled back to older data. It gets a new birth, that is, another life.
--   * If the life is another one, the member may know of data that is lost here. The first member
--     from each such life reports a loss to all others.
--   * If only the run is another one, the same life goes on as long as every member finds its
--     rounds known. For each run that ended, the hash keeps how many rounds the next run knew when
--     it began, so that members of any earlier run can be checked.
-- A late or repeated round does not count as a heartbeat of its member.
--
-- KEYS[1]  a hash with these fields; times are microseconds:
--          id, born   name and birth of the life
--          count      number of rounds
--          at         time of the last round
--          run        "NAME FIRST BEFORE": the run, the time of its first round, and the time of
--                     the last round before that (-1 for none)
--          e:RUN      "KEPT TIME NEXT" of an ended run: how many rounds the next run knew when it
--                     began, when that was, and the name of the next run
--          p:LIFE     when a member from that other life came first
--          lost       when a loss was last reported in this way
--          m:MEMBER   when the member was heard last
--          n:MEMBER   number of its last round
--          a:MEMBER   when it was last heard knowing the present life and run, or none yet
--          w:MEMBER   when it was last heard so and reported all its spending
--          b:MEMBER   when it left
--          l:LIMIT    "BIRTH TIME" of a limit whose data was lost alone: its new birth, and when
--                     that was reported last
--
-- ARGV     1     name of the member
--          2     silence in microseconds after which a member is forgotten
--          3     milliseconds for which the hash is kept
--          4     time in microseconds for tests, or ''
--          5     number of the round
--          6     1 if with this round the member has reported all its spending
--          7-9   life, run and count of the member's last answer; '', '' and 0 for none
--          10    random id for a new life
--          11    1 if this is the member's last round
--          12..  three words each: 'l', a limit whose data was found lost, and its new birth; or
--                'm', a member that this member misses, and when it was last heard
--
-- Answers  seven words: life, count of rounds, time, run, how long ago its first round was, how
--          long before that the last round of the previous run was (-1 for none), and how many of
--          the rounds counted at the member's last answer are known for certain (-1 for all). Then
--          six words for each
--          member  'm', name, how long ago it was heard, how long ago it last reported everything,
--                  how long ago it was last heard knowing the present life and run (-1 for
--                  never), 1 if it left
--          limit   'l', limit, new birth, 0, 0, 0
--          loss    'x', '', how long ago a loss was last reported, 0, 0, 0
local LOSS_MICROS = 60000000 -- how long a lost limit is reported
local ENDED_MICROS = 172800000000 -- how long the end of a run is remembered
local key, me = KEYS[1], ARGV[1]
local told_life, told_run, told_count = ARGV[7], ARGV[8], tonumber(ARGV[9])
local clock = redis.call('TIME')
local real = clock[1] * 1000000 + clock[2]
local now = tonumber(ARGV[4]) or real
local server = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or '?'

local function text(n) return string.format('%.0f', n) end
-- never negative, even if the clock was set back
local function since(at) return at and math.max(0, now - at) end

local fields = {}
local function set(...)
  redis.call('HSET', key, ...)
  local words = {...}
  for i = 1, #words, 2 do fields[words[i]] = words[i + 1] end
end
local all = redis.call('HGETALL', key)
-- A Redis that is out of memory refuses commands that may need more, except in a script that has
-- already written, as with this deletion of nothing. Rounds must go on, and the hash is bounded.
redis.call('HDEL', key, '')
for i = 1, #all, 2 do fields[all[i]] = all[i + 1] end

-- ---- the life
if not fields.id or not fields.born then set('id', ARGV[10], 'born', text(real)) end
local id = fields.id
local count = tonumber(redis.call('HINCRBY', key, 'count', 1))
local function life() return id .. ':' .. fields.born end

-- ---- the run
local run, first, before = string.match(fields.run or '', '^(%S+) (%d+) (%-?%d+)$')
local function forget(fields_of) -- deletes the fields that match the pattern
  for field in pairs(fields) do
    if string.match(field, fields_of) then
      redis.call('HDEL', key, field)
      fields[field] = nil
    end
  end
end
-- Ends the current run, which has 'kept' certain rounds, and begins another one at the time 'at'.
local function begin_run(kept, at, last)
  forget('^a:')
  local next = server .. '.' .. text(at)
  if run then set('e:' .. run, text(kept) .. ' ' .. text(now) .. ' ' .. next) end
  run, first, before = next, text(now), last or '-1'
  set('run', run .. ' ' .. first .. ' ' .. before)
end
if not run or string.match(run, '^%w+') ~= server then
  begin_run(count - 1, real, fields.at)
end

-- Returns how many rounds are certain for a member whose last answer came from the given run: the
-- lowest number kept at the end of that run or of any run after it.
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
-- how many of the rounds counted at the member's last answer are known for certain; -1 for all
local kept = -1
if told_life ~= '' then
  local most = 0
  if string.match(told_life, '^[^:]*') == id then
    most = told_run == run and count - 1 or kept_since(told_run)
  end
  if told_count > most then kept = told_run == run and 0 or most end
end

-- ---- losses
local rolled_back = told_life == life() and kept ~= -1
if told_life ~= '' and (rolled_back or told_life ~= life()) then
  local told = 'p:' .. told_life -- only the first member from a life reports a new loss
  if not fields[told] then
    set(told, text(now), 'lost', text(now))
  end
end
if rolled_back then
  set('born', text(math.max(real, (tonumber(fields.born) or 0) + 1)))
  -- Older data was restored in a running server; it is unknown how old, so no round is certain.
  if told_run == run then begin_run(0, math.max(real, tonumber(string.match(run, '%d+$')) + 1)) end
  forget('^[wa]:') -- earlier reports were made to another life
end

-- ---- the member
set('at', text(now))
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

-- ---- the answer, and what is forgotten
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
