-- Grants slices of one shared limit.
--
-- The Java classes for slices in the limit package do the same arithmetic and state its reasons.
-- Both answer alike; a differential test compares them.
--
-- KEYS[1]  a hash, with two fields for each call: F (ARGV[1]), the state of one limit that all
--          members share, and F:MEMBER, the amounts that count for one member. So a round reads and
--          writes two fields however many members there are.
-- ARGV     1   F
--          2   name of the member
--          3   number of its round
--          4   kind of the limit
--          5   length of a cell
--          6   reach: for how many further cells a cell counts; for days, for how long after
--              their end
--          7   capacity
--          8   releases
--          9   seconds; together with 8 the rate of a bucket or of slots
--          10  fill: time in which an empty bucket fills up
--          11  lifetime of a slice, and silence after which a member counts as gone
--          12  from: first cell that is reported
--          13  head: amount that the member's first waiting ticket lacks, granted whole or not at
--              all
--          14  wanted: further amount to grant ahead of need
--          15  last cell in which nothing may be granted, because spending may have been lost
--          16  uses: "CELL AMOUNT CELL AMOUNT ...", spending from 12 on
--          17  midnights: starts of calendar days around now
--          18  birth of F that the member knows, -1 for none
--          19  now; '' except in tests
--          Times are microseconds.
-- Answers  {now, capacity, born, cell, amount, cell, amount, ..., left, full}. 'left' is the amount
--          left now, over all members; 'full' is when all of the limit is left again: now when it
--          is already, or when that is unknown. While the running cell is barred, -1 and the last
--          barred cell stand before 'left'.
--          {now} when the round is late; nothing was done.
--          An error that begins with FOREIGN (another program wrote the hash) or CLOCK (the
--          midnights are not those around now); nothing was changed.
--
-- Field F is "2 KIND LENGTH KNOWN BARRED TURNS ANCHOR MISSING PART FILLED BORN LOST|CELL TOTAL
-- ...|MEMBER 11 NUMBERS MEMBER 11 NUMBERS ...", with these shared numbers:
--          KNOWN    first cell that still counts; nothing before it is known any more
--          BARRED   last cell in which nothing is granted, -1 for none
--          TURNS    last number given to a waiting head
--          ANCHOR   start of the running day of 24 h, -1 for none
--          MISSING  tokens missing in a bucket
--          PART     fraction: of a token for a bucket, of a microsecond for slots
--          FILLED   when a bucket was filled last; for slots, the first free slot
--          BORN     when the state was created
--          LOST     when a loss of data was noticed last, -1 for never
-- Field F:MEMBER is "CELL AMOUNT ...". All numbers are whole and below 2^53, so a double holds them
-- exactly.
--
-- After a reload that changes the kind of a limit, some members have the old kind for a while, and
-- some the new one. Field G, which is F@KIND, and G:MEMBER are then for members of another kind
-- than that in F.

local MOST, FULL, EXACT = 2 ^ 43, 2 ^ 52, 2 ^ 53
local SPAN, HOUR = 86400000000, 3600000000
local LEAD, TOGETHER = 2000, 5000
local OUT = 2 ^ 52 -- pseudo cell of tokens granted from a bucket; above all other cells
local KEPT = 3600000 -- milliseconds
local STAYS = 1000000000 -- microseconds; a living member is heard every 15 minutes at least
local floor, min, max = math.floor, math.min, math.max

local key, F, name = KEYS[1], ARGV[1], ARGV[2]
local kind = ARGV[4]
local given = {}
for i = 3, 15 do given[i] = tonumber(ARGV[i]) end
local number, length, own_reach, own_capacity = given[3], given[5], given[6], given[7]
local own_releases, own_seconds, own_fill, ttl = given[8], given[9], given[10], given[11]
local from, head, wanted, new_barred = given[12], given[13], given[14], given[15]
local known_birth = tonumber(ARGV[18])

