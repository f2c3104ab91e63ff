-- Keeps the shares of one limit: what each instance may hold itself to.
--
-- An instance states absolutely what it holds itself to. Its share is set to that, and raised as
-- far as the limit allows. MemoryShareStore in the tests does the same in Java; both answer alike,
-- and a differential test compares them.
--
-- KEYS[1]  a hash with these fields:
--          ''      "EPOCH:TAG TURNS": the epoch, and how many turns of waiting have begun
--          MEMBER  15 numbers of one instance, separated by spaces: number of the epoch in which it
--                  stated them (0 if others did), sequence of the call, beat (-1 if others stated
--                  them), capacity, need, head (the share that its first waiting request needs),
--                  turn (0 when it does not wait), share, later (what it may hold in a later day),
--                  cell, its length, what was spent in the cell before, how long the cell had been
--                  running, for how long at most what is spent counts, and what of the share was
--                  spent (all, if others stated it); times are milliseconds
--
-- ARGV     1      name of the instance
--          2      milliseconds for which the hash is kept
--          3-5    sequence of the call, number of the next beat, number of the epoch
--          6      tag of the epoch
--          7      1 if the share may be raised
--          8-9    what the instance holds itself to, now and in a later day
--          10-12  capacity, 0 if the instance does not share the limit any more; head, need
--          13-16  the running cell: its number, length, what was spent before, how long it runs.
--                 Kinds without cells have number 0; a day that has not begun has length 0
--          17     1 for a long window
--          18-19  decay, and what it spent in windows that count
--          20     how many instances are absent
--          21-22  channel on which it is published that an instance begins to wait, or leaves
--                 enough for the one that waits for longest, and what is published; '' for none
--          23     for each absent instance its name, its last beat, for how long it has been
--                 absent, and 1 if only what it spent counts. Then for each row heard of another instance its name, share, later, the
--                 four numbers of its cell, and decay.
--
-- Answers  0 if the call is ignored; otherwise 1, 1 if the instance had stated a share in this
--          epoch, share, target, 1 if the needs are above the limit, what is free, the least
--          capacity, and 1 if it was published; then name and field of each other instance. An
--          error that begins with FOREIGN: something else wrote the hash.
--
-- Numbers are whole, and below 2^53 or clamped to that. Names are compared as the server collates
-- them; that decides only who gets what is left of a division.
local CLOCKS = 2000 -- milliseconds by which the clocks of two instances may differ, twice
local MOST = 9007199254740991
local EPOCH, SEQUENCE, BEAT, CAPACITY, NEED, HEAD, TURN, SHARE, LATER, CELL, LENGTH, EARLIER, SINCE,
    DECAY, SPENT = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
local PARSED = '^' .. string.rep('(%-?%d+) ', SPENT - 1) .. '(%-?%d+)$'
local WRITTEN = string.rep('%.0f ', SPENT - 1) .. '%.0f'
local floor, min, max = math.floor, math.min, math.max
local key, me = KEYS[1], ARGV[1]

local function foreign(field)
  return redis.error_reply('FOREIGN value in ' .. field .. ', expected what penstock writes')
end

-- Subtracting nothing from text makes a number of it, and takes less time than tonumber.
local function read(text)
  local a, b, c, d, e, f, g, h, i, j, k, l, m, n, o = string.match(text, PARSED)
  return a and {
    a - 0, b - 0, c - 0, d - 0, e - 0, f - 0, g - 0, h - 0, i - 0, j - 0, k - 0, l - 0, m - 0,
    n - 0, o - 0}
end

-- ---- what is stored
local epoch, tag, turns = nil, '', 0
local rows, texts = {}, {}
local all = redis.call('HGETALL', key)
for i = 1, #all, 2 do
  local field, value = all[i], all[i + 1]
  if field == '' then
    epoch, tag, turns = string.match(value, '^(%d+):(%S*) (%d+)$')
    if not epoch then return foreign('the epoch') end
  else
    local row = read(value)
    if not row then return foreign(field) end
    rows[field], texts[field] = row, value
  end
end
if not epoch and #all > 0 then return foreign(all[1]) end
epoch, turns = tonumber(epoch or 0), tonumber(turns)

local removed, changed = {me .. ' '}, {}
local function put(name, row)
  rows[name] = row
  texts[name] = string.format(WRITTEN, unpack(row))
  changed[name] = true
