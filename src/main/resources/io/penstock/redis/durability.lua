-- Returns by which of its settings one Redis master may forget what instances wrote.
--
-- KEYS[1]  a key on that master
-- Answers  its maxmemory-policy; and 1 if it has replicas, and takes writes although it hears none
--          of them. Both are '' when the user may not ask for it.
local function info(section)
  local said = redis.pcall('INFO', section)
  return type(said) == 'string' and said or ''
end
local policy = string.match(info('memory'), 'maxmemory_policy:([%w-]+)') or ''
local said = info('replication')
local replicas = tonumber(string.match(said, 'connected_slaves:(%d+)'))
-- this line is there only if min-replicas-to-write is more than 0
local alone = replicas and replicas > 0 and not string.find(said, 'min_slaves_good_slaves', 1, true)
return {policy, alone and '1' or ''}