local function div(a, b) return (a - math.fmod(a, b)) / b end -- exact for a, b >= 0

local function whole(word)
  local n = tonumber(word)
  return n and n == floor(n) and n > -EXACT and n < EXACT and n or nil
end

-- Returns the numbers in a text, or nil when it contains anything else.
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

-- the numbers that all members share, in the order of field F
local KNOWN, BARRED, TURNS, ANCHOR, MISSING, PART, FILLED, BORN, LOST = 1, 2, 3, 4, 5, 6, 7, 8, 9
local NEXT = FILLED -- for slots: the first free one, with PART as its fraction of a microsecond
local shared = {0, -1, 0, -1, 0, 0, 0, now, -1}
-- the numbers of a member's record, which also has its name
local NUMBER, HEARD, CAPACITY, REACH, WANTED, HEAD, TURN, NEWEST, RELEASES, SECONDS, FILL =
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
local FIELDS = 11
local ELSEWHERE = -1 -- turn of a member that has another kind
local totals, members, by_name = {}, {}, {}
local counted = {}

local G = F .. '@' .. kind
local read = redis.pcall('HMGET', key, F, F .. ':' .. name, G, G .. ':' .. name)
if read.err then return read end

local function pairs_of(list, into)
  if not list or #list % 2 ~= 0 then return false end
  for i = 1, #list, 2 do
    if list[i] < 0 or list[i + 1] < 1 or into[list[i]] then return false end
    into[list[i]] = list[i + 1]
  end
  return true
end