end

local function chunked(command, words)
  for i = 1, #words, 1000 do
    redis.call(command, key, unpack(words, i, min(i + 999, #words)))
  end
end

local function write()
  local words = {'', string.format('%.0f:%s %.0f', epoch, tag, turns)}
  for name in pairs(changed) do
    words[#words + 1] = name
    words[#words + 1] = texts[name]
  end
  -- A Redis that is out of memory refuses commands that may need more, except in a script that has
  -- already written. So the deletion comes first, if only of a field that never is.
  chunked('HDEL', removed)
  chunked('HSET', words)
  redis.call('PEXPIRE', key, ARGV[2])
end

-- ---- whether the call counts
local given = {}
for i = 3, 20 do given[i] = tonumber(ARGV[i]) end
local sequence, held, capacity, first = given[3], given[8], given[10], given[11]
local ends = capacity == 0
if ends then capacity = MOST end
if given[5] < epoch or (given[5] == epoch and ARGV[6] ~= tag) then return {0} end
local newer = given[5] > epoch
epoch, tag = given[5], ARGV[6]
local before = rows[me]
if before and sequence <= before[SEQUENCE] then
  if newer then write() end
  return {0}
end
local head = first > held and first or 0
local mine = {
  epoch, sequence, given[4], capacity, 0, head, 0, held, given[9], given[13], given[14], given[15],
  given[16], given[18], given[19]}
local is_long = given[17] == 1

-- Returns whether one cell is over when the other runs.
local function is_before(one, other)
  return one[LENGTH] > 0 and one[CELL] + one[LENGTH] <= other[CELL]
end

-- ---- rows that the store has lost
local from = 23 + 4 * given[20]
for i = from, #ARGV, 8 do
  local name, known = ARGV[i], rows[ARGV[i]]
  if not (known and known[EPOCH] == epoch) then
    local heard = {0, 0, -1, MOST, 0, 0, 0}
    for each = 1, 7 do heard[TURN + each] = tonumber(ARGV[i + each]) end
    heard[NEED] = heard[SHARE]
    if known then
      local cell = is_before(known, heard) and heard or known
      for each = EPOCH, TURN do heard[each] = known[each] end
      heard[SHARE] = cell == heard and heard[SHARE] or max(known[SHARE], heard[SHARE])
      heard[LATER] = max(known[LATER], heard[LATER])
      heard[DECAY] = max(known[DECAY], heard[DECAY])
      for each = CELL, SINCE do heard[each] = cell[each] end
    end
    heard[SPENT] = heard[SHARE] -- nobody has told how much
    put(name, heard)
  end
end

-- ---- the absent
local absent = {}
for i = 23, from - 1, 4 do
  local name = ARGV[i]
  local row = rows[name]
  if row and row[BEAT] <= tonumber(ARGV[i + 1]) then
    absent[name] = tonumber(ARGV[i + 2])
    if ARGV[i + 3] == '1' and (row[SHARE] > row[SPENT] or row[LATER] > 0) then
      row[SHARE], row[LATER] = min(row[SHARE], row[SPENT]), 0
      put(name, row)
    end
  end
end

-- Returns how long ago an instance must have stopped for its share to count no more.
local function decay(row)
  if not is_long or mine[CELL] == 0 then return row[DECAY] + floor(row[DECAY] / 1000) end
  if row[LENGTH] == 0 then -- it may have begun a day of which nobody heard
    return mine[LENGTH] > 0 and mine[LENGTH] + CLOCKS or row[DECAY]
  end
  -- it stopped before this day began, and nobody is in the day before any more
  local over = is_before(row, mine) and mine[SINCE] >= CLOCKS
  return over and mine[SINCE] + CLOCKS or math.huge
end

for name, age in pairs(absent) do
  if age >= decay(rows[name]) then
    rows[name], texts[name], changed[name] = nil, nil, nil
    removed[#removed + 1] = name
  end
end

-- ---- the share
local function counts(row)
  if is_before(row, mine) then return min(row[SHARE], row[LATER]) end
  return is_before(mine, row) and max(row[SHARE], row[EARLIER]) or row[SHARE]
end

local turn = head > 0 and before and before[TURN] or 0
if head > 0 and turn == 0 then
  turns = turns + 1
  turn = turns
end
local sum, gone, living = held, 0, {}
rows[me] = nil
for name, row in pairs(rows) do
  local count = counts(row)
  sum = sum + count
  if absent[name] then
    gone = gone + count
  else
    capacity = min(capacity, row[CAPACITY])
    living[name] = row
  end
end
local ahead = 0 -- what those who wait for longer still lack
for _, row in pairs(living) do
  if row[TURN] > 0 and (turn == 0 or row[TURN] < turn) then
    ahead = ahead + max(0, min(row[HEAD], capacity) - row[SHARE])
  end
end
local need = min(capacity, given[12])

-- ---- the target: the first waiting request of whoever waits for longest comes first. All other
-- needs are filled evenly; what is left of that goes to those who wait first
local rest, others = max(0, capacity - gone), living
mine[NEED], mine[TURN] = need, turn

-- Returns the most that each can have if all needs are filled evenly, or nil for any need; and
-- what is left then, and the number of needs.
local function level_of(rows_of, amount)
  local needs = {need}
  for _, row in pairs(rows_of) do needs[#needs + 1] = row[NEED] end
  table.sort(needs)
  for i, each in ipairs(needs) do
    local part = floor(amount / (#needs - i + 1))
    if each > part then return part end
    amount = amount - each
  end
  return nil, amount, #needs
end

local level, left, count = level_of(living, rest)
local crowded = level ~= nil
local first, first_turn, first_head = me, turn > 0 and turn or math.huge, head
for name, row in pairs(living) do
  if row[TURN] > 0 and row[TURN] < first_turn then
    first, first_turn, first_head = name, row[TURN], row[HEAD]
  end
end
local target
if not crowded then target = need + floor(left / (2 * count)) end
first_head = first_turn < math.huge and min(rest, first_head) or 0
if crowded and first_head > level then
  if first == me then
    target = first_head
  else
    rest, others = rest - first_head, {}
    for name, row in pairs(living) do
      if name ~= first then others[name] = row end
    end
    level = level_of(others, rest)
    if not level then target = need end
  end
end

local function wish(row) -- of what is left; who does not wait may have a unit
  return row[TURN] > 0 and row[HEAD] > level and row[HEAD] - level or 1
end
local function filled()
  if need <= level then return need end
  local over = rest - level
  for name, row in pairs(others) do
    over = over - min(row[NEED], level)
    local waits = row[TURN] > 0
    local sooner = turn > 0 and waits and row[TURN] < turn
        or turn == 0 and (waits or name < me)
    if row[NEED] > level and sooner then over = over - wish(row) end
  end
  return level + max(0, min(over, wish(mine)))
end
target = target or filled()
if sum > capacity then -- what the others hold counts first, until it has decayed
  crowded, target = true, min(target, max(0, capacity - sum + held))
end

-- ---- the share is raised
local more = given[7] == 1 and max(0, capacity - sum - ahead) or 0
more = min(more, max(0, min(need, target) - held))
-- too little is left to those whom it is enough for
if head > 0 and held + more < head then more = 0 end
local share = held + more
if share >= head then turn = 0 end
mine[TURN], mine[SHARE] = turn, share

-- ---- what others should know at once: one begins to wait, or the first that waits can go
local free = capacity - sum - more
local next_turn, lack = math.huge, math.huge
for _, row in pairs(rows) do
  if row[TURN] > 0 and row[TURN] < next_turn then
    next_turn, lack = row[TURN], row[HEAD] - row[SHARE]
  end
end
local news = turn > 0 and not (before and before[TURN] > 0)
    or before and share < before[SHARE] and free >= lack

local stated = before and before[EPOCH] == epoch
local reply = {
  1, stated and 1 or 0, share, target, crowded and 1 or 0, max(0, free), capacity, news and 1 or 0}
for name in pairs(rows) do
  reply[#reply + 1] = name
  reply[#reply + 1] = texts[name]
end
if ends and share == 0 and mine[LATER] == 0 and mine[EARLIER] == 0 then
  removed[#removed + 1], changed[me] = me, nil
else
  put(me, mine)
end
write()
-- A user without the right to publish is not refused: instances also look by themselves.
if news and ARGV[21] ~= '' then redis.pcall('PUBLISH', ARGV[21], ARGV[22]) end
return reply
