-- Grants slices of one shared limit. The same arithmetic, and its reasons, are in limit/Shares.java:
-- both answer alike, and GrantScriptTest holds them to it.
--
-- KEYS[1]  a hash. Field F (ARGV[1]) is one limit: what all members share; F:member what counts of
--          one member, so that a round reads and writes two fields however many members there are.
-- ARGV     F, member, number of its round, kind, length of a cell, reach, capacity, releases,
--          seconds, fill, slice-ttl, from, head, wanted, barred, uses, midnights, born, now
--          Times are microseconds; uses are "cell amount cell amount"; born is which birth of F the
--          member knows, -1 for none; now is '' but in tests.
-- Answers  {now, capacity, born, cell, amount, cell, amount, ...}, {now} when the round is late and
--          nothing was done, or an error that begins with FOREIGN (somebody else wrote the hash), MISFIT (cells of another kind or length) or
--          CLOCK (the midnights told are not those of now); then nothing was changed.
--
-- Field F: "2 kind length known barred turns anchor missing part filled born lost|cell total ...|member 11
-- numbers member 11 numbers ..."; field F:member: "cell amount ...". All numbers are whole and
-- below 2^53, which a double holds exactly.

local MOST, FULL, EXACT = 2 ^ 43, 2 ^ 52, 2 ^ 53
local SPAN, HOUR = 86400000000, 3600000000
local LEAD, TOGETHER = 2000, 5000
local OUT = 2 ^ 52 -- the cell of tokens that are out of a bucket, above all others
local KEPT = 3600000 -- milliseconds
local floor, min, max = math.floor, math.min, math.max

local key, F, name = KEYS[1], ARGV[1], ARGV[2]
local kind = ARGV[4]
local given = {}
for i = 3, 15 do given[i] = tonumber(ARGV[i]) end
local number, length, own_reach, own_capacity = given[3], given[5], given[6], given[7]
local own_releases, own_seconds, own_fill, ttl = given[8], given[9], given[10], given[11]
local from, head, wanted, new_barred = given[12], given[13], given[14], given[15]
local known_birth = tonumber(ARGV[18])

local function div(a, b) return (a - math.fmod(a, b)) / b end -- exact, of what is not negative

local function whole(word)
  local n = tonumber(word)
  return n and n == floor(n) and n > -EXACT and n < EXACT and n or nil
end

