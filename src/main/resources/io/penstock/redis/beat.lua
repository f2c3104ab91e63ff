-- Keeps the instances that share limits at one Redis master, and detects losses of its data.
--
-- An instance calls this script last in each message, over the same connection as the calls about
-- limits: what was lost before or between those shows in this answer. MemoryShareStore in the
-- tests does the same in Java; both answer alike, and a differential test compares them.
--
-- KEYS[1]  a hash with these fields:
--          state     "RUN EPOCH:TAG COUNT COUNT_BEFORE EPOCH_BEFORE VERSION SRU TOLD". COUNT_BEFORE
--                    and EPOCH_BEFORE are those at which the epoch began. SRU are three digits, 1
--                    for settled, remembered, uncertain. TOLD is the number of the last that was
--                    told.
--          members   the names of all instances, separated by spaces
--          m:NAME    "NUMBER LIFE RB HEARD JOINED AGE" and the limits at which it waits: number of
--                    its last beat (-1 when only others know of it); living, dead, left, or
--                    released, which is dead or left, and gone as an operator says; two digits, 1
--                    for registered (it has stated all that it holds) and buried (it was declared
--                    dead, came back, and has not heard of that); the version that it knows; the
--                    version in which it joined; for how many milliseconds it has been certain to
--                    have stopped, as others have watched it, up to a quarter more
--          Beside it, in the same slot, is what instances tell each other: shares of long windows,
--          and what they have counted. Both keys have an empty name, too, which is never told.
--          :order    what it is about, by the number under which it was told (sorted set)
--          :told     "UNTIL TEXT" by what it is about: the millisecond from which it counts no more,
--                    and what the instance wrote (hash)
--
-- ARGV     1      name of the instance
--          2      milliseconds for which the hash is kept
--          3-7    number of the beat; number and tag of the epoch, count and version that it knows
--          8-12   1 if it is registered, doubts, remembers, has waited, leaves
--          13     number of the last that was told that it knows
--          14     tag for a new epoch
--          15-16  how much of what is told is kept, and how much an answer has at most
--          17     limits at which it waits, separated by spaces
--          18     how many instances it knows; name, number, life and age of each. Then how many
--                 stand still or are gone, with name, number, and 1 for gone of each; how many
--                 are forgotten, with their names; and what it tells: what it is about, for how
--                 many milliseconds it counts, and the text.
--
-- Answers  number and tag of the epoch, count, version, 1 if settled, uncertain, listed, buried,
--          number of the last that is told in this answer, 1 if nothing later is told; a list with
--          name, number, life, registered and age of each instance; the limits at which others
--          wait; and what was told: what it is about, and the text. An error that begins with FOREIGN: something else wrote
--          the hash.
--
-- Names and limits are words without spaces; numbers are whole and below 2^53.
local SAMPLE = 8 -- of what is told, so much and twice what is new is looked at in each beat
local key, me = KEYS[1], ARGV[1]
local order, texts = key .. ':order', key .. ':told'
local given = {}
for i = 3, 16 do given[i] = tonumber(ARGV[i]) end
local number, their_epoch, their_tag = given[3], given[4], ARGV[5]
local their_count, their_version = given[6], given[7]
local registered, doubts, remembers = ARGV[8] == '1', ARGV[9] == '1', ARGV[10] == '1'
local waited, leaves = ARGV[11] == '1', ARGV[12] == '1'
local known_told = given[13]
local max, min = math.max, math.min
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or '?'

local function foreign(field)
  return redis.error_reply('FOREIGN value in ' .. field .. ', expected what penstock writes')
end
local function digit(is) return is and 1 or 0 end
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

