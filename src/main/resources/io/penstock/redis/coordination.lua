-- Executes one operation on a shared object, at the time of Redis.
--
-- The in-memory implementation in Java has the same rules. Both answer alike; a differential test
-- compares them.
--
-- Terms: a turn is the operation of one client, named INSTANCE:NUMBER. It is answered at once, or
-- waits in order of arrival and is answered later. The answer to a turn that waited is kept until
-- its instance acknowledges it, so that an answer without acknowledgement can be repeated or taken
-- back. Permits of a semaphore have keys that their clients choose.
--
-- KEYS[1]  a hash of the object's numbers. Beside it, in the same slot:
--          ':w'  waiting turns by arrival (sorted set)
--          ':p'  arrival and parameters of each waiting turn
--          ':h'  by the key of a permit: its turn ('-' once confirmed), and how long that waited
--          ':x'  keys of permits by expiry (sorted set)
--          ':r'  answers by turn that were not acknowledged yet
--          ':m'  by instance: the number of its turns in ':w' and ':r'
-- ARGV     1   kind of the object
--          2   operation
--          3   calling instance
--          4   turn
--          5   instances known to live, each with a space before and after
--          6   instances known to be gone, likewise
--          7   time until which the operation may be executed, '' for ever
--          8   prefix of the instances' channels
--          9   now, '' except in tests
--          10  milliseconds after which an unused object expires
--          11  '', or for creating the object: when a lost object of that name may have been used
--              last (0 for never)
--          12  whether the turn may wait: 'w' yes, 'n' no, 'f' too many are waiting
--          13  bytes that the object was admitted with just now, '' for none
--          14  and more: parameters of the operation
--          Times are microseconds unless stated otherwise.
-- Answers  now, code, text, interval, waited, next, served, message
--          code      D done; S done, with a value; H the permit exists already; T timed out;
--                    C conflict; M no such object; P too many permits; F too many turns wait;
--                    X deleted; W the turn waits; A the object must be admitted, because it is to
--                    be created or to grow (in text the bytes that it needs, those that it should
--                    ask for, and those of each further turn); U unknown instances (in text),
--                    whose life must be checked first; L too late; G no such turn; K statistics
--                    (in text); Q turns that are unknown (in text)
--          interval, waited
--                    to be passed to 'leave' if no client takes the answer
--          next      when time alone lets the next turn pass, '' for never
--          served    'NUMBER code interval waited' for each other turn of the instance that was
--                    answered
-- Publishes to other instances: key, now, next, served and message, one per line, the message last.
--
-- Memory. An object may take as many bytes as it was admitted with, which is its field 'room'. An
-- operation that needs more is answered with A. All other operations are executed even if Redis is
-- out of memory.

local EXACT = 2 ^ 53
local UNKNOWN_EXPIRY = 60000000 -- assumed for lost permits without a stated expiry
local NOBODY = 2 ^ 40 -- more tokens taken than any bucket has, so that none is left
local AT_ONCE = 100
local KEPT = 60000 -- milliseconds
-- Bytes are counted as in ObjectFootprint: those of an object, its name as often as it is stored,
-- those of a waiting turn or permit, and its key as often as it is stored, but at least a short one.
local OBJECT, NAME, TURN, KEY, SHORT = 1024, 10, 256, 2, 40
local floor, min, max = math.floor, math.min, math.max

local key, kind, op, me, id = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local living, gone, fence, channels = ARGV[5], ARGV[6], ARGV[7], ARGV[8]
local idle, made, mode = tonumber(ARGV[10]), ARGV[11], ARGV[12]
local base, room = OBJECT + NAME * #string.match(key, '{%l+:(.*)}$'), tonumber(ARGV[13])
local one, two, three, four = ARGV[14], ARGV[15], ARGV[16], ARGV[17]
local W, P, H, X, R, M = key .. ':w', key .. ':p', key .. ':h', key .. ':x', key .. ':r', key .. ':m'

local function text(n) return string.format('%.0f', n) end