-- All numbers of a text, or nothing when something else is in it.
local function numbers(text)
  local list = {}
  for word in string.gmatch(text, '%S+') do
    local n = whole(word)
    if not n then return nil end
    list[#list + 1] = n
  end
  return list
end

local function text(n) return string.format('%.0f', n) end

local function foreign(field)
  return redis.error_reply('FOREIGN value in ' .. field .. ', expected what penstock writes')
end

local uses, starts = numbers(ARGV[16]), numbers(ARGV[17])
local now = tonumber(ARGV[19])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end

-- what all share, in the order it is written
local KNOWN, BARRED, TURNS, ANCHOR, MISSING, PART, FILLED, BORN, LOST = 1, 2, 3, 4, 5, 6, 7, 8, 9
local NEXT = FILLED -- of slots: the first that nobody has, and PART of a microsecond
local shared = {0, -1, 0, -1, 0, 0, 0, now, -1}
-- a member's record: these, and its name
local NUMBER, HEARD, CAPACITY, REACH, WANTED, HEAD, TURN, NEWEST, RELEASES, SECONDS, FILL =
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
local FIELDS = 11
local totals, members, by_name = {}, {}, {}
local counted = {}

local read = redis.pcall('HMGET', key, F, F .. ':' .. name)
if read.err then return read end

local function pairs_of(list, into)
  if not list or #list % 2 ~= 0 then return false end
  for i = 1, #list, 2 do
    if list[i] < 0 or list[i + 1] < 1 or into[list[i]] then return false end
    into[list[i]] = list[i + 1]
  end
  return true
end

local stored_kind, stored_length = kind, length
if read[1] then
  local word, numbers_shared, cells, rest =
      string.match(read[1], '^2 (%u+) ([^|]*)|([^|]*)|([^|]*)$')
  local list = word and numbers(numbers_shared)
  if not list or #list ~= 10 or not pairs_of(numbers(cells), totals) then return foreign(F) end
  stored_kind, stored_length = word, list[1]
  for i = 1, 9 do shared[i] = list[i + 1] end
  local words = {}
  for each in string.gmatch(rest, '%S+') do words[#words + 1] = each end
  if #words % (FIELDS + 1) ~= 0 then return foreign(F) end
  for i = 1, #words, FIELDS + 1 do
    local record = {name = words[i]}
    for j = 1, FIELDS do
      record[j] = whole(words[i + j])
      if not record[j] then return foreign(F) end
    end
    members[#members + 1] = record
    by_name[record.name] = record
  end
  if read[2] and not pairs_of(numbers(read[2]), counted) then return foreign(F .. ':' .. name) end
end

local function silent(record) return now - record[HEARD] > ttl end

local dropped = {}
if stored_kind ~= kind or stored_length ~= length then
  local function counts(cell, reach)
    if stored_kind == 'CONCURRENCY' or stored_kind == 'STRICT' then return false end
    if stored_kind == 'DAY' then
      return cell ~= -1 and now < cell + 31 * SPAN + 2 * HOUR + reach
    end
    if stored_kind == 'SPAN' then return cell ~= -1 and now < cell + SPAN + reach end
    return stored_length < 1 or cell + reach >= div(now, stored_length)
  end
  local idle = not counts(shared[BARRED], 0)
      and (stored_kind ~= 'STRICT' or shared[NEXT] <= now)
  for _, record in ipairs(members) do
    local newest = record[NEWEST]
    if newest == OUT then newest = div(record[HEARD] + ttl, stored_length) end
    idle = idle and silent(record) and not counts(newest, record[REACH])
    dropped[#dropped + 1] = F .. ':' .. record.name
  end
  if not idle then
    return redis.error_reply('MISFIT cells of ' .. kind .. ' ' .. text(length) .. ', expected ' ..
        stored_kind .. ' ' .. text(stored_length) .. ' as other members say')
  end
  shared = {0, -1, 0, -1, 0, 0, 0, shared[BORN], shared[LOST]}
  totals, members, by_name, counted = {}, {}, {}, {}
end

local capacity, reach, living
local function bind()
  capacity, reach, living = MOST, 0, 0
  for _, record in ipairs(members) do
    if not silent(record) then
      capacity = min(capacity, record[CAPACITY])
      reach = max(reach, record[REACH])
      living = living + 1
    end
  end
  if living == 0 then capacity = own_capacity end
end

local me = by_name[name]
if me and number <= me[NUMBER] then return {now} end
if not me then
  me = {name = name, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0}
  members[#members + 1] = me
  by_name[name] = me
end
me[NUMBER], me[HEARD], me[WANTED] = number, now, min(wanted, MOST)
me[CAPACITY], me[REACH] = own_capacity, own_reach
me[RELEASES], me[SECONDS], me[FILL] = own_releases, own_seconds, own_fill
if head > 0 and me[HEAD] == 0 then
  shared[TURNS] = shared[TURNS] + 1
  me[TURN] = shared[TURNS]
end
me[HEAD] = min(head, MOST)
bind()

local corrupt = false
local function add(cell, amount)
  if kind == 'BUCKET' and cell ~= OUT then
    shared[MISSING] = shared[MISSING] + amount
    return
  end
  local sum = (totals[cell] or 0) + amount
  if sum < 0 then corrupt = true end
  totals[cell] = sum > 0 and sum or nil
end

-- in the order of cells, so that equal states are equal texts; and the last cell
local function packed(amounts)
  local sorted, words = {}, {}
  for cell in pairs(amounts) do sorted[#sorted + 1] = cell end
  table.sort(sorted)
  for _, cell in ipairs(sorted) do
    words[#words + 1] = text(cell)
    words[#words + 1] = text(amounts[cell])
  end
  return table.concat(words, ' '), sorted[#sorted] or -1
end

local rewritten = {}
for _, record in ipairs(members) do
  if silent(record) then
    record[HEAD] = 0
    local permits = kind == 'CONCURRENCY' and record[NEWEST] >= 0
    local tokens = kind == 'BUCKET' and record[NEWEST] == OUT
    if permits or tokens then
      local old = {}
      local value = redis.call('HGET', key, F .. ':' .. record.name)
      if not pairs_of(numbers(value or ''), old) then return foreign(F .. ':' .. record.name) end
      if permits then
        for cell, amount in pairs(old) do add(cell, -amount) end
        record[NEWEST] = -1
      else
        local out = old[OUT] or 0
        add(OUT, -out)
        shared[MISSING] = shared[MISSING] + out
        old[OUT] = nil
        rewritten[record.name], record[NEWEST] = packed(old)
      end
    end
  end
end
shared[BARRED] = max(shared[BARRED], new_barred)

-- what others know was lost: nothing is granted while slices may last that were granted before
if known_birth ~= -1 and known_birth ~= shared[BORN] then shared[LOST] = now end
local learning = shared[LOST] ~= -1 and now < shared[LOST] + ttl

local function slowest_of_the_living()
  local slowest
  for _, record in ipairs(members) do
    if not silent(record) and (not slowest
        or record[RELEASES] / record[SECONDS] < slowest[RELEASES] / slowest[SECONDS]) then
      slowest = record
    end
  end
  return slowest
end

if kind == 'BUCKET' then
  local slowest = slowest_of_the_living()
  if now > shared[FILLED] then
    local elapsed = now - shared[FILLED]
    shared[FILLED] = now
    local parts = slowest[SECONDS] * 1000000
    local part = min(shared[PART], parts - 1)
    local more = min(elapsed, div(EXACT - 1 - part, slowest[RELEASES])) * slowest[RELEASES] + part
    local full = shared[MISSING] <= slowest[CAPACITY] and elapsed >= slowest[FILL]
    if full or div(more, parts) >= shared[MISSING] then
      shared[MISSING], shared[PART] = 0, 0
    else
      shared[MISSING], shared[PART] = shared[MISSING] - div(more, parts), math.fmod(more, parts)
    end
  end
end

local reaches = kind == 'TRAILING' or kind == 'BUCKET'
local bit_by_bit = reaches or kind == 'CONCURRENCY'
local span = reaches and reach or 0
local grid = reaches or kind == 'FIXED'
local today

local function first_total()
  local first = -1
  for cell in pairs(totals) do first = first == -1 and cell or min(first, cell) end
  return first
end

local function open_span(cell) return cell ~= -1 and now < cell + SPAN + reach and cell or -1 end

local function earlier(one, other)
  if one == -1 or other == -1 then return max(one, other) end
  return min(one, other)
end

local function running()
  if grid then return div(now, length) end
  if kind == 'DAY' then return starts[today] end
  if kind == 'SPAN' then
    shared[ANCHOR] = earlier(shared[ANCHOR], first_total())
    shared[ANCHOR] = earlier(shared[ANCHOR], open_span(shared[BARRED]))
    if shared[ANCHOR] ~= -1 and open_span(shared[ANCHOR]) == -1 then
      shared[KNOWN] = max(shared[KNOWN], shared[ANCHOR] + SPAN)
      shared[ANCHOR] = open_span(shared[BARRED])
    end
    return shared[ANCHOR] == -1 and now or shared[ANCHOR]
  end
  return 0
end

if kind == 'DAY' then
  for i = 1, 3 do
    if starts[i] + reach <= now then today = i end
  end
  if not today or starts[4] <= now then
    return redis.error_reply('CLOCK of the member is not near ' .. text(now))
  end
end

local function forget(at)
  shared[KNOWN] = max(shared[KNOWN], kind == 'SPAN' and 0 or at - span)
  for cell in pairs(totals) do
    if cell < shared[KNOWN] then totals[cell] = nil end
  end
end

local at = running()
forget(at)
for cell, amount in pairs(counted) do
  if cell < shared[KNOWN] then
    counted[cell] = nil
  elseif cell >= from then
    add(cell, -amount)
    counted[cell] = nil
  end
end
if corrupt then return foreign(F .. ':' .. name) end
local function count(cell, amount)
  counted[cell] = (counted[cell] or 0) + amount
  add(cell, amount)
end
for i = 1, kind == 'STRICT' and 0 or #uses, 2 do
  if uses[i] >= shared[KNOWN] and uses[i + 1] > 0 then count(uses[i], min(uses[i + 1], MOST)) end
end
shared[MISSING] = max(0, shared[MISSING])
at = running()
forget(at)

-- the cells granted in, and the windows looked at: by where they end
local cells = {}
local function candidate(cell)
  if cell - span >= shared[KNOWN] and (cell > shared[BARRED] or kind == 'CONCURRENCY') then
    cells[#cells + 1] = cell
  end
end
if kind == 'BUCKET' then
  if at - span >= shared[KNOWN] and at > shared[BARRED] then cells[1] = OUT end
elseif grid then
  for cell = at, min(at + 60, div(now + ttl, length)) do candidate(cell) end
elseif kind ~= 'STRICT' then
  candidate(at)
  if kind == 'DAY' and today < 4 and starts[today + 1] + reach <= now + ttl then
    candidate(starts[today + 1])
  end
end

local ends, used = {}, {}
if kind == 'BUCKET' then
  ends[1], used[1] = at, shared[MISSING] + (totals[OUT] or 0)
elseif kind == 'SPAN' then
  ends[1], used[1] = at, 0
  for _, amount in pairs(totals) do used[1] = min(FULL, used[1] + amount) end
elseif cells[1] then
  local seen = {}
  for _, cell in ipairs(cells) do ends[#ends + 1], seen[cell] = cell, true end
  for cell in pairs(totals) do
    if cell > cells[1] and not seen[cell] then ends[#ends + 1] = cell end
  end
  for i, last in ipairs(ends) do
    local sum = 0
    for cell, amount in pairs(totals) do
      if cell >= last - span and cell <= last then sum = min(FULL, sum + amount) end
    end
    used[i] = sum
  end
end

local function touches(cell, i)
  return kind == 'BUCKET' or ends[i] >= cell and ends[i] <= cell + span
end

local function room(cell)
  local most = 0
  for i = 1, #ends do
    if touches(cell, i) then most = max(most, used[i]) end
  end
  return max(0, capacity - most)
end

local function keep(cell, amount)
  for i = 1, #ends do
    if touches(cell, i) then used[i] = min(FULL, used[i] + amount) end
  end
end

local function first(amount)
  for _, cell in ipairs(cells) do
    if room(cell) >= amount then return cell end
  end
end

local granted = {}
local function grant(cell, amount)
  keep(cell, amount)
  count(cell, amount)
  granted[cell] = (granted[cell] or 0) + amount
end

-- Keeps room for those whose turn is between two; whether others may have any of what is left.
local function keep_for_heads(after, before)
  local heads = {}
  for _, record in ipairs(members) do
    if record[HEAD] > 0 and record[TURN] > after and record[TURN] < before then
      heads[#heads + 1] = record
    end
  end
  table.sort(heads, function(a, b) return a[TURN] < b[TURN] end)
  for _, record in ipairs(heads) do
    local amount = min(record[HEAD], capacity)
    local cell = first(amount)
    if cell then
      keep(cell, amount)
    elseif bit_by_bit then
      return false
    end
  end
  return true
end

local function grant_head()
  local amount = min(me[HEAD], capacity)
  if amount == 0 then return true end
  local cell = first(amount)
  if not cell then return not bit_by_bit end
  grant(cell, amount)
  me[HEAD] = 0
  return true
end

local function grant_wanted()
  local all = 0
  for _, record in ipairs(members) do
    if not silent(record) then all = min(MOST, all + record[WANTED]) end
  end
  local left = me[WANTED]
  for _, cell in ipairs(cells) do
    local free = room(cell)
    local most = free
    if living > 1 and all > free then
      if kind == 'TRAILING' and cell * length > now + div(ttl, 4) then return end
      most = max(1, div(free, 2 * living))
    end
    local amount = min(left, free, most)
    if amount > 0 then
      grant(cell, amount)
      left = left - amount
    end
  end
end

local function heads_before(turn)
  local count = 0
  for _, record in ipairs(members) do
    if record[HEAD] > 0 and record[TURN] < turn then count = count + 1 end
  end
  return count
end

local function grant_slots(turn)
  local first = max(from, shared[BARRED] + 1, now + LEAD)
  local rate = slowest_of_the_living()
  local releases, parts = rate[RELEASES], rate[SECONDS] * 1000000
  local slot, part = shared[NEXT], min(shared[PART], releases - 1)
  if first > slot then slot, part = first, 0 end
  if slot > now + ttl then return end
  local all = 0
  for _, record in ipairs(members) do
    if not silent(record) then all = min(MOST, all + record[HEAD] + record[WANTED]) end
  end
  local free = div(min(now + ttl - slot, div(EXACT - 1, releases)) * releases, parts) + 1
  local most = free
  if living > 1 and all > free then most = max(1, div(free, 2 * living)) end
  local left = min(me[HEAD] + me[WANTED], most, free - heads_before(turn))
  local together = max(1, div(TOGETHER * releases, parts))
  while left > 0 do
    local cell = part > 0 and slot + 1 or slot
    if cell > now + ttl then break end
    local amount = min(left, together)
    cells[#cells + 1], granted[cell] = cell, amount
    local passed = amount * parts + part
    slot, part = slot + div(passed, releases), math.fmod(passed, releases)
    left = left - amount
    shared[NEXT], shared[PART], me[HEAD] = slot, part, 0
  end
end

local function grant_all()
  local turn = me[HEAD] > 0 and me[TURN] or EXACT
  if kind == 'STRICT' then
    grant_slots(turn)
  elseif keep_for_heads(0, turn) and grant_head() and keep_for_heads(turn, EXACT) then
    grant_wanted()
  end
end

if not learning then grant_all() end

local answer = {now, capacity, shared[BORN]}
for _, cell in ipairs(cells) do
  if granted[cell] then
    answer[#answer + 1] = cell
    answer[#answer + 1] = granted[cell]
  end
end
if kind == 'SPAN' and #answer > 3 then shared[ANCHOR] = at end

-- written back
local mine
mine, me[NEWEST] = packed(counted)
local sums, newest = packed(totals)
local words, lasts = {}, now + ttl
for _, record in ipairs(members) do
  if silent(record) and record[NEWEST] < shared[KNOWN] then
    dropped[#dropped + 1] = F .. ':' .. record.name
  else
    words[#words + 1] = record.name
    for i = 1, FIELDS do words[#words + 1] = text(record[i]) end
    newest = max(newest, record[NEWEST])
    lasts = max(lasts, record[HEARD] + ttl)
  end
end
if kind == 'STRICT' then lasts = max(lasts, shared[NEXT]) end
local shared_known = shared[KNOWN]
for i = 1, 9 do shared[i] = text(shared[i]) end
local all = '2 ' .. kind .. ' ' .. text(length) .. ' ' .. table.concat(shared, ' ') .. '|' .. sums ..
    '|' .. table.concat(words, ' ')
if #dropped > 0 then redis.call('HDEL', key, unpack(dropped)) end
redis.call('HSET', key, F, all, F .. ':' .. name, mine)
for other, value in pairs(rewritten) do
  if by_name[other][NEWEST] >= shared_known then redis.call('HSET', key, F .. ':' .. other, value) end
end

-- the hash ends a minute and more after the last moment anything in it counts, and not before it
-- was left alone for an hour: sooner, those who know it would take that for a loss
if newest == OUT then newest = div(now + ttl, length) end -- it is spent by then, if at all
newest = max(newest, tonumber(shared[BARRED]))
if grid then lasts = max(lasts, (newest + span + 1) * length) end
if kind == 'DAY' then lasts = max(lasts, starts[4] + reach) end
if kind == 'SPAN' and newest >= 0 then lasts = max(lasts, newest + SPAN + reach) end
local millis = max(div(lasts - now, 1000) + 1, KEPT)
if redis.call('PTTL', key) < millis then redis.call('PEXPIRE', key, text(millis + 60000)) end
return answer