-- Runs a command with the words, of which Lua does not pass any number at once.
local function chunked(command, to, words)
  local replies = {}
  for i = 1, #words, 1000 do
    local reply = redis.call(command, to, unpack(words, i, min(i + 999, #words)))
    if type(reply) == 'table' then
      for _, each in ipairs(reply) do replies[#replies + 1] = each end
    end
  end
  return replies
end

-- ---- what is stored
local stored = redis.call('HMGET', key, 'state', 'members')
local epoch, tag, count, count_before, epoch_before, version = 0, '', 0, 0, 0, 0
local settled, remembered, uncertain, told = false, false, false, 0
local last_run, members, names, touched = nil, {}, {}, {}
local renamed = false
if stored[1] then
  local s, r, u, e, c, b, f, v, t
  last_run, e, tag, c, b, f, v, s, r, u, t = string.match(
      stored[1],
      '^(%S+) (%d+):(%S*) (%d+) (%d+) (%d+) (%d+) ([01])([01])([01]) (%d+)$')
  if not last_run then return foreign('state') end
  epoch, count, count_before, epoch_before = tonumber(e), tonumber(c), tonumber(b), tonumber(f)
  version, told = tonumber(v), tonumber(t)
  settled, remembered, uncertain = s == '1', r == '1', u == '1'
  if not stored[2] then return foreign('members') end
  local fields = {}
  for name in string.gmatch(stored[2], '%S+') do
    names[#names + 1] = name
    fields[#fields + 1] = 'm:' .. name
  end
  for i, value in ipairs(chunked('HMGET', key, fields)) do
    local n, life, has, buried, heard, joined, age, waits =
        string.match(value or '', '^(%-?%d+) (%l+) ([01])([01]) (%d+) (%d+) (%d+)(.*)$')
    if not n then return foreign(fields[i]) end
    members[names[i]] = {
      number = tonumber(n), life = life, registered = has == '1', buried = buried == '1',
      heard = tonumber(heard), joined = tonumber(joined), age = tonumber(age), waits = waits}
  end
elseif #redis.call('HGETALL', key) > 0 then
  return foreign('state')
end

-- What was told is lost with the instances, or alone.
local forgot = told > 0 and redis.call('EXISTS', order, texts) < 2

-- ---- the epoch
local same = their_epoch == epoch and their_tag == tag
if last_run ~= run or forgot
    or (their_epoch >= epoch and not same)
    or (same and (their_count > count or doubts)) then
  epoch_before, count_before = epoch, count
  epoch, tag = max(epoch, their_epoch) + 1, ARGV[14]
  count = max(count, their_count) + 1000
  version = max(version, their_version) + 1
  told = max(told, known_told) + 1000
  remembered = remembered or settled
  settled = false
  uncertain = uncertain or doubts or not last_run
  for name, each in pairs(members) do
    -- what the absent stated is among the data, unless it was lost alone
    each.registered = each.registered and each.life ~= 'living' and not doubts
    each.heard, touched[name] = 0, true
  end
  same = their_epoch == epoch and their_tag == tag
end
count = count + 1

local function join(name, fresh_number, life)
  version = version + 1
  local member = members[name]
  if not member then
    member = {number = fresh_number, heard = 0, waits = ''}
    members[name], renamed = member, true
    names[#names + 1] = name
  end
  member.life, member.registered, member.joined, touched[name] = life, false, version, true
  member.age = 0
  return member
end

-- ---- the instance itself
local mine = members[me]
if not mine or mine.life == 'dead' or mine.life == 'released' then
  local died = mine ~= nil
  mine = join(me, 0, 'living')
  mine.buried = died
elseif same and their_version >= mine.joined then
  mine.buried = false -- it has had an answer since
end
touched[me] = true

-- the lists at the end of the arguments
local at = 18
local function word()
  at = at + 1
  return ARGV[at - 1]
end
local function list(width)
  local words = {}
  for i = 1, tonumber(word()) * width do words[i] = word() end
  return words
end
local known, still, forgotten = list(4), list(3), list(1)

local added, scores, removed = {}, {}, {' '}
if number > mine.number then
  mine.number = number
  mine.heard = same and their_version or 0
  mine.registered = mine.registered or (same and registered)
  mine.waits = ARGV[17] == '' and '' or ' ' .. ARGV[17]
  for i = at, #ARGV, 3 do
    told = told + 1
    local word = #added
    scores[word + 1], scores[word + 2] = string.format('%.0f', told), ARGV[i]
    added[word + 1] = ARGV[i]
    added[word + 2] = string.format('%.0f %s', now + ARGV[i + 1], ARGV[i + 2])
  end
  if leaves then
    mine.life = 'left'
    version = version + 1
  end
end

-- ---- what others knew before the epoch
if not settled then
  remembered = remembered or remembers
  if not same and their_epoch > 0 then
    uncertain = uncertain
        or their_epoch > epoch_before
        or (their_epoch == epoch_before and their_count > count_before)
  end
end
for i = 1, #known, 4 do
  local name, last, life, age = known[i], tonumber(known[i + 1]), known[i + 2], known[i + 3] - 0
  local other = members[name]
  if not settled and not other then
    other = join(name, -1, life)
  elseif not settled
      and life ~= 'living' and other.life ~= 'released'
      and not other.registered and last >= other.number then
    other.life, touched[name] = life, true
  end
  -- one that has just come knows only so how long others have stopped; few writes suffice for that
  if other and other.life ~= 'living' and last >= other.number and age > other.age * 1.25 + 1000 then
    other.age, touched[name] = age, true
  end
end

-- ---- those that stand still, or have stopped and are gone, and those of which nothing counts
for i = 1, #still, 3 do
  local other, gone = members[still[i]], still[i + 2] == '1'
  if other and gone == (other.life ~= 'living') and other.number == tonumber(still[i + 1]) then
    other.life, other.waits, touched[still[i]] = gone and 'released' or 'dead', '', true
    version = version + 1
  end
end
for _, name in ipairs(forgotten) do
  if members[name] and members[name].life ~= 'living' then
    members[name], touched[name], renamed = nil, nil, true
    removed[#removed + 1] = 'm:' .. name
  end
end

-- ---- whether all have stated what they hold, and all know this one
local all_registered, listed = true, true
for name, each in pairs(members) do
  if each.life == 'living' then
    all_registered = all_registered and each.registered
    listed = listed and (name == me or each.heard >= mine.joined)
  end
end
if all_registered and (remembered or (same and waited)) then settled = true end

-- ---- writes
local function state()
  local words = {
    string.format(
        '%s %.0f:%s %.0f %.0f %.0f %.0f %d%d%d %.0f',
        run, epoch, tag, count, count_before, epoch_before, version,
        digit(settled), digit(remembered), digit(uncertain), told)}
  return table.concat(words, ' ')
end
local words = {'state', state()}
local function put(field, value)
  words[#words + 1] = field
  words[#words + 1] = value
end
if renamed or not stored[2] then
  local present = {}
  for _, name in ipairs(names) do
    if members[name] then present[#present + 1] = name end
  end
  names = present
  put('members', table.concat(names, ' '))
end
for name in pairs(touched) do
  local each = members[name]
  put('m:' .. name, string.format(
      '%.0f %s %d%d %.0f %.0f %.0f%s',
      each.number, each.life, digit(each.registered), digit(each.buried), each.heard, each.joined,
      each.age, each.waits))
end
-- A Redis that is out of memory refuses commands that may need more, except in a script that has
-- already written. So the deletion comes first, if only of a field that never is.
chunked('HDEL', key, removed)
chunked('HSET', key, words)

-- ---- what is told
if forgot or not stored[1] then redis.call('DEL', order, texts) end
local function forget(abouts)
  chunked('ZREM', order, abouts)
  chunked('HDEL', texts, abouts)
end
redis.call('ZADD', order, 0, '')
redis.call('HSET', texts, '', '')
chunked('ZADD', order, scores)
chunked('HSET', texts, added)
local over = redis.call('ZCARD', order) - 1 - given[15]
if over > 0 then
  forget(redis.call('ZRANGEBYSCORE', order, '(0', '+inf', 'LIMIT', 0, over))
end
local old = {' '} -- never an empty list
local sample = redis.call('ZRANDMEMBER', order, SAMPLE + #added)
for i, text in ipairs(chunked('HMGET', texts, sample)) do
  local last = string.match(text or '', '^(%d+) ')
  if last and last - 0 < now then old[#old + 1] = sample[i] end
end
forget(old)
for _, each in ipairs({key, order, texts}) do redis.call('PEXPIRE', each, ARGV[2]) end

-- ---- the answer
local peers, wanted, seen, abouts, news = {}, {}, {}, {}, {}
for _, name in ipairs(names) do
  local each = members[name]
  local at_peer = #peers
  peers[at_peer + 1], peers[at_peer + 2] = name, each.number
  peers[at_peer + 3], peers[at_peer + 4] = each.life, digit(each.registered)
  peers[at_peer + 5] = each.age
  if name ~= me and each.life == 'living' then
    for id in string.gmatch(each.waits, '%S+') do
      if not seen[id] then
        seen[id] = true
        wanted[#wanted + 1] = id
      end
    end
  end
end
local later = redis.call(
    'ZRANGEBYSCORE', order, '(' .. ARGV[13], '+inf', 'WITHSCORES', 'LIMIT', 0, given[16] + 1)
local complete = #later <= 2 * given[16]
local told_up_to = complete and told or later[2 * given[16]] - 0
for i = 1, min(#later, 2 * given[16]), 2 do abouts[#abouts + 1] = later[i] end
for i, text in ipairs(chunked('HMGET', texts, abouts)) do
  local last, rest = string.match(text or '', '^(%d+)( .*)$')
  local is_own = string.match(abouts[i], '^%S+ (%S+)') == me
  if last and last - 0 >= now and not is_own then news[#news + 1] = abouts[i] .. rest end
end
return {
  epoch, tag, count, version, digit(settled), digit(uncertain), digit(listed), digit(mine.buried),
  told_up_to, digit(complete), peers, wanted, news}