local now = tonumber(ARGV[9])
if not now then
  local clock = redis.call('TIME')
  now = clock[1] * 1000000 + clock[2]
end
if fence ~= '' and now > tonumber(fence) then return {text(now), 'L', '', '', '', '', '', ''} end

local present = redis.call('HKEYS', M)
local unknown = {}
for _, name in ipairs(present) do
  local word = ' ' .. name .. ' '
  if not string.find(living, word, 1, true) and not string.find(gone, word, 1, true) then
    unknown[#unknown + 1] = name
  end
end
if #unknown > 0 then
  return {text(now), 'U', table.concat(unknown, ' '), '', '', '', '', ''}
end

-- 'room' is how many bytes the object may take, 'longest' how many its longest key has
local NAMES = {'born', 'served', 'waited', 'timedout', 'arrivals', 'next', 'room', 'longest'}
local OWN = {
  tokenbucket = {'size', 'interval', 'taken', 'refill', 'refills'},
  semaphore = {'size', 'reacquired', 'released', 'expired', 'most', 'lost', 'barred'},
  event = {'sent'},
  watchdog = {'expires', 'kicks', 'kicked'},
  counter = {'increments', 'resets'},
  barrier = {'size', 'passing'},
}
for _, name in ipairs(OWN[kind]) do NAMES[#NAMES + 1] = name end

-- A Redis that is out of memory refuses commands that may need more, except in a script that has
-- already written, as with this deletion of nothing.
redis.call('HDEL', key, '')

local s = {}
local read = redis.call('HMGET', key, unpack(NAMES))
local there = read[1] and true or false
for i, name in ipairs(NAMES) do
  s[name] = tonumber(read[i] or 0)
  if not s[name] or (there and not read[i]) then
    return redis.error_reply('FOREIGN value in ' .. name .. ', expected what penstock writes')
  end
end
local waiting = redis.call('ZCARD', W)
local held = kind == 'semaphore' and redis.call('ZCARD', X) or 0

local own -- answer to the calling turn
local served, others = {}, {} -- answers to other turns: of this instance; of others, by name
local message

local function say() -- puts the message that was sent into the answer
  message = message or redis.call('HGET', key, 'message') or ''
end

-- Returns the bytes that the object takes with so many further turns that wait or have a permit.
local function needed(more, message_bytes)
  local turns = waiting + held + more
  return base + message_bytes + turns * (TURN + KEY * max(SHORT, s.longest))
end

local function bytes_of(said) return floor(#said * 5 / 4) end -- Redis rounds large values up

local function message_bytes() return bytes_of(redis.call('HGET', key, 'message') or '') end

local function instance(turn) return string.match(turn, '^(.*):%d+$') end
local function number(turn) return string.match(turn, ':(%d+)$') end

-- Subtracts turns of an instance that wait no more, or whose answers were acknowledged.
local function less(name, turns)
  if redis.call('HINCRBY', M, name, -turns) <= 0 then redis.call('HDEL', M, name) end
end

-- ---- behaviour of each kind

local function edge() -- returns the start of the next interval
  local passed = now - s.born
  return now - math.fmod(passed, s.interval) + s.interval
end

local function refill()
  if now >= s.refill then
    s.taken, s.refills, s.refill = 0, s.refills + 1, edge()
  end
end

local function free(held_key)
  redis.call('HDEL', H, held_key)
  redis.call('ZREM', X, held_key)
  held = held - 1
end

local function expire()
  if held == 0 then return end
  for _, each in ipairs(redis.call('ZRANGEBYSCORE', X, '-inf', text(now))) do
    free(each)
    s.expired = s.expired + 1
  end
end

local function interval() -- names the object's creation, and a bucket's interval
  return text(s.born) .. '.' .. text(s.refills or 0)
end

-- Returns whether a permit with that key exists, and confirms it. From then on, taking back an
-- unacknowledged answer to the turn that got the permit no longer frees it.
local function reacquired(held_key)
  local since = string.match(redis.call('HGET', H, held_key) or '', ' (%d+)$')
  if not since then return false end
  redis.call('HSET', H, held_key, '- ' .. since)
  s.reacquired = s.reacquired + 1
  return true
end

local function count(arrived)
  local waited = max(0, now - arrived)
  s.served, s.waited = s.served + 1, s.waited + waited
  return text(waited)
end

-- By kind: serves the first waiting turn. Returns code, interval and waiting time; nil if it must
-- wait.
local SERVE = {
  tokenbucket = function(turn, arrived)
    refill()
    if s.taken >= s.size then return nil end
    s.taken = s.taken + 1
    return 'D', interval(), count(arrived)
  end,
  semaphore = function(turn, arrived, expires, held_key, places)
    expire()
    if reacquired(held_key) then return 'H', '-', '0' end
    if held >= s.size or now < s.barred then return nil end
    if held >= places then return 'P', '-', '0' end
    local waited = count(arrived)
    redis.call('HSET', H, held_key, turn .. ' ' .. waited)
    redis.call('ZADD', X, expires == 0 and '+inf' or text(now + expires), held_key)
    held = held + 1
    s.most = max(s.most, held)
    return 'S', interval(), waited
  end,
  event = function(turn, arrived)
    if s.sent == 0 then return nil end
    local waited = count(arrived)
    say()
    return message == '' and 'D' or 'S', '-', waited
  end,
  watchdog = function(turn, arrived)
    if now < s.expires then return nil end
    return 'D', '-', count(arrived)
  end,
  barrier = function(turn, arrived)
    if s.passing < 0 then
      if s.size == 0 or waiting < s.size then return nil end
      s.passing = waiting
    end
    if s.passing == 0 then return 'C', '-', '0' end
    s.passing = s.passing - 1
    return 'D', '-', count(arrived)
  end,
}

local function following() -- returns when time alone lets the first turn pass, or -1
  if kind == 'tokenbucket' then return s.size == 0 and -1 or s.refill end
  if kind == 'watchdog' then return s.expires end
  if kind ~= 'semaphore' or s.size == 0 then return -1 end
  if now < s.barred then return s.barred end
  local first = redis.call('ZRANGE', X, 0, 0, 'WITHSCORES')[2]
  first = tonumber(first or '')
  return first and first < EXACT and first or -1
end

-- ---- waiting turns

local records = {} -- answers to be written

local function answered(turn, code, interval, waited, held_key)
  if turn == id and op == 'wait' then
    own = {code, interval, waited}
    return
  end
  local given = code .. ' ' .. interval .. ' ' .. waited
  records[#records + 1] = turn
  records[#records + 1] = given .. ' ' .. held_key
  local name, number_there = string.match(turn, '^(.*):(%d+)$')
  local list = served
  if name ~= me then
    others[name] = others[name] or {}
    list = others[name]
  end
  list[#list + 1] = number_there .. ' ' .. given
end

local function record()
  if #records > 0 then redis.call('HSET', R, unpack(records)) end
  records = {}
end

local function parsed(params) -- returns arrival, expiry, maximum of permits, key
  local arrived, expires, places, held_key = string.match(params or '', '^(%d+) (%d+) (%d+) (.*)$')
  return tonumber(arrived or now), tonumber(expires or 0), tonumber(places or 0), held_key or ''
end

-- Ends waiting turns in order of arrival, until `answer` gives no code for one of them.
local function go(answer)
  while waiting > 0 do
    local turns = redis.call('ZRANGE', W, 0, AT_ONCE - 1)
    local params = redis.call('HMGET', P, unpack(turns))
    local done = 0
    for i, turn in ipairs(turns) do
      local arrived, expires, places, held_key = parsed(params[i])
      local code, interval, waited = answer(turn, arrived, expires, held_key, places)
      if not code then break end
      done, waiting = i, waiting - 1
      answered(turn, code, interval, waited, held_key)
    end
    record()
    if done > 0 then
      redis.call('ZREM', W, unpack(turns, 1, done))
      redis.call('HDEL', P, unpack(turns, 1, done))
    end
    if done < #turns then return end
  end
end

local function serve() if there and kind ~= 'counter' then go(SERVE[kind]) end end

local function removed(turn) -- removes a waiting turn; returns whether there was one
  if redis.call('ZREM', W, turn) == 0 then return false end
  redis.call('HDEL', P, turn)
  waiting = waiting - 1
  return true
end

-- Takes back the result of a turn. A repeated release states neither its interval nor its waiting
-- time.
local function give_back(turn, code, given_of, waited, held_key)
  local of_this = string.match(given_of, '^%d+') == text(s.born)
  if not there or (waited ~= '' and not of_this) then return end
  if waited ~= '' and (code == 'S' or code == 'D') then
    s.served, s.waited = s.served - 1, s.waited - tonumber(waited)
  end
  if kind == 'tokenbucket' and code == 'D' then
    refill()
    if given_of == interval() then s.taken = s.taken - 1 end
  elseif kind == 'semaphore' and code == 'S' then
    expire()
    local of, since = string.match(redis.call('HGET', H, held_key) or '', '^(%S+) (%d+)$')
    if of == turn then
      free(held_key)
      if waited == '' then s.served, s.waited = s.served - 1, s.waited - tonumber(since) end
    end
  end
end

local function unheard(turn) -- takes back an answer that was not acknowledged
  local record = redis.call('HGET', R, turn)
  if not record then return false end
  redis.call('HDEL', R, turn)
  local code, interval, waited, held_key = string.match(record, '^(%S+) (%S+) (%S+) (.*)$')
  local gives = kind == 'tokenbucket' or kind == 'semaphore'
  if gives then give_back(turn, code, interval, waited, held_key) end
  return true
end

-- Removes the waiting turns of instances that are gone. Their permits remain until they expire.
for _, name in ipairs(present) do
  if string.find(gone, ' ' .. name .. ' ', 1, true) then
    for _, turn in ipairs(redis.call('ZRANGE', W, 0, -1)) do
      if instance(turn) == name then removed(turn) end
    end
    for _, turn in ipairs(redis.call('HKEYS', R)) do
      if instance(turn) == name then unheard(turn) end
    end
    redis.call('HDEL', M, name)
  end
end

-- ---- the end: changes are written and published

local function keep()
  -- a mere look is no use of the object
  if op == 'step' and redis.call('PTTL', key) > 0 then return end
  local ttl = idle
  if kind == 'watchdog' then ttl = ttl + max(0, (s.expires - now) / 1000) end
  if kind == 'tokenbucket' and s.taken > 0 then ttl = max(ttl, (s.refill - now) / 1000) end
  if kind == 'semaphore' then
    ttl = max(ttl, (s.barred - now) / 1000)
    local last = redis.call('ZRANGE', X, -1, -1, 'WITHSCORES')[2]
    if last then ttl = max(ttl, ((tonumber(last) or math.huge) - now) / 1000) end
  end
  local bounded = waiting == 0 and ttl < EXACT
  for _, each in ipairs({key, H, X, R, M}) do
    if bounded then
      redis.call('PEXPIRE', each, text(math.ceil(ttl)))
    else
      redis.call('PERSIST', each)
    end
  end
end

local function ending(code, said)
  local next = -1
  if there then
    if waiting + held == 0 then s.longest = 0 end
    if waiting > 0 then next = following() end
    local sooner = next ~= -1 and (s.next == -1 or next < s.next)
    if sooner then
      for _, name in ipairs(redis.call('HKEYS', M)) do
        if name ~= me and not others[name] then others[name] = {} end
      end
    end
    s.next = next
    local words = {}
    for _, name in ipairs(NAMES) do
      words[#words + 1] = name
      words[#words + 1] = text(s[name])
    end
    redis.call('HSET', key, unpack(words))
    keep()
  end
  local then_text = next == -1 and '' or text(next)
  for name, list in pairs(others) do
    local channel = channels .. string.match(name, '^[^.]*')
    redis.call('PUBLISH', channel, table.concat(
        {key, text(now), then_text, table.concat(list, ' '), message or ''}, '\n'))
  end
  local of = own or {}
  return {text(now), code, said or '', of[2] or '', of[3] or '', then_text,
      table.concat(served, ' '), message or ''}
end

-- ---- operations that do not need the object to exist

if op == 'ack' then
  local heard = {}
  local of = {} -- number of turns by instance
  for i = 14, #ARGV do
    if redis.call('HDEL', R, ARGV[i]) == 1 then
      local name, number_there = string.match(ARGV[i], '^(.*):(%d+)$')
      of[name] = (of[name] or 0) + 1
      heard[#heard + 1] = number_there
    end
  end
  for name, turns in pairs(of) do less(name, turns) end
  return ending('D', table.concat(heard, ' '))
end

local function again(turn) -- repeats an answer that was not acknowledged
  local record = redis.call('HGET', R, turn)
  if not record then return false end
  served[#served + 1] = number(turn) .. ' ' .. string.match(record, '^(%S+ %S+ %S+) ')
  if kind == 'event' then say() end
  return true
end

if op == 'ask' then
  local lost = {}
  for i = 14, #ARGV do
    if not again(ARGV[i]) and not redis.call('ZSCORE', W, ARGV[i]) then
      lost[#lost + 1] = number(ARGV[i])
    end
  end
  serve()
  return ending('Q', table.concat(lost, ' '))
end

serve() -- first the turns that may pass by time alone

if op == 'leave' then
  if removed(id) or unheard(id) then
    less(instance(id), 1)
  elseif one ~= '' then
    give_back(id, one, two, three, four)
  end
  serve()
  return ending('D')
end

if op == 'timeout' then
  if removed(id) then
    less(instance(id), 1)
    s.timedout = s.timedout + 1
    return ending('T')
  end
  return ending(again(id) and 'D' or 'G')
end

if op == 'step' then
  -- The text is the time to live in milliseconds, below 0 for no limit, and the room, which is less
  -- than before if the object has no use for it any more.
  if there then s.room = min(s.room, 2 * needed(0, message_bytes())) end
  local looked = ending(there and 'D' or 'A')
  looked[3] = text(redis.call('PTTL', key)) .. ' ' .. text(s.room)
  return looked
end

-- ---- operations

if not there then
  if op == 'stats' or op == 'delete' then return ending('M') end
  if op == 'release' then return ending('C') end
end

-- Returns what to answer if the object has too little room for that many further turns and that
-- message; else nil.
local function lacking(turns, bytes)
  local need = needed(turns, bytes)
  if need <= s.room then return nil end
  -- an object that grows asks for twice its turns, so that it is seldom admitted again
  local asked = there and need + (need - base - bytes) or need
  return table.concat({text(need), text(asked), text(TURN + KEY * max(SHORT, s.longest))}, ' ')
end

s.room = max(s.room, room or 0)
if op == 'wait' and kind == 'semaphore' then s.longest = max(s.longest, #three) end
if not there then
  local lack = lacking(op == 'wait' and 1 or 0, op == 'send' and bytes_of(one) or 0)
  if lack or made == '' then return ending('A', lack or text(base) .. ' ' .. text(base) .. ' 0') end
  there = true
  s.born, s.next = now, -1
  if kind == 'tokenbucket' then
    s.size, s.interval = tonumber(one), tonumber(two)
    s.refill = now + s.interval
    -- it is unknown what was taken from a lost bucket of that name
    if made ~= '0' and now < tonumber(made) + s.interval then s.taken = NOBODY end
  elseif kind == 'semaphore' then
    s.lost = tonumber(made)
  elseif kind == 'watchdog' then
    s.expires = now + 60000000
  elseif kind == 'barrier' then
    s.size, s.passing = tonumber(one), -1
  end
end

if op == 'wait' then
  local expires, places, held_key = 0, 0, ''
  if kind == 'tokenbucket' then refill() end
  local before = {size = s.size, interval = s.interval, refill = s.refill, barred = s.barred}
  -- Returns an answer that asks for room, if the turn needs more: then it has changed nothing.
  local function lacking_room()
    local lack = lacking(1, message_bytes())
    if not lack then return nil end
    for name, value in pairs(before) do s[name] = value end
    return ending('A', lack)
  end
  if kind == 'tokenbucket' then
    s.size = tonumber(one)
    if s.interval ~= tonumber(two) then
      s.interval = tonumber(two)
      s.refill = edge()
    end
  elseif kind == 'semaphore' then
    s.size, expires, held_key, places = tonumber(one), tonumber(two), three, tonumber(four)
    if s.lost > 0 and s.served == 0 then -- lost permits may still be in use
      s.barred = max(s.barred, s.lost + (expires == 0 and UNKNOWN_EXPIRY or expires))
    end
  elseif kind == 'barrier' and s.passing < 0 then
    s.size = tonumber(one)
  end
  if kind == 'semaphore' then -- a permit with the same key is confirmed without waiting
    expire()
    if reacquired(held_key) then
      own = {'H', '-', '0'}
      serve()
      return ending('H')
    end
  end
  if kind == 'semaphore' and waiting == 0 and held < s.size and now >= s.barred then
    local asks = lacking_room()
    if asks then return asks end
  end
  if waiting == 0 then -- no turn is before it
    waiting = 1
    local code, interval, waited = SERVE[kind](id, now, expires, held_key, places)
    waiting = 0
    if code then
      own = {code, interval, waited}
      return ending(code)
    end
  end
  if mode == 'w' then
    local asks = lacking_room()
    if asks then return asks end
  end
  s.arrivals = s.arrivals + 1
  redis.call('ZADD', W, text(s.arrivals), id)
  redis.call('HSET', P, id,
      text(now) .. ' ' .. text(expires) .. ' ' .. text(places) .. ' ' .. held_key)
  waiting = waiting + 1
  serve()
  if own then return ending(own[1]) end
  if mode == 'w' then
    redis.call('HINCRBY', M, me, 1)
    redis.call('PERSIST', M)
    redis.call('PERSIST', R)
    return ending('W')
  end
  removed(id)
  if mode == 'f' then return ending('F') end
  s.timedout = s.timedout + 1
  return ending('T')
end

if op == 'release' then
  expire()
  if redis.call('HEXISTS', H, one) == 0 then return ending('C') end
  free(one)
  s.released = s.released + 1
  serve()
  return ending('D')
end

if op == 'send' then
  if s.sent == 1 then return ending('C') end
  local lack = lacking(0, bytes_of(one))
  if lack then return ending('A', lack) end
  s.sent = 1
  redis.call('HSET', key, 'message', one)
  serve()
  return ending('D')
end

if op == 'kick' then
  s.expires, s.kicks, s.kicked = now + tonumber(one), s.kicks + 1, floor(now / 1000)
  serve()
  return ending('D')
end

if op == 'count' then
  local sum = redis.pcall('HINCRBY', key, 'value', one)
  if type(sum) == 'table' then
    if string.find(sum.err, 'overflow', 1, true) then return ending('C') end
    return sum
  end
  s.increments = s.increments + 1
end
if op == 'reset' then
  s.resets = s.resets + 1
  redis.call('HSET', key, 'value', one)
  return ending('D')
end
if op == 'count' or op == 'value' then
  return ending('S', redis.call('HGET', key, 'value') or '0')
end

if op == 'stats' then
  if kind == 'semaphore' then expire() end
  local words = {'waiting ' .. waiting, 'value ' .. (redis.call('HGET', key, 'value') or '0')}
  for _, name in ipairs(NAMES) do words[#words + 1] = name .. ' ' .. text(s[name]) end
  return ending('K', table.concat(words, ' '))
end

if op == 'delete' then
  go(function() return 'X', '-', '0' end)
  redis.call('DEL', key, W, P, H, X)
  redis.call('PEXPIRE', R, KEPT)
  redis.call('PEXPIRE', M, KEPT)
  there = false
  return ending('D')
end

return redis.error_reply('FOREIGN operation ' .. op .. ', expected one of penstock')