-- Returns the state in a field F or G, or nil when this script cannot have written it.
local function state_of(value)
  local word, numbers_shared, cells, rest =
      string.match(value, '^2 (%u+) ([^|]*)|([^|]*)|([^|]*)$')
  local list = word and numbers(numbers_shared)
  local state = {kind = word, shared = {}, totals = {}, members = {}, by_name = {}}
  if not list or #list ~= 10 or not pairs_of(numbers(cells), state.totals) then return nil end
  state.length = list[1]
  for i = 1, 9 do state.shared[i] = list[i + 1] end
  local words = {}
  for each in string.gmatch(rest, '%S+') do words[#words + 1] = each end
  if #words % (FIELDS + 1) ~= 0 then return nil end
  for i = 1, #words, FIELDS + 1 do
    local record = {name = words[i]}
    for j = 1, FIELDS do
      record[j] = whole(words[i + j])
      if not record[j] then return nil end
    end
    state.members[#state.members + 1] = record
    state.by_name[record.name] = record
  end
  return state
end

-- Returns whether a state has the same cells as the calling member. Calendar days of another time
-- zone begin at other times.
local function fits(state)
  local day = state.shared[KNOWN]
  local same = kind ~= 'DAY' or day < starts[1] or day > starts[#starts]
  for _, start in ipairs(starts) do same = same or day == start end
  return state.kind == kind and state.length == length and same
end

local dropped = {}
local host -- state in F if it has another kind; the state for the member's kind is in G then
local field = F
local state = read[1] and state_of(read[1])
if read[1] and not state then return foreign(F) end
if state and not fits(state) then
  host, field, read[1], read[2], read[3], read[4] = state, G, read[3], read[4], read[1], read[2]
  state = read[1] and state_of(read[1])
  if read[1] and not state then return foreign(G) end
  if state and not fits(state) then
    for _, record in ipairs(state.members) do dropped[#dropped + 1] = G .. ':' .. record.name end
    state = nil
  end
end
if state then
  shared, totals, members, by_name = state.shared, state.totals, state.members, state.by_name
  if read[2] and not pairs_of(numbers(read[2]), counted) then
    return foreign(field .. ':' .. name)
  end
end

local function silent(record) return now - record[HEARD] > ttl end

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

-- Coexistence of two kinds. As long as a member with the kind of F was heard recently, no member is
-- granted more than F has room for, and all spending counts in F. After that, G replaces F and
-- takes over the spending of members that never came to G. When the calling member comes to G, its
-- own earlier spending moves with it.
local others, bounded, joins = {}, false, nil
if host then
  local before = host.by_name[name]
  if before and number <= before[NUMBER] then return {now} end
  joins = before and (not me or me[NUMBER] < before[NUMBER])
  for _, record in ipairs(host.members) do
    local here = by_name[record.name]
    if record.name ~= name and (not here or here[NUMBER] < record[NUMBER]) then
      others[#others + 1] = record
      bounded = bounded or now - record[HEARD] <= STAYS
    end
  end
  shared[BORN] = host.shared[BORN]
  shared[LOST] = max(shared[LOST], host.shared[LOST])
end
if not me then
  me = {name = name, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0}
  members[#members + 1] = me
  by_name[name] = me
end
local returns = me[TURN] == ELSEWHERE
if returns then me[TURN] = 0 end
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

-- Returns the amounts as text in the order of cells, so that equal states are equal texts; and the
-- last cell.
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

-- a silent member loses its place, its permits, and the tokens it had out of a bucket
local rewritten = {}
for _, record in ipairs(members) do
  if silent(record) then
    record[HEAD] = 0
    local permits = kind == 'CONCURRENCY' and record[NEWEST] >= 0
    local tokens = kind == 'BUCKET' and record[NEWEST] == OUT
    if permits or tokens then
      local old = {}
      local value = redis.call('HGET', key, field .. ':' .. record.name)
      if not pairs_of(numbers(value or ''), old) then
        return foreign(field .. ':' .. record.name)
      end
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

-- A member that knows another birth shows that data was lost: nothing is granted as long as slices
-- granted before the loss may live.
if known_birth ~= -1 and known_birth ~= shared[BORN] then shared[LOST] = now end
if host then host.shared[LOST] = shared[LOST] end
local learning = shared[LOST] ~= -1 and now < shared[LOST] + ttl

local function slowest_of(records, all)
  local slowest
  for _, record in ipairs(records) do
    if (all or not silent(record)) and (not slowest
        or record[RELEASES] / record[SECONDS] < slowest[RELEASES] / slowest[SECONDS]) then
      slowest = record
    end
  end
  return slowest
end

local function fill(s, slowest)
  if now > s[FILLED] then
    local elapsed = now - s[FILLED]
    s[FILLED] = now
    local parts = slowest[SECONDS] * 1000000
    local part = min(s[PART], parts - 1)
    local more = min(elapsed, div(EXACT - 1 - part, slowest[RELEASES])) * slowest[RELEASES] + part
    local full = s[MISSING] <= slowest[CAPACITY] and elapsed >= slowest[FILL]
    if full or div(more, parts) >= s[MISSING] then
      s[MISSING], s[PART] = 0, 0
    else
      s[MISSING], s[PART] = s[MISSING] - div(more, parts), math.fmod(more, parts)
    end
  end
end
if kind == 'BUCKET' then fill(shared, slowest_of(members)) end

local reaches = kind == 'TRAILING' or kind == 'BUCKET'
local bit_by_bit = reaches or kind == 'CONCURRENCY'
local span = reaches and reach or 0
local grid = reaches or kind == 'FIXED'
local today

local function first_of(cells)
  local first = -1
  for cell in pairs(cells) do first = first == -1 and cell or min(first, cell) end
  return first
end

local function open_span(cell, late)
  return cell ~= -1 and now < cell + SPAN + late and cell or -1
end

local function earlier(one, other)
  if one == -1 or other == -1 then return max(one, other) end
  return min(one, other)
end

local function running_span(s, cells, late)
  s[ANCHOR] = earlier(s[ANCHOR], first_of(cells))
  s[ANCHOR] = earlier(s[ANCHOR], open_span(s[BARRED], late))
  if s[ANCHOR] ~= -1 and open_span(s[ANCHOR], late) == -1 then
    s[KNOWN] = max(s[KNOWN], s[ANCHOR] + SPAN)
    s[ANCHOR] = open_span(s[BARRED], late)
  end
  return s[ANCHOR] == -1 and now or s[ANCHOR]
end

local function running()
  if grid then return div(now, length) end
  if kind == 'DAY' then return starts[today] end
  if kind == 'SPAN' then return running_span(shared, totals, reach) end
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

-- Returns the amount used: in the fullest window that the running cell is part of, missing in a
-- bucket, or counted in the day of 24 h.
local function used_in(s, kind, cells, at, span)
  if kind == 'BUCKET' then return s[MISSING] + (cells[OUT] or 0) end
  local most, lasts = 0, {at}
  for cell in pairs(cells) do
    if cell > at and cell <= at + span then lasts[#lasts + 1] = cell end
  end
  for _, last in ipairs(lasts) do
    local sum = 0
    for cell, amount in pairs(cells) do
      if kind == 'SPAN' or cell >= last - span and cell <= last then sum = min(FULL, sum + amount) end
    end
    most = max(most, sum)
  end
  return most
end

-- Finds the running cell of F. Only its own members know when its calendar days begin, so a day is
-- taken to last 25 hours, unless the days are those of UTC.
local function look_at_host()
  local s, of = host.shared, host.kind
  host.reach = 0
  for _, record in ipairs(host.members) do host.reach = max(host.reach, record[REACH]) end
  host.span = (of == 'TRAILING' or of == 'BUCKET') and host.reach or 0
  host.at = 0
  if of == 'BUCKET' or of == 'STRICT' then host.rate = slowest_of(host.members, true) end
  if of == 'BUCKET' then fill(s, host.rate) end
  if of == 'DAY' then
    local each = max(SPAN, tonumber(string.match(F, ':(%d+)$')) * 1000)
    local late = host.reach + (math.fmod(s[KNOWN], SPAN) == 0 and 0 or HOUR)
    host.at = s[KNOWN] + div(max(0, now - late - s[KNOWN]), each) * each
    host.from = host.at
    return
  elseif of == 'SPAN' then
    host.at = running_span(s, host.totals, host.reach)
  elseif of ~= 'CONCURRENCY' and of ~= 'STRICT' then
    host.at = div(now, host.length)
    s[KNOWN] = max(s[KNOWN], host.at - host.span)
  end
  host.from = s[KNOWN]
  for cell in pairs(host.totals) do
    if cell < host.from then host.totals[cell] = nil end
  end
end

local function lost_in_host()
  return host.kind ~= 'CONCURRENCY' and host.kind ~= 'STRICT' and host.at <= host.shared[BARRED]
end

local function barred_in_host()
  return lost_in_host() or (host.kind ~= 'CONCURRENCY' and host.kind ~= 'STRICT'
      and host.at - host.span < host.shared[KNOWN])
end

local function room_of_host()
  local s = host.shared
  if barred_in_host() then return 0 end
  if host.kind == 'STRICT' then
    local slot, living = max(now, s[NEXT], s[BARRED] + 1), 0
    if slot > now + ttl then return 0 end
    for _, record in ipairs(host.members) do
      if not silent(record) then living = living + 1 end
    end
    local releases, parts = host.rate[RELEASES], host.rate[SECONDS] * 1000000
    local free = div(min(now + ttl - slot, div(EXACT - 1, releases)) * releases, parts) + 1
    return max(1, div(free, max(1, 2 * living)))
  end
  local most = kind == 'STRICT' and MOST or own_capacity
  for _, record in ipairs(others) do
    if now - record[HEARD] <= STAYS then most = min(most, record[CAPACITY]) end
  end
  local free = max(0, most - used_in(s, host.kind, host.totals, host.at, host.span))
  for _, record in ipairs(others) do
    if not silent(record) then free = max(0, free - min(record[HEAD], most)) end
  end
  return free
end

local function counting_in_host(record, amounts)
  if host.kind == 'STRICT' or host.kind == 'CONCURRENCY' and silent(record) then return 0 end
  local sum = 0
  for cell, amount in pairs(amounts) do
    if cell >= host.from then sum = min(MOST, sum + amount) end
  end
  return sum
end

-- Moves the spending of the other members from F, which is given up, to the running cell of G.
-- Returns the name of a field with a foreign value, or nil.
local function take_over()
  local s = host.shared
  for _, record in ipairs(others) do
    local theirs, amounts = {}, {}
    local value = redis.call('HGET', key, F .. ':' .. record.name)
    if not pairs_of(numbers(value or ''), theirs) then return F .. ':' .. record.name end
    local here = by_name[record.name]
    if here then
      value = rewritten[record.name] or redis.call('HGET', key, G .. ':' .. record.name)
      if not pairs_of(numbers(value or ''), amounts) then return G .. ':' .. record.name end
    end
    local sum = counting_in_host(record, theirs)
    if sum > 0 and kind ~= 'STRICT' and kind ~= 'CONCURRENCY' then
      amounts[at] = (amounts[at] or 0) + sum
      add(at, sum)
      if not here then
        here = {name = record.name, record[NUMBER], record[HEARD], own_capacity, own_reach, 0, 0, 0,
            -1, own_releases, own_seconds, own_fill}
        members[#members + 1] = here
        by_name[here.name] = here
      end
      rewritten[here.name], here[NEWEST] = packed(amounts)
    end
  end
  if host.kind == 'STRICT' and kind == 'BUCKET' and s[NEXT] > now then
    local rate = host.rate
    local micros = min(s[NEXT] - now, div(EXACT - 1, rate[RELEASES]))
    shared[MISSING] = shared[MISSING] + div(micros * rate[RELEASES], rate[SECONDS] * 1000000) + 1
  end
  if barred_in_host() and kind ~= 'STRICT' and kind ~= 'CONCURRENCY' then
    shared[BARRED] = max(shared[BARRED], at)
  end
end

-- Adds spending from before to the running cell. A member that does not know its day of 24 h yet
-- reports no uses, only the time since which it has spent nothing; then the sum counts before that.
local function place(sum)
  local cell = at
  if kind == 'SPAN' and #uses == 0 and from > 0 then
    cell = max(shared[KNOWN], min(at, from - 1))
  end
  counted[cell] = (counted[cell] or 0) + sum
  add(cell, sum)
end

if returns and kind == 'SPAN' then
  local sum = 0
  for cell, amount in pairs(counted) do
    if cell >= shared[KNOWN] then
      sum = sum + amount
      add(cell, -amount)
    end
  end
  counted = {}
  if sum > 0 then place(sum) end
end

local function join_from_host()
  local theirs = {}
  if not pairs_of(numbers(read[4] or ''), theirs) then return F .. ':' .. name end
  for cell, amount in pairs(counted) do
    if kind == 'BUCKET' then
      if cell == OUT then
        add(OUT, -amount)
        shared[MISSING] = shared[MISSING] + amount
      end
    elseif cell >= shared[KNOWN] then
      add(cell, -amount)
    end
  end
  counted = {}
  local sum = counting_in_host(host.by_name[name], theirs)
  if sum > 0 and kind ~= 'STRICT' then place(sum) end
end

local in_all = EXACT -- the room of F, which limits all grants
local before_round = 0
if host then
  look_at_host()
  if bounded then in_all = room_of_host() end
  local bad = joins and join_from_host() or not bounded and take_over()
  if bad then return foreign(bad) end
  for cell, amount in pairs(counted) do
    if cell >= shared[KNOWN] then before_round = before_round + amount end
  end
end
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

-- the cells in which slices may be granted
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

local bound = in_all
local ends, used = {}, {} -- the windows to check: the last cell and the used amount of each
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
  return max(0, min(capacity - most, bound))
end

local function keep(cell, amount)
  if bounded then bound = max(0, bound - amount) end
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

-- Reserves the heads whose turns lie between two others. Returns whether anything of the rest may
-- be granted to members behind them.
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
  local rate = slowest_of(members)
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
  local left = min(me[HEAD] + me[WANTED], most, free - heads_before(turn), bound)
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
-- Returns the last barred cell, or -1 when the running one is not barred. While members with the
-- kind of F are heard, a barred running cell of F bars the running cell here as well.
local function last_barred()
  if kind == 'CONCURRENCY' or kind == 'STRICT' then return -1 end
  local last = at <= shared[BARRED] and shared[BARRED] or -1
  return bounded and lost_in_host() and max(last, at) or last
end
local barred_until = last_barred()
if barred_until ~= -1 then answer[#answer + 1], answer[#answer + 2] = -1, barred_until end

local function full_again(used)
  local barred = shared[BARRED]
  if kind == 'FIXED' then return (max(at, barred) + 1) * length end
  if kind == 'DAY' then return starts[today + 1] + reach end
  if kind == 'SPAN' then return at + SPAN + reach end
  if kind == 'CONCURRENCY' then return now end
  local last = barred
  if kind == 'TRAILING' then
    for cell in pairs(totals) do last = max(last, cell) end
    return (last + span + 1) * length
  end
  local rate = slowest_of(members)
  local filled = now + math.ceil(used * (rate[SECONDS] * 1000000) / rate[RELEASES])
  return max(filled, (last + span + 1) * length)
end

-- Returns the amount left over all members, and the time at which all of the limit is left again.
local function left()
  local bound = in_all
  for _, amount in pairs(granted) do bound = max(0, bound - amount) end
  if kind == 'STRICT' then
    local slot = max(shared[NEXT], shared[BARRED] + 1)
    return min(slot <= now + LEAD and 1 or 0, bound), max(now, slot)
  end
  local open = kind == 'CONCURRENCY' or (at - span >= shared[KNOWN] and at > shared[BARRED])
  local used = used_in(shared, kind, totals, at, span)
  local free = open and max(0, capacity - used) or 0
  return min(free, bound), free == capacity and now or min(EXACT - 1, full_again(used))
end
answer[#answer + 1], answer[#answer + 2] = left()

-- Counts the spending of this round in F as well, as that of a member with the kind of F. Amounts
-- that come back to a bucket or as slots are not returned there, because other members may have
-- used them since.
local function count_in_host(spent)
  local s, cells, theirs = host.shared, host.totals, {}
  local record, like = host.by_name[name], host.by_name[name] or others[1]
  if not record then
    record = {name = name, 0, 0, 0, like[REACH], 0, 0, 0, -1, like[RELEASES], like[SECONDS],
        like[FILL]}
    host.members[#host.members + 1] = record
  elseif not pairs_of(numbers(read[4] or ''), theirs) then
    return nil
  end
  record[NUMBER], record[HEARD], record[WANTED], record[HEAD] = number, now, 0, 0
  record[TURN] = ELSEWHERE
  local same_unit = kind ~= 'STRICT' and host.kind ~= 'STRICT'
  record[CAPACITY] = same_unit and own_capacity or like[CAPACITY]
  for cell in pairs(theirs) do
    if cell < s[KNOWN] then theirs[cell] = nil end
  end
  if theirs[OUT] then -- it may have spent these tokens
    local out = max(0, (cells[OUT] or 0) - theirs[OUT])
    s[MISSING] = s[MISSING] + theirs[OUT]
    cells[OUT], theirs[OUT] = out > 0 and out or nil, nil
  end
  if host.kind == 'BUCKET' then
    s[MISSING] = s[MISSING] + max(0, spent)
  elseif host.kind == 'STRICT' then
    local releases, parts = host.rate[RELEASES], host.rate[SECONDS] * 1000000
    local part = s[NEXT] >= now and min(s[PART], releases - 1) or 0
    local passed = min(max(0, spent), div(EXACT - 1 - part, parts)) * parts + part
    if spent > 0 then
      s[NEXT], s[PART] = max(s[NEXT], now) + div(passed, releases), math.fmod(passed, releases)
    end
  else
    local have = theirs[host.at] or 0
    local next = max(0, have + spent)
    local sum = (cells[host.at] or 0) + next - have
    theirs[host.at] = next > 0 and next or nil
    cells[host.at] = sum > 0 and sum or nil
  end
  local mine
  mine, record[NEWEST] = packed(theirs)
  return mine
end

local function words_of(record, into)
  into[#into + 1] = record.name
  for i = 1, FIELDS do into[#into + 1] = text(record[i]) end
end

local function written(kind, length, s, sums, words)
  local numbers = {}
  for i = 1, 9 do numbers[i] = text(s[i]) end
  return '2 ' .. kind .. ' ' .. text(length) .. ' ' .. table.concat(numbers, ' ') .. '|' .. sums ..
      '|' .. table.concat(words, ' ')
end

local in_host
if bounded then
  local spent = 0
  for _, amount in pairs(kind == 'STRICT' and granted or counted) do spent = spent + amount end
  in_host = count_in_host(spent - before_round)
  if not in_host then return foreign(F .. ':' .. name) end
elseif host then
  dropped[#dropped + 1] = G
  for _, record in ipairs(members) do
    dropped[#dropped + 1] = G .. ':' .. record.name
    rewritten[record.name] = rewritten[record.name]
        or redis.call('HGET', key, G .. ':' .. record.name) or ''
  end
  for _, record in ipairs(host.members) do dropped[#dropped + 1] = F .. ':' .. record.name end
  rewritten[name] = nil
  field = F
end

-- ---- the state is written
local mine
mine, me[NEWEST] = packed(counted)
local sums, newest = packed(totals)
local words, lasts = {}, now + ttl
for _, record in ipairs(members) do
  if silent(record) and record[NEWEST] < shared[KNOWN] then
    dropped[#dropped + 1] = field .. ':' .. record.name
  else
    words_of(record, words)
    newest = max(newest, record[NEWEST])
    lasts = max(lasts, record[HEARD] + ttl)
  end
end
if kind == 'STRICT' then lasts = max(lasts, shared[NEXT]) end
-- A Redis that is out of memory refuses commands that may need more, except in a script that has
-- already written. The state of a limit is small and bounded, and a limit must not stop because
-- something else filled Redis; so the script always begins with a deletion, which needs no memory.
dropped[#dropped + 1] = ''
redis.call('HDEL', key, unpack(dropped))
redis.call('HSET', key, field, written(kind, length, shared, sums, words), field .. ':' .. name, mine)
for other, value in pairs(rewritten) do
  if by_name[other][NEWEST] >= shared[KNOWN] then
    redis.call('HSET', key, field .. ':' .. other, value)
  end
end
if in_host then
  words = {}
  for _, record in ipairs(host.members) do words_of(record, words) end
  redis.call('HSET', key,
      F, written(host.kind, host.length, host.shared, (packed(host.totals)), words),
      F .. ':' .. name, in_host)
  lasts = max(lasts, (host.at + host.span + 1) * host.length)
end

-- The hash expires at least a minute after the last moment at which anything in it counts, and not
-- before an idle hour: otherwise members that know the limit would take that for a loss.
if newest == OUT then newest = div(now + ttl, length) end -- the tokens are spent by then
newest = max(newest, shared[BARRED])
if grid then lasts = max(lasts, (newest + span + 1) * length) end
if kind == 'DAY' then lasts = max(lasts, starts[4] + reach) end
if kind == 'SPAN' and newest >= 0 then lasts = max(lasts, newest + SPAN + reach) end
local millis = max(div(lasts - now, 1000) + 1, KEPT)
if redis.call('PTTL', key) < millis then redis.call('PEXPIRE', key, text(millis + 60000)) end
return answer
